"""From features and constraints to captions: constraints as automata, and the search that keeps to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from limner.caption.automaton import Automaton, compile_constraints
    from limner.caption.choice import ConstraintChooser, choose_constraints
    from limner.caption.phrases import BadConstraints, Phrase
    from limner.caption.search import Found, constrained_search

__all__ = [
    "Automaton",
    "BadConstraints",
    "ConstraintChooser",
    "Found",
    "Phrase",
    "choose_constraints",
    "compile_constraints",
    "constrained_search",
]

# The search needs PyTorch, and the automaton numpy: each is imported when it is asked for.
MODULES = {
    "Automaton": "automaton",
    "compile_constraints": "automaton",
    "ConstraintChooser": "choice",
    "choose_constraints": "choice",
    "BadConstraints": "phrases",
    "Phrase": "phrases",
    "Found": "search",
    "constrained_search": "search",
}


def __getattr__(name: str) -> Any:
    if name in MODULES:
        from importlib import import_module

        return getattr(import_module(f"limner.caption.{MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
