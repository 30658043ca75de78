"""Ctrl-C at the command line: it always reaches the command, and the command line always knows of it."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any

# Python ignores exceptions while it deletes objects: Ctrl-C that came then comes again after so many seconds.
AGAIN_AFTER = 0.01

# Windows has no timers; what Python ignores is lost there.
HAS_TIMER = hasattr(signal, "setitimer")


class Interrupts:
    """Knows within the block whether Ctrl-C was pressed, whatever became of the exception.

    A `KeyboardInterrupt` that Python ignored, as it does within `__del__`, is raised again
    by a timer of the process. A thread would not do: starting one waits for it,
    and the second Ctrl-C could come while the first is still being handled.
    """

    def __init__(self) -> None:
        self.any = False
        # A job in the background ignores Ctrl-C, and so does its command.
        self._is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        self._usual_hook = sys.unraisablehook
        self._usual_alarm: Any = None

    def __enter__(self) -> Interrupts:
        if self._is_heeded:
            if HAS_TIMER:
                self._usual_alarm = signal.signal(signal.SIGALRM, self._note)
                sys.unraisablehook = self._repeat
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_heeded:
            if HAS_TIMER:
                sys.unraisablehook = self._usual_hook
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, self._usual_alarm)
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _repeat(self, ignored: sys.UnraisableHookArgs) -> None:
        if isinstance(ignored.exc_value, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_AFTER)
        else:
            self._usual_hook(ignored)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self.any = True
        while frame is not None:
            if frame.f_code is Interrupts._repeat.__code__:
                # What a hook raises is ignored too.
                signal.setitimer(signal.ITIMER_REAL, AGAIN_AFTER)
                return
            frame = frame.f_back
        if HAS_TIMER:
            # Of two that come at once, the second would disturb what the first ends.
            signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt
