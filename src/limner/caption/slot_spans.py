"""Where captions name things that a slot could say: words and phrases for classes, with what they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from limner.caption.attention_mentions import NounFinder
from limner.caption.class_map import ClassMap
from limner.corpus.caption import Caption
from limner.corpus.classes.class_names import term_key

# Words of a form at most: longer ones are not looked for.
MOST_FORM_WORDS = 6


class SlotSpan(NamedTuple):
    """A form of a word for some class, as a half-open span of a caption's words, and the boxes it is a mention of.

    `boxes` is None in captions none of whose mentions has a box: nobody says then what the words refer to.
    """

    first: int
    end: int
    form: str
    boxes: tuple[str, ...] | None


class SlotFinder:
    """Finds the nouns of captions that name things of some labels."""

    def __init__(self, labels: Sequence[str]) -> None:
        class_map = ClassMap(labels)
        self._forms = frozenset(form for label in labels for form in class_map.forms(label))
        self._nouns = NounFinder().finder(labels)

    def spans(self, caption: Caption, words: Sequence[str]) -> list[SlotSpan]:
        """The nouns of a caption, by its `words` as `caption_words` gives them, from left to right."""
        spans = word_spans_in(caption.text, words)
        word_by_end = {span[1]: at for at, span in enumerate(spans) if span is not None}
        tied = [mention for mention in caption.mentions if mention.boxes]
        slot_spans: list[SlotSpan] = []
        for phrase in self._nouns.noun_phrases(caption.text):
            last = word_by_end.get(phrase.end)
            first = None if last is None else self._first(words, last, len(phrase.term.word.split()))
            if last is None or first is None or (slot_spans and first < slot_spans[-1].end):
                continue
            start = spans[first] or (0, 0)
            boxes = [mention.boxes for mention in tied if mention.start <= start[0] and phrase.end <= mention.end]
            form = " ".join(words[first : last + 1])
            # Of mentions within each other the shortest is meant, which files have last.
            slot_spans.append(SlotSpan(first, last + 1, form, (boxes[-1] if boxes else ()) if tied else None))
        return slot_spans

    def _first(self, words: Sequence[str], last: int, n_fewest: int) -> int | None:
        """The first word of the longest form that ends with a word; None if there is none.

        It has at least as many words as the term that was found: a hot dog is no dog.
        """
        for first in range(max(0, last + 1 - MOST_FORM_WORDS), last + 1):
            form = " ".join(words[first : last + 1])
            if form in self._forms and len(term_key(form)) >= n_fewest:
                return first
        return None


def word_spans_in(text: str, words: Iterable[str]) -> list[tuple[int, int] | None]:
    """Where the words of a caption stand in its text; None for those that were written otherwise."""
    lower = text.lower()
    spans: list[tuple[int, int] | None] = []
    reached = 0
    for word in words:
        # Letters whose lower case is longer would move what follows.
        start = lower.find(word, reached) if len(lower) == len(text) else -1
        spans.append(None if start < 0 else (start, start + len(word)))
        reached = reached if start < 0 else start + len(word)
    return spans
