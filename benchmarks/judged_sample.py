"""Sentences drawn for people to judge, and how far two judges agree.

    python benchmarks/judged_sample.py draw RESULTS GOLD --out PAGE.md [--n N] [--seed S]
    python benchmarks/judged_sample.py agree A.json B.json

`draw` writes a page with a seeded choice of sentences, each beside the image's
boxes and gold captions and nothing else: no system's name, no score. A judge
says of each whether it is "ok", "false" or "odd", and whether it is bare (no
verb, relation, attribute, count or setting), in a file such as
{"1": ["ok", false], "2": ["false", false]}. `agree` counts both judges' answers
and gives Cohen's kappa.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

from limner.corpus import Image, open_corpus
from limner.corpus.held_out_labels import visible

MOST_BOXES = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw")
    draw.add_argument("results")
    draw.add_argument("gold")
    draw.add_argument("--out", type=Path, required=True)
    draw.add_argument("--n", type=int, default=60)
    draw.add_argument("--seed", type=int, default=14)
    agree = commands.add_parser("agree")
    agree.add_argument("first", type=Path)
    agree.add_argument("second", type=Path)
    given = parser.parse_args()
    if given.command == "draw":
        given.out.write_text(drawn(given.results, given.gold, given.n, given.seed), encoding="utf-8")
    else:
        print(agreement(*(json.loads(path.read_text()) for path in (given.first, given.second))))


def drawn(results: str, gold: str, n: int, seed: int) -> str:
    """The page: n images by a seeded choice among those described that have boxes: of others nothing can be said."""
    images = {image.id: image for image in open_corpus(gold)}
    sentences = {image.id: image.captions[0].text for image in open_corpus(results) if image.captions}
    ids = sorted(id for id in sentences if visible(images[id]).boxes)
    random.Random(seed).shuffle(ids)
    return "".join(_item(i, sentences[id], images[id]) for i, id in enumerate(ids[:n], 1))


def _item(number: int, sentence: str, image: Image) -> str:
    boxes = visible(image).boxes
    shown = [f"{box.label} [{box.x0:.0f},{box.y0:.0f},{box.x1:.0f},{box.y1:.0f}]" for box in boxes[:MOST_BOXES]]
    more = [f"… {len(boxes) - MOST_BOXES} more"] if len(boxes) > MOST_BOXES else []
    lines = [
        f"## {number} (image {image.id}, {image.width}x{image.height})",
        f"SENTENCE: {sentence}",
        f"BOXES: {'; '.join([*shown, *more])}",
        *(f"GOLD: {caption.text}" for caption in image.captions),
    ]
    return "\n".join(lines) + "\n\n"


def agreement(first: dict[str, list[str | bool]], second: dict[str, list[str | bool]]) -> str:
    """Both judges' counts, and kappa of "false or odd" and of "bare"."""
    numbers = sorted(first.keys() & second.keys(), key=int)
    lines = []
    for name, is_so in (("false or odd", lambda answer: answer[0] != "ok"), ("bare", lambda answer: bool(answer[1]))):
        a, b = ([is_so(judged[number]) for number in numbers] for judged in (first, second))
        lines.append(f"{name}: {sum(a)} and {sum(b)} of {len(numbers)}, kappa {_kappa(a, b):.2f}")
    return "\n".join(lines)


def _kappa(a: Sequence[bool], b: Sequence[bool]) -> float:
    n = len(a)
    seen = sum(x == y for x, y in zip(a, b, strict=True)) / n
    p, q = sum(a) / n, sum(b) / n
    chance = p * q + (1 - p) * (1 - q)
    return (seen - chance) / (1 - chance) if chance < 1 else 1.0


if __name__ == "__main__":
    main()
