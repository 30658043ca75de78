"""Every metric by name: what `--metrics` can ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from limner.errors import LimnerError, unknown
from limner.progress import Progress, silent
from limner.score.metric import Metric
from limner.score.run import Run

if TYPE_CHECKING:
    from limner.corpus.classes.class_words import Synonyms
    from limner.score.document_frequencies import DocumentFrequencies

USUAL = ("bleu", "rouge_l", "cider", "meteor")
"""What is measured where no metric is named."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What metrics are made with, where it is not the usual.

    `df` are CIDEr's document frequencies: of the `run` or part that is scored,
    of the whole `corpus` for parts too, or such as were counted before.
    `meteor_tables` is a folder with METEOR's tables, `synonyms` words for
    classes of objects, `training` sentences that are not novel. `progress`
    hears how far a metric is that prepares something once.
    """

    df: DocumentFrequencies | Literal["run", "corpus"] = "run"
    meteor_tables: Path | None = None
    synonyms: Synonyms | None = None
    training: Sequence[str] | None = None
    progress: Progress = silent


def check_names(names: Iterable[str]) -> None:
    """An error for a name that no metric has."""
    for name in names:
        if name not in METRICS:
            raise unknown("metric", name, METRICS)


def make_metrics(metrics: Sequence[str | Metric], settings: Settings, run: Run) -> list[Metric]:
    """The metrics, each once, in this order; those given by name are made, for the run that will be scored."""
    wanted = list(dict.fromkeys(metrics))
    if not wanted:
        raise LimnerError(f"no metric was named; there is: {', '.join(METRICS)}")
    if settings.df == "corpus":
        from limner.score.document_frequencies import document_frequencies

        settings = replace(settings, df=document_frequencies(run))
    made = [METRICS[metric](settings) if isinstance(metric, str) else metric for metric in wanted]
    columns = Counter(column for metric in made for column in (metric.name, *set(metric.columns) - {metric.name}))
    for name, n in columns.items():
        if n > 1:
            raise LimnerError(f"two metrics have values called {name!r}; give one of them another name")
    return made


def _bleu(_: Settings) -> Metric:
    from limner.score.bleu import Bleu

    return Bleu()


def _rouge_l(_: Settings) -> Metric:
    from limner.score.rouge_l import RougeL

    return RougeL()


def _cider(settings: Settings) -> Metric:
    from limner.score.cider import Cider

    return Cider(None if isinstance(settings.df, str) else settings.df)


def _plain_cider(settings: Settings) -> Metric:
    from limner.score.cider import PlainCider

    return PlainCider(None if isinstance(settings.df, str) else settings.df)


def _meteor(settings: Settings) -> Metric:
    from limner.score.meteor import Meteor

    return Meteor(settings.meteor_tables, settings.progress)


def _spice_star(settings: Settings) -> Metric:
    from limner.score.spice import SpiceStar

    return SpiceStar(wordnet=settings.meteor_tables)


def _spice(_: Settings) -> Metric:
    from limner.score.spice.original_spice import OriginalSpice

    return OriginalSpice()


def _chair(settings: Settings) -> Metric:
    from limner.score.chair import Chair

    return Chair(settings.synonyms) if settings.synonyms else Chair()


def _coverage(settings: Settings) -> Metric:
    from limner.score.coverage import Coverage

    return Coverage(settings.synonyms) if settings.synonyms else Coverage()


def _diversity(settings: Settings) -> Metric:
    from limner.score.diversity import Diversity

    return Diversity(training=settings.training)


def _content(_: Settings) -> Metric:
    from limner.score.grounded import CONTENT

    return CONTENT


def _finer(name: str) -> Callable[[Settings], Metric]:
    def make(_: Settings) -> Metric:
        from limner.score.grounded import FINER

        return next(one for one in FINER if one.name == name)

    return make


def _grounded_words(_: Settings) -> Metric:
    from limner.score.grounded_words import GroundedWords

    return GroundedWords()


METRICS: dict[str, Callable[[Settings], Metric]] = {
    "bleu": _bleu,
    "rouge_l": _rouge_l,
    "cider": _cider,
    "cider-plain": _plain_cider,
    "meteor": _meteor,
    "spice*": _spice_star,
    "spice": _spice,
    "diversity": _diversity,
    "chair": _chair,
    "coverage": _coverage,
    "content": _content,
    "ordering": _finer("ordering"),
    "lexicalisation": _finer("lexicalisation"),
    "attributes": _finer("attributes"),
    "prepositions": _finer("prepositions"),
    "verbs": _finer("verbs"),
    "grounded_words": _grounded_words,
}

GROUNDED = frozenset(METRICS) - {"bleu", "rouge_l", "cider", "cider-plain", "meteor", "spice*", "spice", "diversity"}
"""Those that look at the boxes of gold images."""
