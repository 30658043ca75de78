"""`limner train grounder` and `limner localise` in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Done, limner
from limner.cli import localise as localise_command
from limner.corpus import open_corpus, write_corpus
from limner.ground import systems
from limner.ground.localising import without_boxes
from limner.playground import World, write_world


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures, images to train on and to test on, and a grounder."""
    folder = tmp_path_factory.mktemp("localise")
    write_world(World(captions=(2, 2), size=(160, 120)), 9, str(folder / "world.jsonl"), pictures=True)
    images = list(open_corpus(folder / "world.jsonl"))
    write_corpus(images[:7], folder / "train.jsonl")
    write_corpus(images[7:], folder / "test.jsonl")
    write_corpus([without_boxes(image) for image in images[7:]], folder / "bare.jsonl")
    done = limner(
        *("train", "grounder", folder / "train.jsonl", "--pictures", folder, "--out", folder / "model.grounder"),
        *("--cache", folder / "seen"),
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "images written to" in done.stderr
    return folder


def localise(folder: Path, corpus: str, out: str, *options: object) -> Done:
    return limner(
        *("localise", folder / corpus, "--pictures", folder, "--model", folder / "model.grounder"),
        *("-o", folder / out, *options),
    )


def test_results_are_the_same_without_the_corpus_boxes(folder: Path) -> None:
    # No cache: the second run must look at the pictures itself.
    first = localise(folder, "test.jsonl", "first.jsonl", "--why", folder / "why.jsonl")
    assert (first.returncode, first.stdout) == (0, "")
    assert "mentions localised" in first.stderr
    assert "training images" not in first.stderr
    assert localise(folder, "bare.jsonl", "second.jsonl", "--workers", 1).returncode == 0
    assert (folder / "first.jsonl").read_bytes() == (folder / "second.jsonl").read_bytes()
    why = [json.loads(line) for line in (folder / "why.jsonl").read_text().splitlines()]
    results = list(open_corpus(folder / "first.jsonl"))
    answers = [(image.id, caption.id, m.start, m.boxes[0]) for image in results for caption, m in image.mentions()]
    assert [(reason["image"], reason["caption"], reason["start"], reason["box"]) for reason in why] == answers


def test_reasons_can_be_shown_beside_the_scored_answers(folder: Path) -> None:
    localise(folder, "test.jsonl", "first.jsonl", "--why", folder / "why.jsonl", "--cache", folder / "seen")
    scored = ("score", "localisation", folder / "first.jsonl", "--gold", folder / "test.jsonl", "--samples", 0)
    done = limner(*scored, "--html", folder / "page.html", "--explanations", folder / "why.jsonl")
    assert done.returncode == 0
    assert '"x":{"cca":' in (folder / "page.html").read_text(encoding="utf8")


def test_fewer_proposals_are_the_first_of_more(folder: Path) -> None:
    assert localise(folder, "test.jsonl", "few.jsonl", "--proposals", 20).returncode == 0
    assert localise(folder, "test.jsonl", "many.jsonl", "--proposals", 400).returncode == 0
    few, many = (list(open_corpus(folder / name)) for name in ("few.jsonl", "many.jsonl"))
    for image, larger in zip(few, many, strict=True):
        assert image.boxes == larger.boxes[:20]
        assert "proposals:20|" in str(image.provenance["localiser"])
    assert max(len(image.boxes) for image in many) > 100
    refused = localise(folder, "test.jsonl", "x.jsonl", "--proposals", 20, "--candidates", "gold")
    assert (refused.returncode, "leave it out" in refused.stderr) == (2, True)


def test_gold_candidates_can_be_asked_for_and_results_can_be_scored(folder: Path) -> None:
    done = localise(folder, "test.jsonl", "gold.jsonl", "--candidates", "gold", "--system", "largest")
    assert done.returncode == 0
    scored = limner("score", "localisation", folder / "gold.jsonl", "--gold", folder / "test.jsonl", "--json")
    assert scored.returncode == 0
    scores = json.loads(scored.stdout)
    assert scores["bound"] == 1.0
    assert scores["n_phrases"] > 0


def test_the_command_offers_every_system() -> None:
    assert (*systems.SYSTEMS,) == localise_command.SYSTEMS


def test_training_images_are_warned_of(folder: Path) -> None:
    done = localise(folder, "train.jsonl", "seen.jsonl")
    assert "7 of 7 images are training images" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["localise", "test.jsonl", "--pictures", ".", "--model", "test.jsonl", "-o", "x.jsonl"], "train grounder"),
        (["localise", "test.jsonl", "--pictures", ".", "--model", "none", "-o", "x.jsonl"], "none: cannot read"),
        (["train", "grounder", "bare.jsonl", "--pictures", ".", "--out", "x"], "limner link"),
        (["train", "grounder", "train.jsonl", "--pictures", ".", "--out", "x", "--detector", "no.tflite"], "no.tflite"),
        (["train", "grounder", "train.jsonl", "--pictures", "seen", "--out", "x"], "no picture of image"),
        (["train", "grounder", "train.jsonl", "--pictures", "seen", "--out", "no/x"], "there is no such folder"),
        (
            ["train", "grounder", "train.jsonl", "--pictures", "seen", "--out", "x", "--valid", "train.jsonl"],
            "train.jsonl: 7 of 7 images are training images",
        ),
    ],
)
def test_faults_are_one_line_that_names_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    done = limner(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "x").exists()


@pytest.mark.parametrize("option", ["--features", "--detector", "--vectors"])
def test_models_that_are_read_are_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.chdir(folder)
    (folder / "m.tflite").write_text("a model")
    done = limner("train", "grounder", "train.jsonl", "--pictures", ".", "--out", "m.tflite", option, "m.tflite")
    assert (done.returncode, "is read as well" in done.stderr) == (2, True)
    if option != "--vectors":
        done = localise(folder, "test.jsonl", "m.tflite", option, "m.tflite")
        assert (done.returncode, "is read as well" in done.stderr) == (2, True)
    assert (folder / "m.tflite").read_text() == "a model"


def test_a_grounder_of_other_proposals_and_words_is_used_with_them(folder: Path) -> None:
    (folder / "words.txt").write_text("dog 1 0\nwoman 0 1\n")
    done = limner(
        *("train", "grounder", folder / "train.jsonl", "--pictures", folder, "--out", folder / "other.grounder"),
        *("--proposer", "selective-search", "--vectors", folder / "words.txt"),
    )
    assert done.returncode == 0
    assert "weights were tuned on 1 image: about 10% of the training images" in done.stderr
    done = localise(folder, "test.jsonl", "other.jsonl", "--model", folder / "other.grounder")
    assert done.returncode == 0
    (result, *_) = open_corpus(folder / "other.jsonl")
    assert "proposer:selective-search" in str(result.provenance["localiser"])


def test_a_detector_that_the_grounder_was_not_trained_with_is_refused(folder: Path, shared_data: Path) -> None:
    detector = shared_data.parent / "models" / "efficientdet_lite2.tflite"
    if not detector.exists():
        pytest.skip("the detector is not at hand")
    done = localise(folder, "test.jsonl", "x.jsonl", "--detector", detector)
    assert done.returncode == 1
    assert "--detector" in done.stderr
