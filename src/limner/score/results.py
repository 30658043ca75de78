"""A system's captions beside the gold images they describe.

Results are a corpus too: images with an id and captions, which may name boxes
that only gold holds. Nothing that does not fit is passed over: what is missing
is an error, or is counted as it was asked to be.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput, shown, unknown

Missing = Literal["error", "zero", "skip"]
"""What to do with a gold image that has no result: refuse, score it 0, or leave it out."""


_WITHOUT_WORDS = Caption("0", "")


class Results(NamedTuple):
    """One source's captions by image id; `place` names the results in errors.

    `n_duplicates` second captions of an image were passed over.
    """

    place: str
    source: str
    captions: Mapping[str, Caption]
    n_duplicates: int = 0


class Pair(NamedTuple):
    """A gold image and its caption, None where there is none."""

    gold: Image
    caption: Caption | None


def read_results(
    images: Iterable[Image],
    *,
    source: str | None = None,
    place: str = "results",
    duplicate: Literal["error", "first"] = "error",
    known: Container[str] | None = None,
) -> Results:
    """The captions of one source: that which is named, or the only one that is not gold.

    A name without a colon is a system's: `learned` for `system:learned`. Two
    captions of the source for one image are an error, unless the `first` is
    asked for. Captions of images that are not `known` are kept without words.
    """
    wanted = None if source is None else _full(source)
    found: dict[str, Caption] = {}
    sources: dict[str, None] = {}
    n_duplicates = 0
    for image in images:
        for caption in image.captions:
            sources[caption.source] = None
            if wanted is None and caption.source != "gold":
                wanted = caption.source
            if caption.source != wanted:
                continue
            if image.id in found and duplicate == "first":
                n_duplicates += 1
                continue
            if image.id in found:
                problem = f"image {shown(image.id)} has two captions by {shown(wanted)}"
                raise BadInput(place, problem, "keep one of them, or give each its own source")
            found[image.id] = caption if known is None or image.id in known else _WITHOUT_WORDS
    return Results(place, _chosen(place, source, wanted, list(sources)), found, n_duplicates)


def join(results: Results, gold: Iterable[Image], *, missing: Missing = "error") -> Iterator[Pair]:
    """Every gold image with its caption, in gold's order; gold streams.

    A mention of a box that the gold image does not have is an error. So is, at
    the end, a result for an image that gold does not have, and a gold image
    without a result where `missing` is `error`.
    """
    if missing not in get_args(Missing):
        raise unknown("way with what is missing", missing, get_args(Missing))
    n_gold = 0
    without: list[str] = []
    matched: set[str] = set()
    for image in gold:
        n_gold += 1
        caption = results.captions.get(image.id)
        if caption is None:
            without.append(image.id)
        else:
            matched.add(image.id)
            _check_boxes(results.place, image, caption)
        yield Pair(image, caption)
    if len(matched) < len(results.captions):
        _refuse_unknown(results, matched)
    if without and missing == "error":
        problem = f"{listed(without)} of {n_gold:,} gold images have no caption by {shown(results.source)}"
        raise BadInput(results.place, problem, "pass --missing zero to score them 0, --missing skip to leave them out")


def _full(source: str) -> str:
    return source if ":" in source or source == "gold" else f"system:{source}"


def _chosen(place: str, named: str | None, wanted: str | None, sources: list[str]) -> str:
    """The source that was read, or an error where it is not there or not the only one."""
    if not sources:
        raise BadInput(place, "there are no captions", "give a system's results")
    if named is not None and wanted is not None:
        if wanted not in sources:
            raise BadInput(place, f"no caption is by {shown(wanted)}", f"there is: {', '.join(sorted(sources))}")
        return wanted
    if wanted is None:
        raise BadInput(place, "every caption is gold", "give a system's results, or pass --source gold")
    systems = sorted(source for source in sources if source != "gold")
    if len(systems) > 1:
        raise BadInput(place, f"captions are by {', '.join(systems)}", "pass --source to name one of them")
    return wanted


def _check_boxes(place: str, gold: Image, caption: Caption) -> None:
    there = {box.id for box in gold.boxes}
    for mention in caption.mentions:
        for box in mention.boxes:
            if box not in there:
                raise BadInput(
                    place,
                    f"image {shown(gold.id)}: caption {shown(caption.id)} mentions box {shown(box)}, "
                    "which the gold image does not have",
                    "give results that name gold's boxes",
                )


def _refuse_unknown(results: Results, matched: set[str]) -> None:
    strangers = [image for image in results.captions if image not in matched]
    problem = f"{listed(strangers)} of {len(results.captions):,} images with a caption are not in gold"
    raise BadInput(results.place, problem, "score results against the gold of the same images")


def listed(ids: Sequence[str], n: int | None = None) -> str:
    """How many there are, n or these alone, and the first of them."""
    n = len(ids) if n is None else n
    some = ", ".join(shown(id) for id in ids[:3])
    return f"{n:,} ({some}{', …' if n > 3 else ''})"
