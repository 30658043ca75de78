"""Metrics against people: the published table of correlations with human judgement, and what it leaves out.

Every metric scores every judged pair of image and caption. Its scores are then
correlated with what people said of the pairs, with intervals from samples of
the images, and every two metrics are compared.

On Flickr8k the crowd is also held against the experts. The experts of Hodosh
et al. (2013) gave 1 to 4, where 3 still forgives a moderate error; the crowd
was to say yes if minor details are wrong and no if there are major errors. On
the pairs that both judged, a caption is good by the experts if their mean is
at least a threshold, and by the crowd if most said yes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats
from limner.corpus import open_corpus
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.progress import Progress, silent, track
from limner.score.judgement.agreement import MEASURES, Agreement, Ratings, measure_agreement
from limner.score.judgement.correlation import KINDS, Correlation, correlate, interval_of
from limner.score.judgement.correlation_levels import LevelRow, Totals
from limner.score.judgement.judged_captions import CROWD_FILE, EXPERT_FILE, JudgedSet, flickr8k, judged_set
from limner.score.judgement.judgement_files import read_judgements
from limner.score.judgement.judgement_table import AgainstJudgements, Row, Versus
from limner.score.judgement.judgements import Judgements
from limner.score.judgement.threshold_kappa import ThresholdKappa, kappas, sampled_kappas
from limner.score.metric import Metric, Scorer, Settings, measured
from limner.score.metrics import USUAL, check_names, make_metrics
from limner.score.resampling import SAMPLES
from limner.score.run import Run, Tokeniser
from limner.score.score_file import read_head, read_scores
from limner.text.ptb import PTB, tokenise

# Scores by image and caption.
PairScores = Mapping[tuple[str, str], float]

# τ-c of the expert set and τ-b of the crowd's, as Hessel et al. (2021) print them.
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "expert": {"bleu1": 0.323, "bleu4": 0.308, "rouge_l": 0.323, "meteor": 0.418, "cider": 0.439, "spice": 0.449},
    "crowd": {"bleu1": 0.179, "bleu4": 0.169, "rouge_l": 0.199, "meteor": 0.222, "cider": 0.246, "spice": 0.244},
}

# The rows that these figures are of. On fewer, a correlation is another one.
PUBLISHED_ROWS = {"expert": 16_992, "crowd": 47_830}

# A p above this is no finding.
ALPHA = 0.05


@dataclass(frozen=True)
class SetResult:
    """The results on one set.

    `rows` hold every kind of correlation of every metric over all pairs,
    `levels` those within images and of systems too, `kappas` how metrics with
    a threshold reproduce people's yes and no. `samples` images were drawn with
    the seed; 0 for no intervals.
    """

    judged: JudgedSet
    scores: Mapping[str, Floats]
    choices: Mapping[str, Mapping[str, str | int | float]]
    rows: Sequence[Row]
    versus: Sequence[Versus]
    agreement: Sequence[Agreement]
    warnings: Sequence[str]
    levels: Sequence[LevelRow] = ()
    kappas: Sequence[ThresholdKappa] = ()
    samples: int = SAMPLES
    seed: int = 0

    def main(self) -> list[Row]:
        """The rows of the kind of correlation that published tables give for this set."""
        return [row for row in self.rows if row.correlation.kind == self.judged.kind]

    def published(self, metric: str) -> float | None:
        """The published figure of this very metric on Flickr8k, if it is of the same rows; SPICE* is not SPICE."""
        n = next((row.correlation.n for row in self.main() if row.metric == metric), 0)
        is_whole = self.judged.is_flickr8k and n == PUBLISHED_ROWS[self.judged.name]
        return PUBLISHED[self.judged.name].get(metric) if is_whole else None

    def notes(self) -> Iterator[str]:
        """What to know of published figures that are not shown, and of p that no number of findings could make small.

        p of n samples is at least 2 / (n + 1), and with m comparisons the
        smallest is adjusted to m times as much.
        """
        n_rows = max((row.correlation.n for row in self.main()), default=0)
        if self.judged.is_flickr8k and n_rows < PUBLISHED_ROWS[self.judged.name]:
            whole = PUBLISHED_ROWS[self.judged.name]
            yield f"no published figures: they are of all {whole:,} rows of Flickr8k, and here are {n_rows:,}"
        n_tests = sum(versus.low is not None for versus in self.versus)
        needed = ceil(2.0 * n_tests / ALPHA) - 1
        if self.samples < needed:
            yield (
                f"with {self.samples:,} samples, no p_images can be below {ALPHA} once it is adjusted for "
                f"{n_tests:,} comparisons; draw {needed:,} samples or more"
            )


@dataclass(frozen=True)
class Experiment:
    """The results on every set, and of the crowd against the experts if both judged.

    `readings` hold what was noticed while files were read.
    """

    sets: Sequence[SetResult]
    thresholds: Sequence[AtThreshold] = ()
    crowd: Correlation | None = None
    readings: Sequence[Reading] = ()

    @property
    def warnings(self) -> list[str]:
        """What the metrics warn of, each once."""
        return list(dict.fromkeys(warning for result in self.sets for warning in result.warnings))


def judgement_experiment(
    judgements: Path,
    references: Sequence[str] = (),
    metrics: Sequence[str | Scorer] = USUAL,
    *,
    scores: Sequence[Path] = (),
    scale: str | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> Experiment:
    """Metrics against the judgements of a file, or against those of Flickr8k in the folder of its text files.

    `references` are corpora with the captions of the images that a file
    judges; Flickr8k's folder has its own. `scores` are files of scores that
    were computed elsewhere. `scale` names the wanted one of several that a
    file has. If `lenient`, faulty lines are left out and counted.
    """
    # A name that no metric has must be noticed before anything is read.
    check_names(metric for metric in metrics if isinstance(metric, str))
    elsewhere = dict(map(read_pair_scores, scores))
    lower_is_better = {head.metric for head in map(read_head, scores) if not head.higher_is_better}
    reading = Reading(lenient=lenient)
    readings = [reading]
    if judgements.is_dir():
        sets = flickr8k(judgements, reading)
    else:
        people = read_judgements(judgements, reading, scale=scale)
        corpus = open_corpus(list(references), lenient=lenient)
        sets = [judged_set(people, track(corpus, "images", progress), judgements.name)]
        readings.insert(0, corpus.reading)
    results = compare_with_people(
        sets,
        metrics,
        (PTB, tokenise),
        elsewhere=elsewhere,
        lower_is_better=lower_is_better,
        samples=samples,
        seed=seed,
        progress=progress,
    )
    if not judgements.is_dir():
        return Experiment(results, readings=readings)
    # The files are read a second time, with all their pairs; faults are counted the first time.
    experiment = compare_on_flickr8k(judgements, results, Reading(lenient=lenient), samples=samples, seed=seed)
    return replace(experiment, readings=readings)


def compare_with_people(
    sets: Sequence[JudgedSet],
    metrics: Sequence[str | Scorer],
    tokeniser: tuple[str, Tokeniser] | None = None,
    *,
    elsewhere: Mapping[str, PairScores] | None = None,
    lower_is_better: Collection[str] = (),
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Progress = silent,
) -> list[SetResult]:
    """Every metric on every set, and those whose scores were computed elsewhere.

    Of the latter, `lower_is_better` names those of which less is better.
    """
    name, function = tokeniser or ("none", None)
    # Scores computed elsewhere need no words.
    word_warnings = [judged.check_words() if metrics else [] for judged in sets]
    runs = [judged.run(function, name) for judged in sets]
    # Metrics are made once: sets share images, and a metric keeps what it learnt of their references.
    made = make_metrics(metrics, Settings(progress=progress)) if metrics else []
    lower = {*lower_is_better, *(column for metric in made if not metric.higher_is_better for column in metric.columns)}
    results = [
        _set_result(judged, run, made, elsewhere or {}, lower, samples, seed, progress)
        for judged, run in zip(sets, runs, strict=True)
    ]
    return [
        replace(result, warnings=[*warnings, *result.warnings])
        for result, warnings in zip(results, word_warnings, strict=True)
    ]


def compare_on_flickr8k(
    folder: Path, sets: Sequence[SetResult], reading: Reading, *, samples: int = SAMPLES, seed: int = 0
) -> Experiment:
    """The results with the crowd held against the experts, on all pairs that both judged."""
    expert = read_judgements(folder / EXPERT_FILE, reading)
    crowd = read_judgements(folder / CROWD_FILE, reading)
    return Experiment(
        sets,
        crowd_against_expert(expert, crowd, samples=samples, seed=seed),
        crowd_correlation(expert, crowd, samples=samples, seed=seed),
    )


def read_pair_scores(path: Path) -> tuple[str, dict[tuple[str, str], float]]:
    """A metric's name and its scores by image and caption, from a file of scores that name their captions."""
    name = read_head(path).metric
    scores: dict[tuple[str, str], float] = {}
    for row in read_scores(path):
        if row.caption is None:
            raise BadInput(row.place, "the score does not say of which caption it is", "give each line its caption")
        if (row.image, row.caption) in scores:
            pair = f"caption {shown(row.caption)} of image {shown(row.image)}"
            raise BadInput(row.place, f"{pair} has a score already", "keep one of the two")
        scores[row.image, row.caption] = row.score
    return name, scores


def _set_result(
    judged: JudgedSet,
    run: Run,
    metrics: Sequence[Metric],
    elsewhere: Mapping[str, PairScores],
    lower_is_better: Collection[str],
    samples: int,
    seed: int,
    progress: Progress,
) -> SetResult:
    scores: dict[str, Floats] = {}
    choices: dict[str, Mapping[str, str | int | float]] = {}
    totals: dict[str, Totals] = {}
    warnings: list[str] = []
    for metric in metrics:
        progress(f"{judged.name}: {metric.name}", 0, None)
        statistics = measured(metric, run)
        warnings += statistics.warnings
        for i, column in enumerate(metric.columns):
            scores[column] = statistics.per_image[:, i]
            choices[column] = {"tokeniser": run.tokeniser_name, **statistics.choices}
            # What only a whole run has cannot be made of a system's share of it.
            if i not in statistics.whole_only:
                totals[column] = Totals(statistics.rows, statistics.finish, i)
    for column, pair_scores in elsewhere.items():
        scores[column] = _in_order(judged, column, pair_scores)
    progress(f"{judged.name}: correlations", 0, None)
    against = AgainstJudgements(judged.judgements, scores, by_rating=judged.by_rating, samples=samples, seed=seed)
    ratings = Ratings.of(judged.judgements)
    return SetResult(
        judged,
        scores,
        choices,
        against.table(KINDS),
        against.compare(judged.kind),
        [measure_agreement(ratings, measure, samples=samples, seed=seed) for measure in MEASURES],
        warnings,
        against.levels(KINDS, totals),
        against.kappas(lower_is_better),
        samples,
        seed,
    )


def _in_order(judged: JudgedSet, metric: str, pair_scores: PairScores) -> Floats:
    """The scores in the order of the judged pairs, NaN for pairs without one."""
    scores = np.array([pair_scores.get(pair, np.nan) for pair in judged.judgements.pairs])
    if np.isnan(scores).all():
        raise LimnerError(f"the scores of {shown(metric)} have no judged pair of {shown(judged.name)}; see their ids")
    return scores


# Every line that can be drawn between good and bad by the mean of ratings from 1 to 4.
THRESHOLDS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


class AtThreshold(NamedTuple):
    """How the crowd's majority agrees with the experts' mean, cut at a threshold.

    `agreement` is the share of pairs on which both say the same, `kappa`
    Cohen's, P, R and F of the crowd's yes against the experts' good. None if
    one side is empty. `low` and `high` bound κ by samples of the images.
    """

    threshold: float
    n_pairs: int
    n_good: int
    n_yes: int
    agreement: float
    kappa: float | None
    P: float | None
    R: float | None
    F: float | None
    low: float | None = None
    high: float | None = None


def crowd_against_expert(
    expert: Judgements,
    crowd: Judgements,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> list[AtThreshold]:
    """The crowd against the experts at each threshold; none if no pair was judged by both."""
    ratings, shares, images = _both(expert, crowd)
    if not len(ratings):
        return []
    # A mean of whole ratings may be rounded to a hair below the threshold that it reaches.
    is_yes = shares > 0.5
    at_thresholds = []
    for threshold in thresholds:
        is_good = ratings >= threshold - 1e-9
        at = _at(threshold, is_good, is_yes)
        spread = sampled_kappas(is_good, is_yes, images, samples=samples, seed=seed)
        if at.kappa is not None:
            low, high, _ = interval_of(spread, len(set(images)), value=at.kappa)
            at = at._replace(low=low, high=high)
        at_thresholds.append(at)
    return at_thresholds


def crowd_correlation(expert: Judgements, crowd: Judgements, *, samples: int = SAMPLES, seed: int = 0) -> Correlation:
    """τ-b of the share of yes with the experts' mean, on the pairs that both judged."""
    ratings, shares, images = _both(expert, crowd)
    return correlate(shares, ratings, "tau_b", clusters=images, samples=samples, seed=seed)


def _both(expert: Judgements, crowd: Judgements) -> tuple[Floats, Floats, list[str]]:
    """The two means of every pair that both have, and its image."""
    share = dict(zip(crowd.pairs, crowd.means().tolist(), strict=True))
    both = [
        (rating, share[pair], pair[0])
        for pair, rating in zip(expert.pairs, expert.means().tolist(), strict=True)
        if pair in share
    ]
    return np.array([row[0] for row in both]), np.array([row[1] for row in both]), [row[2] for row in both]


def _at(threshold: float, is_good: Booleans, is_yes: Booleans) -> AtThreshold:
    n, good, yes = len(is_good), int(is_good.sum()), int(is_yes.sum())
    right = int((is_good & is_yes).sum())
    same = float((is_good == is_yes).mean())
    kappa = float(kappas(n, good, yes, right))
    return AtThreshold(
        threshold,
        n,
        good,
        yes,
        same,
        None if np.isnan(kappa) else kappa,
        right / yes if yes else None,
        right / good if good else None,
        2.0 * right / (good + yes) if good + yes else None,
    )
