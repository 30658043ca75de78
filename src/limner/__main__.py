"""`limner` and `python -m limner`: the command line, whose Ctrl-C is heeded from the first import on."""

from __future__ import annotations

import signal
import sys

from limner.lazy import load_object


def run() -> None:
    """Run the command line."""
    said = "stopped; nothing was written"
    try:
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


if __name__ == "__main__":
    run()
