"""How long CCA takes beside the matrix products that its covariances need, and beside cca-zoo.

    python benchmarks/cca.py [--json] [--rows N] [--dims DX DY] [--components K] [--rounds N] [--no-zoo] [--reference]

`gemm` is the least that any CCA by covariances computes: x'x, y'y and x'y by
numpy, which computes half of the first two. `limner` is `NormalisedCCA` with
all components, from rows to weights; `limner-few` has K of them. `cca-zoo` is
its `RidgeCCA` with K components and the same ridge (`pip install cca-zoo`,
which only this benchmark needs). `--reference` also compares all correlations
with those of 64 bits, computed by scipy.

Limner and the products take turns, so that a machine that is busy is so for
both; ratios are medians over rounds, of time and of processor time. cca-zoo,
which takes long, runs once, after another turn of `limner-few`. Every way runs
in a process of its own, whose peak memory includes its rows.

The rows are no mere noise: the views share 64 directions, and variances fall
by two orders of magnitude. cca-zoo leaves out directions of less than about a
thousandth of the largest variance, so that more would not compare.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
from scipy.linalg import cholesky, eigvalsh, solve_triangular
from scipy.sparse.linalg import svds

from limner.learn import NormalisedCCA

SEED = 0
RIDGE = 1e-4
N_COMPARED = 20

# Weights of both views, and correlations where the way tells them.
Answer = tuple[np.ndarray, np.ndarray, np.ndarray] | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--dims", type=int, nargs=2, default=[4096, 6000])
    parser.add_argument("--components", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-zoo", dest="zoo", action="store_false")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(run(given.way, given.rows, *given.dims, given.components)))
        return
    rounds = [{way: in_process(way) for way in ("gemm", "limner", "limner-few")} for _ in range(given.rounds)]
    report: dict[str, Any] = {
        "ratio_to_gemm": ratio(rounds, "limner", "seconds"),
        "ratio_to_gemm_few": ratio(rounds, "limner-few", "seconds"),
        "ratio_to_cca_zoo": None,
        "processor_ratio_to_gemm": ratio(rounds, "limner", "processor"),
        "processor_ratio_to_gemm_few": ratio(rounds, "limner-few", "processor"),
        "components_few": given.components,
        "rows": given.rows,
        "dims": given.dims,
        "seconds": {way: round(median(turn[way]["seconds"] for turn in rounds), 1) for way in rounds[0]},
        "peak_gb": {way: round(max(turn[way]["peak"] for turn in rounds), 2) for way in rounds[0]},
        "rounds": len(rounds),
        "threads": os.environ.get("OPENBLAS_NUM_THREADS", os.cpu_count()),
    }
    if given.zoo and find_spec("cca_zoo"):
        ours, theirs = in_process("limner-few"), in_process("cca-zoo")
        report["ratio_to_cca_zoo"] = round(ours["seconds"] / theirs["seconds"], 3)
        report["processor_ratio_to_cca_zoo"] = round(ours["processor"] / theirs["processor"], 3)
        report["seconds"]["cca-zoo"] = round(theirs["seconds"], 1)
        report["peak_gb"]["cca-zoo"] = round(theirs["peak"], 2)
        report["cca_zoo"] = version("cca-zoo")
        report["difference_to_cca_zoo"] = difference(ours["compared"], theirs["compared"])
    if given.reference:
        reference = in_process("float64")["correlations"]
        report["difference_to_64_bits"] = difference(rounds[0]["limner"]["correlations"], reference)
        report["difference_to_64_bits_few"] = difference(rounds[0]["limner-few"]["correlations"], reference)
    report["load"] = [round(load, 1) for load in os.getloadavg()]
    print(json.dumps(report) if given.json else "\n".join(f"{name}: {value}" for name, value in report.items()))


def ratio(rounds: list[dict[str, dict[str, Any]]], way: str, measure: str) -> float:
    return round(median(turn[way][measure] / turn["gemm"][measure] for turn in rounds), 2)


def difference(values: list[float], others: list[float]) -> float:
    n = min(len(values), len(others))
    return float(f"{np.abs(np.subtract(values[:n], others[:n])).max():.1e}")


def in_process(way: str) -> dict[str, Any]:
    """What a way took, in a new process."""
    done = subprocess.run([sys.executable, *sys.argv, "--way", way], check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def run(way: str, n_rows: int, dx: int, dy: int, n_components: int) -> dict[str, Any]:
    """Time and memory of a way, its correlations, and those of its best projections."""
    x, y = make_rows(n_rows, dx, dy)
    prepared = WAYS[way](x, y, n_components)
    started, worked = time.perf_counter(), time.process_time()
    answer = prepared()
    measured: dict[str, Any] = {"seconds": time.perf_counter() - started, "processor": time.process_time() - worked}
    # Linux counts in kilobytes.
    measured["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    if answer is not None:
        x_weights, y_weights, correlations = answer
        projected = [rows @ side[:, :N_COMPARED] for rows, side in ((x, x_weights), (y, y_weights))]
        n_compared = projected[0].shape[1]
        measured["compared"] = [float(np.corrcoef(*(p[:, i] for p in projected))[0, 1]) for i in range(n_compared)]
        measured["correlations"] = correlations.tolist()
    return measured


def make_rows(n_rows: int, dx: int, dy: int) -> tuple[np.ndarray, np.ndarray]:
    """Two views that share 64 directions, of variances that fall from 1 to a hundredth."""
    rng = np.random.default_rng(SEED)
    shared = rng.standard_normal((n_rows, 64), dtype=np.float32)
    views = []
    for n_dims in (dx, dy):
        rows = rng.standard_normal((n_rows, n_dims), dtype=np.float32)
        rows += 0.02 * (shared @ rng.standard_normal((64, n_dims), dtype=np.float32))
        rows *= np.geomspace(1.0, 0.1, n_dims, dtype=np.float32)
        views.append(rows)
    return views[0], views[1]


def products(x: np.ndarray, y: np.ndarray, n_components: int) -> Callable[[], Answer]:
    def multiply() -> None:
        # One after the other, as small as the memory of the whole allows.
        for left, right in ((x, x), (y, y), (x, y)):
            left.T @ right

    return multiply


def limner(x: np.ndarray, y: np.ndarray, n_components: int | None) -> Callable[[], Answer]:
    def fit() -> Answer:
        model = NormalisedCCA(n_components, ridge=RIDGE).fit(x, y)
        correlations = model.correlations_
        return model.x_weights_, model.y_weights_, correlations

    return fit


def cca_zoo(x: np.ndarray, y: np.ndarray, n_components: int) -> Callable[[], Answer]:
    from cca_zoo.linear import RidgeCCA

    # Its ridge is (1 - c) covariance + c identity, the same up to the scale of directions.
    norms = [svds(rows - rows.mean(axis=0), 1, return_singular_vectors=False)[0] for rows in (x, y)]
    ridges = [RIDGE * norm**2 / len(x) for norm in norms]
    model = RidgeCCA(n_components, shrinkage=[float(ridge / (1 + ridge)) for ridge in ridges])

    def fit() -> Answer:
        x_weights, y_weights = model.fit([x, y]).weights_
        return x_weights, y_weights, np.empty(0)

    return fit


def float64(x: np.ndarray, y: np.ndarray, n_components: int) -> Callable[[], Answer]:
    def fit() -> Answer:
        means = [rows.mean(axis=0, dtype=np.float64) for rows in (x, y)]
        sums: list[Any] = [0.0, 0.0, 0.0]
        for start in range(0, len(x), 2000):
            a, b = (rows[start : start + 2000] - mean for rows, mean in zip((x, y), means, strict=True))
            sums = [sums[0] + a.T @ a, sums[1] + b.T @ b, sums[2] + a.T @ b]
        xx, yy, xy = (total / len(x) for total in sums)
        whitened = solve_triangular(_factor(xx), xy, lower=True)
        whitened = solve_triangular(_factor(yy), whitened.T, lower=True)
        squares = eigvalsh(whitened.T @ whitened)
        return np.empty((x.shape[1], 0)), np.empty((y.shape[1], 0)), np.sqrt(np.maximum(squares[::-1], 0))

    return fit


def _factor(covariance: np.ndarray) -> np.ndarray:
    largest = eigvalsh(covariance, subset_by_index=[len(covariance) - 1] * 2)[0]
    return cholesky(covariance + RIDGE * largest * np.eye(len(covariance)), lower=True)


WAYS: dict[str, Callable[..., Callable[[], Answer]]] = {
    "gemm": products,
    "limner": lambda x, y, n_components: limner(x, y, None),
    "limner-few": limner,
    "cca-zoo": cca_zoo,
    "float64": float64,
}


if __name__ == "__main__":
    main()
