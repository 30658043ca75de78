"""Why a sentence says what it says: for each clause its boxes, how they lie, and what captions taught."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from limner.describe.realise.described_things import Thing
from limner.describe.realise.evidence import clues
from limner.describe.realise.remark_table import truth_of
from limner.describe.realise.sentence_plan import Arm, Clause, Node
from limner.describe.realise.thing_layout import Layout, layout

if TYPE_CHECKING:
    from limner.corpus.image import Image
    from limner.describe.realise.phrasebook import Phrasebook
    from limner.describe.realise.relator import Relator
    from limner.describe.realise.remarks import Remark
    from limner.describe.realise.thing_phrases import NounPhrases


class Reason(NamedTuple):
    """Why something is said.

    `kind` is `attribute`, `relation`, `act` or `setting`; `words` are what is said, `boxes`
    those it is said of and to, `layout` how these lie. `probability` is how
    likely people say it of such things in such a layout, or that it is true of
    such an image. `n_captions` is how many of the training captions say it of
    such things. `clues` are what speaks most for it, with their weights.
    `origin` is where an attribute is from: the `boxes` that were given, or their
    `picture`, with the least probability among the boxes.
    """

    kind: str
    words: str
    boxes: tuple[str, ...]
    layout: str = ""
    probability: float | None = None
    n_captions: int = 0
    clues: tuple[tuple[str, float], ...] = ()
    origin: str = ""

    def to_json(self) -> dict[str, Any]:
        """The reason as JSON has it, without what is not known."""
        fields = self._asdict() | {"boxes": list(self.boxes), "clues": dict(self.clues)}
        return {name: value for name, value in fields.items() if value not in (None, "", {}, [])}


def clause_reasons(clause: Clause, image: Image, book: Phrasebook | None, relator: Relator) -> list[Reason]:
    """The reasons of a clause: of its relations in order, its act, and its setting."""
    heads = [node.thing for node in clause.heads]
    reasons = [reason for node in clause.heads for reason in _of_node(node, book, relator)]
    for arm in clause.arms:
        reasons += _of_arm(heads[0], heads, arm, book, relator)
    for kind, remark in (("act", clause.act), ("setting", clause.setting)):
        if remark is not None and book is not None:
            reasons.append(_of_remark(kind, remark, heads, image, book))
    return reasons


def attribute_reasons(clause: Clause, phrases: NounPhrases, from_picture: Mapping[str, float]) -> list[Reason]:
    """The reasons of adjectives; `from_picture` is how likely the colours of boxes are that were seen in pictures."""
    nodes = [*clause.heads, *clause.objects]
    for node in nodes:
        nodes += [below for arm in node.arms for below in arm.objects]
    reasons = []
    for thing in (*(node.thing for node in nodes), *clause.rest):
        for word in phrases.attributes(thing):
            seen = [
                from_picture[box.id] for box in thing.boxes if box.id in from_picture and box.attributes[-1] == word
            ]
            origin, p = ("picture", min(seen)) if seen else ("boxes", None)
            reasons.append(Reason("attribute", word, thing.ids, probability=p, origin=origin))
    return reasons


def _of_node(node: Node, book: Phrasebook | None, relator: Relator) -> Iterator[Reason]:
    for arm in node.arms:
        yield from _of_arm(node.thing, [node.thing], arm, book, relator)


def _of_arm(first: Thing, of: Sequence[Thing], arm: Arm, book: Phrasebook | None, relator: Relator) -> Iterator[Reason]:
    for node in arm.objects:
        how = layout(first.frame, node.thing.frame)
        words = str(arm.relation)
        ids = tuple(id for thing in (*of, node.thing) for id in thing.ids)
        p = next((said.p for said in relator.said(first, node.thing, how) if said.relation == arm.relation), None)
        n = 0
        if book is not None:
            second = book.known_as(node.thing.noun)
            by_object = book.by_object.get(first.kind, {}).get(second, {})
            n = sum(by_object.get(words, {}).values())
        yield Reason("relation", words, ids, _in_words(how), None if p is None else round(p, 3), n)
        yield from _of_node(node, book, relator)


def _of_remark(kind: str, remark: Remark, heads: Sequence[Thing], image: Image, book: Phrasebook) -> Reason:
    table = book.remarks
    assert table is not None
    text = str(remark.what)
    counts = table.acts.get(heads[0].noun, {}) if kind == "act" else table.settings[""]
    spoken = tuple(table.evidence.reasons(truth_of(text), clues(image)))
    ids = tuple(id for thing in heads for id in thing.ids)
    return Reason(kind, text, ids, "", round(remark.probability, 3), counts.get(text, 0), spoken)


def _in_words(how: Layout) -> str:
    """A layout in words: how the boxes meet, which is higher, which is larger."""
    letters = how.bucket
    return ", ".join(part for part in (_MEET[letters[0]], _HEIGHT[letters[1]], _SIZE[letters[2]]) if part)


_MEET = {"i": "inside", "h": "around", "o": "overlapping", "t": "touching", "n": "near", "f": "far apart"}
_HEIGHT = {"u": "higher", "l": "", "d": "lower"}
_SIZE = {"s": "smaller", "e": "", "b": "larger"}
