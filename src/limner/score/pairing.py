"""Captions joined to references by image id: the one join that every score goes through.

Results are a corpus too: images with an id and captions, which may name boxes
that only the gold image has. What does not fit is an error, or is counted as
a `Policy` says. Nothing is passed over in silence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from limner.corpus.image import NOTHING
from limner.corpus.provenance import told_facts
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.score.box_matching import MATCH_IOU, MatchedCaption, check_match_iou, count_boxes, match_caption, scale
from limner.score.given_captions import (
    NO_CAPTION,
    Captions,
    Duplicate,
    References,
)
from limner.score.run import Run, Tokeniser
from limner.text.token_table import token_table

# What becomes of an image without a caption: an error, a score of 0, or it is left out.
Missing = Literal["error", "zero", "skip"]


Extra = Literal["error", "skip"]


Empty = Literal["error", "score"]


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


def check_boxes(captions: Captions, references: References) -> None:
    """Raise an error for a caption that mentions a box which the gold image does not have, and its result neither."""
    for id, image in (references.images or {}).items():
        caption = captions.by_image.get(id, NO_CAPTION)
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
    counts = [misfits(captions, references, tokeniser).counts(policy) for captions in systems]
    runs = make_runs(
        systems,
        references,
        policy.missing,
        tokeniser=tokeniser,
        tokeniser_name=tokeniser_name,
        match_iou=match_iou,
    )
    for run, of_system in zip(runs, counts, strict=True):
        n_unmatched = unmatched_boxes(run)
        if n_unmatched is not None:
            of_system["unmatched_boxes"] = n_unmatched
    return list(zip(runs, counts, strict=True))


def unmatched_boxes(run: Run) -> int | None:
    """How many boxes that the results bring match none of gold's; None if they bring none, or gold is not kept."""
    if run.images is None or run.result_boxes is None:
        return None
    n_boxes = count_boxes(run.images, run.result_boxes)
    return n_boxes["boxes"] - n_boxes["matched"]


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
    texts = [[captions.by_image.get(id, NO_CAPTION).text for id in ids] for captions in systems]
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
        scaled = [_is_scaled(captions, id, references) for id in wanted]
        runs.append(
            Run(
                wanted,
                [said[i] for i in places],
                [references.texts[id] for id in wanted],
                tokeniser,
                tokeniser_name,
                None if references.images is None else [references.images[id] for id in wanted],
                [caption for caption, _ in matched],
                provenance=[
                    told_facts(references.provenance.get(id, NOTHING), captions.provenance.get(id, NOTHING))
                    for id in wanted
                ],
                _tokens=None if table is None else table.select(order),
                result_boxes=[boxes for _, boxes in matched] if any(boxes for _, boxes in matched) else None,
                match_iou=match_iou,
                is_scaled=scaled if any(scaled) else None,
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
        else MatchedCaption(captions.by_image.get(id, NO_CAPTION), {})
        for id in ids
    ]


def _is_scaled(captions: Captions, id: str, references: References) -> bool:
    gold = (references.images or {}).get(id)
    return gold is not None and id in captions.images and scale(captions.images[id], gold) is not None


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


def misfits(captions: Captions, references: References, tokeniser: Tokeniser | None = None) -> Misfits:
    """What does not fit, in the order of the references or else of the captions.

    A caption is empty of which the tokeniser leaves nothing. Without one words are what is between spaces, and a
    caption of spaces alone is empty.
    """
    expected = references.texts if references.gold_ids is None else references.gold_ids
    missing = [id for id in expected if id not in captions.by_image]
    extra = [id for id in captions.by_image if id not in expected]
    wordless = {id: c.text for id, c in captions.by_image.items() if not _LETTER.search(c.text) and id in expected}
    tokens = tokeniser(list(wordless.values())) if tokeniser and wordless else list(wordless.values())
    empty = [id for id, left in zip(wordless, tokens, strict=True) if not left.strip()]
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


# Whatever the tokeniser, a caption with a letter or a digit has a word; few have none.
_LETTER = re.compile(r"[^\W_]")


def listed(ids: Sequence[str], n: int | None = None) -> str:
    """How many there are (n, by default these) and the first three of them."""
    n = len(ids) if n is None else n
    first = ", ".join(shown(id) for id in ids[:3])
    return f"{n:,} ({first}{', …' if n > 3 else ''})"
