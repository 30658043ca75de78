"""Content selection over many images, by boxes and by classes.

At the level of boxes, sets of box ids are compared. At the level of classes
these are sets of labels: a mention of any box of a class counts the class.
Where mentions were linked by the names of classes, nobody knows which box of
its class is meant, and only the second level says something about people.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from limner import __version__
from limner.corpus.box import Box
from limner.corpus.classes.class_names import UNLABELLED, class_name
from limner.corpus.held_out_labels import thing_name
from limner.corpus.image import Image
from limner.score.content import PRF, Boxes, Content, gold_sets, human, mentioned, oracle, score_selection, summarise
from limner.score.data_fingerprint import data_fingerprint, gold_numbers

Level = Literal["box", "class"]

# Raised whenever equal captions would score otherwise than before.
VERSION = 1


def class_by_box(image: Image, result_boxes: Mapping[str, Box] | None = None) -> dict[str, str]:
    """The class of each box of an image: its label, as words are compared with it.

    `result_boxes` are boxes that a system brings, by the names that its
    caption has for them. One that matches a gold box has that box's class;
    any other has the class that its label names, if it has a label: which
    classes a caption mentions does not depend on where its boxes are.
    """
    classes = {box.id: class_name(box.label) for box in image.boxes}
    known = frozenset(classes.values())
    drawn = (result_boxes or {}).items()
    unmatched = {name: _named_class(box.label, known) for name, box in drawn if name not in classes}
    return classes | {name: named for name, named in unmatched.items() if named != UNLABELLED}


def _named_class(label: str, known: Collection[str]) -> str:
    """The class that a system's label names: one of the known ones, or the noun, since a label may be a phrase."""
    name = class_name(label)
    return name if name in known else thing_name(label)


def classes_of(boxes: Iterable[str], classes: Mapping[str, str]) -> Boxes:
    """The classes of some boxes; a box that has none stands for itself."""
    return frozenset(classes.get(box, box) for box in boxes)


@dataclass
class SelectionScores:
    """The scores of selections, of people and of the oracle, by image id."""

    system: dict[str, PRF] = field(default_factory=dict)
    people: dict[str, PRF] = field(default_factory=dict)
    best: dict[str, PRF] = field(default_factory=dict)

    def add(self, id: str, selected: Collection[str], gold: Collection[Boxes]) -> None:
        """Score what was selected of an image against what its gold captions refer to; there is one at least."""
        sets = list(gold)
        self.system[id] = score_selection(selected, sets)
        self.best[id] = score_selection(oracle(sets), sets)
        of_people = human(sets)
        if of_people is not None:
            self.people[id] = of_people

    def to_json(self) -> dict[str, Any]:
        """Means and standard deviations, of people and of the oracle too."""
        return {
            **content_json(summarise(self.system)),
            "human": content_json(summarise(self.people)),
            "oracle": content_json(summarise(self.best)),
        }


class GoldSelections:
    """What the gold captions of images mention, as sets of boxes or of classes, and what selections score by it.

    `n_without_box` gold captions refer to no box: they have no say, or with
    `all_captions` count in the M of precision. `n_left_out` images have none that
    does, and are left out.
    """

    def __init__(self, images: Iterable[Image], level: Level = "box", *, all_captions: bool = False) -> None:
        self.level, self.all_captions = level, all_captions
        self.n_left_out = self.n_without_box = 0
        self.sets: dict[str, list[Boxes]] = {}
        self._images: list[Image] = []
        self._classes: dict[str, dict[str, str]] = {}
        for image in images:
            written = [mentioned(caption) for caption in image.captions if caption.source == "gold"]
            self.n_without_box += sum(not boxes for boxes in written)
            gold = gold_sets(image, all_captions=all_captions)
            if not gold:
                self.n_left_out += 1
                continue
            self._images.append(image)
            if level == "class":
                self._classes[image.id] = class_by_box(image)
            self.sets[image.id] = [self._named(image.id, boxes) for boxes in gold]

    def score(self, selections: Mapping[str, Collection[str]]) -> Content:
        """The scores of sets of box ids by image id; an image without one scores 0."""
        return summarise(
            {id: score_selection(self._named(id, selections.get(id, ())), gold) for id, gold in self.sets.items()}
        )

    def people(self) -> Content:
        """How people score: each caption against the image's others."""
        scores = ((id, human(gold)) for id, gold in self.sets.items())
        return summarise({id: score for id, score in scores if score is not None})

    def best(self) -> Content:
        """The scores of the sets that no other sets outscore."""
        return summarise({id: score_selection(oracle(gold), gold) for id, gold in self.sets.items()})

    def fingerprint(self) -> str:
        """The fingerprint of the images that are scored: their boxes, gold captions and what these refer to."""
        return data_fingerprint(gold_numbers(self._images))

    def signature(self, **facts: str) -> str:
        """Every choice that could change a score, and what was left out: two numbers with one signature compare.

        `facts` are what else there is to say, such as where labels are from.
        """
        n_captions = [len(gold) for gold in self.sets.values()] or [0]
        return signed(
            metric="content",
            version=VERSION,
            level=self.level,
            gold=gold_choice(self.all_captions),
            captions=f"{min(n_captions)}-{max(n_captions)}",
            images=len(self.sets),
            **left_out_choices(self.n_left_out, self.n_without_box, self.all_captions),
            data=self.fingerprint(),
            empty=0,
            mean="images",
            **facts,
            limner=__version__,
        )

    def _named(self, id: str, boxes: Iterable[str]) -> Boxes:
        return frozenset(boxes) if self.level == "box" else classes_of(boxes, self._classes[id])


def gold_choice(all_captions: bool) -> str:
    """Which gold captions count, for signatures."""
    grounded = "captions of source gold that refer to a box"
    return f"{grounded}, for precision all" if all_captions else grounded


def left_out_choices(n_images: int, n_captions: int, all_captions: bool) -> dict[str, str]:
    """What was left out, for signatures: images, and gold captions that refer to no box."""
    became = "lower precision" if all_captions else "left out"
    return {"dropped": f"{n_images} images", "no_box": f"{n_captions} captions {became}"}


def signed(**choices: object) -> str:
    """Choices as a signature writes them."""
    return "|".join(f"{name}:{value}" for name, value in choices.items())


def content_json(content: Content) -> dict[str, Any]:
    """The scores of a corpus as JSON has them."""
    return {name: value for name, value in content._asdict().items() if name != "per_image"}
