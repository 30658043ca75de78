"""Held-out classes, and the domains that pictures fall into by them (nocaps, Section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from limner.errors import LimnerError, unknown
from limner.playground.catalogue import KINDS, PEOPLE, with_trait
from limner.playground.scene import Scene
from limner.playground.scene_settings import Wheel

IN, NEAR, OUT = "in-domain", "near-domain", "out-domain"
DOMAINS = (IN, NEAR, OUT)
# How pictures are spread over the domains when none is asked for: roughly as in nocaps.
SHARES = {IN: 0.1, NEAR: 0.6, OUT: 0.3}

_CLASSES = frozenset(KINDS)
_SCENERY = with_trait("scenery")
_WORN = frozenset(name for name, kind in KINDS.items() if kind.figure == "garment")


class Domains:
    """Which classes are novel, and which domains are wanted."""

    def __init__(self, novel: Iterable[str], wanted: Iterable[str] = ()) -> None:
        self.novel = frozenset(novel)
        for name in sorted(self.novel):
            if name not in KINDS:
                raise unknown("class", name, KINDS)
        chosen = tuple(wanted) or DOMAINS
        for domain in chosen:
            if domain not in DOMAINS:
                raise unknown("domain", domain, DOMAINS)
        self.known = _CLASSES - self.novel
        standing = sorted(self.novel - _WORN - _SCENERY)
        if not standing:
            if tuple(chosen) == (OUT,):
                raise LimnerError(
                    "no picture can be out-domain: the novel classes are only worn or scenery; name others"
                )
            chosen = tuple(domain for domain in chosen if domain != OUT)
        self._standing = standing
        self._unsaid = self._nouns()
        self._wheel = Wheel({domain: SHARES[domain] for domain in DOMAINS if domain in chosen})

    def draw(self, rng: Random) -> tuple[str, frozenset[str], str | None]:
        """A domain, the classes its scene may have, and one that it ought to have."""
        domain = self._wheel.spin(rng)
        if domain == IN:
            return domain, self.known, None
        if domain == NEAR:
            names = sorted(self.novel)
            return domain, _CLASSES, names[int(rng.random() * len(names))]
        allowed = self.novel | (_SCENERY - self.novel)
        # Nobody goes naked: clothes are allowed wherever people are.
        if self.novel & set(PEOPLE):
            allowed |= _WORN
        return domain, allowed, self._standing[int(rng.random() * len(self._standing))]

    def unsaid(self, domain: str) -> frozenset[str]:
        """The nouns that nobody uses in a domain: in-domain those of novel classes, but for other classes' names."""
        return self._unsaid if domain == IN else frozenset()

    def _nouns(self) -> frozenset[str]:
        """The nouns of novel classes, and those that end in one ("winter hat"), but for known classes' names."""
        heads = tuple(word.one for name in self.novel for word in KINDS[name].words)
        nouns = {word.one for kind in KINDS.values() for word in kind.words}
        said = {KINDS[name].words[0].one for name in self.known}
        return frozenset(n for n in nouns if n in heads or n.endswith(tuple(f" {head}" for head in heads))) - said

    def of(self, scene: Scene) -> str:
        """A scene's domain: `in` without novel classes, `out` with no others but scenery and clothes, else `near`."""
        names = {thing.kind.name for thing in scene.things}
        if not names & self.novel:
            return IN
        return OUT if names - self.novel <= _SCENERY | _WORN else NEAR


def random_novel(count: int, seed: int) -> tuple[str, ...]:
    """That many classes to hold out, among those that pictures are about."""
    pool = sorted(_CLASSES - _SCENERY - _WORN - set(PEOPLE))
    if not 0 < count <= len(pool):
        raise LimnerError(f"cannot hold out {count} classes; there are {len(pool)} to choose from")
    rng = Random(f"novel:{seed}")
    # A shuffle by hand: only `Random.random` is promised to give the same numbers in every Python.
    for i in range(count):
        j = i + int(rng.random() * (len(pool) - i))
        pool[i], pool[j] = pool[j], pool[i]
    return tuple(sorted(pool[:count]))
