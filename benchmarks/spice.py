"""How many captions SPICE* scores in a second, and how near it comes to SPICE and to people.

    python benchmarks/spice.py [--json] [--images N] [--processes N] [--results FILE …] [--flickr8k FOLDER]

Without data the captions of a playground corpus are scored, each image's first
against its others. FILE has a list of {"prediction", "captions"}; FOLDER the
judgements of Flickr8k, for which the correlations are printed. Seconds are of
the processor (with several processes, of the clock); the model is loaded before.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from limner.playground import playground
from limner.score.judgement.correlation import correlation
from limner.score.judgement.judged_captions import JudgedSet, flickr8k
from limner.score.run import Run
from limner.score.spice import SpiceStar

Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--results", type=Path, nargs="*", default=[])
    parser.add_argument("--flickr8k", type=Path)
    given = parser.parse_args()
    warm = SpiceStar()
    warm.graphs(["a dog runs"])
    runs = {path.stem: read(path) for path in given.results} or {"playground": made(given.images)}
    rows = [speed(name, run, given.processes) for name, run in runs.items()]
    if given.flickr8k:
        rows += [agreement(judged) for judged in flickr8k(given.flickr8k)]
    if given.json:
        print(json.dumps(rows))
    else:
        for row in rows:
            print(
                "  ".join(
                    f"{key} {value:.4g}" if isinstance(value, float) else str(value) for key, value in row.items()
                )
            )


def speed(name: str, run: Run, processes: int) -> Row:
    """Seconds of a first scoring, of one with the parses kept on disk, and the score."""
    n_captions = len(set(run.sentences()))
    # The seconds of other processes are not this one's.
    clock = time.process_time if processes == 1 else time.perf_counter
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "parses"
        fresh, value = timed(SpiceStar(store=store, n_process=processes), run, clock)
        stored, again = timed(SpiceStar(store=store), run, clock)
    assert value == again
    return {
        "name": name,
        "images": float(len(run)),
        "captions": float(n_captions),
        "captions_per_second": n_captions / fresh,
        "captions_per_second_from_store": n_captions / stored,
        "spice*": value,
    }


def timed(metric: SpiceStar, run: Run, clock: Callable[[], float]) -> tuple[float, float]:
    start = clock()
    value = float(metric.measure(run).value()[0])
    return clock() - start, value


def agreement(judged: JudgedSet) -> Row:
    """The correlation with people's judgements, as published tables have it."""
    start = time.process_time()
    scores = SpiceStar().measure(judged.run()).per_image[:, 0]
    took = time.process_time() - start
    pairs = judged.judgements
    if judged.by_rating:
        value = correlation(
            np.repeat(scores[pairs.pair], pairs.count), np.repeat(pairs.value, pairs.count), judged.kind
        )
    else:
        value = correlation(scores, pairs.means(), judged.kind)
    return {"name": f"flickr8k {judged.name}", "pairs": float(len(scores)), "seconds": took, judged.kind: value}


def read(path: Path) -> Run:
    items = json.loads(path.read_text(encoding="utf-8"))
    ids = [str(image) for image in range(len(items))]
    return Run(ids, [item["prediction"] for item in items], [item["captions"] for item in items])


def made(n: int) -> Run:
    images = [image for image in playground(n, seed=0) if len(image.captions) > 1]
    texts = [[caption.text for caption in image.captions] for image in images]
    return Run(
        [image.id for image in images], [captions[0] for captions in texts], [captions[1:] for captions in texts]
    )


if __name__ == "__main__":
    main()
