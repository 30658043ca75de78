"""SPICE*: how much of what a caption says its references say too, as facts about things.

After Anderson et al. (2016), with another parser and rules of our own: it is
another metric, so it has its own name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from limner.score.meteor.wordnet import find_wordnet
from limner.score.metric import Choices, Statistics, means
from limner.score.run import Run
from limner.score.spice.scene_graph import CATEGORIES, Counts, Explanation, Matcher, Merged, SceneGraph
from limner.score.spice.spice_lemmas import LEMMAS
from limner.score.spice.spice_parser import MAX_CHARACTERS, Parser
from limner.score.spice.spice_rules import RULES, scene_graph

MAX_KEPT = 200_000
"""Scene graphs of sentences that are kept in memory, so that systems with the same references share them."""

PORTION = 2048
"""Images whose sentences are parsed together."""


class SpiceStar:
    """SPICE*, and where `with_categories` its values by category as well.

    `wordnet` is a folder with METEOR's tables, whose synonyms are WordNet's;
    without it those of an installed pycocoevalcap are taken. Where there are
    none, or `synonyms` is false, words are compared by their base forms alone, and the
    choices say so. `model` is one of spaCy's English models, `store` a file in
    which parses are kept from run to run (`default_store()` is one in the
    user's cache), `n_process` the number of processes
    that parse.
    """

    name = "spice*"

    def __init__(
        self,
        *,
        wordnet: Path | None = None,
        synonyms: bool = True,
        model: str | None = None,
        store: Path | None = None,
        n_process: int = 1,
        with_categories: bool = False,
    ) -> None:
        self._arguments = (wordnet, synonyms, model, store, n_process, with_categories)
        self._wordnet = find_wordnet(wordnet) if synonyms else None
        self._asked_for_synonyms = synonyms
        self._matcher = Matcher(self._wordnet)
        self._parser = Parser(model, store=store, n_process=n_process)
        self._graphs: dict[str, SceneGraph] = {}
        self._merge = lru_cache(maxsize=PORTION)(self._merged)
        self._categories = CATEGORIES if with_categories else CATEGORIES[:1]

    def __reduce__(self) -> tuple[object, ...]:
        """Made anew where it is sent: tables and parses are not worth the way."""
        return _made, self._arguments

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.name if category == "all" else f"{self.name}_{category}" for category in self._categories)

    @property
    def choices(self) -> Choices:
        wordnet = "none" if self._wordnet is None else self._wordnet.source
        return {**self._parser.choices, "wordnet": wordnet, "rules": f"{RULES}.{LEMMAS}"}

    def measure(self, run: Run) -> Statistics:
        """F of each image; a category that neither the caption nor the references speak of has none."""
        values = np.full((len(run), len(self._categories)), np.nan)
        for image, counts in enumerate(self.breakdown(run.candidates, run.references)):
            for column, category in enumerate(self._categories):
                if category in counts:
                    values[image, column] = counts[category].f
        statistics = means(values, self.choices)
        return replace(statistics, warnings=self.warnings(run))

    def breakdown(self, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[dict[str, Counts]]:
        """For each caption, by category, how many facts it says, how many of them are right, and how many there are."""
        together = zip(candidates, references, strict=True)
        while part := list(islice(together, PORTION)):
            self._parse(sentence for caption, listed in part for sentence in (caption, *listed))
            for caption, listed in part:
                yield self._matcher.counts(self._merge((caption,)), self._merge(tuple(listed)))

    def explain(self, candidate: str, references: Sequence[str]) -> Explanation:
        """Which facts of a caption its references say too, which they do not, and which of theirs it leaves out."""
        self._parse([candidate, *references])
        return self._matcher.explain(self._merge((candidate,)), self._merge(tuple(references)))

    def graphs(self, sentences: Iterable[str]) -> dict[str, SceneGraph]:
        """The scene graph of every distinct sentence."""
        wanted = dict.fromkeys(sentences)
        self._parse(wanted)
        return {sentence: self._graphs[sentence] for sentence in wanted}

    def _parse(self, sentences: Iterable[str]) -> None:
        """Have the scene graphs of these at hand; others go where there are too many."""
        wanted = dict.fromkeys(sentences)
        missing = [sentence for sentence in wanted if sentence not in self._graphs]
        if len(self._graphs) + len(missing) > MAX_KEPT:
            self._graphs = {sentence: self._graphs[sentence] for sentence in wanted if sentence in self._graphs}
        for sentence, parse in zip(missing, self._parser.parse(missing), strict=True):
            self._graphs[sentence] = scene_graph(parse)

    def _merged(self, sentences: tuple[str, ...]) -> Merged:
        return self._matcher.merge([self._graphs[sentence] for sentence in sentences])

    def warnings(self, run: Run) -> list[str]:
        """What of a run a reader of its scores should know."""
        warnings = []
        if self._wordnet is None and self._asked_for_synonyms:
            warnings.append("spice*: no WordNet was found, so synonyms do not match; pip install 'limner[meteor]'")
        n_long = sum(len(sentence) > MAX_CHARACTERS for sentence in run.sentences())
        if n_long:
            warnings.append(f"spice*: of {n_long} captions only the first {MAX_CHARACTERS:,} characters were read")
        return warnings


def _made(
    wordnet: Path | None, synonyms: bool, model: str | None, store: Path | None, n_process: int, with_categories: bool
) -> SpiceStar:
    return SpiceStar(
        wordnet=wordnet,
        synonyms=synonyms,
        model=model,
        store=store,
        n_process=n_process,
        with_categories=with_categories,
    )
