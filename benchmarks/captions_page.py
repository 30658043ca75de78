"""How a page of caption scores feels in a real browser: two systems, 5,000 images.

    python benchmarks/captions_page.py [--json] [--images N] [--refs CORPUS...]

Measured: until the page is written, and its size; in headless Chromium until
the first image is drawn, frames while it is scrolled through, and until the
browser has drawn the answer to a search, a filter and a sort. The captions are
the first two of each image in REFS, against its others; without REFS, made up.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from show_page import WORDS, chromium, measure

from limner.corpus import Caption, Image, open_corpus
from limner.report import write_captions_page
from limner.score.caption_evaluation import compare_systems, evaluate_systems
from limner.score.chair import Chair
from limner.score.given_captions import Captions, References


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--refs", nargs="*")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = Path(folder) / "page.html"
        found = write(given, page) | measure(browser, page, ["score", "length", "id", "n", "apart"])
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name}: {value:,.1f}")


def write(given: argparse.Namespace, page: Path) -> dict[str, Any]:
    """Score two systems, write their page, and say how long that took and how large it is."""
    images = list(islice(open_corpus(given.refs) if given.refs else made_up(given.images), given.images))
    images = [image for image in images if len(image.captions) > 2]
    systems = [Captions(name, name, {i.id: i.captions[n] for i in images}) for n, name in enumerate(("one", "other"))]
    references = References(
        "references", {i.id: [c.text for c in i.captions[2:]] for i in images}, {i.id: i for i in images}
    )
    metrics = ["bleu", "rouge_l", "cider", "meteor", Chair()]
    scored = evaluate_systems(systems, references, metrics=metrics, by=["length"], samples=1000)
    compared = compare_systems(scored, swaps=1000)
    started = time.process_time()
    write_captions_page(scored, compared, page)
    return {
        "images": len(images),
        "written in s of the processor": time.process_time() - started,
        "MB": page.stat().st_size / 1e6,
        "peak memory in MB, scoring included": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def made_up(n: int) -> list[Image]:
    """Images of seven captions of ten random words."""
    random_ = random.Random(0)
    return [
        Image(str(i), captions=tuple(Caption(str(c), " ".join(random_.choices(WORDS, k=10))) for c in range(7)))
        for i in range(n)
    ]


if __name__ == "__main__":
    main()
