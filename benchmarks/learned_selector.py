"""What the learned selector scores, what each family of features contributes, and what it costs.

    python benchmarks/learned_selector.py TRAIN TEST [--json] [--ablate]

Both are corpora whose captions are tied to boxes. Images of TEST are left out
of TRAIN; if both are the same corpus, odd ids train and even ids test. For
comparison there are the best fixed number of boxes by size, all boxes, people,
and the best possible sets. `--ablate` trains again without each family, with
each alone, and with one more at a time.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from limner.corpus import Image, open_corpus
from limner.describe import FAMILIES, LearnedSelector, train_selector
from limner.describe.selectors import Size, seen
from limner.score.content import PRF, gold_sets, human, oracle, score_selection, summarise

TIMED = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", metavar="TRAIN")
    parser.add_argument("test", metavar="TEST")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    given = parser.parse_args()
    train, test = divided(given.train, given.test)
    selector, costs = trained(train, test)
    result: dict[str, Any] = {"costs": costs, "scores": {**bounds(test), "learned": reached(selector, test)}}
    if given.ablate:
        result["ablation"] = ablation(train, test, result["scores"]["learned"]["F"])
    print(json.dumps(result, indent=2) if given.json else rendered(result))


def divided(train: str, test: str) -> tuple[list[Image], list[Image]]:
    """The images for training and for testing; a caption of each refers to a box."""
    tested = [image for image in open_corpus(test) if gold_sets(image)]
    if train == test:
        return [image for image in tested if int(image.id) % 2], [image for image in tested if int(image.id) % 2 == 0]
    ids = {image.id for image in tested}
    return [image for image in open_corpus(train) if gold_sets(image) and image.id not in ids], tested


def trained(train: Sequence[Image], test: Sequence[Image]) -> tuple[LearnedSelector, dict[str, float]]:
    """A selector, and what it costs to train, to store and to use."""
    started, processor = time.perf_counter(), time.process_time()
    selector = train_selector(train)
    costs = {
        "training images": len(train),
        "training boxes": sum(len(image.boxes) for image in train),
        "training seconds": time.perf_counter() - started,
        "training processor seconds": time.process_time() - processor,
        "megabytes in use": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in ("model.json", "model.json.gz"):
            selector.save(Path(folder) / name)
            costs[f"kilobytes of {name}"] = (Path(folder) / name).stat().st_size / 1000
    views = [seen(image) for image in test[:TIMED]]
    costs["test images"] = len(test)
    costs[f"seconds to choose in {len(views)} images"] = min(seconds(selector, views) for _ in range(5))
    costs["milliseconds to choose in one image"] = 1000 * min(seconds(selector, views[:1]) for _ in range(20))
    return selector, costs


def seconds(selector: LearnedSelector, images: Sequence[Image]) -> float:
    started = time.perf_counter()
    selector.select_many(images)
    return time.perf_counter() - started


def reached(selector: LearnedSelector, test: Sequence[Image]) -> dict[str, float]:
    chosen = selector.select_many([seen(image) for image in test])
    scores = mean({i.id: score_selection(ids, gold_sets(i)) for i, ids in zip(test, chosen, strict=True)})
    return {**scores, "boxes": sum(map(len, chosen)) / len(test)}


def bounds(test: Sequence[Image]) -> dict[str, dict[str, float]]:
    """What can be reached without learning, and what can be reached at all."""
    gold = {image.id: gold_sets(image) for image in test}
    by_size = {image.id: Size().select(image) for image in test}
    largest = {
        f"the {k} largest": mean({id: score_selection(boxes[:k], gold[id]) for id, boxes in by_size.items()})
        for k in range(1, 16)
    }
    best = max(largest, key=lambda name: largest[name]["F"])
    people = {id: score for id, sets in gold.items() if (score := human(sets)) is not None}
    return {
        best: largest[best],
        "all": mean({id: score_selection(boxes, gold[id]) for id, boxes in by_size.items()}),
        "human": mean(people),
        "oracle": mean({id: score_selection(oracle(sets), sets) for id, sets in gold.items()}),
    }


def mean(scores: dict[str, PRF]) -> dict[str, float]:
    summary = summarise(scores)
    return {"P": summary.P, "R": summary.R, "F": summary.F}


def ablation(train: Sequence[Image], test: Sequence[Image], f_of_all: float) -> list[dict[str, Any]]:
    """F without each family, with it alone, and with it and all before it."""

    def f_with(families: Sequence[str]) -> float:
        if len(families) == len(FAMILIES):
            return f_of_all
        return reached(train_selector(train, families=families), test)["F"]

    order = list(FAMILIES)
    return [
        {
            "family": family,
            "alone": f_with([family]),
            "with those before": f_with(order[: i + 1]),
            "all but this": f_with([name for name in order if name != family]),
        }
        for i, family in enumerate(order)
    ]


def rendered(result: dict[str, Any]) -> str:
    lines = [f"{name:<40}{value:>12,.3f}" for name, value in result["costs"].items()]
    lines += ["", f"{'':<20}{'P':>8}{'R':>8}{'F':>8}"]
    lines += [f"{name:<20}{s['P']:>8.4f}{s['R']:>8.4f}{s['F']:>8.4f}" for name, s in result["scores"].items()]
    if "ablation" in result:
        f_of_all = result["scores"]["learned"]["F"]
        lines += ["", f"{'F of':<20}{'alone':>12}{'cumulative':>12}{'all but it':>12}{'buys':>12}"]
        for row in result["ablation"]:
            left = row["all but this"]
            numbers = f"{row['alone']:>12.4f}{row['with those before']:>12.4f}{left:>12.4f}{f_of_all - left:>+12.4f}"
            lines.append(f"{row['family']:<20}{numbers}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
