"""How well the surface measure tells people's captions from spoilt ones: `python benchmarks/surface.py CORPUS...`.

For each corruption: the share of gold captions that score above themselves
spoilt, and the mean fall in standard deviations of the gold captions' scores.
Swapped nouns are to change nothing. Corpora with mentions hold content fixed
(`limner link` makes them).
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np

from limner.corpus import open_corpus
from limner.score.corruption import CORRUPTIONS, swap_nouns
from limner.score.run import Run
from limner.score.surface import surface_model
from limner.text.words import words

SEED = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument("--ids", help="a file with the ids of the images to take")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    ids = Path(arguments.ids).read_text().split() if arguments.ids else None
    images = [image for image in open_corpus(arguments.corpora, ids=ids) if image.captions]
    texts = [[caption.text for caption in image.captions if caption.source == "gold"] for image in images]
    start = time.perf_counter()
    model = surface_model(Run([image.id for image in images], ["" for _ in images], texts, images=images))
    of_model = time.perf_counter() - start
    rows = [(image.id, words(text)) for image, gold in zip(images, texts, strict=True) for text in gold]
    image_ids = [id for id, _ in rows]
    start = time.perf_counter()
    gold_scores = model.scores([" ".join(said) for _, said in rows], image_ids)
    of_scores = time.perf_counter() - start
    used = Counter(word for _, said in rows for word in said)
    nouns = {noun: used[noun] for noun in sorted(model.nouns) if used[noun]}
    spoilt = {
        **CORRUPTIONS,
        "nouns swapped": lambda said, random: swap_nouns(said, random, nouns),
    }
    report = {
        "images": len(images),
        "captions": len(rows),
        "seconds to train": round(of_model, 2),
        "seconds to score": round(of_scores, 2),
        "mean": round(float(np.nanmean(gold_scores)), 4),
        "sd": round(float(np.nanstd(gold_scores)), 4),
    }
    for name, corrupt in spoilt.items():
        random = Random(SEED)
        changed = [corrupt(said, random) for _, said in rows]
        differs = np.array([after != said for after, (_, said) in zip(changed, rows, strict=True)])
        falls = (gold_scores - model.scores([" ".join(after) for after in changed], image_ids))[differs]
        report[name] = {
            "captions": int(differs.sum()),
            "accuracy": round(float(((falls > 0) + 0.5 * (falls == 0)).mean()), 4),
            "fall": round(float(falls.mean() / np.nanstd(gold_scores)), 4),
            "change": round(float(np.abs(falls).mean() / np.nanstd(gold_scores)), 4),
        }
    if arguments.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
