"""Region features: descriptors that need no model, models' features, files that others made, and their store.

`make_features` fills a store with the features of a corpus' boxes,
`open_features` reads one. Nothing is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.vision.features.colour_features import ColourFeatures
    from limner.vision.features.feature_recipe import FeatureRecipe
    from limner.vision.features.feature_run import FeatureRun, make_features
    from limner.vision.features.feature_store import FeatureStore, open_features
    from limner.vision.features.foreign_features import import_features
    from limner.vision.features.shape_features import PositionFeatures, ShapeFeatures
    from limner.vision.features.store_writer import StoreWriter, write_store

__getattr__, __dir__, __all__ = lazy_exports(__name__)
