"""How well phrases are localised: recall of boxes for the phrases of captions, as Plummer et al. (2016) measure it.

`evaluate_localisation` scores systems, with intervals and tests between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.localisation.localisation_evaluation import LocalisationScores, evaluate_localisation
    from limner.score.localisation.localisation_files import open_localisations
    from limner.score.localisation.phrase_recall import Protocol

__getattr__, __dir__, __all__ = lazy_exports(__name__)
