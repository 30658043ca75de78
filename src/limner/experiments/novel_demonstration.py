"""The end of a full demo: a captioner is trained, and names things that no training caption named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from limner.caption.captioner_config import CaptionerConfig, read_captioner_config
from limner.caption.captioner_files import RECORD, WEIGHTS
from limner.caption.captioning import Ask, CaptionSettings, caption_corpus, nothing
from limner.caption.constraints.constraint_choice import ConstraintChooser
from limner.corpus import Image, write_corpus
from limner.corpus.classes.named_classes import NamedClasses
from limner.experiments.novel_object_constraints import with_boxes_of
from limner.lazy import lazy
from limner.look.tables import aligned
from limner.progress import Progress, silent
from limner.report.pages.page_pictures import Pictures
from limner.report.pages.show_page import write_page
from limner.score.content import mentioned

if TYPE_CHECKING:
    from limner.caption.models import corpus_captioners
    from limner.caption.training import captioner_training, training_images
else:
    captioner_training = lazy("limner.caption.training.captioner_training")
    corpus_captioners = lazy("limner.caption.models.corpus_captioners")
    training_images = lazy("limner.caption.training.training_images")

# Classes that are kept from the captioner, and how many of the drawn pictures show one: some, but few.
N_NOVEL = 5
FEWEST = 2
LARGEST_SHARE = 0.1

# Fewer scenes than `small` is for are learnt from in fewer steps, each of them larger.
EPOCHS, LEARNING_RATE = 8, 0.004

# Captions in the terminal.
N_SHOWN = 8

FREE, ASKED = "Neural Baby Talk", "Neural Baby Talk, asked to name them"

# What is left in the demo's folder.
CAPTIONER = "captioner"
CAPTIONER_FILES = tuple(f"{CAPTIONER}/{name}" for name in (RECORD, WEIGHTS))
RESULTS, PAGE = "novel.jsonl", "novel.html"
MADE = {CAPTIONER, RESULTS, PAGE}


class NovelDemo(NamedTuple):
    """What came of it: the novel classes, and for each drawn image that shows some, these and its captions."""

    novel: tuple[str, ...]
    n_training: int
    shown: Sequence[tuple[Image, frozenset[str]]]
    captions: Mapping[str, Sequence[Image]]

    def counts(self, system: str) -> tuple[int, int, int]:
        """Of the novel classes that images show, how many a system names, how many there are, how many it makes up."""
        named = NamedClasses(self.novel)
        said = [named.named(result.captions[0].text) for result in self.captions[system]]
        pairs = list(zip(said, (classes for _, classes in self.shown), strict=True))
        return (
            sum(len(names & classes) for names, classes in pairs),
            sum(len(classes) for _, classes in pairs),
            sum(len(names - classes) for names, classes in pairs),
        )

    def lines(self) -> list[str]:
        """What a terminal shows."""
        head = f"A captioner learnt from {self.n_training:,} scenes without {_listed(self.novel, 'or')}."
        rows = [
            [", ".join(sorted(classes)), result.captions[0].text]
            for (_, classes), result in zip(self.shown, self.captions[FREE], strict=True)
        ]
        counts = []
        for name in (FREE, ASKED):
            n_named, n_there, n_wrong = self.counts(name)
            counts.append(f"{name}: {n_named} of {n_there} such things named, {n_wrong} that are not there.")
        return [head, *(f"  {line}" for line in aligned(rows[:N_SHOWN], "<<")), *counts]


def caption_novel(
    known: Sequence[Image], drawn: Sequence[Image], folder: Path, *, seed: int = 0, progress: Progress = silent
) -> NovelDemo:
    """Train Neural Baby Talk on the known images without some classes, and caption the drawn ones that show these."""
    novel = _novel_classes(drawn)
    named = NamedClasses(novel)
    images = training_images.training_images(known, without=novel, seed=seed)
    captioner_training.CaptionerTraining(
        _config(),
        folder / CAPTIONER,
        without=novel,
        seed=seed,
        threads=1,
        listeners=captioner_training.TrainingListeners(progress),
        model="nbt",
    ).train(images)
    shown = [(image, frozenset(named.shown(image))) for image in drawn if named.shown(image)]
    chooser = ConstraintChooser(by="area")
    asks: dict[str, Ask] = {
        FREE: nothing,
        ASKED: lambda image: chooser.choose(with_boxes_of(named, image)).constraints,
    }
    captioner = corpus_captioners.open_captioner(folder / CAPTIONER)
    pictures = [image for image, _ in shown]
    captions = {
        name: list(caption_corpus(pictures, captioner, CaptionSettings(), ask=ask)) for name, ask in asks.items()
    }
    write_corpus(captions[FREE], folder / RESULTS)
    page = folder / PAGE
    write_page(pictures, list(captions.items()), page, pictures=Pictures(folder, page), title="Limner: novel objects")
    return NovelDemo(novel, len(images.learnt) + len(images.held_out), shown, captions)


def _novel_classes(drawn: Sequence[Image]) -> tuple[str, ...]:
    """The classes that most captions mention where they are shown, in some of the drawn pictures, but in few."""
    shares: dict[str, list[float]] = {}
    for image in drawn:
        said = [mentioned(caption) for caption in image.captions]
        for label in {box.label for box in image.boxes}:
            ids = {box.id for box in image.boxes if box.label == label}
            shares.setdefault(label, []).append(sum(bool(ids & boxes) for boxes in said) / len(said))
    pool = [
        (-sum(values) / len(values), label)
        for label, values in shares.items()
        if FEWEST <= len(values) <= LARGEST_SHARE * len(drawn)
    ]
    return tuple(sorted(label for _, label in sorted(pool)[:N_NOVEL]))


def _config() -> CaptionerConfig:
    """The settings of `small`, for a thousand scenes."""
    config = read_captioner_config("small")
    training = structs.replace(config.training, epochs=EPOCHS, batch=48, warm_up=50, learning_rate=LEARNING_RATE)
    return structs.replace(config, training=training)


def _listed(names: Sequence[str], conjunction: str) -> str:
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}" if len(names) > 1 else names[0]
