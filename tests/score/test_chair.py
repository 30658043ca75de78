"""CHAIR: hallucinated objects."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Image, open_corpus
from limner.corpus.classes.class_words import Synonyms, built_in_synonyms, published_synonyms, read_synonyms
from limner.score.chair import Chair
from limner.score.run import Run

SYNONYMS = Synonyms({"person": ["man"], "dog": ["puppy"], "cat": ["kitten"], "car": ["vehicle"], "bus": ["vehicle"]})
CHAIR = Chair(SYNONYMS)


def run(*rows: tuple[str, list[str], str]) -> Run:
    """Captions with their references, and the labels of their images' boxes."""
    images = [
        Image(str(i), boxes=tuple(Box(str(n), 0, 0, 1, 1, label) for n, label in enumerate(labels.split())))
        for i, (_, _, labels) in enumerate(rows)
    ]
    return Run([image.id for image in images], [row[0] for row in rows], [row[1] for row in rows], images=images)


RUN = run(
    ("a man with a dog and a dog", ["a puppy"], "person"),
    ("a cat and a dog and a cat", ["a dog"], "person"),
    ("nothing at all", ["a dog"], "dog"),
)


def test_the_share_of_hallucinated_mentions_and_of_captions_with_any() -> None:
    found = CHAIR.measure(RUN)
    assert found.rows.tolist() == [[0, 3, 0, 1], [2, 3, 1, 1], [0, 0, 0, 1]]
    assert found.value() == pytest.approx([2 / 6, 1 / 3])
    assert found.per_image == pytest.approx(np.array([[0, 0], [2 / 3, 1], [np.nan, 0]]), nan_ok=True)
    assert found.choices["truth"] == "boxes+references"
    assert found.warnings == []


def test_each_image_tells_what_was_hallucinated() -> None:
    second = CHAIR.explanations(RUN)[1]
    assert [RUN.candidates[1][one.start : one.end] for one in second.hallucinated] == ["cat", "cat"]
    assert [one.classes for one in second.spoken] == [("cat",), ("dog",), ("cat",)]
    assert second.truth == {"person", "dog"}


@pytest.mark.parametrize(
    ("caption", "reference", "labels", "hallucinated"),
    [
        ("a vehicle", "hm", "bus", 0),  # May be a bus.
        ("a bus", "a vehicle", "", 0),  # May be what is meant.
        ("a vehicle", "a dog", "", 1),
        ("a man", "hm", "man", 0),  # A label that is a word for a class.
        ("a sofa", "hm", "chair", 0),  # No word for a class.
        ("a chair", "hm", "sofa chair", 0),
        ("a sofa", "a dog", "chair sofa", 0),
    ],
)
def test_what_may_be_meant_is_there(caption: str, reference: str, labels: str, hallucinated: int) -> None:
    assert CHAIR.measure(run((caption, [reference], labels))).rows[0, 0] == hallucinated


def test_a_label_of_one_image_can_be_hallucinated_in_another() -> None:
    found = CHAIR.measure(run(("a sofa", ["hm"], "sofa"), ("a sofa", ["hm"], "dog")))
    assert found.value() == pytest.approx([1 / 2, 1 / 2])


def test_images_without_boxes_are_told_of() -> None:
    found = CHAIR.measure(run(("a dog", ["a dog"], ""), ("a dog", ["hm"], "dog")))
    assert found.warnings == ["1 of 2 images have no boxes: what they show is known from references alone"]
    without = CHAIR.measure(Run(["x"], ["a dog"], [["a dog"]]))
    assert (without.choices["truth"], without.warnings) == ("references", [])


def test_published_words_are_the_default_and_limner_s_are_an_option() -> None:
    """A mustang is a horse as published, a car in Limner's list; a street light is a traffic light, or nothing."""
    said = run(("a mustang by a street light", ["a car"], ""))
    assert Chair().measure(said).rows[0, :2].tolist() == [2, 2]
    assert Chair(built_in_synonyms()).measure(said).rows[0, :2].tolist() == [0, 1]
    lists = [Chair(words).measure(said).choices["words"] for words in (published_synonyms(), built_in_synonyms())]
    assert [Chair().measure(said).choices["words"], *lists] == ["rohrbach-2018", "rohrbach-2018", "limner"]
    assert CHAIR.measure(said).choices["words"] == "given"


def test_a_group_of_cows_is_nobody() -> None:
    for words in (published_synonyms(), built_in_synonyms()):
        assert Chair(words).measure(run(("a group of cows", ["cows in a field"], "cow"))).rows[0].tolist() == [
            0,
            1,
            0,
            1,
        ]


def test_without_a_mention_there_is_no_share_of_mentions() -> None:
    assert CHAIR.measure(run(("hm", ["hm"], ""))).value() == pytest.approx([np.nan, 0], nan_ok=True)
    assert CHAIR.measure(Run([], [], [])).rows.shape == (0, 4)


sentences = st.lists(st.sampled_from(["man", "dog", "puppy", "cat", "car", "bus", "vehicle", "the"]), max_size=5).map(
    " ".join
)
CLASSES = {"man": {"person"}, "dog": {"dog"}, "puppy": {"dog"}, "cat": {"cat"}, "car": {"car"}, "bus": {"bus"}}
CLASSES["vehicle"] = {"car", "bus"}


@given(st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3), sentences), min_size=1, max_size=4))
def test_counts_are_those_of_the_definition(rows: list[tuple[str, list[str], str]]) -> None:
    rows = [(caption, references, labels.replace("the", "")) for caption, references, labels in rows]
    hallucinated = mentions = with_any = 0
    for caption, references, labels in rows:
        truth = set().union(*(CLASSES.get(word, set()) for text in (*references, labels) for word in text.split()))
        said = [word for word in caption.split() if word in CLASSES]
        wrong = [word for word in said if not CLASSES[word] & truth]
        hallucinated, mentions, with_any = hallucinated + len(wrong), mentions + len(said), with_any + bool(wrong)
    assert CHAIR.measure(run(*rows)).rows.sum(axis=0).tolist() == [hallucinated, mentions, with_any, len(rows)]


def test_figures_of_a_published_captioner(shared_data: Path) -> None:
    """VieCap on COCO with the published words, which are the default: the published tool would say .150 and .221 of
    references alone. The counts are recorded from this metric: to notice a change."""
    records = json.loads((shared_data / "caption_results" / "viecap_coco.json").read_text())
    ids = [str(int(re.findall(r"_(\d+)\.", one["image_name"])[0])) for one in records]
    chair = Chair(read_synonyms(shared_data / "word_lists" / "chair_synonyms.txt", alone=True))
    said, references = [one["prediction"] for one in records], [one["captions"] for one in records]
    of_references = chair.measure(Run(ids, said, references))
    assert of_references.rows.sum(axis=0).tolist() == [1227, 8164, 1106, 5000]
    assert of_references.value() == pytest.approx([0.150, 0.221], abs=5e-4)
    by_default = Chair().measure(Run(ids, said, references))
    assert by_default.rows.tolist() == of_references.rows.tolist()
    assert by_default.choices["words"] == "rohrbach-2018"
    boxes = {image.id: image for image in open_corpus(shared_data / "coco" / "instances_val2017_boxes.json")}
    rows = [row for row in zip(ids, said, references, strict=True) if row[0] in boxes]
    with_boxes = Run(*map(list, zip(*rows, strict=True)), images=[boxes[id] for id, _, _ in rows])  # type: ignore[arg-type]
    assert chair.measure(with_boxes).rows.sum(axis=0).tolist() == [112, 978, 98, 593]
