"""A sentence about a picture, and the spans of it that refer to regions."""

from __future__ import annotations

from msgspec import Struct

from limner.errors import shown

SOURCES = ("gold", "person", "system")


class Mention(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A half-open span of characters in a caption's exact text, and what it refers to.

    `boxes` are ids of the image's boxes: none, one or many. `chain` is the id
    of the image's chain of everything said of the same thing, or None.
    """

    start: int
    end: int
    boxes: tuple[str, ...] = ()
    chain: str | None = None
    types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a mention cannot span characters {shown(self.start)} to {shown(self.end)}")


class Caption(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A sentence, never altered by grounding: `text[m.start:m.end]` is a mention's phrase.

    `source` says whose it is: `gold`, `person:NAME` or `system:NAME`. Mentions
    stand in the order of the text and do not overlap.
    """

    id: str
    text: str
    mentions: tuple[Mention, ...] = ()
    source: str = "gold"

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("a caption needs an id")
        kind, _, name = self.source.partition(":")
        if kind not in SOURCES or (kind == "gold") == bool(name):
            raise ValueError(
                f"caption {shown(self.id)} has source {shown(self.source)}, not gold, person:NAME or system:NAME"
            )
        reached = 0
        for mention in self.mentions:
            if mention.start < reached:
                raise ValueError(
                    f"caption {shown(self.id)}: the mention at character {mention.start} "
                    "overlaps the one before it or is out of order"
                )
            reached = mention.end
        if reached > len(self.text):
            raise ValueError(
                f"caption {shown(self.id)}: a mention ends at character {reached} of a text of {len(self.text)}"
            )

    def phrase(self, mention: Mention) -> str:
        """The words of a mention, exactly as written."""
        return self.text[mention.start : mention.end]
