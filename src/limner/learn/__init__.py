"""What everything trained shares: model files that hold no code, and forests of decision trees.

It knows nothing of images.
"""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.learn.boosting import grow
    from limner.learn.forests import Forest, Tree
    from limner.learn.model_files import ModelKind, read_record, write_record

__getattr__, __dir__, __all__ = lazy_exports(__name__)
