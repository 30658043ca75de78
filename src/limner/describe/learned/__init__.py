"""A selector that learns from a corpus which boxes people mention, and how many."""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.describe.learned.box_features import FAMILIES
    from limner.describe.learned.learned_selector import LearnedSelector
    from limner.describe.learned.selection_reasons import Explanation, render
    from limner.describe.learned.selector_training import train_selector
    from limner.describe.learned.selector_validation import Validation, ValidationImages

__getattr__, __dir__, __all__ = lazy_exports(__name__)
