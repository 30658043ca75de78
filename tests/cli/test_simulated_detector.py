"""The simulated detector at the command line: detect, train, experiment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limner.cli import limner
from limner.corpus import Box, Caption, Image, Mention, open_corpus, write_corpus


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(limner, [str(argument) for argument in arguments])


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    boxes = (Box("a", 20, 20, 120, 180, "man"), Box("b", 150, 60, 280, 190, "dog"), Box("c", 0, 0, 300, 20, "sky"))
    caption = Caption("0", "A man .", (Mention(0, 5, ("a",)),))
    images = [Image(str(i), 300, 200, boxes, (caption,)) for i in range(80)]
    write_corpus(images, tmp_path / "gold.jsonl")
    return tmp_path / "gold.jsonl"


def test_gold_boxes_become_detections(tmp_path: Path, gold: Path) -> None:
    done = run("detect", gold, "--model", "simulated", "-o", tmp_path / "seen.jsonl", "--seed", "3")
    assert done.exit_code == 0, done.output
    assert "not seen: 80 boxes whose labels mean no class" in done.stderr
    images = list(open_corpus(tmp_path / "seen.jsonl"))
    assert len(images) == 80
    assert sum(box.label == "person" for image in images for box in image.boxes) > 40
    assert min(box.score for image in images for box in image.boxes) >= 0.3
    assert images[0].captions == (Caption("0", "A man ."),)
    assert str(images[0].provenance["detector"]).startswith("simulated:")
    assert images[0].provenance["labels"] == "detected"


def test_equal_seeds_give_equal_files(tmp_path: Path, gold: Path) -> None:
    for name, seed in (("one", "1"), ("same", "1"), ("other", "2")):
        assert (
            run("detect", gold, "--model", "simulated", "-o", tmp_path / f"{name}.jsonl", "--seed", seed).exit_code == 0
        )
    one, same, other = ((tmp_path / f"{name}.jsonl").read_bytes() for name in ("one", "same", "other"))
    assert one == same != other


def test_every_label_can_be_detected_and_nothing_added(tmp_path: Path, gold: Path) -> None:
    options = ["--every-label", "--false-positives", "0", "--score", "0.1"]
    run("detect", gold, "--model", "simulated", "-o", tmp_path / "seen.jsonl", *options)
    boxes = [box for image in open_corpus(tmp_path / "seen.jsonl") for box in image.boxes]
    assert {"man", "dog", "sky"} <= {box.label for box in boxes}
    assert len(boxes) <= 3 * 80


def test_a_profile_is_fitted_and_used(tmp_path: Path, gold: Path) -> None:
    run("detect", gold, "--model", "simulated", "-o", tmp_path / "seen.jsonl", "--score", "0.1")
    done = run("train", "detector", gold, tmp_path / "seen.jsonl", "--out", tmp_path / "profile.json")
    assert done.exit_code == 0, done.output
    assert "80 pictures, 160 gold boxes" in done.stderr
    used = run("detect", gold, "--model", tmp_path / "profile.json", "-o", tmp_path / "again.jsonl")
    assert used.exit_code == 0, used.output
    assert sum(1 for _ in open_corpus(tmp_path / "again.jsonl")) == 80


def test_a_profile_of_files_whose_names_are_not_utf8_is_written(tmp_path: Path, gold: Path) -> None:
    odd = tmp_path / "\udcff.jsonl"
    try:
        odd.write_bytes(gold.read_bytes())
    except OSError:
        pytest.skip("the file system has no such names")
    done = run("train", "detector", odd, odd, "--out", tmp_path / "profile.json")
    assert done.exit_code == 0, done.output
    assert "\\udcff.jsonl" in json.loads((tmp_path / "profile.json").read_text())["source"]


def test_detections_without_unsure_boxes_and_few_pictures_are_warned_of(tmp_path: Path, gold: Path) -> None:
    run("detect", gold, "--model", "simulated", "-o", tmp_path / "seen.jsonl", "--score", "0.5")
    done = run("train", "detector", gold, tmp_path / "seen.jsonl", "--out", tmp_path / "profile.json")
    assert "warning: the detector reported no box below a score of 0.5" in done.stderr
    assert "warning: 80 pictures are few" in done.stderr


def test_a_simulated_detector_is_compared_with_the_real_one(tmp_path: Path, gold: Path) -> None:
    run("detect", gold, "--model", "simulated", "-o", tmp_path / "seen.jsonl", "--score", "0.1", "--seed", "9")
    done = run(
        "experiment",
        "detector",
        gold,
        tmp_path / "seen.jsonl",
        "--out",
        tmp_path / "out",
        "--runs",
        "2",
        "--samples",
        "0",
    )
    assert done.exit_code == 0, done.output
    report = json.loads((tmp_path / "out" / "detector.json").read_text())
    rows = {row["figure"]: row for row in report["rows"]}
    # Both are the same detector with other seeds.
    assert rows["found"]["simulated"] == pytest.approx(rows["found"]["real"]["value"], abs=0.12)
    assert {row["class"] for row in report["classes"]} == {"dog", "person"}
    assert sum(row["gold_boxes"] for row in report["sizes"]) == 160
    assert (tmp_path / "out" / "detector.png").stat().st_size > 10_000


def test_what_cannot_be_is_told(tmp_path: Path, gold: Path) -> None:
    target = tmp_path / "seen.jsonl"
    assert run("detect", gold, "--model", "simulated", "-o", target, "--pixels", "0-1").exit_code == 2
    assert run("detect", gold, "--model", "some.onnx", "-o", target, "--every-label").exit_code == 2
    (tmp_path / "profile.json").write_text("{}")
    done = run("detect", gold, "--model", tmp_path / "profile.json", "-o", target)
    assert "is not a detector" in str(done.exception)
    write_corpus([Image("1", 10, 10)], tmp_path / "bare.jsonl")
    assert "it has no box" in str(
        run("detect", tmp_path / "bare.jsonl", "--model", "simulated", "-o", target).exception
    )
    assert not target.exists()
