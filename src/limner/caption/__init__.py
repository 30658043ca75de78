"""From regions and constraints to captions: constraints as automata, the search that keeps to them, and its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.caption.captioned import Captioned
    from limner.caption.constraints.automaton import Automaton, compile_constraints
    from limner.caption.constraints.constraint_choice import ConstraintChooser, choose_constraints
    from limner.caption.constraints.constraint_phrases import BadConstraints, Phrase
    from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
    from limner.caption.constraints.worded_constraints import Words
    from limner.caption.models.hugging_face import constrained_captions
    from limner.caption.models.hugging_face_captioner import HuggingFaceCaptioner
    from limner.caption.models.hugging_face_step import HuggingFaceStep
    from limner.caption.search.beam_search import SearchResult, constrained_search

__getattr__, __dir__, __all__ = lazy_exports(__name__)
