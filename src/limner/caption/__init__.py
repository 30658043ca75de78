"""From regions and constraints to captions: constraints as automata, the search that keeps to them, and its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.caption.constraints.automaton import Automaton, compile_constraints
    from limner.caption.constraints.constraint_choice import ConstraintChooser, choose_constraints
    from limner.caption.constraints.constraint_phrases import BadConstraints, Phrase
    from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
    from limner.caption.constraints.worded_constraints import Words
    from limner.caption.models.hugging_face import Captioned, constrained_captions
    from limner.caption.models.hugging_face_step import HuggingFaceStep
    from limner.caption.search.beam_search import SearchResult, constrained_search

__all__ = [
    "Automaton",
    "BadConstraints",
    "Captioned",
    "ConstraintChooser",
    "HuggingFaceStep",
    "Phrase",
    "SearchResult",
    "TokenizerAdapter",
    "Words",
    "choose_constraints",
    "compile_constraints",
    "constrained_captions",
    "constrained_search",
]

__getattr__, __dir__, _ = lazy_exports(
    __name__,
    {
        "limner.caption.constraints.automaton": ["Automaton", "compile_constraints"],
        "limner.caption.constraints.constraint_choice": ["ConstraintChooser", "choose_constraints"],
        "limner.caption.constraints.constraint_phrases": ["BadConstraints", "Phrase"],
        "limner.caption.constraints.tokenizer_adapter": ["TokenizerAdapter"],
        "limner.caption.constraints.worded_constraints": ["Words"],
        "limner.caption.models.hugging_face": ["Captioned", "constrained_captions"],
        "limner.caption.models.hugging_face_step": ["HuggingFaceStep"],
        "limner.caption.search.beam_search": ["SearchResult", "constrained_search"],
    },
    renamed={"Found": "SearchResult"},
)
