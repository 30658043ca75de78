"""Captions joined to references by image id: the one join that every score goes through.

Results are a corpus too: images with an id and captions, which may name boxes
that only the gold image has. What does not fit is an error, or is counted as
a `Policy` says. Nothing is passed over in silence.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

import numpy as np

from limner.corpus import open_corpus
from limner.corpus.caption import Caption
from limner.corpus.image import NOTHING, Facts, Image
from limner.corpus.provenance import ProvenanceTally
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.score.box_matching import MATCH_IOU, MatchedCaption, check_match_iou, count_boxes, match_caption
from limner.score.listed_captions import captions_by_position
from limner.score.run import Run, Tokeniser, refers_to_boxes
from limner.text.token_table import token_table

# A corpus by its path, or several that are joined.
Corpora = str | Path | Sequence[str | Path]

# What becomes of an image without a caption: an error, a score of 0, or it is left out.
Missing = Literal["error", "zero", "skip"]

Extra = Literal["error", "skip"]
Empty = Literal["error", "score"]
Duplicate = Literal["error", "first"]

# What stands in for a caption that is missing, or whose image nobody asks about.
_NO_CAPTION = Caption("0", "")


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
                raise unknown(f"policy for {name} captions", getattr(self, name), get_args(kind))


def checked_policy(policy: Policy | None) -> Policy:
    """The policy, or the default; an error for anything else."""
    if policy is not None and not isinstance(policy, Policy):
        raise LimnerError(f"the policy is {shown(policy)}; give a Policy, such as Policy(missing='skip')")
    return policy or Policy()


@dataclass(slots=True)
class References:
    """The references of each image, and the gold images if they are kept.

    `place` names them in errors. `n_without` images have no reference, and
    `n_boxes_only` more have none but boxes.
    `gold_ids` are the images for which captions are expected (default: those
    that have references).
    """

    place: str
    texts: dict[str, list[str]] = field(default_factory=dict)
    images: dict[str, Image] | None = None
    n_without: int = 0
    gold_ids: Collection[str] | None = None
    n_boxes_only: int = 0

    def add_without(self, image: Image) -> None:
        """Count an image that has no reference."""
        if image.boxes and not image.captions:
            self.n_boxes_only += 1
        else:
            self.n_without += 1


@dataclass(slots=True)
class Captions:
    """One system's captions by image id; how many second captions of an image were passed over.

    `place` names them in errors. `provenance` is that of the results that have any.
    `images` are those result images that bring boxes to which their caption
    refers.
    """

    place: str
    name: str
    by_image: dict[str, Caption]
    n_duplicates: int = 0
    provenance: dict[str, Facts] = field(default_factory=dict)
    images: dict[str, Image] = field(default_factory=dict)

    def add(self, image: Image, caption: Caption) -> None:
        self.by_image[image.id] = caption
        if image.provenance:
            self.provenance[image.id] = image.provenance
        if image.boxes and refers_to_boxes(caption):
            self.images[image.id] = image


def read_references(
    images: Corpora | Iterable[Image] | Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
    *,
    keep_images: bool = False,
    place: str | None = None,
) -> References:
    """The gold captions of every image that has any; if none is gold, the captions of the only source there is."""
    if (given := _given(images)) is not None:
        place = place or "references"
        by_id = {str(id): _texts(place, id, captions) for id, captions in given.items()}
        return References(place, {id: texts for id, texts in by_id.items() if texts})
    images, place = opened(cast("Corpora | Iterable[Image]", images), place, "references")
    references = References(place, images={} if keep_images else None)
    not_gold: dict[str, list[str]] = {}
    sources: set[str] = set()
    for image in images:
        if references.images is not None:
            references.images[image.id] = image
        gold = [caption.text for caption in image.captions if caption.source == "gold"]
        if gold:
            references.texts[image.id] = gold
        elif image.captions:
            sources.update(caption.source for caption in image.captions)
            not_gold[image.id] = [caption.text for caption in image.captions]
        else:
            references.add_without(image)
    if not references.texts and len(sources) == 1:
        references.texts = not_gold
    elif not references.texts:
        problem = f"captions are by {', '.join(sorted(sources))}" if sources else "there are no captions"
        raise BadInput(place, problem, "give references: captions whose source is gold")
    else:
        references.n_without += len(not_gold)
    return references


def read_grounded_references(images: Corpora | Iterable[Image], *, place: str | None = None) -> References:
    """The gold captions that refer to a box, and every gold image: each of them is to have a caption."""
    images, place = opened(images, place, "gold")
    by_id = {image.id: image for image in images}
    references = References(place, images=by_id, gold_ids=by_id)
    for image in by_id.values():
        texts = [caption.text for caption in image.captions if caption.source == "gold" and refers_to_boxes(caption)]
        if texts:
            references.texts[image.id] = texts
        else:
            references.n_without += 1
    return references


def read_captions(
    images: Corpora | Iterable[Image] | Mapping[str, str | Sequence[str]] | Sequence[str | Sequence[str]],
    *,
    source: str | None = None,
    duplicate: Duplicate = "error",
    place: str | None = None,
    name: str | None = None,
    known: Container[str] | None = None,
) -> Captions:
    """The captions of one source: the one that is named, or the only one that is not gold.

    A source without a colon is a system's name: `learned` for
    `system:learned`. With `known`, the ids of images that have references,
    captions of other images are kept without their words: there may be many.
    """
    if (given := _given(images)) is not None:
        return _given_captions(given, duplicate, place or "results", name)
    images, place = opened(cast("Corpora | Iterable[Image]", images), place, "results")
    wanted = None if source is None else _full(source)
    captions = Captions(place, name or "", {})
    sources: dict[str, None] = {}
    for image in images:
        for caption in image.captions:
            sources[caption.source] = None
            if wanted is None and caption.source != "gold":
                wanted = caption.source
            if caption.source != wanted:
                continue
            if image.id in captions.by_image and duplicate == "first":
                captions.n_duplicates += 1
            elif image.id in captions.by_image:
                problem = f"image {shown(image.id)} has two captions by {shown(wanted)}"
                remedy = "keep one of them, give each its own source, or allow second captions"
                raise BadInput(place, problem, remedy, code="second-caption")
            else:
                captions.add(image, caption if known is None or image.id in known else _NO_CAPTION)
    captions.name = name or _chosen(place, source, wanted, list(sources))
    return captions


def check_boxes(captions: Captions, references: References) -> None:
    """Raise an error for a caption that mentions a box which the gold image does not have, and its result neither."""
    for id, image in (references.images or {}).items():
        caption = captions.by_image.get(id, _NO_CAPTION)
        if id in captions.images:
            continue
        gold_ids = {box.id for box in image.boxes} if caption.mentions else set()
        for box in (box for mention in caption.mentions for box in mention.boxes):
            if box not in gold_ids:
                raise BadInput(
                    captions.place,
                    f"image {shown(id)}: caption {shown(caption.id)} mentions box {shown(box)}, "
                    "which the gold image does not have",
                    "give results that name gold's boxes, or that have boxes of their own",
                )


def pair(
    systems: Sequence[Captions],
    references: References,
    policy: Policy | None = None,
    *,
    tokeniser: Tokeniser | None = None,
    tokeniser_name: str = "none",
    match_iou: float = MATCH_IOU,
) -> list[tuple[Run, dict[str, int]]]:
    """A run for each system with what was counted, images in the references' order; a sentence is tokenised once."""
    policy = checked_policy(policy)
    counts = [misfits(captions, references).counts(policy) for captions in systems]
    runs = make_runs(
        systems,
        references,
        policy.missing,
        tokeniser=tokeniser,
        tokeniser_name=tokeniser_name,
        match_iou=match_iou,
    )
    for run, of_system in zip(runs, counts, strict=True):
        if run.images is not None and run.result_boxes is not None:
            n_boxes = count_boxes(run.images, run.result_boxes)
            of_system["unmatched_boxes"] = n_boxes["boxes"] - n_boxes["matched"]
    return list(zip(runs, counts, strict=True))


def make_runs(
    systems: Sequence[Captions],
    references: References,
    missing: Missing,
    *,
    tokeniser: Tokeniser | None = None,
    tokeniser_name: str = "none",
    match_iou: float = MATCH_IOU,
) -> list[Run]:
    """The runs, whatever does not fit: an image without a caption has an empty one, unless it is to be left out.

    Boxes that results bring are matched to the gold images' from that IoU on.
    """
    ids = list(references.texts)
    kept = [
        np.array([i for i, id in enumerate(ids) if missing != "skip" or id in captions.by_image], dtype=np.int64)
        for captions in systems
    ]
    texts = [[captions.by_image.get(id, _NO_CAPTION).text for id in ids] for captions in systems]
    flat = [text for id in ids for text in references.texts[id]]
    # Without a tokeniser there is nothing to share between the runs: each splits its sentences when it is asked to.
    sentences = [*flat, *(text for of_system in texts for text in of_system)]
    table = None if tokeniser is None else token_table(tokeniser(sentences))
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
        matched = _matched(captions, wanted, references, match_iou)
        runs.append(
            Run(
                wanted,
                [said[i] for i in places],
                [references.texts[id] for id in wanted],
                tokeniser,
                tokeniser_name,
                None if references.images is None else [references.images[id] for id in wanted],
                [caption for caption, _ in matched],
                provenance=ProvenanceTally.of(captions.provenance.get(id, NOTHING) for id in wanted),
                _tokens=None if table is None else table.select(order),
                result_boxes=[boxes for _, boxes in matched] if any(boxes for _, boxes in matched) else None,
                match_iou=match_iou,
            )
        )
    return runs


def _matched(captions: Captions, ids: Sequence[str], references: References, match_iou: float) -> list[MatchedCaption]:
    """The captions of these images; those whose results bring boxes name gold's instead."""
    gold = references.images or {}
    check_match_iou(match_iou)
    return [
        match_caption(captions.by_image[id], captions.images[id], gold[id], match_iou, place=captions.place)
        if id in captions.images and id in gold
        else MatchedCaption(captions.by_image.get(id, _NO_CAPTION), {})
        for id in ids
    ]


class SomeIds(NamedTuple):
    """How many ids there are of a kind, and the first of them."""

    n: int
    first: Sequence[str]

    def __str__(self) -> str:
        return listed(self.first, self.n)


@dataclass(frozen=True, slots=True)
class Misfits:
    """What of one system's captions and the references does not fit: images without a caption, captions that are
    `extra` or `empty`, and how many second ones, images without references and images with boxes only there were."""

    place: str
    name: str
    n_references: int
    n_captions: int
    missing: SomeIds
    extra: SomeIds
    empty: SomeIds
    duplicate: int
    without_references: int
    of_all_images: bool = False
    boxes_only: int = 0

    def counts(self, policy: Policy) -> dict[str, int]:
        """How many there are of each kind; an error for those that the policy does not allow."""
        if self.n_captions and self.n_references and self.extra.n == self.n_captions:
            raise self._disjoint_error()
        if self.missing.n and policy.missing == "error":
            images = "gold images" if self.of_all_images else "images with references"
            problem = f"{self.missing} of {self.n_references:,} {images} have no caption by {shown(self.name)}"
            remedy = "allow a missing caption, to score the image 0 or to leave it out"
            raise BadInput(self.place, problem, remedy, code="missing-captions")
        if self.extra.n and policy.extra == "error":
            raise self._extra_error()
        if self.empty.n and policy.empty == "error":
            problem = f"{self.empty} of {self.n_captions:,} captions have no words"
            raise BadInput(self.place, problem, "mend them, or allow empty captions", code="empty-captions")
        if self.missing.n == self.n_references and policy.missing == "skip":
            raise LimnerError(f"{self.place}: no caption is of an image with references; check that the ids agree")
        return {
            "missing": self.missing.n,
            "extra": self.extra.n,
            "empty": self.empty.n,
            "duplicate": self.duplicate,
            "without_references": self.without_references,
            "boxes_only": self.boxes_only,
        }

    def _disjoint_error(self) -> BadInput:
        where = "in gold" if self.of_all_images else "in the references"
        here, there = shown(self.extra.first[0]), shown(self.missing.first[0])
        problem = f"no image is on both sides: here is {here}, {where} {there}"
        return BadInput(self.place, problem, "check that the ids agree")

    def _extra_error(self) -> BadInput:
        if self.of_all_images:
            problem = f"{self.extra} of {self.n_captions:,} images with a caption are not in gold"
            return BadInput(self.place, problem, "score results against the gold of the same images")
        problem = f"{self.extra} of {self.n_captions:,} captions are of images without references"
        remedy = "give references of the same images, or allow extra captions"
        return BadInput(self.place, problem, remedy, code="extra-captions")


def worded_count(what: str) -> str:
    """What tables call a key of `Misfits.counts`."""
    return "with boxes only" if what == "boxes_only" else what.replace("_", " ")


def misfits(captions: Captions, references: References) -> Misfits:
    """What does not fit, in the order of the references or else of the captions."""
    expected = references.texts if references.gold_ids is None else references.gold_ids
    missing = [id for id in expected if id not in captions.by_image]
    extra = [id for id in captions.by_image if id not in expected]
    empty = [id for id, caption in captions.by_image.items() if not caption.text.strip() and id in expected]
    return Misfits(
        captions.place,
        captions.name,
        len(expected),
        len(captions.by_image),
        SomeIds(len(missing), missing),
        SomeIds(len(extra), extra),
        SomeIds(len(empty), empty),
        captions.n_duplicates,
        references.n_without,
        references.gold_ids is not None,
        references.n_boxes_only,
    )


def distinct_names(sources: Iterable[str], places: Sequence[str]) -> list[str]:
    """Names that tell systems apart: those of their sources, or their files' if two have the same."""
    given = [source.removeprefix("system:") for source in sources]
    names = [place if given.count(name) > 1 else name for name, place in zip(given, places, strict=True)]
    if len(set(names)) < len(names):
        raise LimnerError("the same results are given twice; compare different ones", code="same-results")
    return names


def listed(ids: Sequence[str], n: int | None = None) -> str:
    """How many there are (n, by default these) and the first three of them."""
    n = len(ids) if n is None else n
    first = ", ".join(shown(id) for id in ids[:3])
    return f"{n:,} ({first}{', …' if n > 3 else ''})"


def opened(corpora: Corpora | Iterable[Image], place: str | None, otherwise: str) -> tuple[Iterable[Image], str]:
    """The images, of a corpus if they are given as its path or paths, and what errors call them."""
    if isinstance(corpora, str | Path):
        corpora = open_corpus(corpora)
    elif isinstance(corpora, Sequence) and corpora and isinstance(corpora[0], str | Path):
        corpora = open_corpus([str(path) for path in corpora])
    name = place or str(getattr(corpora, "name", otherwise))
    return _checked(cast(Iterable[Image], corpora), name), name


def _checked(images: Iterable[Image], place: str) -> Iterator[Image]:
    for image in images:
        if not isinstance(image, Image):
            raise BadInput(place, f"{shown(image)} is no image", "give a path, images, or captions by image id")
        yield image


def _given(captions: object) -> Mapping[str, object] | None:
    """What a mapping or a list has for each image; None for images and paths."""
    return captions if isinstance(captions, Mapping) else captions_by_position(captions)


def _given_captions(texts: Mapping[str, object], duplicate: Duplicate, place: str, name: str | None) -> Captions:
    """Captions by image id: a text, or a list of one; of more, the first if the policy says so."""
    captions = Captions(place, name or place, {})
    for id, given in texts.items():
        is_list = isinstance(given, list | tuple) and (len(given) < 2 or duplicate == "first")
        listed = cast("Sequence[object]", given) if is_list else [given]
        captions.n_duplicates += max(0, len(listed) - 1)
        for text in listed[:1]:
            captions.by_image[str(id)] = _caption(place, id, text)
    return captions


def _caption(place: str, id: str, text: object) -> Caption:
    if not isinstance(text, str):
        problem = f"the caption of image {shown(id)} is {shown(text)}"
        raise BadInput(place, problem, "give one text for each image; results come first, then references")
    return Caption("0", text)


def _texts(place: str, id: str, captions: object) -> list[str]:
    if isinstance(captions, str):
        return [captions]
    texts = []
    for text in captions if isinstance(captions, Iterable) else [captions]:
        if not isinstance(text, str):
            raise BadInput(place, f"a reference of image {shown(id)} is {shown(text)}", "give texts for each image")
        texts.append(text)
    return texts


def _full(source: str) -> str:
    return source if ":" in source or source == "gold" else f"system:{source}"


def _chosen(place: str, named: str | None, wanted: str | None, sources: list[str]) -> str:
    """The source that was read; an error if it is not there or not the only one."""
    if not sources:
        raise BadInput(place, "there are no captions", "give a system's results")
    if named is not None and wanted is not None:
        if wanted not in sources:
            raise BadInput(place, f"no caption is by {shown(wanted)}", f"choose from: {', '.join(sorted(sources))}")
        return wanted
    if wanted is None:
        raise BadInput(
            place, "every caption is gold", "give a system's results, or name gold as the source", code="only-gold"
        )
    systems = sorted(source for source in sources if source != "gold")
    if len(systems) > 1:
        raise BadInput(
            place, f"captions are by {', '.join(systems)}", "name one of them as the source", code="several-sources"
        )
    return wanted
