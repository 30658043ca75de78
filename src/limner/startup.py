"""Ctrl-C while the command line is still being imported: one line and exit code 130, as later on.

`import limner` begins with this module, which imports only what Python has
loaded already: all other imports take longer than Python's own start.
(`from __future__` is one too.) It does nothing in programs that use Limner as
a library.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def is_command_line() -> bool:
    """Whether this process was started as `limner` or as `python -m limner`."""
    # Python calls a program `-m` until it has found the module to run, and imports the module's package before that.
    program = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""
    return program == "-m" or program.removesuffix(".exe") == "limner"


def end() -> None:
    """Leave uncaught exceptions to Python again: the command line itself heeds Ctrl-C from here on."""
    if sys.excepthook is _stop:
        sys.excepthook = sys.__excepthook__


def _stop(kind: type[BaseException], error: BaseException, trace: "TracebackType | None") -> None:
    if issubclass(kind, KeyboardInterrupt):
        os.write(2, b"limner: stopped; nothing was written\n")
        os._exit(130)
    sys.__excepthook__(kind, error, trace)


if is_command_line():
    sys.excepthook = _stop
