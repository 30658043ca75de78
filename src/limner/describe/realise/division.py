"""Things of one noun of which only one does something are not named together."""

from __future__ import annotations

from collections.abc import Sequence

from limner.describe.realise.layout import Frame, layout
from limner.describe.realise.relations import Relator
from limner.describe.realise.things import AGENTS, PARTS, Thing

MOST_DIVIDED = 8
"""Members beyond which nobody is told apart."""

MOST_LOOKED_AT = 20
"""Things that are asked whether somebody acts on them."""


def divided(things: Sequence[Thing], relator: Relator) -> list[Thing]:
    """The things, where one of several who alone does something to another thing comes before the others.

    Three people of whom one rides a skateboard are "a person" and "two other
    people". Where several have parts of one noun, as hats, all stay together.
    """
    if any(thing.kind in PARTS and thing.n > 1 for thing in things):
        return list(things)
    result: list[Thing] = []
    for thing in things:
        one = _actor(thing, things, relator)
        if one is None:
            result.append(thing)
        else:
            box = thing.boxes[one]
            result.append(thing.part([box]))
            result.append(thing.part([other for other in thing.boxes if other is not box], is_other=True))
    return result


def _actor(group: Thing, things: Sequence[Thing], relator: Relator) -> int | None:
    """Which member alone acts on one of the other things."""
    if group.kind not in AGENTS or group.collective or group.is_plural_label or not 1 < group.n <= MOST_DIVIDED:
        return None
    for thing in things[:MOST_LOOKED_AT]:
        if thing is group or thing.n > 1 or thing.kind in PARTS or thing.kind in ("scene", "furniture"):
            continue
        meeting = [at for at, box in enumerate(group.boxes) if layout(Frame(*box.corners), thing.frame).touching]
        acting = [at for at in meeting if relator.relation(group.part([group.boxes[at]]), thing).is_verbal]
        if len(acting) == 1 and len(meeting) == 1:
            return acting[0]
    return None
