"""How many boxes and chains merge, of a corpus as it is and with every box drawn twice.

    python benchmarks/duplicate_boxes.py CORPUS [--ids LIST] [--json]

Every chain is drawn twice: the second time its boxes' edges are moved at
random (a normal distribution, in shares of width and height), and every other
mention of the chain is given to the second. If all came together again, half
of the boxes and chains would go.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from random import Random

from msgspec.structs import replace

from limner.corpus import Box, Chain, DuplicateBoxes, Image, open_corpus
from limner.files import read_lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--ids", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ids = None if options.ids is None else [line for _, line in read_lines(options.ids) if line]
    images = list(open_corpus(options.corpus, ids=ids))
    rows = [measured("as it is", images)]
    for jitter in (0.0, 0.01, 0.02, 0.03, 0.05):
        random = Random(0)
        rows.append(measured(f"twice, edges moved by {jitter:.0%}", [twice(image, jitter, random) for image in images]))
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(f"{row['what']:<28} boxes {row['boxes']:6.1%}  chains {row['chains']:6.1%}  {row['seconds']:.1f} s")


def measured(what: str, images: list[Image]) -> dict[str, str | float]:
    duplicates = DuplicateBoxes()
    start = time.perf_counter()
    for _ in duplicates.watch(images):
        pass
    seconds = time.perf_counter() - start
    return {"what": what, "boxes": duplicates.share("boxes"), "chains": duplicates.share("chains"), "seconds": seconds}


def twice(image: Image, jitter: float, random: Random) -> Image:
    boxes = [*image.boxes, *(moved(box, image, jitter, random) for box in image.boxes)]
    again = {chain.id: f"{chain.id}*" for chain in image.chains if chain.boxes}
    chains = [*image.chains]
    chains += [
        Chain(again[chain.id], tuple(f"{id}*" for id in chain.boxes), chain.types) for chain in chains if chain.boxes
    ]
    captions = []
    for number, caption in enumerate(image.captions):
        mentions = [
            replace(mention, chain=again[mention.chain], boxes=tuple(f"{id}*" for id in mention.boxes))
            if number % 2 and mention.chain in again
            else mention
            for mention in caption.mentions
        ]
        captions.append(replace(caption, mentions=tuple(mentions)))
    return replace(image, boxes=tuple(boxes), chains=tuple(chains), captions=tuple(captions))


def moved(box: Box, image: Image, jitter: float, random: Random) -> Box:
    assert image.width is not None
    assert image.height is not None
    xs = sorted(min(max(x + random.gauss(0, jitter * box.width), 0), image.width) for x in (box.x0, box.x1))
    ys = sorted(min(max(y + random.gauss(0, jitter * box.height), 0), image.height) for y in (box.y0, box.y1))
    return replace(box, id=f"{box.id}*", x0=xs[0], y0=ys[0], x1=xs[1], y1=ys[1])


if __name__ == "__main__":
    main()
