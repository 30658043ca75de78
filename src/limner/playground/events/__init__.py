"""What can happen in a scene: each event makes a group of things and says what goes on among them."""

from __future__ import annotations

from collections.abc import Callable

from limner.playground.events import animals, home, outing, pastimes
from limner.playground.scene import Group
from limner.playground.stage import Stage

Event = Callable[[Stage], Group]

EVENTS: dict[str, Event] = {
    **animals.EVENTS,
    **home.EVENTS,
    **outing.EVENTS,
    **pastimes.EVENTS,
}
