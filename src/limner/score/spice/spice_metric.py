"""SPICE*: how much of what a caption says its references say too, as facts about things.

After Anderson et al. (2016), with another parser and other rules. It is
therefore another metric and has another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from limner.lazy import lazy
from limner.score.meteor.wordnet import find_wordnet
from limner.score.metric import SHARE, Choices, ExplanationKind, Metric, Settings, Statistics, means
from limner.score.run import Run
from limner.score.spice.scene_graph import CATEGORIES, Counts, Explanation, Matcher, Merged, SceneGraph
from limner.score.spice.spice_lemmas import LEMMAS
from limner.score.spice.spice_rules import RULES, scene_graph

if TYPE_CHECKING:
    from limner.score.spice import spice_parser
else:
    spice_parser = lazy("limner.score.spice.spice_parser")

# Scene graphs that are held in memory, so that each system meets the graphs of its references again: those of 25,000
# images with five references and of three systems. A graph takes about a kilobyte.
MAX_KEPT = 200_000

# Images whose sentences are parsed together: enough for full batches.
PORTION = 2048


class SpiceStar(Metric):
    """SPICE*, and its values by category too if `with_categories`.

    `wordnet` is a folder with METEOR's tables, which hold WordNet's synonyms
    (default: those of an installed pycocoevalcap). If there are none, or
    `synonyms` is false, words are compared by their base forms alone, and the
    choices say so. `model` is one of spaCy's English models, `store` a file
    that keeps parses from run to run (`default_store()` is one in the user's
    cache), `n_process` the number of processes that parse.
    """

    name: ClassVar[str] = "spice*"
    explanation: ClassVar[ExplanationKind] = "tuples"

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
        self._remade = partial(
            type(self),
            wordnet=wordnet,
            synonyms=synonyms,
            model=model,
            store=store,
            n_process=n_process,
            with_categories=with_categories,
        )
        self._wordnet = find_wordnet(wordnet) if synonyms else None
        self._asked_for_synonyms = synonyms
        self._matcher = Matcher(self._wordnet)
        self._parser = spice_parser.Parser(model, store=store, n_process=n_process)
        self._graphs: dict[str, SceneGraph] = {}
        self._merge = lru_cache(maxsize=PORTION)(self._merged)
        self._categories = CATEGORIES if with_categories else CATEGORIES[:1]

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(wordnet=settings.meteor_tables)

    def __reduce__(self) -> tuple[object, ...]:
        # Another process loads the tables and parses faster than it would receive them.
        return self._remade, ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.name if category == "all" else f"{self.name}_{category}" for category in self._categories)

    @property
    def choices(self) -> Choices:
        wordnet = "none" if self._wordnet is None else self._wordnet.source
        return {**self._parser.choices, "wordnet": wordnet, "rules": f"{RULES}.{LEMMAS}"}

    def measure(self, run: Run) -> Statistics:
        """F of each image; NaN for a category that neither the caption nor the references speak of."""
        values = np.full((len(run), len(self._categories)), np.nan)
        for image, counts in enumerate(self.breakdown(run.candidates, run.references)):
            for column, category in enumerate(self._categories):
                if category in counts:
                    values[image, column] = counts[category].f
        return replace(means(values, self.choices, value_range=SHARE), warnings=self.warnings(run))

    def breakdown(self, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[dict[str, Counts]]:
        """For each caption, by category: how many facts it says, how many of them are right, how many there are."""
        return (self._matcher.counts(*pair) for pair in self._merged_pairs(candidates, references))

    def explain(self, candidate: str, references: Sequence[str]) -> Explanation:
        """Which facts of a caption its references say too, which they do not, and which of theirs it leaves out."""
        (pair,) = self._merged_pairs([candidate], [references])
        return self._matcher.explain(*pair)

    def explanations(self, run: Run) -> list[Explanation]:
        """The explanation of each caption of a run."""
        return [self._matcher.explain(*pair) for pair in self._merged_pairs(run.candidates, run.references)]

    def graphs(self, sentences: Iterable[str]) -> dict[str, SceneGraph]:
        """The scene graph of every distinct sentence."""
        wanted = dict.fromkeys(sentences)
        self._parse(wanted)
        return {sentence: self._graphs[sentence] for sentence in wanted}

    def warnings(self, run: Run) -> list[str]:
        """What a reader of the scores of a run should know."""
        warnings = []
        if self._wordnet is None and self._asked_for_synonyms:
            warnings.append("spice*: no WordNet was found, so synonyms do not match; pip install 'limner[meteor]'")
        limit = spice_parser.MAX_CHARACTERS
        n_long = sum(len(sentence) > limit for sentence in run.sentences())
        if n_long:
            warnings.append(f"spice*: of {n_long} captions only the first {limit:,} characters were read")
        return warnings

    def _merged_pairs(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Merged, Merged]]:
        """The graph of each caption, and that of its references."""
        pairs = zip(candidates, references, strict=True)
        while portion := list(islice(pairs, PORTION)):
            self._parse(sentence for caption, listed in portion for sentence in (caption, *listed))
            for caption, listed in portion:
                yield self._merge((caption,)), self._merge(tuple(listed))

    def _parse(self, sentences: Iterable[str]) -> None:
        """Make the scene graphs of these sentences; those that were not used for the longest time go."""
        wanted = dict.fromkeys(sentences)
        missing = [sentence for sentence in wanted if sentence not in self._graphs]
        # A dictionary keeps the order in which keys came: what is used again moves to the end. References, which every
        # system uses, therefore outlast the captions of systems that were scored before.
        n_wanted = len(wanted) - len(missing)
        for sentence in wanted:
            if sentence in self._graphs:
                self._graphs[sentence] = self._graphs.pop(sentence)
        n_surplus = min(len(self._graphs) + len(missing) - MAX_KEPT, len(self._graphs) - n_wanted)
        for sentence in list(islice(self._graphs, max(n_surplus, 0))):
            del self._graphs[sentence]
        for sentence, parse in zip(missing, self._parser.parse(missing), strict=True):
            self._graphs[sentence] = scene_graph(parse)

    def _merged(self, sentences: tuple[str, ...]) -> Merged:
        return self._matcher.merge([self._graphs[sentence] for sentence in sentences])
