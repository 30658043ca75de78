"""The playground as a corpus: scenes, their boxes and what people say of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Chain, FrozenDict, Image
from limner.errors import LimnerError
from limner.playground.attention import Viewpoint
from limner.playground.compose import compose
from limner.playground.describers import N_DESCRIBERS, chosen
from limner.playground.novel_classes import Domains
from limner.playground.scene import Scene, Thing
from limner.playground.scene_captions import describe

# How often a scene is composed anew before its domain is given up.
TRIES = 60


@dataclass(frozen=True)
class World:
    """A playground's settings; a picture depends on these and its own number alone.

    `captions` is the least and the greatest number of captions a picture has,
    `size` its width and height in pixels.
    """

    seed: int = 0
    captions: tuple[int, int] = (5, 5)
    size: tuple[int, int] = (640, 480)
    novel: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    _domains: Domains | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        least, most = self.captions
        if not 1 <= least <= most <= N_DESCRIBERS:
            raise ValueError(f"captions {self.captions} must be from 1 to {N_DESCRIBERS}, the smaller number first")
        if not all(MIN_SIDE <= side <= MAX_SIDE for side in self.size):
            raise ValueError(f"size {self.size} must be from {MIN_SIDE} to {MAX_SIDE} pixels each way")
        if self.domains and not self.novel:
            raise ValueError("domains are told by novel classes; name some")
        if self.novel:
            object.__setattr__(self, "_domains", Domains(self.novel, self.domains))

    def scene(self, number: int) -> Scene:
        """The scene of that number, without captions."""
        return self._scene(number)[0]

    def image(self, number: int) -> Image:
        """The image of that number, without its picture."""
        return self.staged(number)[1]

    def staged(self, number: int, folder: str = "") -> tuple[Scene, Image]:
        """The scene of that number, to be drawn into the folder, and its image."""
        scene, rng, domain = self._scene(number)
        id = f"p{self.seed}-{number:06d}"
        return scene, self._image(id, scene, rng, domain, f"{folder}/{id}.png" if folder else "")

    def _scene(self, number: int) -> tuple[Scene, Random, str]:
        if self._domains is None:
            seed = f"{self.seed}:{number}"
            rng = Random(seed)
            return compose(rng, seed, self.size), rng, ""
        wanted, allowed, show = self._domains.draw(Random(f"{self.seed}:{number}:domain"))
        for attempt in range(TRIES):
            # Each attempt has a seed of its own, which drawing uses too.
            seed = f"{self.seed}:{number}:{attempt}"
            rng = Random(seed)
            scene = compose(rng, seed, self.size, allowed, show)
            if scene.things and self._domains.of(scene) == wanted:
                return scene, rng, wanted
        raise LimnerError(f"no {wanted} picture of {show!r} could be composed; name more novel classes")

    def _image(self, id: str, scene: Scene, rng: Random, domain: str, file: str) -> Image:
        least, most = self.captions
        count = least + int(rng.random() * (most - least + 1))
        view = Viewpoint(scene, self._domains.unsaid(domain) if self._domains is not None else frozenset())
        chains = _Chains(scene)
        captions = []
        for i, who in enumerate(chosen(rng, count)):
            text, spans = describe(view, who, rng)
            mentions = tuple(Mention(start, end, *chains.of(to)) for start, end, to in spans)
            captions.append(Caption(str(i), text, mentions))
        facts: dict[str, str | int | float | bool] = {"setting": scene.setting}
        if domain:
            facts["domain"] = domain
        return Image(
            id,
            scene.width,
            scene.height,
            tuple(map(_box, scene.things)),
            tuple(captions),
            chains.all(),
            file,
            FrozenDict(facts),
            _PROVENANCE,
        )


MIN_SIDE, MAX_SIDE = 120, 4096
_PROVENANCE = FrozenDict({"captions": "simulated"})


def playground(
    n: int,
    *,
    seed: int = 0,
    captions: int | tuple[int, int] = 5,
    size: tuple[int, int] = (640, 480),
    novel: tuple[str, ...] = (),
    domains: tuple[str, ...] = (),
) -> Iterator[Image]:
    """The first `n` images of a world, without their pictures; the same for the same arguments, anywhere.

    `captions` is how many each image has, or from how many to how many.
    `novel` are held-out classes: images then tell their `domain`, and only
    those of `domains`, if any are given, are made.
    """
    span = (captions, captions) if isinstance(captions, int) else captions
    world = World(seed, span, size, novel, domains)
    return (world.image(number) for number in range(n))


def _box(thing: Thing) -> Box:
    x0, y0, x1, y1 = thing.box
    kind = thing.kind
    # A tenth may be lost at the picture's edge before it counts as truncated.
    cut = thing.full > 0 and (x1 - x0) * (y1 - y0) < 0.9 * thing.full
    return Box(
        str(thing.number), x0, y0, x1, y1, kind.name, 1.0, (kind.type,), thing.attributes, ("truncated",) if cut else ()
    )


class _Chains:
    """The image's chains, one for each set of things or part of the setting that is spoken of."""

    def __init__(self, scene: Scene) -> None:
        self._things = scene.things
        self._found: dict[tuple[int, ...] | str, Chain] = {}

    def of(self, to: tuple[int, ...] | str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        """A mention's boxes, chain and types."""
        chain = self._found.get(to)
        if chain is None:
            number = str(len(self._found) + 1)
            if isinstance(to, str):
                chain = Chain(number, (), ("scene",), ("scene",))
            else:
                types = tuple(dict.fromkeys(self._things[i].kind.type for i in to))
                chain = Chain(number, tuple(map(str, to)), types)
            self._found[to] = chain
        return chain.boxes, chain.id, chain.types

    def all(self) -> tuple[Chain, ...]:
        return tuple(self._found.values())
