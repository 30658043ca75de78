"""How long constraints take to compile, and how large their machines are.

python benchmarks/constraint_automata.py [--json]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

from limner.caption.constraints.automaton import Automaton, compile_constraints
from limner.caption.constraints.token_machine import Machine

N_VOCAB = 10_000
RUNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    arguments = parser.parse_args()
    rows = [row for name, constraints in inputs().items() for row in measured(name, constraints)]
    if arguments.json:
        print(json.dumps(rows))
        return
    print(f"{'constraints':44} {'machine':10} {'states':>7} {'columns':>8} {'ms':>8}")
    for row in rows:
        print(f"{row['constraints']:44} {row['machine']:10} {row['states']:>7} {row['columns']:>8} {row['ms']:>8.2f}")


def inputs() -> dict[str, list[list[list[int]]]]:
    """Constraints by their description: those of a picture with three objects, then more and more of them."""
    of_a_picture = [[[1], [2]], [[3, 4], [3, 5]], [[6, 7, 8]]]
    words = {f"{n} of one word": [[[word]] for word in range(n)] for n in (1, 2, 4, 8, 12)}
    many = {"62 of three words": [[[3 * i, 3 * i + 1, 3 * i + 2]] for i in range(62)]}
    return {"one of one word, one of two, one of three": of_a_picture, **words, **many}


def measured(name: str, constraints: list[list[list[int]]]) -> list[dict[str, object]]:
    def compiled(**options: Any) -> Automaton:
        return compile_constraints(constraints, n_vocab=N_VOCAB, **options)

    machines: dict[str, Callable[[], Machine]] = {"nodes": lambda: compiled().nodes}
    if len(constraints) <= 12:
        machines["table"] = lambda: compiled().table
        machines["minimised"] = lambda: compiled(minimise=True, at_least=(len(constraints) + 1) // 2).table
        machines["paper"] = lambda: compiled(semantics="paper").table
    return [
        {
            "constraints": name,
            "machine": kind,
            "states": make().n_nodes,
            "columns": make().n_columns,
            "ms": 1000 * min(seconds(make) for _ in range(RUNS)),
        }
        for kind, make in machines.items()
    ]


def seconds(make: Callable[[], Machine]) -> float:
    """Processor time of one call, as the mean of as many as take a twentieth of a second."""
    n, begin = 0, time.process_time()
    while time.process_time() < begin + 0.05:
        make()
        n += 1
    return (time.process_time() - begin) / n


if __name__ == "__main__":
    main()
