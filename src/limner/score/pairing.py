"""Captions joined to references by image id; what does not fit is an error, or is counted as it was asked to be."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.score.results import Missing, listed, read_results
from limner.score.run import Run, Tokeniser
from limner.text.token_table import token_table

Extra = Literal["error", "skip"]
Empty = Literal["error", "score"]
Duplicate = Literal["error", "first"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What becomes of an image without a caption, a caption without references, one without words, a second one."""

    missing: Missing = "error"
    extra: Extra = "error"
    empty: Empty = "error"
    duplicate: Duplicate = "error"

    def __post_init__(self) -> None:
        for name, kind in (("missing", Missing), ("extra", Extra), ("empty", Empty), ("duplicate", Duplicate)):
            if getattr(self, name) not in get_args(kind):
                raise unknown(f"way with what is {name}", getattr(self, name), get_args(kind))


@dataclass(slots=True)
class References:
    """The references of each image, and the gold images where they are kept."""

    place: str
    texts: dict[str, list[str]] = field(default_factory=dict)
    images: dict[str, Image] | None = None
    without: int = 0


@dataclass(slots=True)
class Captions:
    """One system's captions by image id; how many second ones were passed over."""

    place: str
    name: str
    by_image: dict[str, Caption]
    n_duplicates: int = 0


def read_references(
    images: Iterable[Image] | Mapping[str, Sequence[str]], *, keep_images: bool = False, place: str = "references"
) -> References:
    """The gold captions of every image that has any; or, where none is gold, those of the only source there is."""
    if isinstance(images, Mapping):
        texts = {
            str(id): [captions] if isinstance(captions, str) else list(captions) for id, captions in images.items()
        }
        return References(place, {id: some for id, some in texts.items() if some})
    found = References(place, images={} if keep_images else None)
    others: dict[str, list[str]] = {}
    sources: set[str] = set()
    for image in images:
        if found.images is not None:
            found.images[image.id] = image
        gold = [caption.text for caption in image.captions if caption.source == "gold"]
        if gold:
            found.texts[image.id] = gold
        elif image.captions:
            sources.update(caption.source for caption in image.captions)
            others[image.id] = [caption.text for caption in image.captions]
        else:
            found.without += 1
    if not found.texts and len(sources) == 1:
        found.texts = others
    elif not found.texts:
        told = f"captions are by {', '.join(sorted(sources))}" if sources else "there are no captions"
        raise BadInput(place, told, "give references: captions whose source is gold")
    else:
        found.without += len(others)
    return found


def read_captions(
    images: Iterable[Image] | Mapping[str, str],
    *,
    source: str | None = None,
    duplicate: Duplicate = "error",
    place: str = "results",
    name: str | None = None,
    known: Container[str] | None = None,
) -> Captions:
    """The captions of one system: that which is named, or the only one that is not gold.

    Where the images that have references are `known`, of the captions of
    others only the ids are kept: there may be many.
    """
    if isinstance(images, Mapping):
        return Captions(place, name or place, {str(id): Caption("0", text) for id, text in images.items()})
    results = read_results(images, source=source, place=place, duplicate=duplicate, known=known)
    return Captions(place, name or results.source, dict(results.captions), results.n_duplicates)


def pair(
    systems: Sequence[Captions],
    references: References,
    policy: Policy | None = None,
    *,
    tokeniser: Tokeniser | None = None,
    tokeniser_name: str = "none",
) -> list[tuple[Run, dict[str, int]]]:
    """A run for each system with what was counted, images in the references' order; a sentence is tokenised once."""
    policy = policy or Policy()
    counts = [misfits(captions, references).counts(policy) for captions in systems]
    runs = make_runs(systems, references, policy.missing, tokeniser=tokeniser, tokeniser_name=tokeniser_name)
    return list(zip(runs, counts, strict=True))


def make_runs(
    systems: Sequence[Captions],
    references: References,
    missing: Missing,
    *,
    tokeniser: Tokeniser | None = None,
    tokeniser_name: str = "none",
) -> list[Run]:
    """The runs, whatever does not fit: an image without a caption has an empty one, unless it is to be left out."""
    ids = list(references.texts)
    kept = [
        np.array([i for i, id in enumerate(ids) if missing != "skip" or id in captions.by_image], dtype=np.int64)
        for captions in systems
    ]
    texts = [[_text(captions, id) for id in ids] for captions in systems]
    flat = [text for id in ids for text in references.texts[id]]
    sentences = [*flat, *(text for of_system in texts for text in of_system)]
    table = token_table(tokeniser(sentences) if tokeniser else sentences)
    sizes = np.fromiter((len(references.texts[id]) for id in ids), dtype=np.int64, count=len(ids))
    starts = np.cumsum(sizes) - sizes
    runs = []
    for number, (captions, places, said) in enumerate(zip(systems, kept, texts, strict=True)):
        candidates = len(flat) + number * len(ids) + places
        # An image's caption, then its references: one more sentence each.
        lengths = sizes[places] + 1
        ends = np.cumsum(lengths)
        order = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts[places] - 1 - (ends - lengths), lengths)
        order[ends - lengths] = candidates
        wanted = [ids[i] for i in places]
        runs.append(
            Run(
                wanted,
                [said[i] for i in places],
                [references.texts[id] for id in wanted],
                tokeniser,
                tokeniser_name,
                None if references.images is None else [references.images[id] for id in wanted],
                [captions.by_image.get(id, _NOTHING) for id in wanted],
                table.select(order),
            )
        )
    return runs


class Some(NamedTuple):
    """How many ids there are of a kind, and the first of them."""

    n: int
    first: Sequence[str]

    def __str__(self) -> str:
        return listed(self.first, self.n)


@dataclass(frozen=True, slots=True)
class Misfits:
    """What of one system's captions and the references does not fit: images without a caption, captions that are
    `extra` or `empty`, and how many second ones and images without references there were."""

    place: str
    name: str
    n_references: int
    n_captions: int
    missing: Some
    extra: Some
    empty: Some
    duplicate: int
    without_references: int

    def counts(self, policy: Policy) -> dict[str, int]:
        """How many there are of each kind; an error for those that the policy does not allow."""
        if self.missing.n and policy.missing == "error":
            problem = f"{self.missing} of {self.n_references:,} images with references have no caption by "
            remedy = "pass --missing zero to score them 0, --missing skip to leave them out"
            raise BadInput(self.place, problem + shown(self.name), remedy)
        if self.extra.n and policy.extra == "error":
            problem = f"{self.extra} of {self.n_captions:,} captions are of images without references"
            raise BadInput(self.place, problem, "give references of the same images, or pass --extra skip")
        if self.empty.n and policy.empty == "error":
            problem = f"{self.empty} of {self.n_captions:,} captions have no words"
            raise BadInput(self.place, problem, "mend them, or pass --empty score to score them as they are")
        if self.missing.n == self.n_references and policy.missing == "skip":
            raise LimnerError(f"{self.place}: no caption is of an image with references; check that the ids agree")
        return {
            "missing": self.missing.n,
            "extra": self.extra.n,
            "empty": self.empty.n,
            "duplicate": self.duplicate,
            "without_references": self.without_references,
        }


def misfits(captions: Captions, references: References) -> Misfits:
    """What does not fit, in the order of the references or else of the captions."""
    missing = [id for id in references.texts if id not in captions.by_image]
    extra = [id for id in captions.by_image if id not in references.texts]
    empty = [id for id, one in captions.by_image.items() if not one.text.strip() and id in references.texts]
    return Misfits(
        captions.place,
        captions.name,
        len(references.texts),
        len(captions.by_image),
        Some(len(missing), missing),
        Some(len(extra), extra),
        Some(len(empty), empty),
        captions.n_duplicates,
        references.without,
    )


_NOTHING = Caption("0", "")


def _text(captions: Captions, id: str) -> str:
    found = captions.by_image.get(id)
    return "" if found is None else found.text
