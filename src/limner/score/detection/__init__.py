"""How good detections are: average precision and recall as COCO's benchmark defines them.

`evaluate_detections` scores systems, with intervals and tests between them.
The numbers are those of pycocotools on the same boxes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.detection.detection_evaluation import DetectionScores, evaluate_detections
    from limner.score.detection.detection_files import open_detections

__getattr__, __dir__, __all__ = lazy_exports(__name__)
