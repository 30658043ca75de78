"""The results of one system, read image by image against gold: what became of every phrase, and what was odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from limner.arrays import Booleans
from limner.corpus.geometry import corners
from limner.corpus.image import Image
from limner.corpus.provenance import CHUNKED, ProvenanceTally
from limner.errors import BadInput, shown
from limner.score.localisation.gold_phrases import GoldPhrases
from limner.score.localisation.phrase_ranking import NO_CAPTION, NO_IMAGE, NO_PHRASE, PhraseRanking, rank_phrases
from limner.score.localisation.phrase_recall import RecallSettings
from limner.score.localisation.phrase_table import ImageOutcome, PhraseOutcomes, PhraseTable
from limner.score.pairing import Missing

# Whose phrases the results have: gold's own, or phrases that were found in the captions, of which those with gold's
# span count; `auto` is by what the results say of themselves.
PhraseChoice = Literal["auto", "gold", "found"]

# What results say of where their candidates are from, by the key of an image's provenance.
CANDIDATES = "candidates"

# The share of boxes that may lie exactly on gold's by chance or rounding.
OWN_BOXES = 0.05

# Few answers may all miss; more of them hint at coordinates of another scale.
FEW_ANSWERS = 20


@dataclass(frozen=True, eq=False)
class LocalisedResults:
    """What a system makes of every gold phrase.

    `phrases` tells whether they are gold's or were found, `candidates` where
    its boxes are from, `n_boxes` how many an image has at least and at most.
    """

    name: str
    phrases: Literal["gold", "found"]
    candidates: str
    n_boxes: tuple[int, int]
    counts: Counter[str]
    outcomes: PhraseOutcomes
    provenance: ProvenanceTally
    first_extra_image: str = ""

    @property
    def extras(self) -> str:
        """What results have that gold lacks, which may be what gold seems to miss; empty for nothing."""
        n_images, n_phrases = self.counts["extra_images"], self.counts["extra_phrases"]
        parts = [f"{n_images:,} images that gold lacks (first: {shown(self.first_extra_image)})"] if n_images else []
        parts += [f"{n_phrases:,} phrases at spans that gold lacks"] if n_phrases else []
        return " and ".join(parts)

    @property
    def is_lacking(self) -> Booleans:
        """Which phrases are missing; one that was not found among found ones is merely missed."""
        lacking = (NO_IMAGE, NO_CAPTION) if self.phrases == "found" else (NO_IMAGE, NO_CAPTION, NO_PHRASE)
        return np.isin(self.outcomes.status, lacking)

    def missing_counts(self) -> dict[str, int]:
        """How many phrases have no result, by what is missing."""
        status = self.outcomes.status
        return {
            "images": self.counts["missing_images"],
            "phrases_of_images": int((status == NO_IMAGE).sum()),
            "phrases_of_captions": int((status == NO_CAPTION).sum()),
            "phrases": int((status == NO_PHRASE).sum()),
        }

    def warnings(self, is_scored: Booleans, missing: Missing) -> list[str]:
        """What a reader of the scores should know, a sentence each."""
        seen_in_training = self.provenance.warning()
        said = [seen_in_training] if seen_in_training else []
        n = len(is_scored)
        n_lacking = int(self.is_lacking.sum())
        n_not_found = int((~self.outcomes.is_present).sum()) - n_lacking
        if n_not_found:
            said.append(f"{n_not_found:,} of {n:,} gold phrases were not found in the captions and count as missed")
        if n_lacking:
            became = "are left out" if missing == "skip" else "count as missed"
            said.append(f"{n_lacking:,} of {n:,} gold phrases have no result and {became}")
        if n_extra := self.counts["extra_images"]:
            first = shown(self.first_extra_image)
            problem = "are not in gold, or have no phrase to localise there, and are left out"
            said.append(f"{n_extra:,} images {problem} (first: {first})")
        if n_scaled := self.counts["scaled"]:
            said.append(f"{n_scaled:,} images have another size than gold's; their boxes are scaled to it")
        if self.counts["own"] > OWN_BOXES * self.counts["boxes"]:
            said.append(f"{self.counts['own']:,} of {self.counts['boxes']:,} boxes are exactly gold's own")
        is_answered = is_scored & ~np.isnan(self.outcomes.answers[:, 0])
        if is_answered.sum() >= FEW_ANSWERS and not self.outcomes.answer_iou[is_answered].any():
            said.append("no answer overlaps its gold box at all; are the coordinates of the right scale?")
        return [f"{self.name}: {warning}" for warning in said]


def read_results(
    name: str,
    images: Iterable[Image],
    gold: GoldPhrases,
    table: PhraseTable,
    settings: RecallSettings,
    phrases: PhraseChoice = "auto",
) -> LocalisedResults:
    """The results of a system; images are looked at one by one, and none is kept."""
    by_image: dict[str, ImageOutcome] = {}
    counts: Counter[str] = Counter()
    origins: Counter[str] = Counter()
    provenance, first_extra = ProvenanceTally(), ""
    met: set[str] = set()
    n_boxes: list[int] = []
    for image in images:
        if image.id in met:
            raise BadInput(name, f"image {shown(image.id)} appears twice", "give each its own id")
        met.add(image.id)
        if (truth := gold.images.get(image.id)) is None:
            counts["extra_images"] += 1
            first_extra = first_extra or image.id
            continue
        provenance.add({name: how for name, how in image.provenance.items() if name == "training"})
        counts["scaled"] += bool(image.boxes) and _has_other_size(image, truth.image)
        ranking = rank_phrases(image, truth, name, merge_answers=settings.protocol == "merged")
        by_image[image.id] = ImageOutcome.of(ranking, truth, settings)
        counts["extra_phrases"] += ranking.n_extra
        counts["chunked"] += str(image.provenance.get("mentions", "")).startswith(CHUNKED)
        origin = _origin(image)
        origins[origin] += 1
        n_boxes.append(ranking.n_boxes)
        if origin != "gold":
            counts["own"] += _n_own(ranking, truth.image)
            counts["boxes"] += ranking.n_boxes
    if not by_image:
        other = f": here is {shown(next(iter(met)))}, in gold {shown(next(iter(gold.images)))}" if met else ""
        raise BadInput(name, f"no image is on both sides{other}", "check that the ids agree")
    counts["missing_images"] = len(gold.images) - len(by_image)
    outcomes = [
        by_image.get(id) or ImageOutcome.of(PhraseRanking.absent(len(truth)), truth, settings)
        for id, truth in gold.images.items()
    ]
    whose = phrases if phrases != "auto" else "found" if counts["chunked"] else "gold"
    origin = next(iter(origins)) if len(origins) == 1 else "of several kinds"
    return LocalisedResults(
        name,
        whose,
        origin,
        (min(n_boxes), max(n_boxes)),
        counts,
        PhraseOutcomes.join(outcomes, table),
        provenance,
        first_extra,
    )


def _has_other_size(image: Image, gold: Image) -> bool:
    sizes = [(i.width, i.height) for i in (image, gold)]
    return None not in (*sizes[0], *sizes[1]) and sizes[0] != sizes[1]


def _origin(image: Image) -> str:
    """Where an image's candidates are from, by what it says; boxes that only gold has are gold's."""
    return str(image.provenance.get(CANDIDATES, "unknown")) if image.boxes else "gold"


def _n_own(ranking: PhraseRanking, gold: Image) -> int:
    """How many of the results' boxes are exactly gold's."""
    drawn = corners(gold.boxes)
    # Not all with all: an image may have as many boxes as its line can hold.
    known = set(map(tuple, drawn.tolist()))
    return sum(tuple(corners) in known for corners in ranking.corners[: ranking.n_boxes].tolist())
