"""A selector that learns from a corpus which boxes people mention, and how many."""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.describe.learned.box_features import FAMILIES
    from limner.describe.learned.learned_selector import LearnedSelector
    from limner.describe.learned.selection_reasons import Explanation, render
    from limner.describe.learned.selector_training import train_selector

__all__ = ["FAMILIES", "Explanation", "LearnedSelector", "render", "train_selector"]

__getattr__, __dir__, _ = lazy_exports(
    __name__,
    {
        "limner.describe.learned.box_features": ("FAMILIES",),
        "limner.describe.learned.learned_selector": ("LearnedSelector",),
        "limner.describe.learned.selection_reasons": ("Explanation", "render"),
        "limner.describe.learned.selector_training": ("train_selector",),
    },
)
