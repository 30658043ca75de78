"""SPICE*: captions and references as scene graphs, compared fact by fact. `OriginalSpice` runs the Java program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.spice.original_spice import OriginalSpice
    from limner.score.spice.parse_store import default_store
    from limner.score.spice.scene_graph import Counts, Explanation, Fact, SceneGraph
    from limner.score.spice.spice_metric import SpiceStar

__getattr__, __dir__, __all__ = lazy_exports(__name__)
