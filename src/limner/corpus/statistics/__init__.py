"""The statistics of a corpus, as papers report them.

`statistics(images)` takes one pass. Memory grows only with what must be told
apart: distinct labels, noun phrases and n-grams.
"""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
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

__getattr__, __dir__, __all__ = lazy_exports(__name__)
