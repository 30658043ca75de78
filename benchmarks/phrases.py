"""Noun phrases of captions by `limner.ground` and by spaCy: how many are exactly gold's, their types, and how fast.

    python benchmarks/phrases.py GOLD [--ids FILE] [--model MODEL] [--json]

GOLD is a corpus whose noun phrases are mentions, such as Flickr30k Entities;
`--ids` keeps the images listed in a file, as `val.txt`. Captions are read as
they stand, and once more without the spaces before their marks. Types are
judged on all gold phrases. Needs the `nlp` extra.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import spacy
from msgspec import structs
from spacy.language import Language
from spacy.util import is_package

from limner.corpus import Image, Mention, open_corpus
from limner.ground import PhraseModel, built_in_phrases, chunk_image, retype_image
from limner.look.tables import aligned
from limner.score.phrase_scores import evaluate_phrases
from limner.text.tagging import MODELS

Chunker = Callable[[Sequence[Image]], list[Image]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", metavar="GOLD")
    parser.add_argument("--ids", type=Path, metavar="FILE")
    parser.add_argument("--model", type=Path, metavar="MODEL")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    gold = list(open_corpus(given.gold, ids=set(given.ids.read_text().split()) if given.ids else None))
    model = PhraseModel.load(given.model) if given.model else built_in_phrases()
    pipeline = spacy_pipeline()
    chunkers: dict[str, Chunker] = {
        "limner": lambda images: [chunk_image(image, model, again=True) for image in images],
        "spaCy": lambda images: spacy_chunked(images, pipeline),
    }
    rows = {name: row(chunker, gold) for name, chunker in chunkers.items()}
    typed = evaluate_phrases([retype_image(image, model) for image in gold], gold).to_json()
    if given.json:
        print(json.dumps({"phrases": rows, "types": typed}, indent=2))
        return
    columns = ("P", "R", "F", "F_every", "F_raw", "captions_per_s")
    table = [["", *columns], *([name, *cells(of, columns)] for name, of in rows.items())]
    print("\n".join(aligned(table, "<" + ">" * len(columns))))
    print(f"\nspeed: {rows['limner']['captions_per_s'] / rows['spaCy']['captions_per_s']:.1f}× spaCy's")
    print(f"types of all gold phrases: {typed['type_accuracy']:.4f} {typed['intervals']['type_accuracy']}")
    print(f"visual or not: {typed['visual_accuracy']:.4f}\n")
    for name, counts in typed["by_type"].items():
        print(f"{name:20} {counts['typed']:6,} of {counts['gold']:6,}")
    print("\nconfusions (gold, called, phrases)")
    for confusion in typed["confusions"][:30]:
        print(f"{confusion['gold']:20} {confusion['found']:20} {confusion['n']:5,}")


def row(chunker: Chunker, gold: Sequence[Image]) -> dict[str, Any]:
    """Scores and speed of a chunker, on captions as they stand and as people write them."""
    chunker(gold[:20])
    started = time.process_time()
    found = chunker(gold)
    seconds = time.process_time() - started
    scores = evaluate_phrases(found, gold).to_json(samples=0)
    every = evaluate_phrases(found, gold, every=True).to_json(samples=0)
    raw = evaluate_phrases(chunker([untokenised(image) for image in gold]), gold).to_json(samples=0)
    return {
        **{name: scores[name] for name in ("P", "R", "F")},
        "F_every": every["F"],
        "F_raw": raw["F"],
        "seconds": seconds,
        "captions_per_s": sum(len(image.captions) for image in gold) / seconds,
    }


def cells(of: dict[str, Any], columns: Sequence[str]) -> list[str]:
    return [f"{of[name]:,.0f}" if name == "captions_per_s" else f"{of[name]:.4f}" for name in columns]


def untokenised(image: Image) -> Image:
    """The image with captions as people write them, without mentions."""
    captions = [structs.replace(c, text=_BEFORE_MARKS.sub("", c.text), mentions=()) for c in image.captions]
    return structs.replace(image, captions=tuple(captions))


_BEFORE_MARKS = re.compile(r" (?=[.,;:!?)]|'s\b)|(?<=\() ")


def spacy_pipeline() -> Language:
    name = next(name for name in MODELS if is_package(name))
    return spacy.load(name, exclude=["ner", "lemmatizer"])


def spacy_chunked(images: Sequence[Image], pipeline: Language) -> list[Image]:
    texts = [caption.text for image in images for caption in image.captions]
    documents = pipeline.pipe(texts, batch_size=256)
    chunked = []
    for image in images:
        captions = []
        for caption in image.captions:
            spans = [(chunk.start_char, chunk.end_char) for chunk in next(documents).noun_chunks]
            captions.append(structs.replace(caption, mentions=tuple(Mention(*span) for span in spans)))
        chunked.append(structs.replace(image, captions=tuple(captions)))
    return chunked


if __name__ == "__main__":
    main()
