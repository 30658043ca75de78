"""What everything trained shares: model files that hold no code, forests of decision trees, taggers, CCA.

It knows nothing of images.
"""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.learn.boosting import grow
    from limner.learn.cca import NormalisedCCA
    from limner.learn.chain_tagger import ChainRecord, ChainTagger
    from limner.learn.chain_training import train_chain
    from limner.learn.forests import Forest, Tree
    from limner.learn.model_files import ModelKind, read_record, write_record

__getattr__, __dir__, __all__ = lazy_exports(__name__)
