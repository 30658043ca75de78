"""Every metric by name. To add one, write its class and name it here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from limner.errors import LimnerError, unknown
from limner.lazy import load_object
from limner.score.metric import Metric, Scorer, Settings, adopted

# The class of each metric, imported when the metric is made.
METRICS: dict[str, str] = {
    "bleu": "limner.score.bleu:Bleu",
    "rouge_l": "limner.score.rouge_l:RougeL",
    "cider": "limner.score.cider:Cider",
    "cider-plain": "limner.score.cider:PlainCider",
    "meteor": "limner.score.meteor.meteor_metric:Meteor",
    "spice*": "limner.score.spice.spice_metric:SpiceStar",
    "spice": "limner.score.spice.original_spice:OriginalSpice",
    "diversity": "limner.score.diversity:Diversity",
    "chair": "limner.score.chair:Chair",
    "coverage": "limner.score.coverage:Coverage",
    "content": "limner.score.grounded:ContentSelection",
    "ordering": "limner.score.ordering:Ordering",
    "lexicalisation": "limner.score.wording:Lexicalisation",
    "attributes": "limner.score.wording:Attributes",
    "prepositions": "limner.score.relations:Prepositions",
    "verbs": "limner.score.relations:Verbs",
    "surface": "limner.score.surface:Surface",
    "grounded_words": "limner.score.grounded_words:GroundedWords",
}

# What is measured if no metric is named: what papers report, without anything large to install.
USUAL = ("bleu", "rouge_l", "cider", "meteor")


def check_names(names: Iterable[str]) -> None:
    """Raise an error for a name that no metric has."""
    for name in names:
        if name not in METRICS:
            raise unknown("metric", name, METRICS)


def metric_list(metrics: str | Sequence[str | Scorer]) -> list[str | Scorer]:
    """The metrics one by one, if they are names in one text too: `bleu,cider`."""
    return [name.strip() for name in metrics.split(",") if name.strip()] if isinstance(metrics, str) else list(metrics)


def make_metrics(metrics: str | Sequence[str | Scorer], settings: Settings | None = None) -> list[Metric]:
    """The metrics, each once, in this order; those given by name are made with the settings."""
    metrics = metric_list(metrics)
    wanted = [metric for i, metric in enumerate(metrics) if metric not in metrics[:i]]
    if not wanted:
        raise LimnerError(f"no metric was named; choose from: {', '.join(METRICS)}")
    check_names(metric for metric in wanted if isinstance(metric, str))
    settings = settings or Settings()
    made = [_made(metric, settings) if isinstance(metric, str) else adopted(metric) for metric in wanted]
    columns = Counter(column for metric in made for column in (metric.name, *set(metric.columns) - {metric.name}))
    for name, n in columns.items():
        if n > 1:
            raise LimnerError(f"two metrics have values called {name!r}; give one of them another name")
    return made


def _made(name: str, settings: Settings) -> Metric:
    kind: type[Metric] = load_object(METRICS[name])
    return kind.from_settings(settings)
