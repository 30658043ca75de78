"""Grounded image description: sentences about pictures whose words are tied to regions.

The names that most programs need are here; each room's package has the rest.
Nothing is imported until it is used.
"""

from limner import startup

# isort: split
from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.caption import choose_constraints, compile_constraints, constrained_search
    from limner.corpus import Box, Caption, Chain, Corpus, Image, Mention, open_corpus, write_corpus
    from limner.errors import BadInput, LimnerError
    from limner.playground import World
    from limner.score import Evaluation, evaluate

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_exports(__name__)
