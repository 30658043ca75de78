"""What programs written for pycocoevalcap call, with the same arguments and answers, and no Java.

from limner.score.pycocoevalcap import Bleu, Cider, COCOEvalCap, Meteor, PTBTokenizer, Rouge, Spice
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.pycocoevalcap.coco_captions import COCO, COCOEvalCap
    from limner.score.pycocoevalcap.coco_scorers import Bleu, Cider, Meteor, PTBTokenizer, Rouge, Spice

__getattr__, __dir__, __all__ = lazy_exports(__name__)
