"""What a reader of caption scores should know that the scores themselves do not say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from limner.score.box_matching import count_boxes, unmatched_warning
from limner.score.metric import Metric
from limner.score.pairing import Missing
from limner.score.run import Run

# What the library advises; a command line says which of its commands and options do it.
TIE_TO_BOXES = "tie captions to boxes"
SCORE_PEOPLE = "to score people, hold each reference against the others"

# A captioner says now and then what somebody wrote. With half of the captions, of so many, that is no chance.
VERBATIM_SHARE = 0.5
MIN_VERBATIM = 10

# Ids that agree by chance join few images: where fewer of a side join, both sides having others, ids may not agree.
JOINED_SHARE = 0.1


def score_warnings(
    run: Run, metrics: Sequence[Metric], scores: Mapping[str, float], counts: Mapping[str, int], missing: Missing
) -> Iterator[str]:
    """Warnings about values that are none, captions that are references, boxes that match none, and few joined images.

    `scores` are the values of the metrics' columns, `counts` what did not fit,
    `missing` what became of images without a caption.
    """
    yield from _without_value(run, metrics, scores)
    n = run.n_verbatim
    if n >= max(MIN_VERBATIM, VERBATIM_SHARE * len(run)) and not all(metric.is_of_people for metric in metrics):
        yield (
            f"{n:,} of {len(run):,} captions are word for word among their own references, so scores are too high; "
            + SCORE_PEOPLE
        )
    if run.images is not None and run.result_boxes is not None:
        warning = unmatched_warning(count_boxes(run.images, run.result_boxes))
        yield from [warning] if warning else []
    yield from _few_joined(len(run), counts, missing)


def _without_value(run: Run, metrics: Sequence[Metric], scores: Mapping[str, float]) -> Iterator[str]:
    """Which values are none and why, each reason once."""
    no_mentions: list[str] = []
    nothing: list[str] = []
    for metric in metrics:
        names = [column for column in metric.columns if math.isnan(scores[column])]
        is_ungrounded = bool(names) and metric.needs_mentions and _is_ungrounded(run, metric)
        (no_mentions if is_ungrounded else nothing).extend(names)
    if no_mentions:
        yield f"{_have_none(no_mentions)}: no gold caption refers to a box; {TIE_TO_BOXES}"
    if nothing:
        yield f"{_have_none(nothing)}: no image here has what {'it looks' if len(nothing) == 1 else 'they look'} at"


def _is_ungrounded(run: Run, metric: Metric) -> bool:
    """Whether no gold caption refers to a box; false for a run without its images, where nobody knows."""
    return run.images is not None and not any(gold for gold, _ in run.grounded_pairs(metric.name))


def _have_none(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no value"


def _few_joined(n_images: int, counts: Mapping[str, int], missing_policy: Missing) -> Iterator[str]:
    missing, extra = counts.get("missing", 0), counts.get("extra", 0)
    # An image whose missing caption scores 0 is among those scored.
    joined = n_images - (missing if missing_policy == "zero" else 0)
    if missing and extra and joined < JOINED_SHARE * max(joined + missing, joined + extra):
        yield (
            f"only {joined:,} images are on both sides, of {joined + missing:,} with references and "
            f"{joined + extra:,} with a caption; check that the ids agree"
        )
