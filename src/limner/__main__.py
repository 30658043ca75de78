"""`limner` and `python -m limner`: the command line, whose Ctrl-C is heeded from the first import on (`startup`)."""

from __future__ import annotations

import signal
import sys

from limner import startup
from limner.lazy import load_object


def run() -> None:
    """Run the command line."""
    said = "stopped; nothing was written"
    try:
        startup.end()
        main = load_object("limner.cli:main")
        said = "stopped"
        main()
    except KeyboardInterrupt:
        # It came before or after the time in which the command line itself tells of it.
        print(f"limner: {said}", file=sys.stderr)
        sys.exit(130)
    finally:
        # All is done: what Python does at its end need not be interrupted with a traceback.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        # Python 3.11 remembers Ctrl-C that came within code from text, as dataclasses have it, and would end by that
        # signal instead of with our exit code. Code from text that ends well makes it forget.
        exec("")


if __name__ == "__main__":
    run()
