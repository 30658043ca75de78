"""A first look at everything, from nothing: a world made, learnt from, described, scored and shown."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from limner.corpus import Corpus, Image, open_corpus, write_corpus
from limner.corpus.statistics import statistics
from limner.describe.describing import describe
from limner.describe.learned import train_selector
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.realise.phrasebook import write_phrasebook
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.describe.realise.realisers import PaperRealiser
from limner.describe.selectors import Limited, find_selector
from limner.experiments import novel_demonstration
from limner.experiments.novel_demonstration import caption_novel
from limner.files import write_bytes, write_texts
from limner.look.tables import aligned, decimal
from limner.playground.world import World
from limner.playground.world_files import N_ON_SHEET, Artist
from limner.progress import Progress, silent, track
from limner.report.pages.page_pictures import Pictures
from limner.report.pages.show_page import write_page
from limner.report.statistics import text_of
from limner.score.content_evaluation import evaluate_content

# These images get a picture and are described; the others are what is learnt from.
PICTURES = 60

K = 3
# What a demo leaves in its folder.
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

# The files of a full demo too, also those in folders.
NAMES = (*MADE, "pictures/*.png", *novel_demonstration.MADE, *novel_demonstration.CAPTIONER_FILES)


def make_demo(
    folder: Path, n_images: int, *, seed: int = 0, full: bool = False, progress: Progress = silent
) -> list[str]:
    """Fill an empty folder with a demo; returns the lines of a small table of scores.

    A full demo ends with captions of things that no training caption named, by a captioner that it trains.
    """
    _write_world(folder, n_images, seed, progress)
    corpus = open_corpus(folder / "corpus.jsonl")
    write_texts({"info.txt": text_of([statistics(corpus, name="the playground")])}, folder)
    drawn = list(islice(corpus, PICTURES))
    systems = _describe(corpus, drawn, folder, seed)
    write_corpus(next(iter(systems.values())), folder / "results.jsonl")
    page = folder / "report.html"
    write_page(drawn, list(systems.items()), page, pictures=Pictures(folder, page), title="Limner: a demo")
    lines = _table({name: evaluate_content(results, drawn) for name, results in systems.items()})
    if full:
        known = list(islice(corpus, PICTURES, None))
        lines += ["", *caption_novel(known, drawn, folder, seed=seed, progress=progress).lines()]
    return lines


def _write_world(folder: Path, n: int, seed: int, progress: Progress) -> None:
    """Write the world's images; the first are drawn, and those at the very beginning put on a sheet."""
    (folder / "pictures").mkdir()
    artist = Artist(folder / "pictures", PICTURES, N_ON_SHEET)
    scenes = track(artist.images(World(seed), n, "pictures"), "scenes", progress, n)
    write_corpus(scenes, folder / "corpus.jsonl")
    with write_bytes(folder / "sheet.png") as file:
        artist.save_sheet(file, boxes=True)


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
    for name, score in scores.items():
        finer = [score["ordering"]["tau"], score["lexicalisation"]["matched"]["score"]]
        rows.append([name, *map(decimal, [score["P"], score["R"], score["F"], *finer])])
    first = next(iter(scores.values()))
    people = [*(first["human"][value] for value in "PRF"), first["ordering"]["human"]["tau"]]
    rows.append(["people, against each other", *map(decimal, [*people, first["lexicalisation"]["human"]["score"]])])
    return aligned(rows, "<>>>>>")
