"""Tests of rare events against simulation: how often do systems that hallucinate equally often pass for different?

    python benchmarks/rare_events.py [--simulations N]

Two systems name objects in n captions. Each object is hallucinated with the
same small chance, so that their CHAIRi does not differ. The second system names
as many objects as the first, or half as many again. p ≤ .05 should come in 5 %
of the simulations, or less often where few captions differ. CHAIRs is shown for
equal numbers of objects only: a system that says more has more captions with a
hallucination.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from limner.arrays import Floats
from limner.score.metric import Statistics
from limner.score.resampling import differences

LEVEL = 0.05
SWAPS = 400

# Objects that a caption names beyond the first, on average.
FEWER, MORE = 1.0, 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=1_000)
    n_simulations = parser.parse_args().simulations
    generator = np.random.default_rng(1)
    print("captions  hallucinated  objects  chair_i p ≤ .05  chair_s p ≤ .05")
    for n, n_hallucinated, more in product((100, 500, 2_000), (2, 4, 8, 16), (FEWER, MORE)):
        chance = n_hallucinated / n / (1.0 + FEWER)
        n_tested, n_passed = 0, np.zeros(2)
        for seed in range(n_simulations):
            first, second = (_hallucinations(generator, n, extra, chance) for extra in (FEWER, more))
            ((of_objects, of_captions),) = differences([first], [second], swaps=SWAPS, seed=seed)
            n_tested += not np.isnan(of_objects.p)
            n_passed += [of_objects.p <= LEVEL, of_captions.p <= LEVEL]
        by_object, by_caption = (f"{100 * share:.1f} %" for share in n_passed / n_tested)
        objects = "as many" if more == FEWER else "more"
        print(f"{n:8,}  {n_hallucinated:12}  {objects:7}  {by_object:>15}  {by_caption if more == FEWER else '—':>15}")


def _hallucinations(generator: np.random.Generator, n: int, extra: float, chance: float) -> Statistics:
    """What CHAIR counts of n captions."""
    spoken = 1 + generator.poisson(extra, n)
    wrong = generator.binomial(spoken, chance)
    rows = np.array([wrong, spoken, wrong > 0, np.ones(n)], dtype=np.float64).T
    return Statistics(rows, _shares, _shares(rows))


def _shares(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., [0, 2]] / sums[..., [1, 3]], dtype=np.float64)


if __name__ == "__main__":
    main()
