"""How much can be known of the boxes that people mention: the learned selector beside the image's other captions.

    python benchmarks/selector_bound.py CORPUS [--json]

A selector is trained on four fifths of the images, chosen by a hash of their
ids. In the others, boxes are chosen for each caption without looking at it: by
the selector, by what k other captions mention, and by both. Precision and
recall are means over captions. So for the selector, which chooses the same for
every caption, this is F of content selection, and the other figures compare
with it. Images of exactly five gold captions are used.

A box that none of the other captions mentions is sure to be in the caption left
out, if boxes were drawn because somebody mentioned them. No choice uses this.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from hashlib import md5
from itertools import combinations
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats
from limner.corpus import Image, open_corpus
from limner.describe import LearnedSelector, train_selector
from limner.describe.learned.box_layout import Layout, in_order
from limner.describe.learned.selector_model import choose
from limner.describe.selectors import seen
from limner.score.content import gold_sets

N_CAPTIONS = 5

# Captions that the selector's estimate counts for beside other captions. A weight of 0 leaves the selector out.
WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


class Described(NamedTuple):
    """An image: which boxes each caption mentions, `[captions, boxes]`, and the selector's p and r of each box."""

    said: Floats
    p: Floats
    r: Floats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", metavar="CORPUS")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    train: list[Image] = []
    held_out: list[Image] = []
    for image in open_corpus(given.corpus):
        if gold_sets(image):
            (held_out if md5(image.id.encode()).digest()[0] < 256 / 5 else train).append(image)
    described = list(estimated(train_selector(train), held_out))
    result = {"training images": float(len(train)), "images": float(len(described)), "selector": f_of(described, 0, 1)}
    for k in range(1, N_CAPTIONS):
        result |= {f"{k} captions, selector of weight {weight}": f_of(described, k, weight) for weight in WEIGHTS}
    lines = [f"{name:<40}{value:>12,.4f}" for name, value in result.items()]
    print(json.dumps(result, indent=2) if given.json else "\n".join(lines))


def estimated(selector: LearnedSelector, images: Sequence[Image]) -> Iterator[Described]:
    layout = Layout([seen(image) for image in images])
    p, r = selector.model.worth(layout)
    for image, start, end in zip(images, layout.offsets, layout.offsets[1:], strict=False):
        gold = gold_sets(image)
        if len(gold) == N_CAPTIONS:
            said = np.array([[box.id in boxes for box in in_order(image.boxes)] for boxes in gold], dtype=np.float64)
            yield Described(said, p[start:end], r[start:end])


def f_of(images: Sequence[Described], k: int, weight: float) -> float:
    """Mean F where each caption is guessed from every k others, and the selector as if it were `weight` captions."""
    p, r, said, sizes = [], [], [], []
    for image in images:
        shares = image.said / image.said.sum(axis=1, keepdims=True)
        for left_out in range(N_CAPTIONS):
            for others in combinations([m for m in range(N_CAPTIONS) if m != left_out], k):
                p.append((image.said[list(others)].sum(axis=0) + weight * image.p) / (k + weight))
                r.append((shares[list(others)].sum(axis=0) + weight * image.r) / (k + weight))
                said.append(image.said[left_out])
                sizes.append(len(image.p))
    offsets = np.cumsum([0, *sizes], dtype=np.intp)
    chosen = choose(offsets, np.concatenate(p), np.concatenate(r)).chosen
    hits = np.add.reduceat(chosen * np.concatenate(said), offsets[:-1])
    precision = hits / np.add.reduceat(chosen.astype(np.float64), offsets[:-1])
    recall = hits / np.array([row.sum() for row in said])
    precision, recall = (values.reshape(len(images), -1).mean(axis=1) for values in (precision, recall))
    total = precision + recall
    return float(np.mean(np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)))


if __name__ == "__main__":
    main()
