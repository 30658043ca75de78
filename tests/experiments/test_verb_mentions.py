"""What captions speak of by a verb and not by a noun."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from limner.cli.experiment_verbs import verbs
from limner.corpus import Caption, Image, write_corpus
from limner.corpus.box import Box
from limner.corpus.classes.class_names import class_name
from limner.corpus.classes.class_tables import COCO_CLASSES
from limner.errors import BadInput
from limner.experiments.class_verbs import RELATED, related_kind
from limner.experiments.verb_mentions import lifted_verbs, verb_experiment
from refusals import refusal

CAPTIONS = (
    "A man skiing down a hill .",
    "A man on skis in the snow .",
    "A skier on a slope .",
    "A man stands in the snow .",
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Skis by a verb, a noun, a skier and not at all in a quarter each; a dog that is always named."""
    path = tmp_path_factory.mktemp("verbs") / "corpus.jsonl"
    images = []
    for number in range(12):
        captions = [Caption(str(at), text) for at, text in enumerate(CAPTIONS)]
        images.append(Image(f"ski {number}", 20, 20, (Box("0", 0, 0, 9, 9, "skis"),), tuple(captions)))
        images.append(Image(f"dog {number}", 20, 20, (Box("0", 0, 0, 9, 9, "dog"),), (Caption("0", "A dog runs ."),)))
    write_corpus(images, path)
    return path


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("A man skis down a slope .", "ski", "verb"),
        ("People ski down .", "ski", "verb"),
        ("A ski slope with people .", "ski", None),
        ("A man riding a wave .", "surfboard", "fitting"),
        ("Two surfers near a beach .", "surfboard", "agent"),
        ("A surfer surfing .", "surfboard", "verb"),
        ("A plate of sliced bread .", "knife", None),
        ("A man slicing bread .", "knife", "fitting"),
        ("A man skiing .", "dog", None),
    ],
)
def test_related_words_speak_of_a_class(text: str, name: str, kind: str | None) -> None:
    assert related_kind(text, name) == kind


def test_every_listed_class_is_one_of_cocos() -> None:
    assert RELATED.keys() <= {class_name(name) for name in COCO_CLASSES}


def test_every_caption_is_counted_in_one_way(corpus: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(verbs, [str(corpus), "--out", str(tmp_path), "--samples", "100"])
    assert done.exit_code == 0, done.output
    ski, dog = csv.DictReader((tmp_path / "classes.csv").read_text().splitlines())
    ways = ("by_noun", "by_verb", "by_fitting_verb", "by_agent", "not_at_all")
    assert [float(ski[way]) for way in ways] == [0.25, 0.25, 0.0, 0.25, 0.25]
    assert [float(dog[way]) for way in ways] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert (ski["images"], ski["captions"]) == ("12", "48")
    # 12 of the 36 captions without the noun, and of 60 in all.
    assert ski["lifted"] == "ski 2×"
    # A class that no verb speaks of is in classes.csv alone.
    assert [row["class"] for row in csv.DictReader((tmp_path / "table.csv").read_text().splitlines())] == ["ski"]


def test_lift_is_a_ratio_of_shares_and_rare_verbs_have_none() -> None:
    assert lifted_verbs({"ski": 10, "sit": 20, "fly": 4}, 40, {"ski": 20, "sit": 200, "fly": 4}, 400) == [
        ("ski", pytest.approx(5.0)),
        ("sit", pytest.approx(1.0)),
    ]


def test_classes_that_no_verb_speaks_of_are_shown_where_there_are_no_others(tmp_path: Path) -> None:
    dog = Image("dog", 20, 20, (Box("0", 0, 0, 9, 9, "dog"),), (Caption("0", "A dog runs ."),))
    write_corpus([dog], tmp_path / "dog.jsonl")
    report = verb_experiment(str(tmp_path / "dog.jsonl"), least_images=1, samples=0)
    assert [row[0] for row in report.rows] == ["dog"]


def test_classes_in_few_images_are_left_out(corpus: Path) -> None:
    with refusal(BadInput):
        verb_experiment(str(corpus), least_images=13)
