"""`limner score agreement` and `limner experiment judgement`, as people call them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limner.cli.experiment_judgement import judgement
from limner.cli.remedies import worded
from limner.cli.score_agreement import agreement
from limner.errors import BadInput

EXPERTS = "a.jpg\ta.jpg#0\t4\t4\t4\na.jpg\tb.jpg#0\t1\t1\t2\nb.jpg\ta.jpg#0\t1\t2\t2\nb.jpg\tc.jpg#0\t2\t3\t3\n"
PEOPLE = [("a", "A dog runs on grass .", 4), ("a", "A dog sleeps .", 2), ("a", "Cars .", 1), ("b", "Two men cook .", 3)]
REFERENCES = {"a": ["A dog runs .", "A dog runs on green grass ."], "b": ["Two men cook dinner .", "Men ."]}


def agree(folder: Path, text: str, *options: str) -> Result:
    (folder / "people.txt").write_text(text)
    return CliRunner().invoke(agreement, [str(folder / "people.txt"), *options])


@pytest.mark.usefixtures("intervals_of_few")
def test_agreement_is_printed_as_json_with_and_without_own_captions(tmp_path: Path) -> None:
    done = agree(tmp_path, EXPERTS, "--json", "--samples", "20")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert (found["scale"], found["n_images"], found["n_pairs"], found["n_ratings"]) == ("1-4", 2, 4, 12)
    # Of the four pairs' three pairs of raters each, 3, 1, 1 and 1 agree.
    assert found["agreement"]["percent"]["value"] == pytest.approx(0.5)
    assert found["agreement"]["percent"]["low"] < 0.5 < found["agreement"]["percent"]["high"]
    assert found["without_own"]["n_pairs"] == 3
    assert found["without_own"]["agreement"]["percent"]["value"] == pytest.approx(1 / 3)
    assert "sorted" in done.stderr
    assert "sorted" in found["notes"][0]


def test_agreement_is_printed_for_people(tmp_path: Path) -> None:
    lines = agree(tmp_path, EXPERTS, "--samples", "0").stdout.splitlines()
    assert lines[0] == "scale 1-4, 2 images"
    assert lines[3].split() == ["pairs", "4", "3"]
    assert lines[-1].split() == ["percent", "0.500", "0.333"]


def test_where_there_is_no_agreement_the_reason_is_printed(tmp_path: Path) -> None:
    done = agree(tmp_path, '{"image":"a","caption":"0","scale":"yes/no","value":"yes"}\n')
    assert "— (no unit has two ratings)" in done.stdout
    assert "own" not in done.stdout


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    done = agree(tmp_path, EXPERTS + "nonsense\n", "--lenient", "--samples", "0")
    assert done.exit_code == 0
    assert "left out: 1 × invalid judgement" in done.stderr


@pytest.fixture
def files(tmp_path: Path) -> Path:
    people = [{"image": image, "caption": text, "scale": "1-4", "value": value} for image, text, value in PEOPLE]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(line) + "\n" for line in people))
    images = [
        {"limner": 1, "id": id, "captions": [{"id": str(n), "text": text} for n, text in enumerate(texts)]}
        for id, texts in REFERENCES.items()
    ]
    (tmp_path / "refs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in images))
    return tmp_path


def test_metrics_are_held_against_judgements_of_ones_own(files: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    (files / "mine.jsonl").write_text('{"metric":"mine"}\n{"image":"a","caption":"Cars .","score":1}\n')
    options = ["--metrics", "rouge_l,cider", "--samples", "20", "--scores", str(files / "mine.jsonl")]
    arguments = [
        str(files / "people.jsonl"),
        "--refs",
        str(files / "refs.jsonl"),
        "--out",
        str(files / "out"),
        *options,
    ]
    done = CliRunner().invoke(judgement, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:3]] == [
        ["people.jsonl", metric, "τ-b"] for metric in ("rouge_l", "cider")
    ]
    assert "fewer than two rows" in lines[3]
    assert "10 files written" in done.stderr
    assert sorted(path.name for path in (files / "out").iterdir())[-3:] == ["table.csv", "table.md", "tests.csv"]


def test_a_file_of_judgements_needs_references_and_a_folder_has_its_own(files: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    done = CliRunner().invoke(judgement, [str(files / "people.jsonl"), "--out", str(files / "out")])
    assert done.exit_code == 2
    assert "give --refs" in done.stderr
    done = CliRunner().invoke(judgement, [str(files), "--refs", "x", "--out", str(files / "out")])
    assert done.exit_code == 2
    assert not (files / "out").exists()


def test_what_is_left_out_and_kept_is_said_and_no_samples_are_no_intervals(files: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    lines = [
        {"image": image, "caption": caption, "scale": "1-4", "value": value, "rater": "anna", "system": system}
        for image, caption, value, system in (
            *(("a", "A dog runs .", 4, "x"), ("a", "A dog runs .", 3, "y"), ("a", "Cars .", 1, "z")),
            *(("b", "1", 4, "x"), ("b", "Men cook .", 3, "y"), ("b", "Cars .", 1, "z")),
        )
    ]
    (files / "people.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = [str(files / "people.jsonl"), "--refs", str(files / "refs.jsonl"), "--out", str(files / "out")]
    done = CliRunner().invoke(judgement, [*arguments, "--metrics", "rouge_l", "--samples", "0"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "people.jsonl: references left out, judged with their image: 1\n" in done.stderr
    assert "people.jsonl: references kept that read like a caption judged with their image: 1\n" in done.stderr
    assert "no samples, so no intervals" in done.stderr
    table = done.stdout.splitlines()
    assert table[1].split()[-2:] == ["—", "—"]
    assert table[3].split() == ["metric", "pooled", "within", "images", "systems", "κ", "×", "100"]
    assert len(table[4].split()) == 7
    # What is true of 3 systems on 2 images is not much, and has to say so.
    assert table[5] == "people.jsonl, systems, rouge_l: 3 systems, 2 of 2 images"
    assert "(3 systems, 2 of 2 images) |" in (files / "out" / "table.md").read_text()


def test_agreement_without_samples_says_so(tmp_path: Path) -> None:
    assert "no samples, so no intervals" in agree(tmp_path, EXPERTS, "--samples", "0").stderr
    assert "no intervals" not in agree(tmp_path, EXPERTS, "--samples", "20").stderr


def test_of_several_scales_one_is_named(files: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    with (files / "people.jsonl").open("a") as handle:
        handle.write('{"image":"a","caption":"Cars .","scale":"yes/no","value":"no"}\n')
    arguments = [str(files / "people.jsonl"), "--refs", str(files / "refs.jsonl"), "--out", str(files / "out")]
    arguments += ["--metrics", "rouge_l", "--samples", "0"]
    error = CliRunner().invoke(judgement, arguments).exception
    assert isinstance(error, BadInput)
    assert worded(error).endswith("those before on '1-4'; pass --scale to name one of them")
    assert CliRunner().invoke(judgement, [*arguments, "--scale", "1-4"], catch_exceptions=False).exit_code == 0
    assert (files / "out" / "sets.csv").read_text().splitlines()[1].startswith("people.jsonl,2,4,4,")
    done = CliRunner().invoke(judgement, [str(files), "--scale", "1-4", "--out", str(files / "out")])
    assert done.exit_code == 2


def test_judged_ids_that_nobody_has_are_refused_and_those_of_other_images_are_read(files: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    with (files / "refs.jsonl").open("a") as handle:
        handle.write('{"limner":1,"id":"c","captions":[{"id":"c#0","text":"A dog runs on grass ."}]}\n')
    lines = [
        {"image": image, "caption": caption, "scale": "1-4", "value": value}
        for image, caption, value in (("a", "c#0", 4), ("a", "Cars .", 1), ("b", "c#0", 1), ("b", "Two men cook .", 4))
    ]
    (files / "people.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = [str(files / "people.jsonl"), "--refs", str(files / "refs.jsonl"), "--out", str(files / "out")]
    arguments += ["--metrics", "rouge_l", "--samples", "0"]
    done = CliRunner().invoke(judgement, arguments, catch_exceptions=False)
    # As its text, the id would have no word of any reference.
    assert done.stdout.splitlines()[1].split()[3] == "100.0"
    with (files / "people.jsonl").open("a") as handle:
        handle.write('{"image":"a","caption":"d#0","scale":"1-4","value":1}\n')
    error = CliRunner().invoke(judgement, arguments).exception
    assert isinstance(error, BadInput)
    assert "1 ('d#0') judged captions look like ids" in worded(error)
