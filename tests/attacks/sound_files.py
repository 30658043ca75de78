"""Sound files of every kind that a command reads, and the commands that read them: what attacks break."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image as Picture
from safetensors.numpy import save_file

from captioner_runs import CONFIG
from command_line import limner
from conftest import REPOSITORY
from limner.corpus import Image, open_corpus, write_corpus
from limner.corpus.formats import FORMATS
from limner.playground import World, playground, write_world
from published import OPEN_IMAGES_CLASSES, OPEN_IMAGES_HIERARCHY, PUBLISHED, publish

FIXTURES = REPOSITORY / "tests" / "corpus" / "formats" / "grounded_text" / "fixtures"

QUICK = ["--metrics", "bleu,rouge_l,cider,diversity,chair", "--samples", "5"]

# What can be done with a corpus; SRC is the corpus.
ON_CORPUS = [
    ["info", "SRC"],
    ["info", "SRC", "--json"],
    ["convert", "SRC", "out.jsonl"],
    ["convert", "SRC", "out", "--to", "flickr30k-entities"],
    ["convert", "SRC", "out.json", "--to", "coco"],
    ["link", "SRC", "linked.jsonl", "--force"],
    ["describe", "SRC", "-o", "said.jsonl"],
    ["describe", "SRC", "-o", "said.jsonl", "--labels-from", "1"],
    ["constraints", "SRC"],
    ["show", "SRC", "-o", "page.html"],
    ["score", "captions", "SRC", "--refs", "SRC", *QUICK, "--duplicate", "first"],
    ["score", "content", "SRC", "--gold", "SRC"],
    ["score", "chains", "SRC", "--gold", "SRC", "--samples", "5"],
    ["score", "localisation", "SRC", "--gold", "SRC", "--samples", "5"],
    ["chunk", "SRC", "-o", "chained.jsonl", "--chains", "--rechain"],
    ["train", "phrasebook", "SRC", "--out", "book.json"],
    ["train", "phrases", "SRC", "--out", "phrases-of-src.json"],
    ["chunk", "SRC", "-o", "chunked.jsonl", "--again"],
    ["chunk", "SRC", "-o", "chunked.jsonl", "--chains"],
    ["score", "phrases", "SRC", "--gold", "SRC", "--samples", "5"],
    ["score", "detection", "SRC", "--gold", "world.jsonl", "--classes", "gold", "--samples", "5"],
    ["detect", "SRC", "--model", "simulated", "--every-label", "-o", "seen.jsonl"],
    ["convert", "SRC", "merged.jsonl", "--merge-boxes"],
    ["features", "SRC", "--model", "colour", "--pictures", "photos", "-o", "store"],
    ["bench", "build", "SRC", "--size", "1", "-o", "chosen.jsonl", "--rotation", "any"],
    ["bench", "domains", "SRC", "--captions", "world.jsonl", "-o", "told.jsonl"],
    ["localise", "SRC", "--pictures", ".", "--model", "few.grounder", "-o", "localised.jsonl", "--why", "why.jsonl"],
    ["localise", "SRC", "--pictures", ".", "--model", "few.grounder", "-o", "localised.jsonl", "--candidates", "gold"],
    ["index", "SRC", "--pictures", ".", "--model", "few.retriever", "-o", "new-index"],
    ["train", "grounder", "SRC", "--pictures", ".", "--out", "new.grounder"],
    ["train", "retriever", "SRC", "--pictures", ".", "--vectors", "vectors.txt", "--out", "new.retriever"],
    ["train", "captioner", "SRC", "--config", "tiny.toml", "--threads", "1", "--out", "new-captioner"],
    ["caption", "SRC", "--model", "captioner", "-o", "said.jsonl", "--constrain", "boxes"],
]

CAPTIONS = ["score", "captions", "mine.json", "--refs", "refs.json", *QUICK]

# What can be done with another file, by the file's name.
LOCALISE = ["localise", "three.jsonl", "--pictures", ".", "-o", "localised.jsonl", "--model"]
INDEX = ["index", "three.jsonl", "--pictures", ".", "-o", "new-index", "--model"]
RETRIEVAL = ["score", "retrieval", "--samples", "5"]
CAPTION = ["caption", "three.jsonl", "--model", "captioner", "-o", "said.jsonl"]
TRAIN_CAPTIONER = ["train", "captioner", "few.jsonl", "--config", "tiny.toml", "--threads", "1", "--out"]
LOCALISATION = ["score", "localisation", "mdetr.json", "--gold", "world.jsonl", "--missing", "zero", "--samples", "0"]

# The command line, ended behind the second checkpoint of a training.
STOPPED = """
import os, sys
from limner.learn.torch import training_stage
write, numbers = training_stage.write_checkpoint, iter(range(2))
training_stage.write_checkpoint = lambda *given: (write(*given), next(numbers) and os._exit(0))
from limner.cli import main
main(sys.argv[1:])
"""

ON_FILE: dict[str, list[list[str]]] = {
    "selector.json": [["describe", "world.jsonl", "--model", "selector.json", "-o", "said.jsonl"]],
    "book.json": [["describe", "world.jsonl", "--phrasebook", "book.json", "-o", "said.jsonl"]],
    "phrases.json": [["chunk", "world.jsonl", "-o", "chunked.jsonl", "--again", "--model", "phrases.json"]],
    "counts.df": [[*CAPTIONS, "--df", "counts.df"]],
    "mine.json": [CAPTIONS, [*CAPTIONS, "--html", "page.html"], [*CAPTIONS, "--compare", "mine.json", "--json"]],
    "refs.json": [CAPTIONS, [*CAPTIONS, "--save-df", "kept.df"]],
    "judge.jsonl": [[*CAPTIONS, "--metric-file", "judge.jsonl"]],
    "synonyms.txt": [[*CAPTIONS, "--synonyms", "synonyms.txt"], ["link", "world.jsonl", "out.jsonl", "--force"]],
    "people.jsonl": [
        ["score", "agreement", "people.jsonl", "--samples", "5"],
        ["experiment", "judgement", "people.jsonl", "--refs", "world.jsonl", "--metrics", "bleu", "--samples", "5"],
    ],
    "hierarchy.json": [["constraints", "world.jsonl", "--hierarchy", "hierarchy.json", "--names", "names.csv"]],
    "names.csv": [["constraints", "world.jsonl", "--hierarchy", "hierarchy.json", "--names", "names.csv"]],
    "domains.csv": [["show", "world.jsonl", "--domains", "domains.csv", "-o", "page.html"]],
    "photos": [["features", "photos", "--model", "colour", "-o", "store"]],
    "regions.tsv": [["features", "regions.tsv", "-o", "store"]],
    "regions.npz": [["features", "regions.npz", "-o", "store"]],
    "chainer.json": [["chunk", "world.jsonl", "--chains", "--chain-model", "chainer.json", "-o", "chunked.jsonl"]],
    "profile.json": [["detect", "world.jsonl", "--model", "profile.json", "-o", "seen.jsonl"]],
    "mdetr.json": [[*LOCALISATION, "--json"]],
    "cues.jsonl": [[*LOCALISATION, "--html", "page.html", "--explanations", "cues.jsonl"]],
    "three.jsonl": [[*LOCALISE, "few.grounder", "--why", "why.jsonl"], [*INDEX, "few.retriever", "--regions"]],
    "few.jsonl": [
        ["train", "grounder", "few.jsonl", "--pictures", ".", "--out", "new.grounder"],
        ["train", "retriever", "few.jsonl", "--vectors", "vectors.txt", "--out", "new.retriever"],
    ],
    "few_pictures": [[*LOCALISE, "few.grounder"], [*INDEX, "few.retriever"]],
    "few.grounder": [[*LOCALISE, "few.grounder"], [*LOCALISE, "few.grounder"], [*INDEX, "few.grounder"]],
    "few.retriever": [[*INDEX, "few.retriever", "--regions", "--approximate"], [*INDEX, "few.retriever"]],
    "vectors.txt": [[*INDEX, "few.retriever"], ["retrieve", "a dog", "index"]],
    "index": [
        ["retrieve", "a dog and a man", "index"],
        ["retrieve", "a man on a bench", "index", "--by", "mixture", "--html", "page.html"],
        ["retrieve", "a man on a bench", "index", "--by", "phrases", "--json"],
        ["retrieve", "index", "--queries", "queries.txt"],
        ["retrieve", "index", "--queries", "queries.txt", "--exact", "--json"],
        ["retrieve", "index", "--picture", "photos/0.jpg"],
        ["retrieve", "index", "--picture", "photos/0.jpg", "--by", "mixture", "--html", "page.html"],
        [*RETRIEVAL, "index", "--by", "whole,phrases,mixture"],
        [*RETRIEVAL, "index", "--json", "--relevance", "relevance.json"],
    ],
    "grounder-index": [
        ["retrieve", "a man on a bench", "grounder-index", "--html", "page.html"],
        [*RETRIEVAL, "grounder-index", "index"],
    ],
    "relevance.json": [[*RETRIEVAL, "index", "--relevance", "relevance.json"]],
    "queries.txt": [["retrieve", "index", "--queries", "queries.txt"]],
    "embedded.npz": [[*RETRIEVAL, "embedded.npz"], [*RETRIEVAL, "embedded.npz", "embedded.safetensors", "--json"]],
    "embedded.safetensors": [[*RETRIEVAL, "embedded.safetensors"]],
    "localised.jsonl": [
        ["score", "localisation", "localised.jsonl", "--gold", "three.jsonl", "--samples", "5"],
        [
            "score",
            "localisation",
            "localised.jsonl",
            "--gold",
            "three.jsonl",
            "--per-phrase",
            "p.csv",
            "--html",
            "p.html",
        ],
    ],
    "captioner": [
        CAPTION,
        [*CAPTION, "--explain", "--n-best", "2"],
        ["describe", "three.jsonl", "--realise", "neural", "--captioner", "captioner", "-o", "said.jsonl"],
    ],
    "asked.jsonl": [[*CAPTION, "--constrain", "asked.jsonl"]],
    "halfway": [[*TRAIN_CAPTIONER, "halfway", "--resume"]],
    "ids.txt": [["convert", "world.jsonl", "some.jsonl", "--ids", "ids.txt"]],
}


class Target(NamedTuple):
    """Files that a command reads, and what can be done with them; `sources` take the place of SRC."""

    name: str
    sources: Sequence[str]
    commands: Sequence[Sequence[str]]

    def arguments(self, rng: random.Random) -> list[str]:
        """A command on these files, made lenient now and then."""
        words = [source for word in rng.choice(self.commands) for source in (self.sources if word == "SRC" else [word])]
        if words[:2] == ["experiment", "judgement"]:
            words += ["--out", "judged"]
        is_strict = words[0] == "retrieve" or words[:2] == ["score", "retrieval"]
        return [*words, "--lenient"] if rng.random() < 0.3 and not is_strict else words


def make_sound_files(folder: Path) -> list[Target]:
    """Write a small corpus in every format, and a file of every other kind."""
    world = list(playground(12, seed=1))
    write_corpus(world, folder / "world.jsonl")
    targets = [Target(format, _corpus(folder, format), ON_CORPUS) for format in FORMATS]
    first = {image.id: image.captions[0].text for image in world}
    annotations = [
        {"id": i, "image_id": image.id, "caption": caption.text}
        for image in world
        for i, caption in enumerate(image.captions[1:])
    ]
    references = {"images": [{"id": image.id} for image in world], "annotations": annotations}
    judged = [
        {"image": id, "caption": text, "scale": "1-4", "value": 1 + i % 4, "rater": rater}
        for i, (id, text) in enumerate(first.items())
        for rater in ("anna", "ben")
    ]
    texts = {
        "mine.json": json.dumps([{"image_id": id, "caption": text} for id, text in first.items()]),
        "refs.json": json.dumps(references),
        "judge.jsonl": _lines([{"metric": "judge"}, *({"image": id, "score": 0.5} for id in first)]),
        "synonyms.txt": "dog, puppy, pup\nperson, man, woman\n",
        "people.jsonl": _lines(judged),
        "hierarchy.json": json.dumps(OPEN_IMAGES_HIERARCHY),
        "names.csv": OPEN_IMAGES_CLASSES,
        "domains.csv": "class,domain\ndog,in\ncat,out\n",
        "mdetr.json": json.dumps([_numbered_boxes(image) for image in world]),
        "cues.jsonl": _lines(
            [{"image": id, "caption": "0", "start": 0, "end": 5, "cues": {"cca": 0.5, "size": None}} for id in first]
        ),
        "tiny.toml": CONFIG,
        "asked.jsonl": _lines([{"image": "p3-000000", "constraints": [{"phrases": ["man", "men"], "boxes": ["0"]}]}]),
        "ids.txt": "".join(f"{id}\n" for id in list(first)[:5]),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    _features(folder)
    _searched(folder)
    # Trained in processes of their own: forked ones would inherit threads that do not exist there.
    for arguments in (
        ["train", "selector", "world.jsonl", "--out", "selector.json"],
        ["train", "phrasebook", "world.jsonl", "--out", "book.json"],
        ["train", "phrases", "world.jsonl", "--out", "phrases.json"],
        ["train", "chains", "world.jsonl", "--out", "chainer.json"],
        ["detect", "world.jsonl", "--model", "simulated", "--every-label", "-o", "seen.jsonl"],
        ["train", "detector", "world.jsonl", "seen.jsonl", "--out", "profile.json"],
        [*CAPTIONS, "--save-df", "counts.df"],
        ["train", "grounder", "few.jsonl", "--pictures", ".", "--out", "few.grounder"],
        ["train", "retriever", "few.jsonl", "--vectors", "vectors.txt", "--out", "few.retriever"],
        [*LOCALISE, "few.grounder"],
        ["index", "few.jsonl", "--model", "few.retriever", "-o", "index", "--regions", "--approximate"],
        ["index", "few.jsonl", "--model", "few.grounder", "-o", "grounder-index"],
        [*TRAIN_CAPTIONER, "captioner"],
    ):
        done = limner(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
    stopped = [sys.executable, "-c", STOPPED, *TRAIN_CAPTIONER, "halfway"]
    subprocess.run(stopped, cwd=folder, check=True, capture_output=True)
    return [*targets, *(Target(name, [name], commands) for name, commands in ON_FILE.items())]


def _features(folder: Path) -> None:
    """A few pictures, and files of features that others made."""
    (folder / "photos").mkdir()
    noise = np.random.default_rng(0)
    for number, suffix in enumerate(("jpg", "png", "gif", "webp", "bmp")):
        pixels = noise.integers(0, 256, (24, 32, 3), dtype=np.uint8)
        Picture.fromarray(pixels).save(folder / "photos" / f"{number}.{suffix}")
    boxes, rows = np.array([[0, 0, 9, 9], [1, 1, 5, 5]], np.float32), np.ones((2, 3), np.float32)
    np.savez(folder / "regions.npz", image_id=[7], num_boxes=[2], features=rows, boxes=boxes)
    packed = [b64encode(table.tobytes()).decode() for table in (boxes, rows)]
    (folder / "regions.tsv").write_text("\t".join(["7", "32", "24", "2", *packed]) + "\n")


def _searched(folder: Path) -> None:
    """A few pictures with captions, word vectors for them, and what others embedded and hold to be right."""
    write_world(World(3, size=(120, 120)), 10, str(folder / "few.jsonl"), pictures=True)
    images = list(open_corpus(folder / "few.jsonl"))
    write_corpus(images[:3], folder / "three.jsonl")
    noise = np.random.default_rng(0)
    words = sorted({word for image in images for caption in image.captions for word in caption.text.lower().split()})
    rows = noise.normal(size=(len(words), 8)).round(3).tolist()
    (folder / "vectors.txt").write_text(
        "".join(f"{' '.join([word, *map(str, row)])}\n" for word, row in zip(words, rows, strict=True))
    )
    ids, owners = [image.id for image in images], [image.id for image in images for _ in image.captions]
    vectors = {
        "image_vectors": noise.normal(size=(len(ids), 4)).astype(np.float32),
        "text_vectors": noise.normal(size=(len(owners), 4)).astype(np.float32),
    }
    np.savez(folder / "embedded.npz", image_ids=ids, text_image_ids=owners, **vectors)
    metadata = {"image_ids": json.dumps(ids), "text_image_ids": json.dumps(owners)}
    save_file(vectors, folder / "embedded.safetensors", metadata=metadata)
    texts = {image.id: [f"{image.id}#{number}" for number in range(len(image.captions))] for image in images}
    (folder / "relevance.json").write_text(json.dumps(texts))
    (folder / "queries.txt").write_text("a dog\na man on a bench\n")


def _corpus(folder: Path, format: str) -> list[str]:
    """A small corpus of the format, and how to name it."""
    place = folder / format
    place.mkdir()
    if format in PUBLISHED:
        paths = publish(place, format)
    elif (FIXTURES / f"{format}.jsonl").exists():
        paths = [Path(shutil.copy(FIXTURES / f"{format}.jsonl", place))]
    else:
        names = {"jsonl": "corpus.jsonl", "parquet": "corpus.parquet", "flickr30k-entities": "corpus.zip"}
        paths = [place / names.get(format, "corpus.out")]
        write_corpus(open_corpus(folder / "world.jsonl"), paths[0], format)
    return [f"{format}:{path.relative_to(folder)}" for path in paths]


def _numbered_boxes(image: Image) -> dict[str, object]:
    """The boxes of the first caption's phrases as MDETR's evaluator takes them."""
    box_by_id = image.box_by_id()
    phrases = [mention.boxes for mention in image.captions[0].mentions if mention.boxes]
    boxes = [[list(box_by_id[id].corners) for id in ids] for ids in phrases]
    return {"image_id": image.id, "sentence_id": 0, "boxes": boxes}


def _lines(rows: Sequence[object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
