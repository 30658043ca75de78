"""Constraints in words: compiled over the tokens of a model, and found again in its captions as mentions."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, runtime_checkable

from limner.caption.constraints.automaton import Automaton, compile_constraints
from limner.caption.constraints.constraint_phrases import Phrase
from limner.corpus.caption import Mention
from limner.text.phrases import is_plural_phrase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TokenSpan: TypeAlias = tuple[int, int]  # positions in a sentence's tokens, the second outside


@runtime_checkable
class Worded(Protocol):
    """What a caption has to mention by one of its phrases, and the ids of the boxes that show it, the best first."""

    @property
    def phrases(self) -> Sequence[str]: ...

    @property
    def boxes(self) -> Sequence[str]: ...


class TokenWords(Protocol):
    """How a model's tokens make words: `TokenizerAdapter` for subwords, `VocabularyAdapter` for whole words."""

    @property
    def n_vocab(self) -> int: ...

    @property
    def continues(self) -> NDArray[np.bool_]: ...

    def phrases(self, words: str, *, at_start: bool = True) -> list[Phrase]: ...

    def text(self, tokens: Sequence[int]) -> str: ...

    def span(self, tokens: Sequence[int], token_span: TokenSpan) -> tuple[int, int] | None:
        """The characters in `text(tokens)` of a span of tokens; None where they cannot be told."""

    def ends_in_word(self, tokens: Sequence[int]) -> bool: ...


class Words(NamedTuple):
    """Phrases of which one has to be said, and the boxes they refer to."""

    phrases: tuple[str, ...]
    boxes: tuple[str, ...] = ()


# A constraint as callers give it: one phrase, several of which one is enough, or these with their boxes.
ConstraintWords: TypeAlias = Worded | Sequence[str] | str


def worded(constraint: ConstraintWords) -> Worded:
    """The constraint with its phrases and boxes, in whatever form it was given."""
    if isinstance(constraint, str):
        return Words((constraint,))
    return constraint if isinstance(constraint, Worded) else Words(tuple(constraint))


def compile_words(
    constraints: Sequence[Worded],
    adapter: TokenWords,
    *,
    at_least: int | None = None,
    forbid: Sequence[str] = (),
    prompt: Sequence[int] = (),
) -> Automaton:
    """The automaton of constraints in words, for sentences that continue a prompt.

    There may be fewer constraints than `at_least`: then all of them have to be met.
    """
    at_start = not adapter.ends_in_word(prompt)

    def written(phrases: Sequence[str]) -> list[Phrase]:
        return [way for phrase in phrases for way in adapter.phrases(phrase, at_start=at_start)]

    return compile_constraints(
        [written(constraint.phrases) for constraint in constraints],
        n_vocab=adapter.n_vocab,
        at_least=None if at_least is None else min(at_least, len(constraints)),
        forbid=written(forbid),
        continues=adapter.continues,
        minimise=True,  # a word and the same with a capital need no states of their own
    )


def find_mentions(
    tokens: Sequence[int],
    constraints: Sequence[Worded],
    automaton: Automaton,
    adapter: TokenWords,
    log_probs: Sequence[float] | None = None,
) -> tuple[Mention, ...]:
    """The mentions in `adapter.text(tokens)` of the constraints' boxes, at most one for each constraint.

    The automaton is that of the constraints. A word within another constraint's longer phrase is not a mention:
    "hot dog" does not mention a dog. A phrase in the singular refers to the first box alone.

    With the tokens' log-probabilities, mentions have a probability: that which the model gives to the phrase where it
    stands, as the geometric mean over its tokens. It is low where the model had to be made to say the words.
    """
    text = adapter.text(tokens)
    boxes_by_span: dict[tuple[int, int], dict[str, None]] = {}
    probability_by_span: dict[tuple[int, int], float] = {}
    for token_span, numbers in _without_overlaps(automaton.places(tokens)).items():
        span = adapter.span(tokens, token_span)
        if span is not None:
            n_boxes = None if is_plural_phrase(text[slice(*span)]) else 1
            boxes = boxes_by_span.setdefault(span, {})
            if log_probs is not None:
                probability_by_span[span] = _mean_probability(log_probs[slice(*token_span)])
            for number in numbers:
                boxes.update(dict.fromkeys(constraints[number].boxes[:n_boxes]))
    return tuple(
        Mention(*span, boxes=tuple(boxes), origin="constraint", probability=probability_by_span.get(span))
        for span, boxes in sorted(boxes_by_span.items())
        if boxes
    )


def _mean_probability(log_probs: Sequence[float]) -> float:
    """The geometric mean of probabilities, without digits that depend on which images were captioned together."""
    return min(round(exp(fmean(log_probs)), 4), 1.0)


def _without_overlaps(spans_by_constraint: Sequence[Sequence[TokenSpan]]) -> dict[TokenSpan, list[int]]:
    """The constraints by their spans of tokens: the longest first, then the leftmost, none that overlap."""
    candidates = [(span, number) for number, spans in enumerate(spans_by_constraint) for span in spans]
    candidates.sort(key=lambda candidate: (candidate[0][0] - candidate[0][1], candidate[0][0], candidate[1]))
    chosen: dict[TokenSpan, list[int]] = {}
    done: set[int] = set()
    for (start, end), number in candidates:
        is_free = all((start, end) == taken or end <= taken[0] or taken[1] <= start for taken in chosen)
        if is_free and number not in done:
            chosen.setdefault((start, end), []).append(number)
            done.add(number)
    return chosen
