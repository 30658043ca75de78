"""SPICE*: captions and references as scene graphs, compared fact by fact."""

from limner.score.spice.parse_store import default_store
from limner.score.spice.scene_graph import Counts, Explanation, Fact, SceneGraph
from limner.score.spice.spice_metric import SpiceStar

__all__ = ["Counts", "Explanation", "Fact", "SceneGraph", "SpiceStar", "default_store"]
