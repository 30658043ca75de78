"""How fast the playground is made.

    python benchmarks/playground.py [--json] [--scenes N] [--pictures M]

There is no peer to compare with: seconds and peak memory, a scene and a
picture at a time. Both grow linearly with their number; memory does not grow.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from limner.corpus import write_corpus
from limner.playground import World, playground
from limner.playground.drawing.picture import draw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scenes", type=int, default=10_000)
    parser.add_argument("--pictures", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        write_corpus(playground(given.scenes), Path(folder) / "world.jsonl")
        scenes = time.perf_counter() - started
        started = time.perf_counter()
        for number in range(given.pictures):
            draw(World().scene(number)).save(Path(folder) / "picture.png", compress_level=1)
        pictures = time.perf_counter() - started
    found = {
        "scenes": given.scenes,
        "scenes_seconds": scenes,
        "pictures": given.pictures,
        "pictures_seconds": pictures,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{given.scenes:,} scenes with captions, written: {scenes:.1f} s ({scenes / given.scenes * 1e3:.2f} ms each)")
    print(f"{given.pictures:,} pictures, written: {pictures:.1f} s ({pictures / given.pictures * 1e3:.0f} ms each)")
    print(f"peak memory: {found['megabytes']:.0f} MB")


if __name__ == "__main__":
    main()
