"""Constraints with each way to suppress boxes in one place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from limner.caption.constraints.constraint_choice import ConstraintChooser
from limner.cli.experiment_suppression import suppression
from limner.corpus import Caption, Image, write_corpus
from limner.corpus.box import Box
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.errors import BadInput, LimnerError
from limner.experiments.constraint_suppression import suppression_experiment
from limner.experiments.experiment_files import Estimate
from refusals import refusal

TREE = ClassHierarchy(
    "Entity", {"Animal": ("Entity",), "Dog": ("Animal",), "Sofa": ("Entity",), "Cat": ("Animal",)}, {}
)


def image(*labels: str, captions: tuple[str, ...] = ()) -> Image:
    """Boxes in one place, in this order by score."""
    boxes = [Box(str(at), 0, 0, 50, 50, label, 0.9 - at / 100) for at, label in enumerate(labels)]
    written = [Caption(str(at), text) for at, text in enumerate(captions)]
    return Image("i", 99, 99, tuple(boxes), tuple(written))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty images of a dog on a sofa, both reported in one place, of which people mention the dog or the sofa."""
    told = image("Dog", "Animal", "Sofa", captions=("A dog sleeps .", "A dog on a sofa .", "An animal .", "Asleep ."))
    images = [Image(f"i{n}", 99, 99, told.boxes, told.captions) for n in range(30)]
    write_corpus(images, tmp_path / "corpus.jsonl")
    below = {"Animal": ["Dog", "Cat"], "Sofa": []}
    hierarchy = {
        "LabelName": "Entity",
        "Subcategory": [
            {"LabelName": name, **({"Subcategory": [{"LabelName": kind} for kind in kinds]} if kinds else {})}
            for name, kinds in below.items()
        ],
    }
    (tmp_path / "tree.json").write_text(json.dumps(hierarchy))
    return tmp_path


@pytest.mark.parametrize(
    ("suppress", "labels"),
    [("ancestor", ["Dog", "Sofa"]), ("height", ["Dog"]), ("none", ["Dog", "Animal", "Sofa"])],
)
def test_boxes_in_one_place_give_way_by_ancestor_height_or_not_at_all(suppress: str, labels: list[str]) -> None:
    chooser = ConstraintChooser(TREE, suppress=suppress)  # type: ignore[arg-type]
    choice = chooser.choose(image("Dog", "Animal", "Sofa"))
    assert [constraint.label for constraint in choice.constraints] == labels
    assert {dropped.rule for dropped in choice.dropped} <= {"more general"}


def test_equal_depths_and_unknown_labels_stay_with_height() -> None:
    chooser = ConstraintChooser(TREE, suppress="height")
    assert len(chooser.choose(image("Dog", "Cat", "gnome")).constraints) == 3
    (dropped,) = chooser.choose(image("Sofa", "Dog")).dropped
    assert dropped.why == "nearer to the root than box 1 (Dog), IoU 1.00"
    with refusal(LimnerError):
        ConstraintChooser(TREE, suppress="hight")  # type: ignore[arg-type]


def test_the_depth_of_a_class_is_its_shortest_way_to_the_root() -> None:
    tree = ClassHierarchy(
        "Entity", {"Toy": ("Entity",), "Bear": ("Animal",), "Animal": ("Entity",), "Teddy": ("Bear", "Toy")}, {}
    )
    assert [tree.depth(name) for name in ("Entity", "Toy", "Bear", "Teddy", "gnome")] == [0, 1, 2, 2, None]


def test_constraints_are_counted_and_looked_for_in_captions(folder: Path) -> None:
    report = suppression_experiment(str(folder / "corpus.jsonl"), folder / "tree.json", samples=0)
    rows = {row[0]: row[1:] for row in report.rows}
    # Suppressed boxes, constraints, those of an image, said by somebody, by which share of four captions, recall of
    # dog, animal and sofa.
    assert rows["ancestor"][:5] == (30, 60, Estimate(2), Estimate(1.0), Estimate((2 + 1) / 4 / 2))
    assert rows["height"][:5] == (60, 30, Estimate(1), Estimate(1.0), Estimate(2 / 4))
    assert rows["none"][:5] == (0, 90, Estimate(3), Estimate(1.0), Estimate((2 + 1 + 1) / 4 / 3))
    assert [rows[name][5].value for name in rows] == pytest.approx([2 / 3, 1 / 3, 1.0])  # type: ignore[union-attr]


def test_expanded_boxes_are_what_suppression_takes_back(folder: Path) -> None:
    dogs = image("Dog", captions=("A dog .",))
    write_corpus([dogs], folder / "dogs.jsonl")
    arguments = str(folder / "dogs.jsonl"), folder / "tree.json"
    plain, expanded = (suppression_experiment(*arguments, samples=0, expand=expand) for expand in (False, True))
    assert [row[2] for row in plain.rows] == [1, 1, 1]
    assert [(row[1], row[2]) for row in expanded.rows] == [(1, 1), (1, 1), (0, 2)]


def test_the_command_says_what_was_found_and_refuses_a_corpus_without_captions(folder: Path) -> None:
    options = ["--hierarchy", str(folder / "tree.json"), "--out", str(folder / "out"), "--samples", "100"]
    done = CliRunner().invoke(suppression, [str(folder / "corpus.jsonl"), *options])
    assert done.exit_code == 0, done.output
    assert "height: 60 boxes suppressed, 30 constraints; 100.0% said, recall 33.3%" in done.stdout
    write_corpus([image("Dog")], folder / "mute.jsonl")
    with refusal(BadInput):
        suppression_experiment(str(folder / "mute.jsonl"), folder / "tree.json")
