"""Content selection by every system: Table 1 and Figures 3 to 6 of Wang & Gaizauskas (2015), for any corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from limner.corpus.image import Image
from limner.describe.selectors import Concepts, ManySelector, Selector, find_selector, seen
from limner.score.content import PRF, Boxes, Content, gold_sets, human, oracle, score_selection, summarise

K = range(1, 16)
RANKED = ("random", "position", "size", "unigram", "bigram")
COMBINED = ("unigram+position", "bigram+position", "unigram+size", "bigram+size")
WHOLE = ("all", "learned", "human", "oracle")
"""What chooses how many boxes to mention by itself, so that there is no k."""

SYSTEMS = (*RANKED, *COMBINED, *WHOLE)


@dataclass(frozen=True)
class Run:
    """A system's scores at one k; None where there is no k."""

    system: str
    k: int | None
    scores: Content


@dataclass(frozen=True)
class Experiment:
    """Every system's scores on a test corpus, and what each chose where there is an order."""

    runs: Sequence[Run]
    chosen: Mapping[str, Mapping[str, Sequence[str]]]
    n_left_out: int

    def find(self, system: str, k: int | None = None) -> Content:
        return next(run.scores for run in self.runs if (run.system, run.k) == (system, k))

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(run.system for run in self.runs))

    def best(self, system: str) -> Run:
        """The system's run with the highest F; of equals the one of the smallest k."""
        return max((run for run in self.runs if run.system == system), key=lambda run: run.scores.F)


def compare_systems(
    concepts: Concepts,
    test: Iterable[Image],
    *,
    learned: ManySelector | None = None,
    seed: int = 0,
    watch: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> Experiment:
    """Score every system on the test images; `watch` sees the names of the systems as they run.

    `concepts` are what people mention in the training images, `learned` a
    selector that was trained on them. Images no gold caption of which refers to a box are left out and counted.
    """
    images = list(test)
    gold = {image.id: sets for image in images if (sets := gold_sets(image))}
    views = [seen(image) for image in images if image.id in gold]
    runs: list[Run] = []
    chosen: dict[str, dict[str, list[str]]] = {}
    for name in watch([name for name in SYSTEMS if name != "learned" or learned is not None]):
        if name in ("human", "oracle"):
            runs.append(Run(name, None, _bound(name, gold)))
        elif name == "learned" and learned is not None:
            picks = zip(views, learned.select_many(views), strict=True)
            chosen[name] = {view.id: ids for view, ids in picks}
            runs.append(Run(name, None, _scored(chosen[name], gold)))
        else:
            chosen[name] = _select(find_selector(name, concepts, seed), views)
            runs += _at_every_k(name, chosen[name], gold)
    return Experiment(runs, chosen, len(images) - len(views))


def _select(selector: Selector, views: Sequence[Image]) -> dict[str, list[str]]:
    return {view.id: selector.select(view) for view in views}


def _at_every_k(name: str, chosen: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[Boxes]]) -> list[Run]:
    if name == "all":
        return [Run(name, None, _scored(chosen, gold))]
    return [Run(name, k, _scored({id: ids[:k] for id, ids in chosen.items()}, gold)) for k in K]


def _scored(chosen: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[Boxes]]) -> Content:
    return summarise({id: score_selection(ids, gold[id]) for id, ids in chosen.items()})


def _bound(name: str, gold: Mapping[str, Sequence[Boxes]]) -> Content:
    if name == "oracle":
        return summarise({id: score_selection(oracle(sets), sets) for id, sets in gold.items()})
    scores: dict[str, PRF] = {}
    for id, sets in gold.items():
        agreed = human(sets)
        if agreed is not None:
            scores[id] = agreed
    return summarise(scores)
