"""English as the describers speak it: verbs, articles, counts, and sentences with their mentions."""

from __future__ import annotations

from typing import NamedTuple

from limner.playground.catalogue import read_table


class VerbPhrase(NamedTuple):
    """A way to say what somebody does: `base` with `tail` after it, in which {o} is the object and {x} the other.

    Without a base it tells a state: "on {o}". `passive` is the participle with
    which the object can be made the subject, and `many` that it takes several.
    """

    base: str
    tail: tuple[str, ...]
    weight: float
    passive: str
    many: bool


def _phrase(weight: float, text: str) -> VerbPhrase:
    """`ride {o} >ridden`: verb, tail and participle; `=on {o}` for a state, `+race` for what takes several."""
    text, _, passive = (piece.strip() for piece in text.partition(">"))
    if text.startswith("="):
        return VerbPhrase("", _tail(text[1:]), weight, "", many=False)
    base, _, tail = text.removeprefix("+").partition(" ")
    return VerbPhrase(base, _tail(tail), weight, passive, many=text.startswith("+"))


def _tail(text: str) -> tuple[str, ...]:
    """Words and places for noun phrases, apart."""
    spaced = text.replace("{o}", "|{o}|").replace("{x}", "|{x}|")
    return tuple(piece.strip() for piece in spaced.split("|") if piece.strip())


VERBS: dict[str, tuple[VerbPhrase, ...]] = {
    verb: tuple(_phrase(float(weight), text) for weight, text in ways) for verb, ways in read_table("verbs.txt")
}

# Acts so slight that people prefer to tell of others.
STATIC = frozenset(("stand", "sit", "park", "lie", "stand by", "graze", "fly", "float", "swim", "sail"))
# Acts that are hardly worth a clause of their own.
IDLE = frozenset(("stand", "sit", "park", "lie", "walk", "graze"))

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}
# What many of them are, where it is no herd.
HERDS = {"sheep": "flock", "bird": "flock", "duck": "flock", "chicken": "flock", "penguin": "group"}


class Sentence:
    """A caption in the making: words, and the spans of those that refer to something.

    The piece of it whose number is `typo` has a slip in it, of the kind that
    `garble` tells.
    """

    def __init__(self, typo: int = -1, garble: int = 0) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._added = 0
        self._typo = typo
        self._garble = garble
        self.spans: list[tuple[int, int, tuple[int, ...] | str]] = []

    def say(self, text: str) -> None:
        """Words that refer to nothing."""
        self._add(text)

    def refer(self, text: str, to: tuple[int, ...] | str) -> None:
        """A noun phrase, and the things' numbers or the part of the setting that it refers to."""
        start, end = self._add(text)
        self.spans.append((start, end, to))

    def comma(self) -> None:
        self._pieces.append(",")
        self._length += 1

    def list_item(self, number: int, count: int) -> None:
        """What goes before an item of a list: nothing, a comma or, before the last, `and`."""
        if 0 < number < count - 1:
            self.comma()
        elif number:
            self.say("and")

    def text(self, *, capital: bool, stop: bool) -> str:
        written = "".join(self._pieces)
        if capital:
            written = written[0].upper() + written[1:]
        return written + "." if stop else written

    def _add(self, text: str) -> tuple[int, int]:
        if self._typo == self._added:
            text = garbled(text, self._garble)
        self._added += 1
        if self._length:
            self._pieces.append(" ")
            self._length += 1
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        return start, self._length


def garbled(text: str, luck: int) -> str:
    """The text with a slip of the keyboard in its longest word, as long as that has five letters."""
    words = text.split(" ")
    at = max(range(len(words)), key=lambda i: len(words[i]))
    word = words[at]
    if len(word) < 5:
        return text
    # Never the first letter, which nobody gets wrong.
    i = 1 + luck % (len(word) - 3)
    if luck % 3 == 0:
        words[at] = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    elif luck % 3 == 1:
        words[at] = word[:i] + word[i + 1 :]
    else:
        words[at] = word[:i] + word[i] + word[i:]
    return " ".join(words)
