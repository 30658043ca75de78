"""The statistics of a corpus, as papers report them.

`statistics(images)` takes one pass. Memory grows only with what must be told
apart: distinct labels, noun phrases and n-grams.
"""

from limner.corpus.statistics.comparison import Sample, compare, equal_sample
from limner.corpus.statistics.corpus_figures import (
    Boxes,
    Captions,
    Chains,
    Distribution,
    Mentions,
    Ngrams,
    Pictures,
    Statistics,
    Summary,
    TypeFigures,
    WordFigures,
    Words,
)
from limner.corpus.statistics.corpus_tally import statistics

__all__ = [
    "Boxes",
    "Captions",
    "Chains",
    "Distribution",
    "Mentions",
    "Ngrams",
    "Pictures",
    "Sample",
    "Statistics",
    "Summary",
    "TypeFigures",
    "WordFigures",
    "Words",
    "compare",
    "equal_sample",
    "statistics",
]
