"""Whether selectors rank alike whatever linker tied the captions to boxes.

Where mentions were linked by the names of classes, the linker chose which box
of its class a noun means. Selectors are trained and scored with each linker,
at the levels of boxes and of classes, and their orders are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner.arrays import Floats
from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.corpus.linking import LINKERS, Linker, link_corpus
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.describe.learned import train_selector
from limner.describe.selectors import Concepts
from limner.errors import unknown
from limner.experiments.content_selection import BOUNDS, LEVELS, best_k, compare_systems
from limner.experiments.experiment_files import Estimate, ExperimentReport, Table
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.data_fingerprint import PassingImages
from limner.score.metric import SHARE
from limner.score.paired import intervals
from limner.score.resampling import SAMPLES
from limner.score.selection_scores import Level

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

CERTAIN = 0.975
CORRELATIONS = ("first", "second", "tau", "same_best", "certain_flips")


class Condition(NamedTuple):
    """A linker and a level: every system's F by image, and the k at which it was scored."""

    linker: Linker
    level: Level
    scores: Mapping[str, Mapping[str, float]]
    k_by_system: Mapping[str, int | None]
    signature: str

    @property
    def name(self) -> str:
        return f"{self.linker}, {self.level}"


class Agreement(NamedTuple):
    """How two orders of the same systems agree: Kendall's τ, and the share of samples with the same system on top.

    `n_flips` pairs of systems stand in opposite orders, and both orders are certain. Without samples neither is known.
    """

    tau: Estimate
    same_best: float | None
    n_flips: int | None


def linker_experiment(
    train: str,
    test: str,
    *,
    linkers: Sequence[Linker] = ("largest", "random", "all"),
    allow_overlap: bool = False,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Train and score every selector with each linker, and compare how they rank.

    Mentions that the corpora have are replaced. Test images that were trained
    on are an error unless `allow_overlap` is set.
    """
    for linker in linkers:
        if linker not in LINKERS:
            raise unknown("linker", linker, LINKERS)
    corpora = [open_corpus(source, lenient=lenient) for source in (train, test)]
    seen_images = SeenImages()
    known = list(seen_images.watch(track(corpora[0], "training images", progress)))
    overlap = Overlap.of(seen_images)
    unseen = list(track(corpora[1], "test images", progress))
    for image in unseen:
        overlap.add(image)
    if not allow_overlap:
        overlap.refuse_seen(corpora[1].name)
    conditions = [
        condition
        for linker in track(linkers, "linkers", progress, len(linkers))
        for condition in _conditions(linker, known, unseen, seed)
    ]
    readings = [corpus.reading for corpus in corpora]
    return _report(conditions, samples, seed, list(overlap.warnings()), readings)


def _conditions(linker: Linker, known: Sequence[Image], unseen: Sequence[Image], seed: int) -> Iterator[Condition]:
    passing = PassingImages()
    training = list(passing.watch(link_corpus(known, linker=linker, seed=seed, replace=True)))
    testing = list(link_corpus(unseen, linker=linker, seed=seed, replace=True))
    concepts = Concepts.count(training)
    facts = {"training_data": passing.fingerprint(), "seed": str(seed)}
    compared = compare_systems(concepts, testing, learned=train_selector(training, seed=seed), seed=seed, facts=facts)
    for level in LEVELS:
        k_by_system = best_k(concepts, training, level, seed=seed)
        systems = [system for system in compared.systems if system not in BOUNDS]
        scores = {
            system: compared.find(system, k_by_system.get(system), by_class=level == "class").per_image
            for system in systems
        }
        by_image = {system: {id: prf.F for id, prf in scores[system].items()} for system in systems}
        yield Condition(linker, level, by_image, {s: k_by_system.get(s) for s in systems}, compared.signatures[level])


def agreement(first: Floats, second: Floats, samples: int, seed: int) -> Agreement:
    """How the orders of systems agree by two scores of the same images, each `[images, systems]`."""
    signs = [np.sign(_gaps(scores.mean(axis=0))) for scores in (first, second)]
    tau = float((signs[0] * signs[1]).mean())
    if not samples:
        return Agreement(Estimate(tau), None, None)
    weights = _sample_weights(len(first), samples, seed)
    means = [weights @ scores for scores in (first, second)]
    sampled = [np.sign(_gaps(of_samples)) for of_samples in means]
    bounds = np.quantile((sampled[0] * sampled[1]).mean(axis=1), (0.025, 0.975)).tolist()
    # An order is certain if so many of the samples have it.
    first_certain, second_certain = (
        (of_samples == sign).mean(axis=0) >= CERTAIN for of_samples, sign in zip(sampled, signs, strict=True)
    )
    flips = first_certain & second_certain & (signs[0] * signs[1] < 0)
    same_best = (means[0].argmax(axis=1) == means[1].argmax(axis=1)).mean()
    return Agreement(Estimate.within(tau, bounds), float(same_best), int(flips.sum()))


def _gaps(scores: Floats) -> Floats:
    """The differences between every two systems, `[..., systems]` to `[..., pairs]`."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., first] - scores[..., second], dtype=np.float64)


def _sample_weights(n_images: int, samples: int, seed: int) -> Floats:
    """How much each image counts in each sample of the bootstrap, `[samples, images]`."""
    chance = np.random.default_rng(seed)
    return chance.multinomial(n_images, np.full(n_images, 1 / n_images), size=samples) / n_images


class Ranked(NamedTuple):
    """A system's place among all with a linker and at a level: a row of the table."""

    linker: str
    level: str
    system: str
    k: int | None
    F: Estimate
    rank: int


def _ranked(condition: Condition, ids: Sequence[str], samples: int, seed: int) -> Iterator[Ranked]:
    """The systems of a condition, the best first."""
    systems = list(condition.scores)
    by_image = {id: [condition.scores[system][id] for system in systems] for id in ids}
    estimates = {
        system: Estimate.within(mean, (low, high) if samples else None)
        for system, (mean, low, high) in zip(
            systems, intervals(by_image, samples=samples or 1, seed=seed, value_range=SHARE), strict=True
        )
    }
    for rank, system in enumerate(sorted(systems, key=lambda system: -estimates[system].value), start=1):
        yield Ranked(condition.linker, condition.level, system, condition.k_by_system[system], estimates[system], rank)


def _report(
    conditions: Sequence[Condition],
    samples: int,
    seed: int,
    warnings: Sequence[str],
    readings: Sequence[Reading],
) -> ExperimentReport:
    systems = list(conditions[0].scores)
    ids = sorted(conditions[0].scores[systems[0]])
    arrays = {c.name: np.array([[c.scores[s][id] for s in systems] for id in ids]) for c in conditions}
    rows = [ranked for condition in conditions for ranked in _ranked(condition, ids, samples, seed)]
    agreements = {
        (first.name, second.name): agreement(arrays[first.name], arrays[second.name], samples, seed)
        for first, second in combinations(conditions, 2)
    }
    panels: dict[str, dict[str, dict[str, Estimate]]] = {}
    for row in rows:
        panels.setdefault(f"{row.level} level", {}).setdefault(row.linker, {})[row.system] = row.F
    return ExperimentReport(
        "linkers",
        "Selectors ranked with each linker",
        "A linker ties nouns of captions to boxes of the class. Which box of several it takes is its own choice. Do "
        "selectors of boxes rank alike, whatever it takes?",
        Ranked._fields,
        rows,
        list(_findings(conditions, agreements, rows)),
        [
            f"{len(ids):,} test images with a caption that names a box; every selector is trained and its k chosen on "
            "training images linked in the same way",
            "τ is Kendall's, of the systems' mean F; its interval, and the share of samples with the same best system, "
            "are by resampling images",
            "a flip is certain if 97.5 % of the samples have two systems in one order in the first case, and as many "
            "have them in the other in the second",
        ],
        {condition.name: condition.signature for condition in conditions},
        lambda: estimate_plots.dots_figure(panels, "F"),
        warnings,
        readings,
        [Table("correlations", CORRELATIONS, [(*names, *agreed) for names, agreed in agreements.items()])],
    )


def _findings(
    conditions: Sequence[Condition],
    agreements: Mapping[tuple[str, str], Agreement],
    rows: Sequence[Ranked],
) -> Iterator[str]:
    best = [f"{row.system} ({row.linker}, {row.level})" for row in rows if row.rank == 1]
    yield f"the best: {'; '.join(best)}"
    for first, second in combinations(conditions, 2):
        # Where linker and level both differ, nobody could tell which of them made a difference.
        if (first.linker == second.linker) != (first.level == second.level):
            agreed = agreements[first.name, second.name]
            tau, low, high = agreed.tau
            within = "" if low is None else f" ({low:.2f} to {high:.2f})"
            flips = "" if agreed.n_flips is None else f", {agreed.n_flips} certain flips"
            yield f"{first.name} and {second.name}: τ {tau:.2f}{within}{flips}"
