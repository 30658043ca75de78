"""How fast corpora are read and how much memory they take, against what people use now, in one run.

    python benchmarks/reading.py [--json] [--images N] [--flickr30k ANNOTATIONS.zip] [--coco CAPTIONS INSTANCES]

Without data a playground corpus of N images stands in for the native format.
Peers: `json.loads` of every line, which checks nothing and makes no model;
pycocotools' loading of the same COCO files. Cost grows linearly with the
number of images; a stream's memory does not grow.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from limner.corpus import open_corpus, write_corpus
from limner.playground import playground

Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--flickr30k", type=Path)
    parser.add_argument("--coco", type=Path, nargs=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        native = Path(folder) / "corpus.jsonl"
        if given.flickr30k:
            rows = [measure("flickr30k-entities, kept in memory", keep, given.flickr30k)]
            write_corpus(open_corpus(given.flickr30k), native)
        else:
            rows = []
            write_corpus(playground(given.images, seed=0), native)
        rows += against(
            measure("jsonl, streamed", stream, native),
            measure("json.loads of the same lines", plain_json, native),
        )
        rows.append(measure("jsonl, kept in memory", keep, native))
        if given.coco:
            rows += against(
                measure("coco, captions and instances joined", stream, *given.coco),
                measure("pycocotools, the same files", pycocotools, *given.coco),
            )
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        ratio = f", {row['ratio']:.2f}× {row['peer']}" if "ratio" in row else ""
        print(f"{row['what']}: {row['seconds']:.2f} s, {row['megabytes']:.0f} MB{ratio}")


def stream(*paths: Path) -> None:
    for _ in open_corpus(paths):
        pass


def keep(path: Path) -> None:
    list(open_corpus(path))


def plain_json(path: Path) -> None:
    with path.open("rb") as handle:
        for line in handle:
            json.loads(line)


def pycocotools(captions: Path, instances: Path) -> None:
    from pycocotools.coco import COCO

    with contextlib.redirect_stdout(io.StringIO()):
        COCO(captions)
        COCO(instances)


def measure(what: str, action: Callable[..., None], *paths: Path) -> Row:
    """Seconds and peak memory of an action in a process of its own."""
    context = multiprocessing.get_context("spawn")
    queue: multiprocessing.Queue[tuple[float, float]] = context.Queue()
    process = context.Process(target=_timed, args=(action, paths, queue))
    process.start()
    seconds, megabytes = queue.get()
    process.join()
    return {"what": what, "seconds": seconds, "megabytes": megabytes}


def _timed(
    action: Callable[..., None], paths: tuple[Path, ...], queue: multiprocessing.Queue[tuple[float, float]]
) -> None:
    started = time.perf_counter()
    action(*paths)
    queue.put((time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def against(ours: Row, peer: Row) -> list[Row]:
    """Both rows, ours with how many times the peer's time it takes."""
    ratio = float(ours["seconds"]) / float(peer["seconds"])
    return [{**ours, "ratio": ratio, "peer": f"the time of {peer['what']}"}, peer]


if __name__ == "__main__":
    main()
