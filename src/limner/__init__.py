"""Grounded image description: sentences about pictures whose words are tied to regions.

The names that most programs need are here; each room's package has the rest.
Nothing is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner import moved
from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.caption import choose_constraints as choose_constraints
    from limner.caption import compile_constraints as compile_constraints
    from limner.caption import constrained_search as constrained_search
    from limner.corpus import Box as Box
    from limner.corpus import Caption as Caption
    from limner.corpus import Chain as Chain
    from limner.corpus import Corpus as Corpus
    from limner.corpus import Image as Image
    from limner.corpus import Mention as Mention
    from limner.corpus import open_corpus as open_corpus
    from limner.corpus import write_corpus as write_corpus
    from limner.errors import BadInput as BadInput
    from limner.errors import LimnerError as LimnerError
    from limner.playground import World as World
    from limner.score import Evaluation as Evaluation
    from limner.score import evaluate as evaluate

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.caption": ["choose_constraints", "compile_constraints", "constrained_search"],
        "limner.corpus": ["Box", "Caption", "Chain", "Corpus", "Image", "Mention", "open_corpus", "write_corpus"],
        "limner.errors": ["BadInput", "LimnerError"],
        "limner.playground": ["World"],
        "limner.score": ["Evaluation", "evaluate"],
    },
)

moved.install()
