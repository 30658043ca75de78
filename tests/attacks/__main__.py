"""Run all attacks and print what came of them: `python -m attacks`, with `tests` on the path.

Exits with 1 if a command failed otherwise than in its one line, hung, or took too much memory.
"""

from __future__ import annotations

import argparse
import sys

from attacks.campaign import FAMILIES, MEMORY, campaign


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tries", type=int, default=1500, help="of each kind that is random")
    parser.add_argument("--family", choices=list(FAMILIES), action="append", help="only these kinds; repeatable")
    options = parser.parse_args()
    reports = campaign(options.family or list(FAMILIES), tries=options.tries, seed=options.seed, show=print)
    print(
        f"\n{'':24}{'tries':>8}{'refused':>9}{'tracebacks':>12}{'wordy':>7}{'hung':>6}{'left':>6}{'MB':>7}{'slowest':>9}"
    )
    for report in reports:
        print(report.row())
    if any(report.is_bad for report in reports):
        sys.exit(f"\nNot all held: no try may end in a traceback, hang, leave a file or take {MEMORY:,} MB.")


if __name__ == "__main__":
    main()
