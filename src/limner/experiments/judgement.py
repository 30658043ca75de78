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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.score.judgement.agreement import MEASURES, Agreement, Ratings, agreement
from limner.score.judgement.correlation import KINDS, Correlation, correlate
from limner.score.judgement.judged_captions import CROWD_FILE, EXPERT_FILE, JudgedSet
from limner.score.judgement.judgement_files import read_judgements
from limner.score.judgement.judgement_table import AgainstJudgements, Row, Versus
from limner.score.judgement.judgements import Judgements
from limner.score.metric import Metric
from limner.score.metrics import Settings, make_metrics
from limner.score.resampling import SAMPLES
from limner.score.run import Run, Tokeniser
from limner.score.score_file import read_head, read_scores

PairScores = Mapping[tuple[str, str], float]
"""Scores by image and caption."""

Tell = Callable[[str], None]
"""Told what is being measured, before it is."""

PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "expert": {"bleu1": 0.323, "bleu4": 0.308, "rouge_l": 0.323, "meteor": 0.418, "cider": 0.439, "spice": 0.449},
    "crowd": {"bleu1": 0.179, "bleu4": 0.169, "rouge_l": 0.199, "meteor": 0.222, "cider": 0.246, "spice": 0.244},
}
"""τ-c of the expert set and τ-b of the crowd's, as Hessel et al. (2021) print them."""


@dataclass(frozen=True)
class OnSet:
    """What was found on one set; `rows` hold every kind of correlation of every metric."""

    judged: JudgedSet
    scores: Mapping[str, Floats]
    choices: Mapping[str, Mapping[str, str | int | float]]
    rows: Sequence[Row]
    versus: Sequence[Versus]
    agreement: Sequence[Agreement]
    warnings: Sequence[str]

    def main(self) -> list[Row]:
        """The rows of the correlation that tables give of this set."""
        return [row for row in self.rows if row.correlation.kind == self.judged.kind]

    def published(self, metric: str) -> float | None:
        """The published figure of a metric; a star on its name tells of another parser, not of another metric."""
        return PUBLISHED.get(self.judged.name, {}).get(metric.removesuffix("*"))


@dataclass(frozen=True)
class Experiment:
    """What was found on every set, and of the crowd against the experts where both judged."""

    sets: Sequence[OnSet]
    thresholds: Sequence[AtThreshold] = ()
    crowd: Correlation | None = None


def compare_with_people(
    sets: Sequence[JudgedSet],
    metrics: Sequence[str | Metric],
    tokeniser: tuple[str, Tokeniser] | None = None,
    *,
    elsewhere: Mapping[str, PairScores] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    tell: Tell = lambda what: None,
) -> list[OnSet]:
    """Every metric on every set, and those whose scores were computed elsewhere."""
    return [_on_set(one, metrics, tokeniser, elsewhere or {}, samples, seed, tell) for one in sets]


def compare_on_flickr8k(
    folder: Path, sets: Sequence[OnSet], reading: Reading, *, samples: int = SAMPLES, seed: int = 0
) -> Experiment:
    """The same with the crowd held against the experts, on all the pairs that both judged."""
    expert = read_judgements(folder / EXPERT_FILE, reading)
    crowd = read_judgements(folder / CROWD_FILE, reading)
    return Experiment(
        sets, crowd_against_expert(expert, crowd), crowd_correlation(expert, crowd, samples=samples, seed=seed)
    )


def read_pair_scores(path: Path) -> tuple[str, dict[tuple[str, str], float]]:
    """A metric's name and its scores by image and caption, from a file of scores that says of which caption each is."""
    name = read_head(path).metric
    found: dict[tuple[str, str], float] = {}
    for row in read_scores(path):
        if row.caption is None:
            raise BadInput(row.place, "the score does not say of which caption it is", "give each line its caption")
        if (row.image, row.caption) in found:
            pair = f"caption {shown(row.caption)} of image {shown(row.image)}"
            raise BadInput(row.place, f"{pair} has a score already", "keep one of the two")
        found[row.image, row.caption] = row.score
    return name, found


def _on_set(
    judged: JudgedSet,
    metrics: Sequence[str | Metric],
    tokeniser: tuple[str, Tokeniser] | None,
    elsewhere: Mapping[str, PairScores],
    samples: int,
    seed: int,
    tell: Tell,
) -> OnSet:
    name, tokenise = tokeniser or ("none", None)
    scores, choices, warnings = _measured(
        judged.run(tokenise, name), metrics, lambda what: tell(f"{judged.name}: {what}")
    )
    for metric, given in elsewhere.items():
        scores[metric] = _given(judged, metric, given)
    tell(f"{judged.name}: correlations")
    against = AgainstJudgements(judged.judgements, scores, by_rating=judged.by_rating, samples=samples, seed=seed)
    ratings = Ratings.of(judged.judgements)
    return OnSet(
        judged,
        scores,
        choices,
        against.table(KINDS),
        against.compare(judged.kind),
        [agreement(ratings, measure, samples=samples, seed=seed) for measure in MEASURES],
        warnings,
    )


def _measured(
    run: Run, metrics: Sequence[str | Metric], tell: Tell
) -> tuple[dict[str, Floats], dict[str, Mapping[str, str | int | float]], list[str]]:
    """Each column's score of each pair, the choices behind it, and what the metrics warn of."""
    scores: dict[str, Floats] = {}
    choices: dict[str, Mapping[str, str | int | float]] = {}
    warnings: list[str] = []
    for metric in make_metrics(metrics, Settings(), run) if metrics else ():
        tell(metric.name)
        found = metric.measure(run)
        warnings += found.warnings
        for i, column in enumerate(metric.columns):
            scores[column] = found.per_image[:, i]
            choices[column] = {"tokeniser": run.tokeniser_name, **found.choices}
    return scores, choices, warnings


def _given(judged: JudgedSet, metric: str, scores: PairScores) -> Floats:
    found = np.array([scores.get(pair, np.nan) for pair in judged.judgements.pairs])
    if np.isnan(found).all():
        raise LimnerError(f"the scores of {shown(metric)} have no judged pair of {shown(judged.name)}; see their ids")
    return found


THRESHOLDS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


class AtThreshold(NamedTuple):
    """How the crowd's majority agrees with the experts' mean, cut at a threshold.

    `agreement` is the share of pairs on which both say the same, `kappa`
    Cohen's, P, R and F of the crowd's yes against the experts' good. None where
    nothing is on one side.
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


def crowd_against_expert(
    expert: Judgements, crowd: Judgements, thresholds: Sequence[float] = THRESHOLDS
) -> list[AtThreshold]:
    """The crowd against the experts at each threshold; none where no pair was judged by both."""
    ratings, shares, _ = _both(expert, crowd)
    if not len(ratings):
        return []
    # A mean of whole ratings may be a hair below the whole it is.
    return [_at(threshold, ratings >= threshold - 1e-9, shares > 0.5) for threshold in thresholds]


def crowd_correlation(expert: Judgements, crowd: Judgements, *, samples: int = SAMPLES, seed: int = 0) -> Correlation:
    """τ-b of the share of yes with the experts' mean, on the pairs that both judged."""
    ratings, shares, images = _both(expert, crowd)
    return correlate(shares, ratings, "tau_b", clusters=images, samples=samples, seed=seed)


def _both(expert: Judgements, crowd: Judgements) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The two means of every pair that both have, and its image."""
    share = dict(zip(crowd.pairs, crowd.means().tolist(), strict=True))
    both = [
        (rating, share[pair], pair[0])
        for pair, rating in zip(expert.pairs, expert.means().tolist(), strict=True)
        if pair in share
    ]
    return np.array([row[0] for row in both]), np.array([row[1] for row in both]), [row[2] for row in both]


def _at(threshold: float, is_good: np.ndarray, is_yes: np.ndarray) -> AtThreshold:
    n, good, yes = len(is_good), int(is_good.sum()), int(is_yes.sum())
    right = int((is_good & is_yes).sum())
    same = float((is_good == is_yes).mean())
    chance = (good * yes + (n - good) * (n - yes)) / (n * n)
    return AtThreshold(
        threshold,
        n,
        good,
        yes,
        same,
        None if chance == 1.0 else (same - chance) / (1.0 - chance),
        right / yes if yes else None,
        right / good if good else None,
        2.0 * right / (good + yes) if good + yes else None,
    )
