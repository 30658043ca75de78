"""A caption in the making: words, and the spans of those that refer to boxes."""

from __future__ import annotations

from collections.abc import Sequence

from limner.corpus.caption import Caption, Mention
from limner.describe.realise.described_things import Thing
from limner.describe.realise.remarks import Remark, Setting


class Text:
    """Sentences built phrase by phrase; what refers to boxes becomes a mention with its exact span."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._mentions: list[Mention] = []
        self._starts_sentence = True
        self.nouns: set[str] = set()
        """The nouns of what has been referred to."""

    def say(self, words: str) -> None:
        """Words that refer to nothing."""
        if words:
            self._add(words)

    def refer(self, phrase: str, thing: Thing) -> None:
        """A noun phrase for a thing's boxes."""
        self.nouns.add(thing.word)
        start, end = self._add(phrase)
        kinds = tuple(dict.fromkeys(kind for box in thing.boxes for kind in box.types))
        self._mentions.append(Mention(start, end, thing.ids, None, kinds))

    def place(self, setting: Remark) -> None:
        """A setting: its place is a mention that no box was found for."""
        what = setting.what
        assert isinstance(what, Setting)
        self.say(what.preposition)
        start, end = self._add(what.phrase)
        probability = round(setting.probability, 3)
        self._mentions.append(Mention(start, end, types=("scene",), origin="ungrounded", probability=probability))

    def joint(self, word: str) -> None:
        """A word between things that are named together, or a comma."""
        if word == ",":
            self.comma()
        else:
            self.say(word)

    def comma(self) -> None:
        self._append(",")

    def stop(self) -> None:
        """End a sentence."""
        self._append(".")
        self._starts_sentence = True

    def caption(self, source: str) -> Caption:
        return Caption("0", "".join(self._pieces), tuple(self._mentions), source)

    def _add(self, words: str) -> tuple[int, int]:
        if self._starts_sentence:
            words = capitalised(words)
            self._starts_sentence = False
        if self._length:
            self._append(" ")
        start = self._length
        self._append(words)
        return start, self._length

    def _append(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def capitalised(words: str) -> str:
    """The words with a capital where they begin with a letter that has one."""
    first = words[:1].upper()
    return first + words[1:] if len(first) == 1 else words


def joints(n: int) -> Sequence[str]:
    """What stands before each of n things that are named together: nothing, commas, "and"."""
    return ["", *[","] * (n - 2), "and"][:n] if n > 1 else [""] * n
