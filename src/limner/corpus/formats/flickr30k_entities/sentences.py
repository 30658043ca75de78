"""A line of a Sentences file: `[/EN#12/people Two men] in [/EN#0/notvisual it] .`"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import intern

from limner.corpus.caption import Mention
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.files import decode

NOT_VISUAL = "0"
"""The chain of phrases that refer to nothing visible; each is a thing of its own."""

MARK = "[/EN#"


def parse_sentences(raw: bytes, place: str, reading: Reading) -> list[Sentence | None]:
    """Every line's sentence, None for one that was left out."""
    lines = decode(raw, place).split("\n")
    if not lines[-1]:
        lines.pop()
    return [_sentence(line, f"{place}:{number}", reading) for number, line in enumerate(lines, start=1)]


class Sentence:
    """A line of a Sentences file: its plain text and the spans that were in brackets."""

    __slots__ = ("place", "spans", "text")

    def __init__(self, place: str, text: str, spans: list[tuple[int, int, str, tuple[str, ...]]]) -> None:
        self.place = place
        self.text = text
        self.spans = spans

    def mentions(self, boxes: Mapping[str, tuple[str, ...]]) -> Iterator[Mention]:
        """The mentions of chains that are known, with those chains' boxes."""
        for start, end, chain, types in self.spans:
            if chain == NOT_VISUAL:
                yield Mention(start, end, types=types)
            elif chain in boxes:
                yield Mention(start, end, boxes[chain], chain, types)


def _sentence(line: str, place: str, reading: Reading) -> Sentence | None:
    first, *pieces = line.split(MARK)
    text = [first]
    length = len(first)
    spans = []
    for piece in pieces:
        marked, bracket, after = piece.partition("]")
        if not bracket:
            problem = f"the bracket at {shown(MARK + piece[:20])} is not closed"
            reading.skip("sentence with an unclosed bracket", BadInput(place, problem, "close it with ]"))
            return None
        tag, _, phrase = marked.partition(" ")
        chain, *types = tag.split("/")
        if is_number(chain) and types and all(types) and phrase:
            spans.append((length, length + len(phrase), intern(chain), shared(tuple(types))))
        else:
            problem = f"{shown(MARK + marked + ']')} is no mention"
            reading.skip("malformed mention", BadInput(place, problem, "write [/EN#chain/type words]"))
        text += (phrase, after)
        length += len(phrase) + len(after)
    return Sentence(place, "".join(text), spans)


_seen_types: dict[tuple[str, ...], tuple[str, ...]] = {}


def shared(types: tuple[str, ...]) -> tuple[str, ...]:
    """The one tuple in memory for these types, of which the data has a few dozen."""
    if len(_seen_types) > 1000:
        return types
    return _seen_types.setdefault(types, types)


def is_number(chain: str) -> bool:
    return chain.isascii() and chain.isdecimal()
