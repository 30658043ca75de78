"""One protocol for how far work has come."""

from __future__ import annotations

from limner.progress import silent, track


def test_track_tells_each_item_once_it_has_been_used() -> None:
    events: list[object] = []
    for item in track("ab", "letters", lambda *step: events.append(step), 2):
        events.append(item)
    assert events == [("letters", 0, 2), "a", ("letters", 1, 2), "b", ("letters", 2, 2)]


def test_work_that_nobody_watches_is_the_same_work() -> None:
    assert list(track(range(3), "numbers", silent)) == [0, 1, 2]
