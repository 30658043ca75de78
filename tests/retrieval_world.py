"""A small playground with pictures, and a retriever that was trained on it."""

from __future__ import annotations

from pathlib import Path

from limner.corpus import Image, open_corpus
from limner.ground.retriever import NO_VECTORS, Retriever
from limner.ground.retriever_training import train_retriever
from limner.playground import World, write_world


def make_world(folder: Path, n: int = 24, seed: int = 0) -> list[Image]:
    """The images of a world; its corpus, `world.jsonl`, and its pictures are in the folder."""
    write_world(World(seed, size=(160, 120)), n, str(folder / "world.jsonl"), pictures=True)
    return list(open_corpus(folder / "world.jsonl"))


def train(images: list[Image], folder: Path) -> Retriever:
    """A retriever of bags of words: word vectors take longer to read than all else here."""
    return train_retriever(images, folder, vectors=NO_VECTORS)
