"""Ctrl-C that Python would ignore is raised again."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator

import pytest

from limner.cli import interrupts
from limner.cli.interrupts import Interrupts

pytestmark = pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="Ctrl-C is ignored here"
)


@pytest.fixture(autouse=True)
def usual_hook() -> Iterator[None]:
    """Python's own hook: pytest's would take note of the exception as its own."""
    before = sys.unraisablehook
    sys.unraisablehook = sys.__unraisablehook__
    yield
    sys.unraisablehook = before


class Deleted:
    """Presses Ctrl-C while it is deleted, where Python ignores exceptions."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        # Signals are handled between statements.
        for _ in range(1000):
            pass


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    wait_for_interrupt()


def wait_for_interrupt() -> None:
    """Return without an error if none comes."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.01)


def test_an_interrupt_while_an_object_is_deleted_comes_again() -> None:
    with Interrupts() as noted:
        with pytest.raises(KeyboardInterrupt):
            _delete_and_wait()
        assert noted.any


def _delete_and_wait() -> None:
    thing = Deleted()
    del thing
    wait_for_interrupt()


def test_an_interrupt_within_the_hook_comes_again() -> None:
    with Interrupts() as noted:
        hook = sys.unraisablehook
        frames: list[str] = []

        class Ignored:
            @property
            def exc_value(self) -> KeyboardInterrupt:
                # Python calls the hook with this; the second Ctrl-C comes while it is at work.
                frames.append("within")
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000):
                    pass
                return KeyboardInterrupt()

        def ignore_and_wait() -> None:
            hook(Ignored())  # type: ignore[arg-type]
            assert frames == ["within"]
            wait_for_interrupt()

        with pytest.raises(KeyboardInterrupt):
            ignore_and_wait()
        assert noted.any


def test_no_timer_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "AGAIN_AFTER", 600)
    alarm = signal.getsignal(signal.SIGALRM)
    with Interrupts():
        sys.unraisablehook(type("Ignored", (), {"exc_value": KeyboardInterrupt()}))  # type: ignore[arg-type]
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is alarm
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_that_gets_through_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "AGAIN_AFTER", 600)
    with Interrupts():
        sys.unraisablehook(type("Ignored", (), {"exc_value": KeyboardInterrupt()}))  # type: ignore[arg-type]
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_where_there_are_no_timers_an_interrupt_is_still_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "HAS_TIMER", False)
    with Interrupts() as noted:
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        assert noted.any
