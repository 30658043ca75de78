"""The caption that a model was asked about, or a phrase of it, and the mentions that its answers make there.

Whoever asks for the boxes of a phrase knows where it stands. A line of outputs
can say so: `caption` is the text, `caption_id` its id, `start` and `end` the
span of the phrase. Without a span, the phrases of an answer are looked for in
the caption, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from limner.corpus.caption import Caption, Mention
from limner.corpus.formats.records import Record
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown

# What a line may have beside the model's answer.
FIELDS = ("caption", "caption_id", "start", "end")

NOT_IN_CAPTION = "phrase that is not in the caption"
SEVERAL_TIMES = "phrase that is in the caption several times, and is taken for the first; give start and end"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AskedCaption:
    """A caption, its id if one was given, and the span that was asked for, or None for the whole."""

    text: str
    id: str | None
    span: Span | None

    @classmethod
    def of(cls, record: Record) -> AskedCaption | None:
        """What a line says of the caption; None if it says nothing."""
        if "caption" not in record:
            for name in ("caption_id", "start", "end"):
                if name in record:
                    raise BadInput(record.place, f"there is a {name}, but no caption", "give the caption's text")
            return None
        text = record.text("caption")
        id = record.id("caption_id") if "caption_id" in record else None
        if "start" not in record and "end" not in record:
            return cls(text, id, None)
        start, end = (_whole(record, name) for name in ("start", "end"))
        if not 0 <= start < end <= len(text):
            problem = f"the phrase has the characters {start} to {end} of a caption of {len(text)}"
            raise BadInput(record.place, problem, "give a half-open span of characters")
        return cls(text, id, (start, end))

    def find(self, phrase: str, after: int = 0) -> list[Span]:
        """Where the words of a phrase stand in the caption from a character on; case and spaces do not matter."""
        words = [re.escape(word) for word in phrase.split()]
        if not words:
            return []
        pattern = r"(?<!\w)" + r"\s*".join(words) + r"(?!\w)"
        return [match.span() for match in re.compile(pattern, re.IGNORECASE).finditer(self.text, after)]

    def locate(self, phrases: Sequence[str], place: str, reading: Reading) -> list[Span | None]:
        """The spans of phrases that an answer has in the order of the text; None for one that is not there."""
        spans: list[Span | None] = []
        reached = 0
        for phrase in phrases:
            match = next(iter(self.find(phrase, reached)), None)
            if match is None:
                reading.warn(NOT_IN_CAPTION, f"{place}: {shown(phrase)}")
            else:
                reached = match[1]
            spans.append(match)
        return spans


@dataclass(slots=True)
class CaptionsSoFar:
    """The captions of one image: answers about one caption become its mentions."""

    reading: Reading
    captions: list[Caption | None] = field(default_factory=list)
    _asked: dict[str, tuple[str, AskedCaption, str, list[Mention]]] = field(default_factory=dict)

    @property
    def n_captions(self) -> int:
        return len(self.captions) + len(self._asked)

    def add(self, place: str, text: str, mentions: Sequence[Mention], source: str, id: str | None = None) -> None:
        """A caption of its own, numbered unless it has an id."""
        name = str(self.n_captions) if id is None else id
        self.captions.append(self.reading.caption(place, name, text, mentions, source))

    def add_answer(self, place: str, asked: AskedCaption, mentions: Sequence[Mention], source: str) -> None:
        """Mentions of a caption that was asked about, perhaps before."""
        key = asked.text if asked.id is None else f"id:{asked.id}"
        _, first, _, known = self._asked.setdefault(key, (place, asked, source, []))
        if first.text != asked.text:
            problem = f"caption {shown(asked.id)} is {shown(asked.text)} here and {shown(first.text)} before"
            raise BadInput(place, problem, "give each caption its own id")
        known += mentions

    def finish(self) -> list[Caption | None]:
        """All captions, those that were asked about last."""
        taken = {caption.id for caption in self.captions if caption is not None}
        for number, (place, asked, source, mentions) in enumerate(self._asked.values(), len(self.captions)):
            id = asked.id if asked.id is not None else str(number)
            while id in taken:
                id = f"{id}+"
            taken.add(id)
            ordered = sorted(mentions, key=lambda mention: mention.start)
            self.captions.append(self.reading.caption(place, id, asked.text, ordered, source))
        return self.captions


def _whole(record: Record, name: str) -> int:
    value = record.fields.get(name)
    if type(value) is not int:
        raise record.fault(name, "a whole number of characters")
    return value
