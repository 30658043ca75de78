"""`limner score localisation`, as scripts call it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from limner.cli import limner
from limner.cli.remedies import worded
from limner.corpus import Box, Caption, Image, Mention, write_corpus
from limner.errors import LimnerError
from localisation_cases import made_case, reference

MEN = "A man and a man ."


def score(folder: Path, gold: list[Image], results: list[Image], *options: str) -> Result:
    write_corpus(gold, folder / "gold.jsonl")
    write_corpus(results, folder / "mine.jsonl")
    return run(folder, "mine.jsonl", *options)


def run(folder: Path, results: str, *options: str) -> Result:
    arguments = ["score", "localisation", str(folder / results), "--gold", str(folder / "gold.jsonl"), *options]
    return CliRunner().invoke(limner, arguments)


def refusal(result: Result) -> str:
    """What the command line prints of the error that ended a command."""
    assert isinstance(result.exception, LimnerError)
    return worded(result.exception)


@pytest.mark.parametrize("protocol", ["merged", "any", "as-many"])
def test_scores_are_printed_as_json(tmp_path: Path, protocol: str) -> None:
    gold, results = made_case(1, n_images=8)
    done = score(tmp_path, gold, results, "--json", "--samples", "0", "--protocol", protocol)
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    expected = reference(gold, results, protocol, 0.5, 0.5)
    assert report["n_phrases"] == len(expected)
    assert [report[name] for name in ("R@1", "R@5", "R@10", "bound")] == pytest.approx(expected.mean(axis=0).tolist())
    assert "intervals" not in report
    assert f"protocol:{protocol}" in report["signature"]


def test_iou_and_nms_are_options(tmp_path: Path) -> None:
    gold, results = made_case(2, n_images=8)
    report = json.loads(score(tmp_path, gold, results, "--json", "--iou", "0.3", "--nms", "none").stdout)
    assert report["R@5"] == pytest.approx(reference(gold, results, "merged", 0.3, None)[:, 1].mean())
    assert (report["iou"], report["nms"]) == (0.3, None)
    for options in (["--iou", "0"], ["--iou", "nan"], ["--nms", "2"], ["--nms", "some"], ["--protocol", "all"]):
        assert run(tmp_path, "mine.jsonl", *options).exit_code == 2


def test_scores_are_printed_for_people(tmp_path: Path) -> None:
    gold, results = made_case(3, n_images=40)
    lines = score(tmp_path, gold, results).stdout.splitlines()
    assert lines[0].startswith("images: ")
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    expected = reference(gold, results, "merged", 0.5, 0.5).mean(axis=0)
    assert float(rows["R@5"][0]) == pytest.approx(expected[1], abs=1e-4)
    low, high = map(float, rows["R@5"][1].split("–"))
    assert low < expected[1] < high
    assert {"clothing", "background", "frequent"} <= rows.keys()


def test_systems_are_compared(tmp_path: Path) -> None:
    gold, results = made_case(4, n_images=40)
    _, others = made_case(5, n_images=40)
    write_corpus(others, tmp_path / "other.jsonl")
    options = ["--compare", str(tmp_path / "other.jsonl")]
    report = json.loads(score(tmp_path, gold, results, *options, "--json").stdout)
    other = report["compared"][str(tmp_path / "other.jsonl")]
    first = report["differences"][0]
    assert first["difference"] == pytest.approx(report["R@1"] - other["R@1"])
    assert "p (Holm)" in run(tmp_path, "mine.jsonl", *options).stdout
    twice = run(tmp_path, "mine.jsonl", "--compare", str(tmp_path / "mine.jsonl"))
    assert twice.exit_code == 2


def test_every_phrase_can_be_written(tmp_path: Path) -> None:
    gold, results = made_case(6)
    score(tmp_path, gold, results, "--per-phrase", str(tmp_path / "phrases.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "phrases.csv").read_text())))
    expected = reference(gold, results, "merged", 0.5, 0.5)
    assert [float(row["R@10"]) for row in rows] == expected[:, 2].tolist()
    assert {row["error"] for row in rows} <= {
        "right",
        "no answer",
        "other phrase",
        "no proposal",
        "poor overlap",
        "background",
    }


def test_missing_phrases_are_an_error_with_the_options_that_help(tmp_path: Path) -> None:
    gold, results = made_case(7)
    failed = score(tmp_path, gold, results[:-1])
    assert failed.exit_code == 1
    assert "pass --missing zero" in refusal(failed)
    assert json.loads(run(tmp_path, "mine.jsonl", "--missing", "zero", "--json").stdout)["missing"]["images"] == 1
    ids = tmp_path / "ids.txt"
    ids.write_text("".join(f"{image.id}\n" for image in results[:-1]))
    assert json.loads(run(tmp_path, "mine.jsonl", "--ids", str(ids), "--json").stdout)["n_images"] == 3


def test_a_file_of_another_kind_is_an_error(tmp_path: Path) -> None:
    gold, results = made_case(7)
    score(tmp_path, gold, results)
    (tmp_path / "model.json").write_text('{"limner_model": "grounder", "version": 1}')
    assert "unrecognised format" in refusal(run(tmp_path, "model.json"))
    (tmp_path / "nan.jsonl").write_text((tmp_path / "mine.jsonl").read_text().replace('"score":4', '"score":NaN'))
    assert run(tmp_path, "nan.jsonl").exit_code == 1


# What other programs say.

GOLD = Image(
    "1",
    100,
    100,
    (Box("a", 0, 0, 40, 100), Box("b", 60, 0, 100, 100), Box("h", 10, 0, 30, 20)),
    (
        Caption("0", MEN, (Mention(0, 5, ("a",)), Mention(10, 15, ("b",)))),
        Caption("1", "It is a hat .", (Mention(0, 2), Mention(6, 11, ("h",)))),
    ),
)


def lines(path: Path, *records: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps({"image_id": "1", "width": 100, "height": 100, **r}) + "\n" for r in records))


OUTPUTS: dict[str, list[dict[str, Any]]] = {
    "florence-2": [
        {"text": "A man<loc_0><loc_0><loc_399><loc_999>a man<loc_600><loc_0><loc_999><loc_999>", "caption": MEN},
        {"text": "hat<loc_100><loc_0><loc_299><loc_199>", "caption": "It is a hat .", "start": 6, "end": 11},
    ],
    "qwen-vl": [
        {"text": "<ref>A man</ref><box>(0,0),(400,1000)</box> and <ref>a man</ref><box>(600,0),(1000,1000)</box> ."},
        {"text": "It is <ref>a hat</ref><box>(100,0),(300,200)</box> ."},
    ],
    "kosmos-2": [
        {
            "text": "<grounding><phrase> A man</phrase><object><patch_index_0000><patch_index_1004></object>",
            "caption": MEN,
            "start": 0,
            "end": 5,
        },
        {
            "text": "<grounding><phrase> a man</phrase><object><patch_index_0019><patch_index_1023></object>",
            "caption": MEN,
            "start": 10,
            "end": 15,
        },
        {
            "text": "<phrase>a hat</phrase><object><patch_index_0003><patch_index_0201></object>",
            "caption": "It is a hat .",
        },
    ],
    "grounding-dino": [
        {"caption": MEN, "start": 0, "end": 5, "boxes": [[0, 0, 40, 99]], "scores": [0.9], "text_labels": ["a man"]},
        {"caption": MEN, "start": 10, "end": 15, "boxes": [[60, 0, 99, 99]], "scores": [0.8], "text_labels": ["man"]},
        {"caption": "It is a hat .", "boxes": [[10, 1, 30, 20]], "scores": [0.7], "text_labels": ["a hat"]},
    ],
    "mdetr": [
        {"sentence_id": 0, "boxes": [[[0, 0, 40, 100], [1, 2, 3, 4]], [[60, 0, 100, 101]]]},
        {"sentence_id": 1, "boxes": [[[10, 0, 30, 20]]]},
    ],
    "refcoco": [
        {"caption": MEN, "start": 0, "end": 5, "phrase": "A man", "bbox": [0, 0, 40, 100]},
        {"caption": MEN, "start": 10, "end": 15, "phrase": "a man", "bbox": [60, 0, 100, 100]},
        {"caption": "It is a hat .", "start": 6, "end": 11, "phrase": "a hat", "bbox": [10, 0, 30, 20]},
    ],
}


@pytest.mark.parametrize("model", OUTPUTS)
def test_what_other_programs_say_is_scored_as_it_is(tmp_path: Path, model: str) -> None:
    write_corpus([GOLD], tmp_path / "gold.jsonl")
    lines(tmp_path / "out.jsonl", *OUTPUTS[model])
    done = run(tmp_path, "out.jsonl", "--json", "--samples", "0")
    assert done.exit_code == 0, done.exception
    report = json.loads(done.stdout)
    assert (report["n_phrases"], report["R@1"]) == (3, 1)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"sentence_id": 0, "boxes": [[[0, 0, 40, 100]]]}], "boxes of 1 phrases, but gold has 2 with boxes"),
        ([{"sentence_id": 5, "boxes": []}], "there is a caption 5, but gold has 2"),
        ([{"sentence_id": 1, "boxes": [[[0, 0, 40]]]}], "box is"),
        ([{"sentence_id": 1, "boxes": [[[9, 0, 4, 10]]]}], "box"),
        ([{"sentence_id": 1, "boxes": [3]}], "boxes is 3"),
        ([{"sentence_id": "x", "boxes": []}], "sentence_id is 'x'"),
        ([{"sentence_id": 1, "boxes": [[[1, 2, 3, 4]]], "scores": [[]]}], "1 boxes and 0 scores"),
        ([{"sentence_id": 1, "boxes": [[[1, 2, 3, 4]]]}] * 2, "was there before"),
    ],
)
def test_faulty_numbers_of_phrases_are_errors(tmp_path: Path, records: list[dict[str, Any]], message: str) -> None:
    write_corpus([GOLD], tmp_path / "gold.jsonl")
    lines(tmp_path / "out.jsonl", *records)
    failed = run(tmp_path, "out.jsonl")
    assert message in refusal(failed)
    lines(tmp_path / "out.jsonl", {"sentence_id": 0, "boxes": [[[0, 0, 40, 100]], [[60, 0, 100, 101]]]}, *records)
    lenient = run(tmp_path, "out.jsonl", "--lenient", "--missing", "zero", "--json")
    assert json.loads(lenient.stdout)["R@1"] >= 2 / 3


def test_referring_expressions_are_scored_by_referring_expressions(tmp_path: Path) -> None:
    gold = [{"image": "7.jpg", "sent": "left man", "sent_id": i, "bbox": [i, 0, i + 40, 100]} for i in (0, 50)]
    said = [{**record, "bbox": [0, 0, 40, 100], "source": "mine"} for record in reversed(gold)]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(record) + "\n" for record in gold))
    (tmp_path / "mine.json").write_text(json.dumps(said))
    report = json.loads(run(tmp_path, "mine.json", "--json", "--samples", "0").stdout)
    assert (report["n_phrases"], report["R@1"]) == (2, 0.5)
