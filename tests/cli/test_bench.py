"""`limner bench` as people meet it."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from command_line import Done, limner
from limner.bench import image_selection as selection
from limner.cli import bench_build, bench_domains

LABELS = ["Dog", "Owl", "Plate", "Car", "Taxi", "Harp", "Man", "Tire", "Vehicle", "Boot"]

HIERARCHY = {
    "LabelName": "/m/0",
    "Subcategory": [
        {
            "LabelName": "/m/1",
            "Subcategory": [{"LabelName": "/m/2", "Subcategory": [{"LabelName": "/m/3"}]}],
            "Part": [{"LabelName": "/m/4"}],
        },
        *({"LabelName": f"/m/{i}"} for i in range(5, 11)),
    ],
}
NAMES = dict(
    zip(
        [f"/m/{i}" for i in range(11)],
        ["Entity", "Vehicle", "Car", "Taxi", "Tire", "Dog", "Owl", "Plate", "Harp", "Man", "Boot"],
        strict=True,
    )
)


def record(id: str, labels: list[str], **more: Any) -> str:
    boxes = [{"id": str(i), "x0": 0, "y0": 0, "x1": 5, "y1": 5, "label": name} for i, name in enumerate(labels)]
    return json.dumps({"limner": 1, "id": id, "boxes": boxes, **more}) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = Random(0)
    rows = []
    for i in range(80):
        attributes = {"rotation": 90 if i % 20 == 7 else 0} if i % 20 != 3 else {}
        rows.append(record(f"{i:03}", rng.sample(LABELS, rng.randint(1, 8)), attributes=attributes))
    (tmp_path / "corpus.jsonl").write_text("".join(rows))
    captions = [{"id": str(i), "text": text} for i, text in enumerate(["A dog on a plate.", "Plates", "An owl"])]
    (tmp_path / "captions.jsonl").write_text(record("c", ["dog"], captions=captions))
    (tmp_path / "hierarchy.json").write_text(json.dumps(HIERARCHY))
    (tmp_path / "names.csv").write_text("".join(f"{id},{name}\n" for id, name in NAMES.items()))
    (tmp_path / "empty.jsonl").write_text("")
    return tmp_path


def bench(folder: Path, *arguments: object, given: str = "") -> Done:
    return limner("bench", *arguments, given=given, cwd=folder)


def images(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


TREE = ["--hierarchy", "hierarchy.json", "--names", "names.csv"]


def test_a_benchmark_is_built_and_told(folder: Path) -> None:
    done = bench(folder, "build", "corpus.jsonl", "--size", 20, *TREE, "-o", "out.jsonl")
    assert (done.returncode, done.stderr) == (0, "limner: 20 images written to out.jsonl\n")
    chosen = images(folder / "out.jsonl")
    assert [one["id"] for one in chosen] == sorted({one["id"] for one in chosen})
    for one in chosen:
        counted = {box["label"] for box in one["boxes"]} - {"Vehicle", "Tire"}
        assert one["attributes"]["n_classes"] == len(counted) > 1
        assert one["attributes"]["rotation"] == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    assert rows["chosen"][:2] == ["20", "8"]
    assert float(rows["chosen"][2]) > float(rows["random"][2])
    assert rows["dropped:"][:5] == ["4", "rotated,", "4", "rotation", "not"]


def test_the_same_seed_gives_the_same_file_whatever_the_order_of_the_corpus(folder: Path) -> None:
    lines = (folder / "corpus.jsonl").read_text().splitlines(keepends=True)
    (folder / "turned.jsonl").write_text("".join(lines[::-1]))
    ids = []
    for name, seed in (("corpus", 1), ("corpus", 1), ("turned", 1), ("corpus", 2)):
        asked = ["--size", 15, "--seed", seed, "--sample", 3, "-o", "out.jsonl"]
        assert bench(folder, "build", f"{name}.jsonl", *asked).returncode == 0
        ids.append(sorted(one["id"] for one in images(folder / "out.jsonl")))
    assert ids[0] == ids[1] == ids[2] != ids[3]


def test_a_pipe_on_both_sides(folder: Path) -> None:
    asked = ["build", "-", "--size", "9", "-o"]
    usual = bench(folder, "build", "corpus.jsonl", "--size", 9, "-o", "out.jsonl")
    piped = bench(folder, *asked, "-", given=(folder / "corpus.jsonl").read_text())
    assert piped.stdout == (folder / "out.jsonl").read_text()
    assert usual.stdout in piped.stderr


def test_json_has_all_that_is_told(folder: Path) -> None:
    done = bench(folder, "build", "corpus.jsonl", "--size", 20, "--json", "-o", "out.jsonl")
    told = json.loads(done.stdout)
    assert told["chosen"]["images"] == told["random"]["images"] == 20
    assert sum(pool["taken"] for pool in told["pools"].values()) == 20
    assert told["dropped"]["rotated"] == 4
    assert set(told["images_by_class"]) <= set(LABELS)
    assert "note: every class counts" in done.stderr


def test_figures_are_drawn_beside_other_corpora(folder: Path) -> None:
    asked = ["--size", 20, "-o", "out.jsonl", "--plots", "figures", "--against", "captions.jsonl"]
    done = bench(folder, "build", "corpus.jsonl", *asked)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (folder / "figures").iterdir()}
    assert names == {"composition.svg", "composition.png", "classes.svg", "classes.png"}


def test_domains_are_told(folder: Path) -> None:
    asked = ["--captions", "captions.jsonl", "--mentions", 1, *TREE, "--classes", "classes.csv", "-o", "out.jsonl"]
    done = bench(folder, "domains", "corpus.jsonl", *asked, "--plots", "figures")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((folder / "classes.csv").read_text().splitlines()))
    assert {row["class"]: (row["mentions"], row["domain"]) for row in rows} == {
        "Plate": ("2", "in-domain"),
        "Dog": ("1", "in-domain"),
        "Owl": ("1", "out-domain"),
        "Vehicle": ("0", "ignored"),
        "Tire": ("0", "ignored"),
        **dict.fromkeys(["Boot", "Car", "Harp", "Man", "Taxi"], ("0", "out-domain")),
    }
    for one in images(folder / "out.jsonl"):
        counted = {box["label"] for box in one["boxes"]} - {"Vehicle", "Tire"}
        inside = counted & {"Dog", "Plate"}
        domain = "near-domain" if inside and counted > inside else "in-domain" if inside else "out-domain"
        assert one.get("attributes", {}).get("domain") == (domain if counted else None)
    assert {path.stem for path in (folder / "figures").iterdir()} == {"class-mentions", "mention-histogram"}
    assert done.stdout.splitlines()[1].split()[:2] == ["in-domain", "2"]


def test_domains_as_json_and_from_pipes(folder: Path) -> None:
    asked = ["--captions", "captions.jsonl", "--own", "coco", "-o"]
    usual = bench(folder, "domains", "corpus.jsonl", *asked, "out.jsonl", "--json")
    told = json.loads(usual.stdout)
    assert sum(told["images"].values()) == 80
    assert len(told["by_class"]) == 10
    assert "note: 78 of CAPTIONED's classes are not in the corpus: person, bicycle" in usual.stderr
    piped = bench(folder, "domains", "-", *asked, "-", given=(folder / "corpus.jsonl").read_text())
    assert piped.stdout == (folder / "out.jsonl").read_text()
    said = bench(folder, "domains", "corpus.jsonl", *["--captions", "-", "-o", "again.jsonl"], given="")
    assert (said.returncode, "standard input: there is nothing in it" in said.stderr) == (1, True)


BUILD = ["build", "corpus.jsonl", "--size", "5", "-o", "out.jsonl"]
DOMAINS = ["domains", "corpus.jsonl", "--captions", "captions.jsonl", "-o", "out.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["build", "corpus.jsonl", "--size", "900", "-o", "out.jsonl"], 1, "900 images are asked for and only"),
        (
            ["build", "captions.jsonl", "--size", "1", "-o", "out.jsonl"],
            1,
            "attribute rotation; pass --rotation any if",
        ),
        (["build", "empty.jsonl", "--size", "1", "-o", "out.jsonl"], 1, "empty.jsonl: the file is empty"),
        (["build", "nowhere.jsonl", "--size", "1", "-o", "out.jsonl"], 1, "nowhere.jsonl: there is no such file"),
        ([*BUILD, "--seed", "-1"], 2, "-1 is not in the range"),
        (["build", "corpus.jsonl", "--size", "0", "-o", "out.jsonl"], 2, "0 is not in the range"),
        (
            ["build", "corpus.jsonl", "--size", "5", "-o", "out.josnl"],
            1,
            "out.josnl: the name does not tell the format",
        ),
        (["build", "corpus.jsonl", "--size", "5", "-o", "no/out.jsonl"], 1, "no/out.jsonl: cannot write"),
        (["build", "corpus.jsonl", "--size", "5", "-o", "corpus.jsonl"], 2, "corpus.jsonl is read as well"),
        (["build", "-", "--against", "-", "--size", "5", "-o", "out.jsonl"], 2, "can be read only once"),
        (["build", "corpus.jsonl", "--size", "5", "-o", "-", "--json"], 2, "standard output cannot have both"),
        (["biuld"], 2, "unknown command 'biuld'; did you mean 'build'"),
        ([*BUILD, "--siez", "4"], 2, "No such option '--siez'"),
        ([*BUILD, "--hierarchy", "empty.jsonl"], 1, "empty.jsonl"),
        ([*BUILD, "--hierarchy", "corpus.jsonl"], 1, "corpus.jsonl"),
        ([*BUILD, "--hierarchy", "names.csv"], 1, "names.csv"),
        ([*BUILD, "--hierarchy", "circle.json"], 1, "circle.json: class '/m/1' is above itself"),
        (
            [*BUILD, "--hierarchy", "hierarchy.json"],
            1,
            "is in the hierarchy; pass the file of class names with --names",
        ),
        ([*BUILD, "--names", "names.csv"], 2, "--names is about a hierarchy; pass --hierarchy too"),
        ([*BUILD, "--keep", "Vehicle"], 2, "--keep is about a hierarchy; pass --hierarchy too"),
        ([*BUILD, *TREE, "--keep", "Vehicel"], 1, "unknown class 'Vehicel'; did you mean 'Vehicle'?"),
        ([*BUILD, "--ignore", "Dgo"], 1, "unknown class 'Dgo'; did you mean 'Dog'?"),
        ([*BUILD, "--against", "captions.jsonl"], 2, "--against is drawn; pass --plots DIR too"),
        ([*BUILD, "--plots", "names.csv"], 1, "names.csv: is a file; name a folder for the figures"),
        ([*DOMAINS, "--own", "nowhere.txt"], 1, "nowhere.txt: cannot read"),
        ([*DOMAINS, "--own", "empty.jsonl"], 1, "empty.jsonl: it names no class"),
        ([*DOMAINS, "--mentions", "-1"], 2, "-1 is not in the range"),
        ([*DOMAINS, "--classes", "corpus.jsonl"], 2, "--classes: corpus.jsonl is read as well"),
        ([*DOMAINS, "--hierarchy", "hierarchy.json"], 1, "pass the file of class names with --names"),
        (["domains", "corpus.jsonl", "-o", "out.jsonl"], 2, "Missing option '--captions'"),
        (
            ["domains", "corpus.jsonl", "--captions", "empty.jsonl", "-o", "out.jsonl"],
            1,
            "empty.jsonl: the file is empty",
        ),
    ],
)
def test_what_is_wrong_is_told_in_a_line_and_nothing_is_left(
    folder: Path, arguments: list[str], code: int, message: str
) -> None:
    circle = {"LabelName": "/m/1", "Subcategory": [{"LabelName": "/m/2", "Subcategory": [{"LabelName": "/m/1"}]}]}
    (folder / "circle.json").write_text(json.dumps(circle))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = bench(folder, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1 or code == 2
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_more_images_of_many_classes_than_asked_for_are_told(folder: Path) -> None:
    done = bench(folder, "build", "corpus.jsonl", "--size", 2, "-o", "out.jsonl")
    assert "note: more images than asked for have over 6 classes" in done.stderr
    assert {one["attributes"]["pool"] for one in images(folder / "out.jsonl")} == {"7+"}


def test_a_faulty_image_stops_the_run_unless_it_may_be_left_out(folder: Path) -> None:
    with (folder / "corpus.jsonl").open("a") as handle:
        handle.write('{"limner":1,"id":"x","boxes":[{"id":"0","x0":9,"y0":0,"x1":1,"y1":1}]}\n')
    strict = bench(folder, *BUILD)
    assert (strict.returncode, (folder / "out.jsonl").exists()) == (1, False)
    assert "corpus.jsonl:81" in strict.stderr
    lenient = bench(folder, *BUILD, "--lenient")
    assert lenient.returncode == 0
    assert "left out: 1 × faulty box" in lenient.stderr


def test_nothing_to_mention_is_told(folder: Path) -> None:
    asked = ["domains", "corpus.jsonl", "--captions", "corpus.jsonl", "-o", "out.jsonl"]
    assert "note: CAPTIONED has no captions" in bench(folder, *asked).stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    "asked",
    [["build", "jsonl:-", "--size", "5"], ["domains", "corpus.jsonl", "--captions", "jsonl:-"]],
    ids=["while it keeps what comes from a pipe", "while it writes"],
)
def test_a_run_that_is_stopped_leaves_nothing(folder: Path, asked: list[str], number: int, code: int) -> None:
    """It waits for the rest of standard input when the signal comes."""
    before = sorted(folder.iterdir())
    running = subprocess.Popen(
        [sys.executable, "-m", "limner", "bench", *asked, "-o", "out.jsonl"],
        cwd=folder,
        env={"TMPDIR": str(folder), "PATH": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdin
    # More than a pipe holds: that all of it was taken tells that the run is reading.
    running.stdin.write((folder / "corpus.jsonl").read_bytes() + b"\n" * (1 << 18))
    running.stdin.flush()
    time.sleep(0.2)
    assert sorted(folder.iterdir()) != before
    running.send_signal(number)
    running.communicate(timeout=60)
    assert running.returncode == code
    assert sorted(folder.iterdir()) == before


def test_a_named_pipe_is_read_once_and_kept(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["/bin/sh", "-c", "cat corpus.jsonl > pipe"], cwd=folder):
        done = bench(folder, "build", "jsonl:pipe", "--size", 5, "-o", "piped.jsonl")
    assert done.returncode == 0, done.stderr
    assert bench(folder, "build", "corpus.jsonl", "--size", 5, "-o", "out.jsonl").returncode == 0
    assert (folder / "piped.jsonl").read_bytes() == (folder / "out.jsonl").read_bytes()


def test_what_is_told_to_be_drawn_is_drawn() -> None:
    assert bench_build.SAMPLE == selection.SAMPLE


@pytest.mark.parametrize("name", ["build", "domains"])
def test_help_fits_and_tells_every_option(name: str, folder: Path) -> None:
    said = bench(folder, name, "--help").stdout
    assert "Which classes count" in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize(("name", "module"), [("build", bench_build), ("domains", bench_domains)])
def test_options_stand_in_the_section_of_the_help_that_names_them(name: str, module: Any, folder: Path) -> None:
    said = bench(folder, name, "--help").stdout
    for title, options in module.SECTIONS.items():
        section = said.split(f"\n{title}:\n")[1].split("\n\n")[0]
        assert [option for option in options if f"--{option} " not in section] == []
