"""SPICE*: captions and references as scene graphs, compared fact by fact."""

from limner.score.spice.matching import Counts, Explanation
from limner.score.spice.metric import SpiceStar
from limner.score.spice.parse_store import default_store
from limner.score.spice.scene_graph import Fact, SceneGraph

__all__ = ["Counts", "Explanation", "Fact", "SceneGraph", "SpiceStar", "default_store"]
