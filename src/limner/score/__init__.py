"""From outputs and gold to scores: values with intervals, signatures and tests between systems.

`evaluate` scores captions by any metrics, `evaluate_content` the boxes that
captions mention, `evaluate_phrases` which noun phrases were found,
`evaluate_chains` which mentions are of one thing, `evaluate_detections`
detections against gold boxes, `evaluate_localisation` boxes for phrases,
`evaluate_retrieval` pictures for sentences and sentences for pictures.
`compare_systems` tests differences; `human_bound` is what people score by a
metric, and `CaptionJob` scores files from beginning to end.
Nothing is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation, compare_systems, evaluate, evaluate_systems
    from limner.score.caption_job import CaptionJob
    from limner.score.chain_evaluation import evaluate_chains
    from limner.score.content_evaluation import evaluate_content
    from limner.score.detection.detection_evaluation import evaluate_detections
    from limner.score.external import function_metric, scores_file
    from limner.score.given_captions import read_captions, read_references
    from limner.score.leave_one_out import human_bound, matched
    from limner.score.localisation.localisation_evaluation import evaluate_localisation
    from limner.score.metric import Metric, Settings, Statistics, means
    from limner.score.pairing import Policy
    from limner.score.phrase_scores import evaluate_phrases
    from limner.score.retrieval.retrieval_evaluation import evaluate_retrieval
    from limner.score.run import Run

__getattr__, __dir__, __all__ = lazy_exports(__name__)
