"""From words to regions: chains of the mentions that are of one thing."""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.ground.chainer import Chainer, built_in_chainer
    from limner.ground.chainer_training import train_chains
    from limner.ground.chaining import add_chains, chain_corpus

__getattr__, __dir__, __all__ = lazy_exports(__name__)
