"""`limner constraints` in a process of its own."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Done, limner

LIMNER = [sys.executable, "-m", "limner", "constraints"]
TREE = {
    "LabelName": "/m/0",
    "Subcategory": [{"LabelName": "/m/1", "Subcategory": [{"LabelName": "/m/2"}], "Part": [{"LabelName": "/m/3"}]}],
}
NAMES = "/m/1,Animal\n/m/2,Dog\n/m/3,Tail\n"


def line(id: str, *boxes: tuple[str, int, float]) -> str:
    drawn = [
        {"id": str(i), "x0": 0, "y0": 0, "x1": side, "y1": side, "label": label, "score": score}
        for i, (label, side, score) in enumerate(boxes)
    ]
    return json.dumps({"limner": 1, "id": id, "boxes": drawn}) + "\n"


PARK = line("park", ("animal", 100, 0.9), ("dog", 98, 0.8), ("cup", 10, 0.7), ("person", 50, 0.6))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "park.jsonl").write_text(PARK)
    (tmp_path / "tree.json").write_text(json.dumps(TREE))
    (tmp_path / "names.csv").write_text(NAMES)
    return tmp_path


def constraints(*arguments: object, given: str = "") -> Done:
    return limner("constraints", *arguments, given=given)


HIERARCHY = ("--hierarchy", "tree.json", "--names", "names.csv")


def chosen(*arguments: object, given: str = "") -> list[str]:
    done = constraints(*arguments, "--json", given=given)
    assert done.returncode == 0, done.stderr
    return [constraint["label"] for one in done.stdout.splitlines() for constraint in json.loads(one)["constraints"]]


def test_choices_are_printed_with_their_reasons() -> None:
    done = constraints("park.jsonl", *HIERARCHY)
    assert done.returncode == 0
    assert done.stdout == (
        "park: dog, cup\n"
        "  + dog     dog / dogs\n"
        "            1 of 2 by confidence: 0.80; box 1\n"
        "  + cup     cup / cups\n"
        "            2 of 2 by confidence: 0.70; box 2\n"
        "  - animal  more general than box 1 (dog), IoU 0.96; box 0\n"
        "  - person  class 'Person' is excluded; box 3\n"
    )
    assert done.stderr == (
        "limner: 2 constraints for 1 of 1 image\nlimner: 2 of 4 boxes have a label outside the hierarchy: cup, person\n"
    )


def test_json_is_one_object_a_line() -> None:
    done = constraints("-", "--json", *HIERARCHY, given=PARK + line("bare"))
    first, second = map(json.loads, done.stdout.splitlines())
    assert list(first) == ["image", "by", "constraints", "dropped"]
    assert first["constraints"][0] == {
        "label": "dog",
        "phrases": ["dog", "dogs"],
        "boxes": ["1"],
        "score": 0.8,
        "area": 9604,
        "why": "1 of 2 by confidence: 0.80",
    }
    assert first["dropped"][0] == {
        "box": "0",
        "label": "animal",
        "rule": "more general",
        "by": "1",
        "why": "more general than box 1 (dog), IoU 0.96",
    }
    assert second == {"image": "bare", "by": "area", "constraints": [], "dropped": []}


def test_every_option_changes_what_is_chosen(files: Path) -> None:
    assert chosen("park.jsonl") == ["animal", "dog", "cup"]
    assert chosen("park.jsonl", "--exclude", "none") == ["animal", "dog", "cup"]
    assert chosen("park.jsonl", "--exclude", "none", "--top", "9") == ["animal", "dog", "cup", "person"]
    assert chosen("park.jsonl", "--top", "1") == ["animal"]
    assert chosen("park.jsonl", "--by", "area", "--exclude", "none") == ["animal", "dog", "person"]
    assert chosen("park.jsonl", *HIERARCHY) == ["dog", "cup"]
    assert chosen("park.jsonl", *HIERARCHY, "--iou", "0.97") == ["animal", "dog", "cup"]
    (files / "classes.txt").write_text("# mine\n\nDogs\n Cup \n")
    assert chosen("park.jsonl", "--exclude", "classes.txt") == ["animal", "person"]
    (files / "more.jsonl").write_text(line("lake", ("swan", 5, 1.0)))
    assert chosen("park.jsonl", "more.jsonl") == ["animal", "dog", "cup", "swan"]


def test_what_ranked_gold_boxes_is_said() -> None:
    done = constraints("-", given=line("a", ("dog", 5, 1.0), ("cat", 9, 1.0)))
    assert done.stdout.splitlines()[0] == "a: cat, dog"
    assert done.stderr == (
        "limner: 2 constraints for 1 of 1 image\n"
        "limner: ranked by area where every box is gold (1 image), by confidence elsewhere\n"
        "limner: no --hierarchy: no box was dropped for being more general than another\n"
    )


def test_a_hierarchy_of_ids_beside_named_boxes_is_warned_of() -> None:
    done = constraints("park.jsonl", "--hierarchy", "tree.json")
    assert done.returncode == 0
    assert "warning: 4 of 4 boxes have a label outside the hierarchy: animal, dog, cup, person; pass --names?" in (
        done.stderr
    )


def test_an_excluded_class_that_no_box_has_is_told(files: Path) -> None:
    (files / "classes.txt").write_text("dog\npersn\n")
    assert "limner: excluded, but on no box: persn\n" in constraints("park.jsonl", "--exclude", "classes.txt").stderr


def test_the_choices_go_to_a_file(files: Path) -> None:
    done = constraints("park.jsonl", "--json", "-o", "out.jsonl.gz")
    assert done.returncode == 0
    assert done.stdout == ""
    assert json.loads(gzip.decompress((files / "out.jsonl.gz").read_bytes()))["image"] == "park"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.jsonl",), "limner: none.jsonl: there is no such file or folder"),
        (("empty",), "limner: empty: the file is empty"),
        (("bad.jsonl",), "limner: bad.jsonl:2:"),
        (("park.jsonl", "--hierarchy", "nowhere.json"), "limner: nowhere.json: cannot read"),
        (("park.jsonl", "--hierarchy", "empty"), "limner: empty: the file is empty"),
        (("park.jsonl", "--hierarchy", "park.jsonl"), "limner: park.jsonl: there is no Subcategory"),
        (("park.jsonl", "--hierarchy", "names.csv"), "limner: names.csv: character 0: JSON cannot start with '/'"),
        (
            ("park.jsonl", "--hierarchy", "circle.json"),
            "limner: circle.json: class 'a' is above itself: 'a' > 'b' > 'a'; let no class be its own subcategory",
        ),
        (("park.jsonl", "--hierarchy", "deep.json"), "limner: deep.json: character"),
        (
            ("park.jsonl", "--hierarchy", "tree.json", "--names", "tree.json"),
            "limner: tree.json: it names no class of tree.json",
        ),
        (
            ("park.jsonl", "--hierarchy", "tree.json", "--names", "empty"),
            "limner: empty: it names no class of tree.json",
        ),
        (
            ("park.jsonl", "--hierarchy", "tree.json", "--names", "odd.csv"),
            "limner: odd.csv:2: expected an id and a name",
        ),
        (
            ("park.jsonl", *HIERARCHY, "--strict"),
            "limner: image 'park', box '2': unknown class 'cup'; "
            "choose from: /m/0, Animal, Dog, Tail, animal, dog, tail",
        ),
        (
            ("park.jsonl", *HIERARCHY, "--strict", "--exclude", "typo.txt"),
            "limner: typo.txt:2: unknown class 'Anmal'; did you mean 'Animal'?",
        ),
        (
            ("park.jsonl", "--exclude", "empty"),
            "limner: empty: it names no class; list one a line, or pass --exclude none",
        ),
        (("park.jsonl", "--exclude", "nowhere.txt"), "limner: nowhere.txt: cannot read"),
        (("park.jsonl", "-o", "no/such/folder"), "limner: no/such/folder: cannot write"),
    ],
)
def test_a_fault_is_one_line_and_leaves_nothing(files: Path, arguments: tuple[str, ...], said: str) -> None:
    (files / "empty").write_text("")
    (files / "bad.jsonl").write_text(PARK + "{")
    b = {"LabelName": "b", "Subcategory": [{"LabelName": "a", "Subcategory": [{"LabelName": "b"}]}]}
    (files / "circle.json").write_text(json.dumps({"LabelName": "r", "Subcategory": [b]}))
    deep = '[{"LabelName": "a", "Subcategory": ' * 10_000 + "[]" + "}]" * 10_000
    (files / "deep.json").write_text('{"LabelName": "r", "Subcategory": ' + deep + "}")
    (files / "odd.csv").write_text("/m/1,Animal\n/m/2\n")
    (files / "typo.txt").write_text("Dog\nAnmal\n")
    before = sorted(files.iterdir())
    out = () if "-o" in arguments else ("-o", "out.jsonl")
    done = constraints(*arguments, *out)
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing argument"),
        (("park.jsonl", "--top", "0"), "--top"),
        (("park.jsonl", "--iou", "0"), "--iou"),
        (("park.jsonl", "--iou", "nan"), "--iou"),
        (("park.jsonl", "--by", "size"), "--by"),
        (("park.jsonl", "--names", "names.csv"), "--names is about the classes of --hierarchy; pass that too"),
        (("park.jsonl", "--strict"), "--strict is about the classes of --hierarchy; pass that too"),
        (("-", "--hierarchy", "-"), "standard input (-) can be read only once"),
        (("park.jsonl", "-o", "park.jsonl"), "is read as well"),
    ],
)
def test_wrong_usage_is_answered_with_two(arguments: tuple[str, ...], said: str) -> None:
    done = constraints(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_the_lenient_leave_out_what_is_faulty(files: Path) -> None:
    (files / "names.csv").write_text(NAMES + "/m/9\n")
    done = constraints("-", "--json", "--lenient", *HIERARCHY, given=PARK + "{\n" + line("b", ("dog", 5, 1.0)))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
    assert "left out: 1 × faulty class" in done.stderr
    assert done.stderr.count("left out: 1 ×") == 2


def test_a_reader_that_has_seen_enough_is_no_fault(files: Path) -> None:
    (files / "many.jsonl").write_text("".join(line(str(i), ("dog", 5, 1.0)) for i in range(5_000)))
    command = f"{' '.join(LIMNER)} many.jsonl | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0: dog\n", "")


def test_a_corpus_without_boxes_is_refused_and_nothing_is_printed() -> None:
    done = constraints("-", "--json", given=line("bare") + line("empty"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("limner: -: there are 2 images and none of them has a box; detect things")
