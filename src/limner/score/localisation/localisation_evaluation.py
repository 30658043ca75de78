"""The scores of systems that localise phrases: recalls with intervals, subsets, sources of error, signatures, tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, get_args

import numpy as np

from limner import __version__
from limner.arrays import Booleans, Floats
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.progress import Progress, silent, track
from limner.score.compared_systems import ComparedSystems, interval_method, json_intervals, json_number
from limner.score.data_fingerprint import data_fingerprint, image_numbers
from limner.score.localisation.gold_phrases import GoldPhrases, read_gold
from limner.score.localisation.localised_results import LocalisedResults, PhraseChoice, read_results
from limner.score.localisation.phrase_recall import IOU, NMS, RECALLS, Protocol, RecallSettings
from limner.score.localisation.phrase_table import VALUES, PhraseOutcomes, PhraseTable
from limner.score.metric import SHARE, Statistics
from limner.score.paired import Comparison, Tested, adjusted
from limner.score.pairing import Missing
from limner.score.resampling import CONFIDENCE, SAMPLES, SEED, Bounds, bounds, differences
from limner.score.selection_scores import signed

# Raised whenever equal results would score otherwise than before.
VERSION = 1


@dataclass(frozen=True)
class SystemScores:
    """The scores of one system: values, intervals, subsets, and every phrase's own outcome.

    `statistics` are of all subsets, `VALUES` of each, in the order of
    `columns`. `is_scored` tells which phrases of the table count.
    """

    name: str
    table: PhraseTable
    outcomes: PhraseOutcomes
    is_scored: Booleans
    columns: list[tuple[str, str]]
    statistics: Statistics
    intervals: list[Bounds] | None
    samples: int
    counts: dict[str, Any]
    settings: dict[str, Any]
    signature: str
    warnings: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[str, float]:
        """The recalls and the bound over all phrases."""
        return dict(zip(VALUES, self.statistics.value()[: len(VALUES)].tolist(), strict=True))

    @property
    def errors(self) -> dict[str, int]:
        """How many phrases have each source of error, `right` among them."""
        return self.outcomes.sources(self.is_scored)

    def by(self, key: str) -> dict[str, dict[str, Any]]:
        """The values of each subset by a key, `type`, `size` or `boxes`, with the number of phrases and intervals."""
        return {name: self._column(at) for at, (of_key, name) in enumerate(self.columns) if of_key == key}

    def _column(self, at: int) -> dict[str, Any]:
        first = at * len(VALUES)
        values = self.statistics.value()[first : first + len(VALUES)].tolist()
        # After the sums of all values come the numbers of phrases.
        n_phrases = int(self.statistics.rows[:, len(self.columns) * len(VALUES) + at].sum())
        subset: dict[str, Any] = {"n_phrases": n_phrases}
        subset |= {name: json_number(value) for name, value in zip(VALUES, values, strict=True)}
        if self.intervals is not None:
            of_subset = self.intervals[first : first + len(VALUES)]
            subset["intervals"] = json_intervals(dict(zip(VALUES, of_subset, strict=True)))
        return subset

    def to_json(self) -> dict[str, Any]:
        report = self._column(0)
        if self.intervals is not None:
            report["intervals"] |= interval_method(self.samples)
        n = max(1, report["n_phrases"])
        errors = {name: {"n": count, "share": count / n} for name, count in self.errors.items()}
        return {
            **report,
            **self.counts,
            **self.settings,
            "by": {key: self.by(key) for key in self.table.subsets},
            "errors": errors,
            "confusions": self.outcomes.confusions(self.table, self.is_scored),
            "frequent": self.outcomes.frequent(self.table, self.is_scored),
            "warnings": self.warnings,
            "signature": self.signature,
        }


class LocalisationScores(ComparedSystems[SystemScores]):
    """The scores of one or more systems on the same phrases, and their differences."""


def evaluate_localisation(
    systems: Mapping[str, Iterable[Image]],
    gold: Iterable[Image] | GoldPhrases,
    *,
    protocol: Protocol = "merged",
    iou: float = IOU,
    nms: float | None = NMS,
    phrases: PhraseChoice = "auto",
    missing: Missing = "error",
    ids: Collection[str] | None = None,
    samples: int = SAMPLES,
    compared: Collection[tuple[str, str]] | None = None,
    place: str = "gold",
    progress: Progress = silent,
) -> LocalisationScores:
    """The scores of systems, by their names, for the phrases of gold captions that refer to boxes.

    Results are images with gold's captions, whose mentions have a ranking
    (`candidates`), an answer (`boxes`) or both. `protocol`, `iou` and `nms`
    are those of `RecallSettings`. A gold phrase that the results lack is an
    error, counts as missed (`zero`) or is left out for all systems (`skip`);
    one that was not found where `phrases` were `found` always counts as
    missed. `compared` are the pairs of systems that are tested (default: every
    two). `place` names gold in errors.
    """
    settings = RecallSettings(protocol, iou, nms)
    if phrases not in get_args(PhraseChoice):
        raise unknown("choice of phrases", phrases, get_args(PhraseChoice))
    if missing not in get_args(Missing):
        raise unknown("policy for missing phrases", missing, get_args(Missing))
    if not systems:
        raise LimnerError("there are no results to score; give a system's")
    truth = gold if isinstance(gold, GoldPhrases) else read_gold(track(gold, "gold images", progress), ids, place)
    table = PhraseTable(list(truth.images.values()))
    read = [
        read_results(name, track(images, f"images of {name}", progress), truth, table, settings, phrases)
        for name, images in systems.items()
    ]
    is_scored = np.ones(len(table.phrases), dtype=np.bool_)
    for system in read:
        if missing == "error" and system.is_lacking.any():
            raise _missing(system, table)
        if missing == "skip":
            is_scored &= ~system.is_lacking
    if not is_scored.any():
        raise BadInput(next(iter(systems)), "no gold phrase has a result", "check that captions and spans are gold's")
    results = [_scored(system, truth, table, is_scored, settings, missing, samples) for system in read]
    pairs = combinations(systems, 2) if compared is None else compared
    by_name = {result.name: result for result in results}
    return LocalisationScores(results, _differences([(by_name[first], by_name[second]) for first, second in pairs]))


def _scored(
    system: LocalisedResults,
    gold: GoldPhrases,
    table: PhraseTable,
    is_scored: Booleans,
    settings: RecallSettings,
    missing: Missing,
    samples: int,
) -> SystemScores:
    outcomes = system.outcomes
    columns, statistics = _statistics(table, outcomes, is_scored)
    intervals = None
    if samples:
        (intervals,) = bounds([statistics], samples=samples, seed=SEED, confidence=CONFIDENCE)
    counts: dict[str, Any] = {
        "n_images": len(statistics.rows),
        "left_out": {**gold.left_out, "skipped": int((~is_scored).sum())},
        "missing": system.missing_counts(),
        "extra_images": system.counts["extra_images"],
        "extra_phrases": system.counts["extra_phrases"],
    }
    if settings.protocol == "as-many":
        counts["all_found"] = {
            f"R@{k}": float((outcomes.values[is_scored, i] == 1).mean()) for i, k in enumerate(RECALLS)
        }
    choices = {
        "protocol": settings.protocol,
        "iou": settings.iou,
        "nms": settings.nms,
        "candidates": system.candidates,
        "phrases": system.phrases,
    }
    return SystemScores(
        system.name,
        table,
        outcomes,
        is_scored,
        columns,
        statistics,
        intervals,
        samples,
        counts,
        choices,
        _signature(system, gold, table, is_scored, settings, missing),
        system.warnings(is_scored, missing),
    )


def _statistics(
    table: PhraseTable, outcomes: PhraseOutcomes, is_scored: Booleans
) -> tuple[list[tuple[str, str]], Statistics]:
    """Sums over each image's phrases by subset, all phrases first; images are what intervals resample."""
    subsets = {("", ""): is_scored}
    for key, by_name in table.subsets.items():
        subsets |= {(key, name): members & is_scored for name, members in by_name.items()}
    subsets = {column: members for column, members in subsets.items() if members.any()}
    images = np.unique(table.image[is_scored])
    sums, numbers = [], []
    for members in subsets.values():
        weights = outcomes.values * members[:, None]
        sums += [np.bincount(table.image, weights=column, minlength=len(table.images)) for column in weights.T]
        numbers.append(np.bincount(table.image[members], minlength=len(table.images)))
    rows = np.stack([*sums, *numbers], axis=1).astype(np.float64)[images]
    finish = _Ratios(len(subsets))
    # A rare type is in few of the images, however many others there are.
    members = np.repeat(rows[:, -len(subsets) :] > 0, len(VALUES), axis=1)
    ranges = [SHARE] * (len(subsets) * len(VALUES))
    return list(subsets), Statistics(rows, finish, finish(rows), ranges=ranges, members=members)


@dataclass(frozen=True, slots=True)
class _Ratios:
    """Sums of values and numbers of phrases as the values of subsets; NaN where there is no phrase."""

    n_subsets: int

    def __call__(self, sums: Floats) -> Floats:
        n = self.n_subsets * len(VALUES)
        numbers = np.repeat(sums[..., n:], len(VALUES), axis=-1)
        nothing = np.full(numbers.shape, np.nan)
        return np.asarray(np.divide(sums[..., :n], numbers, out=nothing, where=numbers > 0), dtype=np.float64)


def _differences(pairs: Iterable[tuple[SystemScores, SystemScores]]) -> list[Comparison]:
    """Pairs of systems compared by the recalls and the bound of all phrases, and by R@1 of each type.

    Systems that rank the same boxes have the same bound, which is not tested.
    """
    tested = []
    for first, second in pairs:
        (judged,) = differences([first.statistics], [second.statistics], seed=SEED, confidence=CONFIDENCE)
        has_same_boxes = np.array_equal(first.outcomes.values[:, -1], second.outcomes.values[:, -1])
        compared = VALUES[:-1] if has_same_boxes else VALUES
        for at, (key, subset) in enumerate(first.columns):
            if key not in ("", "type"):
                continue
            for i, column in enumerate(VALUES[:1] if key else compared):
                tested.append(Tested(column, first.name, second.name, judged[at * len(VALUES) + i], key, subset))
    return adjusted(tested)


def _missing(system: LocalisedResults, table: PhraseTable) -> BadInput:
    lacking = np.flatnonzero(system.is_lacking)
    first = int(lacking[0])
    image = table.images[int(table.image[first])]
    phrase = table.phrases[first]
    text = image.captions[phrase.caption].text
    example = (
        f"{shown(phrase.text)} at character {phrase.mention.start} of {shown(text)}, image {shown(image.image.id)}"
    )
    problem = f"{len(lacking):,} of {len(table.phrases):,} gold phrases have no result (first: {example})"
    problem += f"; results have {system.extras}" if system.extras else ""
    remedy = "give results for all phrases, count these as missed, or leave them out"
    return BadInput(system.name, problem, remedy, code="missing-phrases")


def _signature(
    system: LocalisedResults,
    gold: GoldPhrases,
    table: PhraseTable,
    is_scored: Booleans,
    settings: RecallSettings,
    missing: Missing,
) -> str:
    """Every choice that could change a score: two numbers with one signature compare."""
    described = [
        [text for text, counts in zip(image.descriptions(), is_scored[start:end].tolist(), strict=True) if counts]
        for image, start, end in zip(table.images, table.starts[:-1].tolist(), table.starts[1:].tolist(), strict=True)
    ]
    scored = [(image.image.id, texts) for image, texts in zip(table.images, described, strict=True) if texts]
    least, most = system.n_boxes
    left_out = gold.left_out
    return signed(
        metric="localisation",
        version=VERSION,
        protocol=settings.protocol,
        iou=f"{settings.iou:g}",
        nms="none" if settings.nms is None else f"{settings.nms:g}",
        recall=",".join(map(str, RECALLS)),
        candidates=system.candidates,
        boxes=f"{least}-{most} an image",
        answer="before its candidates",
        phrases=system.phrases,
        left_out=f"{left_out['not_visual']} not visual, {left_out['no_box']} without a box",
        join="image, caption and span without spaces",
        missing=missing,
        mean="phrases",
        images=len(scored),
        n=int(is_scored.sum()),
        data=data_fingerprint(image_numbers([id for id, _ in scored], [texts for _, texts in scored])),
        **system.provenance.to_json(),
        limner=__version__,
    )
