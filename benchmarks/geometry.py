"""How much faster array geometry is than a loop over boxes, and than pycocotools, in one run.

    python benchmarks/geometry.py [--json]

Three workloads: one large matrix; many images of Flickr30k's size (9 boxes)
in one padded batch; greedy suppression of many images in one call.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from pycocotools import mask

from limner.corpus import Box, geometry

Numbers = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wants_json = parser.parse_args().json
    random = np.random.default_rng(0)
    rows = [one_matrix(random), many_images(random), suppression(random)]
    if wants_json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        peer = f", {row['times_faster_than_pycocotools']:.1f}× pycocotools" if "pycocotools_s" in row else ""
        print(f"{row['workload']}: {row['limner_s'] * 1e3:.2f} ms, {row['times_faster_than_a_loop']:.0f}× a loop{peer}")


def one_matrix(random: np.random.Generator) -> dict[str, str | float]:
    a, b = boxes(random, 1000), boxes(random, 1000)
    one, other = scalars(a), scalars(b)
    wide = widths(a), widths(b)
    crowd = np.zeros(len(b))
    assert np.allclose(geometry.iou(a, b), mask.iou(*wide, crowd))
    return row(
        "IoU of 1,000 by 1,000 boxes",
        best(lambda: geometry.iou(a, b)),
        best(lambda: [[x.iou(y) for y in other] for x in one], 1),
        best(lambda: mask.iou(*wide, crowd)),
    )


def many_images(random: np.random.Generator) -> dict[str, str | float]:
    batch = boxes(random, 5000 * 9).reshape(5000, 9, 4)
    images = [scalars(image) for image in batch]
    wide = [widths(image) for image in batch]
    crowd = np.zeros(9)
    assert np.allclose(geometry.iou(batch, batch)[7], mask.iou(wide[7], wide[7], crowd))
    return row(
        "IoU within 5,000 images of 9 boxes",
        best(lambda: geometry.iou(batch, batch)),
        best(lambda: [[[x.iou(y) for y in image] for x in image] for image in images], 1),
        best(lambda: [mask.iou(w, w, crowd) for w in wide]),
    )


def suppression(random: np.random.Generator) -> dict[str, str | float]:
    n, each = 500, 100
    flat, scores = boxes(random, n * each), random.random(n * each)
    groups = np.repeat(np.arange(n), each)
    images = [scalars(image) for image in flat.reshape(n, each, 4)]
    orders = np.argsort(-scores.reshape(n, each), kind="stable")

    def loop() -> int:
        return sum(len(suppress(image, order.tolist())) for image, order in zip(images, orders, strict=True))

    assert loop() == len(geometry.nms(flat, scores, 0.5, groups))
    return row(
        "suppression in 500 images of 100 boxes",
        best(lambda: geometry.nms(flat, scores, 0.5, groups)),
        best(loop, 1),
    )


def suppress(image: list[Box], order: list[int]) -> list[int]:
    kept: list[int] = []
    for i in order:
        if all(image[i].iou(image[k]) <= 0.5 for k in kept):
            kept.append(i)
    return kept


def boxes(random: np.random.Generator, n: int) -> Numbers:
    points = random.integers(0, 500, (n, 2, 2)).astype(np.float64)
    return np.concatenate([points.min(1), points.max(1)], axis=-1)


def scalars(array: Numbers) -> list[Box]:
    return [Box(str(i), *map(float, corners)) for i, corners in enumerate(array)]


def widths(array: Numbers) -> Numbers:
    return np.concatenate([array[:, :2], array[:, 2:] - array[:, :2]], axis=1)


def best(work: Callable[[], object], repeats: int = 20) -> float:
    """The shortest time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def row(workload: str, ours: float, loop: float, peer: float | None = None) -> dict[str, str | float]:
    found: dict[str, str | float] = {
        "workload": workload,
        "limner_s": ours,
        "loop_s": loop,
        "times_faster_than_a_loop": loop / ours,
    }
    if peer is not None:
        found |= {"pycocotools_s": peer, "times_faster_than_pycocotools": peer / ours}
    return found


if __name__ == "__main__":
    main()
