"""Metrics against people: the published table of correlations with human judgement, and what it leaves out.

Every metric scores every judged pair of image and caption; its scores are then
correlated with what people said of the pairs, with intervals from samples of
the images, and every two metrics are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.score.judgement.agreement import MEASURES, Agreement, agreement
from limner.score.judgement.correlation import KINDS, Correlation
from limner.score.judgement.crowd_against_expert import AtThreshold, crowd_against_expert, crowd_correlation
from limner.score.judgement.files import read_judgements
from limner.score.judgement.judged import CROWD_FILE, EXPERT_FILE, JudgedSet
from limner.score.judgement.ratings import Ratings
from limner.score.judgement.table import AgainstJudgements, Row, Versus
from limner.score.metric import Metric
from limner.score.metrics import Settings, make_metrics
from limner.score.resampling import SAMPLES
from limner.score.run import Run, Tokeniser
from limner.score.score_file import read_head, read_scores

Numbers = NDArray[np.float64]
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
    scores: Mapping[str, Numbers]
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
) -> tuple[dict[str, Numbers], dict[str, Mapping[str, str | int | float]], list[str]]:
    """Each column's score of each pair, the choices behind it, and what the metrics warn of."""
    scores: dict[str, Numbers] = {}
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


def _given(judged: JudgedSet, metric: str, scores: PairScores) -> Numbers:
    found = np.array([scores.get(pair, np.nan) for pair in judged.judgements.pairs])
    if np.isnan(found).all():
        raise LimnerError(f"the scores of {shown(metric)} have no judged pair of {shown(judged.name)}; see their ids")
    return found
