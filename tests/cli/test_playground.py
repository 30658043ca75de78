"""`limner playground` as people meet it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image as Pictures

from command_line import Done, limner

LIMNER = [sys.executable, "-m", "limner"]


def playground(*arguments: object, cwd: Path | None = None) -> Done:
    return limner("playground", *arguments, cwd=cwd)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_a_world_is_written(tmp_path: Path) -> None:
    done = playground(12, "world.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "limner: 12 images written to world.jsonl\n")
    assert len(lines(tmp_path / "world.jsonl")) == 12
    assert [path.name for path in tmp_path.iterdir()] == ["world.jsonl"]


def test_fewer_images_are_the_first_of_more(tmp_path: Path) -> None:
    playground(5, tmp_path / "few.jsonl")
    playground(9, tmp_path / "many.jsonl")
    assert lines(tmp_path / "few.jsonl") == lines(tmp_path / "many.jsonl")[:5]


def test_a_world_goes_down_a_pipe() -> None:
    done = playground(3, "-", "--seed", 7)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["p7-000000", "p7-000001", "p7-000002"]


def test_pictures_lie_beside_the_corpus(tmp_path: Path) -> None:
    done = playground(3, "world.jsonl.gz", "--pictures", "--size", "320x200", cwd=tmp_path)
    assert done.stderr.endswith("limner: their pictures are in world_pictures\n")
    names = sorted(path.name for path in (tmp_path / "world_pictures").iterdir())
    assert names == ["p0-000000.png", "p0-000001.png", "p0-000002.png"]
    with Pictures.open(tmp_path / "world_pictures" / names[0]) as picture:
        assert picture.size == (320, 200)


def test_an_images_file_is_its_pictures_path_from_the_corpus(tmp_path: Path) -> None:
    playground(2, tmp_path / "world.jsonl", "--pictures", "--size", "200x150")
    for line in lines(tmp_path / "world.jsonl"):
        assert (tmp_path / json.loads(line)["file"]).is_file()


def test_pictures_change_nothing_else(tmp_path: Path) -> None:
    playground(3, tmp_path / "drawn.jsonl", "--pictures", "--size", "200x150")
    playground(3, tmp_path / "plain.jsonl", "--size", "200x150")
    drawn, plain = ([json.loads(line) for line in lines(tmp_path / f"{n}.jsonl")] for n in ("drawn", "plain"))
    assert [{**record, "file": None} for record in drawn] == [{**record, "file": None} for record in plain]


def test_a_sheet_is_drawn(tmp_path: Path) -> None:
    done = playground(2, "world.jsonl", "--sheet", "sheet.png", "--boxes", cwd=tmp_path)
    assert done.returncode == 0
    with Pictures.open(tmp_path / "sheet.png") as sheet:
        assert sheet.width > 600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sheet.png", "world.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((0, "w.jsonl"), "not in the range"),
        ((-3, "w.jsonl"), "No such option"),
        (("some", "w.jsonl"), "not a valid integer"),
        ((3,), "Missing argument 'OUT'"),
        ((3, "w.jsonl", "--captions", "many"), "neither a number nor a range like 5-11"),
        ((3, "w.jsonl", "--captions", "0"), "captions"),
        ((3, "w.jsonl", "--captions", "9-5"), "captions"),
        ((3, "w.jsonl", "--size", "big"), "is not a size like 640x480"),
        ((3, "w.jsonl", "--size", "3x3"), "size"),
        ((3, "w.jsonl", "--seed", "-1"), "not in the range"),
        ((3, "w.jsonl", "--novel", "zebar"), "unknown class 'zebar'; did you mean 'zebra'?"),
        ((3, "w.jsonl", "--novel", "9999"), "cannot hold out 9999 classes"),
        ((3, "w.jsonl", "--novel", "zebra", "--domains", "in"), "unknown domain 'in'"),
        ((3, "w.jsonl", "--domains", "in-domain"), "name some"),
        ((3, "w.jsonl", "--boxes"), "--boxes is for a sheet"),
        ((3, "-", "--pictures"), "name a file instead of -"),
    ],
)
def test_wrong_usage_is_told_and_writes_nothing(tmp_path: Path, arguments: tuple[object, ...], problem: str) -> None:
    done = playground(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert problem in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_pictures_is_replaced_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "w_pictures").mkdir()
    (tmp_path / "w_pictures" / "mine.png").write_text("dear to me")
    done = playground(2, "w.jsonl", "--pictures", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "limner: w_pictures: the folder is not empty; name another, or pass --force\n"
    assert [path.name for path in tmp_path.iterdir()] == ["w_pictures"]
    assert playground(2, "w.jsonl", "--pictures", "--force", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "w_pictures" / "mine.png").exists()


def test_a_place_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    done = playground(2, "nowhere/w.jsonl", "--pictures", cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    done = playground(2, "w.jsonl", "--sheet", "nowhere/sheet.png", cwd=tmp_path)
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    command = [*LIMNER, "playground", "100000", "w.jsonl", "--pictures", "--sheet", "s.png"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    for _ in range(400):
        if any(tmp_path.glob(".w_pictures*/*.png")):
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert (running.returncode, said.strip()) == (130, "limner: stopped; nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_novel_classes_can_be_picked_by_number(tmp_path: Path) -> None:
    done = playground(20, tmp_path / "w.jsonl", "--novel", 5, "--domains", "near-domain,out-domain")
    names = done.stderr.splitlines()[0].removeprefix("limner: novel classes: ").split(", ")
    assert len(names) == 5
    records = [json.loads(line) for line in lines(tmp_path / "w.jsonl")]
    assert {record["attributes"]["domain"] for record in records} <= {"near-domain", "out-domain"}
    assert all({box["label"] for box in record["boxes"]} & set(names) for record in records)


def test_other_formats_are_written_by_name(tmp_path: Path) -> None:
    done = playground(3, f"coco:{tmp_path / 'world'}")
    assert done.returncode == 0
    assert (tmp_path / "world").exists()
