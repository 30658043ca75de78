"""SPICE*: captions and references as scene graphs, compared fact by fact. `OriginalSpice` runs the Java program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.spice.original_spice import OriginalSpice as OriginalSpice
    from limner.score.spice.parse_store import default_store as default_store
    from limner.score.spice.scene_graph import Counts as Counts
    from limner.score.spice.scene_graph import Explanation as Explanation
    from limner.score.spice.scene_graph import Fact as Fact
    from limner.score.spice.scene_graph import SceneGraph as SceneGraph
    from limner.score.spice.spice_metric import SpiceStar as SpiceStar

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.score.spice.original_spice": ["OriginalSpice"],
        "limner.score.spice.parse_store": ["default_store"],
        "limner.score.spice.scene_graph": ["Counts", "Explanation", "Fact", "SceneGraph"],
        "limner.score.spice.spice_metric": ["SpiceStar"],
    },
)
