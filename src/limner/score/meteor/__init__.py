"""METEOR 1.5 without Java: `Meteor` is the metric, `load_tables` compiles what it knows of English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.meteor.meteor_metric import Explanation, Matched, Meteor
    from limner.score.meteor.meteor_tables import Tables, load_tables

__getattr__, __dir__, __all__ = lazy_exports(__name__)
