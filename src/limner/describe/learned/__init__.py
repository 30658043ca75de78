"""A selector that learns from a corpus which boxes people mention, and how many."""

from __future__ import annotations

from limner.describe.learned.explanation import Explanation, render
from limner.describe.learned.features import FAMILIES
from limner.describe.learned.selector import LearnedSelector
from limner.describe.learned.training import train_selector

__all__ = ["FAMILIES", "Explanation", "LearnedSelector", "render", "train_selector"]
