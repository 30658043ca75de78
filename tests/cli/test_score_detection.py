from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detection_cases import made_case, reference, summary
from limner.cli import limner
from limner.corpus import Image, write_corpus
from limner.score.detection.average_precision import FIGURES


def score(folder: Path, gold: list[Image], detected: list[Image], *options: str) -> Result:
    write_corpus(gold, folder / "gold.jsonl")
    write_corpus(detected, folder / "found.jsonl")
    arguments = ["detection", str(folder / "found.jsonl"), "--gold", str(folder / "gold.jsonl"), *options]
    return CliRunner().invoke(limner, ["score", *arguments])


def test_scores_are_printed_as_json(tmp_path: Path) -> None:
    gold, detected = made_case(1)
    done = score(tmp_path, gold, detected, "--json", "--samples", "0")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert [report[name] for name in FIGURES] == pytest.approx(summary(reference(gold, detected)).tolist())
    assert "intervals" not in report


def test_scores_are_printed_for_people(tmp_path: Path) -> None:
    gold, detected = made_case(1, n_images=40)
    lines = score(tmp_path, gold, detected).stdout.splitlines()
    assert lines[0].startswith("images: 40; ")
    rows = {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith(" ")}
    expected = dict(zip(FIGURES, summary(reference(gold, detected)), strict=True))
    assert {name: float(rows[name][0]) for name in FIGURES} == pytest.approx(expected, abs=1e-4)
    low, high = map(float, rows["AP"][1].split("–"))
    assert low < expected["AP"] < high
    assert lines[2].endswith("95% interval")
    assert len(rows["cat"]) == 6
    assert lines[-1].startswith("metric:detection|")


def test_the_reason_why_there_are_no_intervals_is_told(tmp_path: Path) -> None:
    done = score(tmp_path, *made_case(1, n_images=20))
    assert "no intervals: there are fewer than 30 images" in done.stderr


def test_files_of_coco_are_scored_as_they_are(tmp_path: Path) -> None:
    gold, detected = made_case(2)
    category = {"cat": 17, "dog": 18, "horse": 19}
    annotations = [
        {
            "id": 10 * i + j,
            "image_id": int(image.id),
            "category_id": category[box.label],
            "bbox": [box.x0, box.y0, box.width, box.height],
            "iscrowd": int("crowd" in box.flags),
        }
        for i, image in enumerate(gold)
        for j, box in enumerate(image.boxes)
    ]
    instances = {
        "images": [{"id": int(image.id), "width": 300, "height": 300} for image in gold],
        "annotations": annotations,
        "categories": [{"id": number, "name": name} for name, number in category.items()],
    }
    results = [
        {
            "image_id": int(image.id),
            "category_id": category[box.label],
            "bbox": [box.x0, box.y0, box.width, box.height],
            "score": box.score,
        }
        for image in detected
        for box in image.boxes
    ]
    (tmp_path / "instances.json").write_text(json.dumps(instances))
    (tmp_path / "results.json").write_text(json.dumps(results))
    arguments = ["detection", str(tmp_path / "results.json"), "--gold", str(tmp_path / "instances.json"), "--json"]
    done = CliRunner().invoke(limner, ["score", *arguments, "--samples", "0"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert [report[name] for name in FIGURES] == pytest.approx(summary(reference(gold, detected)).tolist())


def test_systems_are_compared(tmp_path: Path) -> None:
    gold, detected = made_case(3, n_images=40)
    write_corpus([Image(image.id, 300, 300, image.boxes[::2]) for image in detected], tmp_path / "half.jsonl")
    done = score(tmp_path, gold, detected, str(tmp_path / "half.jsonl"), "--json")
    report = json.loads(done.stdout)
    assert report["compared"].keys() == {str(tmp_path / "half.jsonl")}
    assert [row["column"] for row in report["differences"]] == ["AP", "AP50", "AP75", "AR100"]
    table = score(tmp_path, gold, detected, str(tmp_path / "half.jsonl")).stdout
    assert "p (Holm)" in table


def test_some_images_and_classes_are_scored(tmp_path: Path) -> None:
    gold, detected = made_case(4)
    (tmp_path / "ids.txt").write_text("\n".join(image.id for image in gold[:5]))
    (tmp_path / "classes.txt").write_text("# mine\ncat\ndog\n")
    ids, classes = ["--ids", str(tmp_path / "ids.txt")], ["--classes", str(tmp_path / "classes.txt")]
    report = json.loads(score(tmp_path, gold, detected, "--json", "--samples", "0", *ids, *classes).stdout)
    assert report["n_images"] == 5
    assert report["per_class"].keys() <= {"cat", "dog"}
    assert report["n_other_labels"] == sum(box.label == "horse" for image in gold[:5] for box in image.boxes)


def test_faults_are_told_in_one_line(tmp_path: Path) -> None:
    gold, detected = made_case(4)
    (tmp_path / "none.txt").write_text("\n")
    for options, message in (
        (["--ids", str(tmp_path / "none.txt")], "there is no id in it"),
        (["--classes", str(tmp_path / "none.txt")], "it names 0 classes"),
        (["--classes", str(tmp_path / "absent.txt")], "absent.txt"),
    ):
        done = score(tmp_path, gold, detected, *options)
        assert message in str(done.exception)
    assert score(tmp_path, gold, detected, str(tmp_path / "found.jsonl")).exit_code == 2


def test_what_is_odd_is_told(tmp_path: Path) -> None:
    gold, detected = made_case(4)
    done = score(tmp_path, gold, detected[1:])
    assert "gold images are not among the detections" in done.stderr
    assert "exactly gold's own boxes" in score(tmp_path, gold, gold).stderr
