"""The figures of the Flickr30k Entities paper beside those of `limner info`, with its time and memory.

    python benchmarks/flickr30k_statistics.py annotations.zip [--json]

The paper is about all 31,783 images; where only a part is at hand, averages and shares compare, totals do not.
"""

from __future__ import annotations

import argparse
import json
import resource
import time

from limner.corpus import open_corpus
from limner.corpus.statistics import Statistics, statistics

# Table 4: mentions per chain, boxes per chain; Section 3.4: share of images, in per cent.
TYPES = {
    "people": (3.17, 1.95, 94.2),
    "clothing": (1.76, 1.44, 69.9),
    "bodyparts": (1.50, 1.42, 28.0),
    "animals": (3.63, 1.44, 12.0),
    "vehicles": (2.77, 1.21, 13.8),
    "instruments": (2.85, 1.61, 4.3),
    "scene": (2.03, 0.62, 79.7),
    "other": (1.94, 1.04, 91.8),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    started = time.perf_counter()
    found = statistics(open_corpus(given.path, "flickr30k-entities"))
    seconds = time.perf_counter() - started
    rows = [{"figure": name, "paper": paper, "limner": ours} for name, paper, ours in figures(found)]
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if given.json:
        print(
            json.dumps({"images": found.images, "seconds": seconds, "megabytes": megabytes, "figures": rows}, indent=2)
        )
        return
    for row in rows:
        ours = "—" if row["limner"] is None else f"{row['limner']:,.2f}"
        print(f"{row['figure']:<40}{row['paper']:>12,.2f}{ours:>12}")
    print(f"{found.images:,} images read and counted in {seconds:.1f} s and {megabytes:,.0f} MB")


def figures(s: Statistics) -> list[tuple[str, float, float | None]]:
    rows: list[tuple[str, float, float | None]] = [
        ("images", 31783, s.images),
        ("captions", 158915, s.captions.count),
        ("boxes", 275775, s.boxes.count),
        ("chains", 244035, s.chains.count),
        ("mentions", 513644, s.mentions.expressions),
        ("boxes per image", 8.7, s.boxes.per_image.mean),
        ("object categories", 44518, s.object_categories),
        ("objects per category", 6.2, s.objects_per_category),
        ("expressions per image", 16.6, s.mentions.per_image),
        ("mentions per caption", 3.2, s.mentions.per_caption),
        ("words per mention", 2.35, s.mentions.words),
        ("chains per image", 7.7, s.chains.per_image),
        ("mentions per chain", 2.10, s.chains.mentions_per_chain),
        ("boxes per chain", 1.13, s.chains.boxes_per_chain),
        ("chains with several mentions, %", 48.6, per_cent(s.chains.several_mentions)),
        ("chains with one box, %", 59.1, per_cent(s.chains.one_box)),
        ("chains with several boxes, %", 20.0, per_cent(s.chains.several_boxes)),
        ("chains with no box, %", 20.9, per_cent(s.chains.no_box)),
        ("images with a chain of several boxes, %", 67.0, per_cent(s.chains.images_with_several_boxes)),
        ("mean of the largest IoU with another", 0.37, s.boxes.best_iou),
        ("boxes wholly inside another, %", 49.2, per_cent(s.boxes.enclosed)),
    ]
    for row in s.chains.types:
        if row.type in TYPES:
            mentions, boxes, images = TYPES[row.type]
            rows += [
                (f"{row.type}: mentions per chain", mentions, row.mentions_per_chain),
                (f"{row.type}: boxes per chain", boxes, row.boxes_per_chain),
                (f"{row.type}: in images, %", images, per_cent(row.images)),
            ]
    return rows


def per_cent(share: float | None) -> float | None:
    return None if share is None else 100 * share


if __name__ == "__main__":
    main()
