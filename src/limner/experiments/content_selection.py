"""Content selection by every system: Table 1 and Figures 3 to 6 of Wang & Gaizauskas (2015), for any corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from limner.corpus import open_corpus
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.describe.learned import LearnedSelector, train_selector
from limner.describe.selectors import Concepts, ManySelector, Selector, find_selector, seen
from limner.progress import Progress, silent, track
from limner.score.content import Content
from limner.score.content_evaluation import HUMAN, score_selections
from limner.score.grounded import ORACLE
from limner.score.metric import Metric
from limner.score.pairing import References, read_grounded_references

K = range(1, 16)
RANKED = ("random", "position", "size", "unigram", "bigram")
COMBINED = ("unigram+position", "bigram+position", "unigram+size", "bigram+size")
# These choose how many boxes to mention by themselves, so that there is no k.
WHOLE = ("all", "learned", "human", "oracle")
SYSTEMS = (*RANKED, *COMBINED, *WHOLE)

# What people and the oracle score does not depend on what a system selects.
BOUNDS: Mapping[str, Metric] = {"human": HUMAN, "oracle": ORACLE}


@dataclass(frozen=True)
class Run:
    """A system's scores at one k; None where there is no k."""

    system: str
    k: int | None
    scores: Content


@dataclass(frozen=True)
class Experiment:
    """Every system's scores on a test corpus, and what each chose where there is an order.

    `test` are the images of the corpus, `readings` what was noticed while the
    corpora were read.
    """

    runs: Sequence[Run]
    chosen: Mapping[str, Mapping[str, Sequence[str]]]
    n_left_out: int
    test: Sequence[Image] = ()
    readings: Sequence[Reading] = ()

    def find(self, system: str, k: int | None = None) -> Content:
        return next(run.scores for run in self.runs if (run.system, run.k) == (system, k))

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(run.system for run in self.runs))

    def best(self, system: str) -> Run:
        """The system's run with the highest F; of equals the one of the smallest k."""
        return max((run for run in self.runs if run.system == system), key=lambda run: run.scores.F)


def content_selection_experiment(
    train: str,
    test: str,
    *,
    model: Path | None = None,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> Experiment:
    """Train on one corpus and score every system on another.

    `model` is a selector that was trained before (default: one is trained on
    `train`). If `lenient`, faulty parts of the corpora are left out and
    counted.
    """
    known, unseen = open_corpus(train, lenient=lenient), open_corpus(test, lenient=lenient)
    concepts = Concepts.count(track(known, "training images", progress))
    if model:
        learned = LearnedSelector.load(model)
    else:
        learned = train_selector(track(known, "training images", progress), seed=seed)
    images = list(track(unseen, "test images", progress))
    experiment = compare_systems(concepts, images, learned=learned, seed=seed, progress=progress)
    return replace(experiment, readings=[known.reading, unseen.reading])


def compare_systems(
    concepts: Concepts,
    test: Iterable[Image],
    *,
    learned: ManySelector | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Experiment:
    """Score every system on the test images.

    `concepts` are what people mention in the training images, `learned` a
    selector that was trained on them. Images of which no gold caption refers
    to a box are left out and counted.
    """
    images = list(test)
    references = read_grounded_references(images)
    views = [seen(image) for image in images if image.id in references.texts]
    runs: list[Run] = []
    chosen: dict[str, dict[str, list[str]]] = {}
    systems = [name for name in SYSTEMS if name != "learned" or learned is not None]
    for name in track(systems, "systems", progress, len(systems)):
        if name in BOUNDS:
            runs.append(Run(name, None, score_selections({}, references, BOUNDS[name])))
        elif name == "learned" and learned is not None:
            picks = zip(views, learned.select_many(views), strict=True)
            chosen[name] = {view.id: ids for view, ids in picks}
            runs.append(Run(name, None, score_selections(chosen[name], references)))
        else:
            chosen[name] = _select(find_selector(name, concepts, seed), views)
            runs += _at_every_k(name, chosen[name], references)
    return Experiment(runs, chosen, len(images) - len(views), images)


def _select(selector: Selector, views: Sequence[Image]) -> dict[str, list[str]]:
    return {view.id: selector.select(view) for view in views}


def _at_every_k(name: str, chosen: Mapping[str, Sequence[str]], references: References) -> list[Run]:
    if name == "all":
        return [Run(name, None, score_selections(chosen, references))]
    return [Run(name, k, score_selections({id: ids[:k] for id, ids in chosen.items()}, references)) for k in K]
