"""A first look at everything, from nothing: a world made, learnt from, described, scored and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from limner.corpus import Corpus, Image, open_corpus, write_corpus
from limner.corpus.statistics import statistics
from limner.describe.describing import describe
from limner.describe.learned import train_selector
from limner.describe.realise.phrasebook import write_phrasebook
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.describe.realise.realisers import FluentRealiser, PaperRealiser
from limner.describe.selectors import Limited, find_selector
from limner.files import write_bytes
from limner.look.tables import aligned, decimal
from limner.playground.drawing.contact_sheet import contact_sheet
from limner.playground.drawing.picture import draw
from limner.playground.world import World
from limner.report import Pictures, write_page
from limner.report.statistics import text_of
from limner.score.content_evaluation import evaluate_content

PICTURES = 60
"""How many of the images get a picture: these are described; the others are what is learnt from."""

ON_SHEET = 30
K = 3
MADE = {
    "corpus.jsonl",
    "pictures",
    "sheet.png",
    "info.txt",
    "selector.json",
    "phrasebook.json",
    "results.jsonl",
    "report.html",
}
"""What a demo leaves in its folder."""


def make_demo(
    folder: Path, n_images: int, *, seed: int = 0, watch: Callable[[Iterable[Image]], Iterable[Image]] = iter
) -> list[str]:
    """Fill an empty folder with a demo; the lines of a small table of scores."""
    (folder / "pictures").mkdir()
    write_corpus(watch(_world(folder, n_images, seed)), folder / "corpus.jsonl")
    corpus = open_corpus(folder / "corpus.jsonl")
    (folder / "info.txt").write_text(text_of([statistics(corpus, name="the playground")]), encoding="utf-8")
    drawn = list(islice(corpus, PICTURES))
    systems = _describe(corpus, drawn, folder, seed)
    write_corpus(next(iter(systems.values())), folder / "results.jsonl")
    page = folder / "report.html"
    write_page(drawn, list(systems.items()), page, pictures=Pictures(folder, page), title="Limner: a demo")
    return _table({name: evaluate_content(results, drawn) for name, results in systems.items()})


def _world(folder: Path, n: int, seed: int) -> Iterator[Image]:
    """The world's images; the first are drawn, and those at the very beginning put on a sheet."""
    world = World(seed)
    on_sheet = []
    for number in range(n):
        if number >= PICTURES:
            yield world.image(number)
            continue
        scene, image = world.staged(number, "pictures")
        picture = draw(scene)
        picture.save(folder / image.file, compress_level=1)
        if number < ON_SHEET:
            on_sheet.append((picture, image))
        yield image
    with write_bytes(folder / "sheet.png") as handle:
        contact_sheet(on_sheet, boxes=True).save(handle, "PNG")


def _describe(corpus: Corpus, drawn: list[Image], folder: Path, seed: int) -> dict[str, list[Image]]:
    """What two systems say of the drawn images; the first has learnt from all others."""
    book = learn_phrasebook(islice(corpus, PICTURES, None))
    write_phrasebook(book, folder / "phrasebook.json")
    learned = train_selector(islice(corpus, PICTURES, None), seed=seed)
    learned.save(folder / "selector.json")
    guess = Limited(find_selector("random", seed=seed), K)
    return {
        "learned, fluent": list(describe(drawn, learned, FluentRealiser(book, seed=seed))),
        "random, as in the paper": list(describe(drawn, guess, PaperRealiser(seed=seed))),
    }


def _table(scores: dict[str, dict[str, Any]]) -> list[str]:
    rows = [["", "P", "R", "F", "order", "nouns"]]
    for name, found in scores.items():
        finer = [found["ordering"]["tau"], found["lexicalisation"]["matched"]["score"]]
        rows.append([name, *map(decimal, [found["P"], found["R"], found["F"], *finer])])
    one = next(iter(scores.values()))
    people = [*(one["human"][value] for value in "PRF"), one["ordering"]["human"]["tau"]]
    rows.append(["people, against each other", *map(decimal, [*people, one["lexicalisation"]["human"]["score"]])])
    return aligned(rows, "<>>>>>")
