"""What a tagger sees of words in a sentence, and of phrases: the words themselves, their classes and endings."""

from __future__ import annotations

from collections.abc import Sequence

from limner.text.kinds import kind_of_noun
from limner.text.lexicon import COLOURS
from limner.text.noun_forms import is_plural, singular
from limner.text.phrases import head_noun, is_number, thing_noun
from limner.text.sentence_tokens import Token
from limner.text.word_classes import word_class

# What stands before the first token and after the last.
EDGE = "|"

# Letters of a word and words of a phrase that count: more are no English, and would fill the memory of what is kept.
MAX_LETTERS = 40
MAX_WORDS = 20


def neighbourhoods(tokens: Sequence[Token]) -> list[tuple[str, str, str]]:
    """Each token's word with those before and after it: all that a tagger sees of it. Numbers are 0."""
    words = [EDGE, *(_normal(token.word) for token in tokens), EDGE]
    return list(zip(words, words[1:], words[2:], strict=False))


def _normal(word: str) -> str:
    return "0" if word[0].isdigit() and is_number(word) else word[:MAX_LETTERS]


def word_features(before: str, word: str, after: str) -> tuple[str, ...]:
    """What tells whether a noun phrase begins with a word, goes on or is not there; as many for every word."""
    class_before, own, class_after = word_class(before), word_class(word), word_class(after)
    return (
        f"w={word}",
        f"w-1={before}",
        f"w+1={after}",
        f"w-1,w={before} {word}",
        f"w,w+1={word} {after}",
        f"end={word[-3:]}",
        f"end,c={word[-2:]} {own}",
        f"c={own}",
        f"c-1,c={class_before},{own}",
        f"c,c+1={own},{class_after}",
        f"c-1,c,c+1={class_before},{own},{class_after}",
        f"c-1,w={class_before} {word}",
        f"w,c+1={word} {class_after}",
    )


def phrase_words(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The words of a phrase by which its types are told: the last ones of very many."""
    return tuple([token.word[:MAX_LETTERS] for token in tokens[-MAX_WORDS:]])


def type_features(words: Sequence[str]) -> tuple[str, ...]:
    """What tells the types of a phrase of these lower-case words; as many for every phrase."""
    # A span of spaces alone has no word.
    words = words or [EDGE]
    phrase = " ".join(words)
    head, thing = head_noun(phrase), thing_noun(phrase)
    base = singular(thing)
    before_last = words[-2] if len(words) > 1 else EDGE
    return (
        "any",
        f"phrase={phrase}",
        f"head={singular(head)}",
        f"head-form={head}",
        f"thing={base}",
        f"last={words[-1]}",
        f"last-two={before_last} {words[-1]}",
        f"first={words[0]}",
        f"second={words[1] if len(words) > 1 else EDGE}",
        f"head-kind={kind_of_noun(head)}",
        f"thing-kind={kind_of_noun(thing)},{is_plural(thing)}",
        f"head-class={word_class(head)}",
        f"end3={base[-3:]}",
        f"end4={base[-4:]}",
        f"only-colours={all(word in COLOURS for word in words)}",
        f"size={min(len(words), 4)}",
    )


def noun_features(features: Sequence[str]) -> Sequence[str]:
    """Those of `type_features` that name the phrase or its noun."""
    return [
        feature for feature in features if feature.startswith(("phrase=", "head=", "head-form=", "thing=", "last="))
    ]
