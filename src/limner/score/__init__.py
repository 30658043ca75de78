"""From outputs and gold to scores with signatures and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]


def __getattr__(name: str) -> Any:
    # What scores captions needs numpy and tokenisers, which the measures of boxes do without.
    if name in __all__:
        from limner.score import caption_evaluation

        return getattr(caption_evaluation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
