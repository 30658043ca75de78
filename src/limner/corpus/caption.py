"""A sentence about a picture, and the spans of it that refer to regions."""

from __future__ import annotations

from sys import float_info
from typing import Literal, get_args

from msgspec import Struct

from limner.corpus.box import settle
from limner.errors import shown

SOURCES = ("gold", "person", "system")

# The source of captions that gave the boxes their labels: a person's, and not gold.
LABEL_SOURCE = "person:labels"

# The largest score.
LARGEST = float_info.max

Origin = Literal["gold", "linked", "slot", "attention", "constraint", "localised", "ungrounded"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)


class Candidate(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A box that a mention may refer to, by its id, and how well it fits: any finite number, more is better."""

    box: str
    score: int | float

    def __post_init__(self) -> None:
        # Rankings have millions of these: what a file mostly holds is told by one line.
        if type(self.score) is float and -LARGEST <= self.score <= LARGEST and type(self.box) is str:
            return
        if type(self.box) is not str:
            settle(self, texts=("box",))
        if isinstance(self.score, bool) or not isinstance(self.score, int | float):
            raise ValueError(f"candidate {shown(self.box)} has score {shown(self.score)}; give a number")
        # False for NaN, and for whole numbers that no float can hold.
        if not abs(self.score) <= LARGEST:
            raise ValueError(f"candidate {shown(self.box)} has score {shown(self.score)}, which is not finite")


class Mention(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A half-open span of characters in a caption's exact text, and what it refers to.

    `boxes` are ids of the image's boxes: none, one or many. They are what the
    mention refers to, and all that scores read. `chain` is the id of the
    image's chain of everything said of the same thing, or None.

    `candidates` are the boxes that were ranked for the mention, best first.
    `origin` tells how the mention got its boxes, None where nobody says:

    - `gold`: people tied it;
    - `linked`: it names the class of its boxes;
    - `slot`: the sentence was made around its boxes;
    - `attention`: a captioner looked there as it wrote the words;
    - `constraint`: the words were demanded because of the boxes;
    - `localised`: a localiser chose the boxes for the words;
    - `ungrounded`: it was looked for and no box was chosen.

    `probability` is how sure the origin is of the boxes, from 0 to 1.
    """

    start: int
    end: int
    boxes: tuple[str, ...] = ()
    chain: str | None = None
    types: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    origin: Origin | None = None
    probability: int | float | None = None

    def __post_init__(self) -> None:
        # One look is all that the millions of mentions in files can afford; writing looks at every field.
        if type(self.boxes) is not tuple:
            settle(self, words=("boxes", "types"))
        if not 0 <= self.start < self.end:
            raise ValueError(f"a mention cannot span characters {shown(self.start)} to {shown(self.end)}")
        if self.candidates:
            self._check_candidates()
        # Most mentions have no origin: one comparison is all that they cost.
        if self.origin is not None:
            self._check_origin()
        elif self.probability is not None:
            raise ValueError(f"the mention {self._span} has a probability but no origin")

    def _check_candidates(self) -> None:
        if type(self.candidates) is not tuple:
            settle(self, tuples=("candidates",))
        if set(map(type, self.candidates)) != {Candidate}:
            odd = next(candidate for candidate in self.candidates if type(candidate) is not Candidate)
            raise ValueError(f"the mention {self._span} has candidate {shown(odd)}; give a Candidate")
        scores = [candidate.score for candidate in self.candidates]
        if scores != sorted(scores, reverse=True):
            raise ValueError(
                f"the candidates of the mention {self._span} are not in order; sort them by score, highest first"
            )
        if len({candidate.box for candidate in self.candidates}) < len(scores):
            raise ValueError(f"the mention {self._span} has the same candidate twice")

    def _check_origin(self) -> None:
        if self.origin not in ORIGINS:
            raise ValueError(
                f"the mention {self._span} has origin {shown(self.origin)}, not one of {', '.join(ORIGINS)}"
            )
        if self.origin == "ungrounded" and self.boxes:
            raise ValueError(f"the mention {self._span} is ungrounded but refers to boxes")
        if self.probability is None:
            return
        if isinstance(self.probability, bool) or not isinstance(self.probability, int | float):
            raise ValueError(f"the mention {self._span} has probability {shown(self.probability)}; give a number")
        if not 0 <= self.probability <= 1:
            raise ValueError(f"the mention {self._span} has probability {shown(self.probability)}, outside 0 to 1")

    @property
    def _span(self) -> str:
        return f"at characters {self.start} to {self.end}"


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
        if not (type(self.id) is type(self.text) is type(self.source) is str and type(self.mentions) is tuple):
            settle(self, texts=("id", "text", "source"), tuples=("mentions",))
        if not self.id:
            raise ValueError("a caption needs an id")
        kind, _, name = self.source.partition(":")
        if kind not in SOURCES or (kind == "gold") == bool(name):
            raise ValueError(
                f"caption {shown(self.id)} has source {shown(self.source)}, not gold, person:NAME or system:NAME"
            )
        reached = 0
        try:
            for mention in self.mentions:
                if mention.start < reached:
                    raise ValueError(
                        f"caption {shown(self.id)}: the mention at character {mention.start} "
                        "overlaps the one before it or is out of order"
                    )
                reached = mention.end
        except AttributeError:
            raise ValueError(f"caption {shown(self.id)} has mentions {shown(self.mentions)}; give Mentions") from None
        if reached > len(self.text):
            raise ValueError(
                f"caption {shown(self.id)}: a mention ends at character {reached} of a text of {len(self.text)}"
            )

    def phrase(self, mention: Mention) -> str:
        """The words of a mention, exactly as written."""
        return self.text[mention.start : mention.end]
