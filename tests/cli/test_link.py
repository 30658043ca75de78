"""`limner link` in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import Done, limner

LIMNER = [sys.executable, "-m", "limner"]
BOXES = (
    '"width":9,"height":9,"boxes":[{"id":"0","x0":0,"y0":0,"x1":5,"y1":5,"label":"dog"},'
    '{"id":"1","x0":0,"y0":0,"x1":9,"y1":9,"label":"person"}]'
)
LINE = f'{{"limner":1,"id":"a",{BOXES},"captions":[{{"id":"0","text":"A man walks two dogs ."}}]}}\n'


def link(*arguments: object, given: str = "") -> Done:
    return limner("link", *arguments, given=given)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text(LINE)
    return path


def test_captions_are_tied_to_boxes(corpus: Path) -> None:
    done = link(corpus, "-")
    assert done.returncode == 0
    image = json.loads(done.stdout)
    assert image["provenance"] == {"mentions": "linked"}
    assert [(m["start"], m["end"], m["boxes"]) for m in image["captions"][0]["mentions"]] == [
        (0, 5, ["1"]),
        (12, 20, ["0"]),
    ]
    assert done.stderr == "limner: 1 image written to -\nlimner: 2 mentions; 1 of 1 captions have one\n"


def test_a_linker_and_its_seed_are_chosen_and_told(tmp_path: Path) -> None:
    corpus = tmp_path / "dogs.jsonl"
    corpus.write_text(LINE.replace('"person"', '"dog"').replace("A man walks two dogs", "A dog"))

    def linked(*options: str) -> tuple[dict[str, str], list[str]]:
        image = json.loads(link(corpus, "-", *options).stdout)
        return image["provenance"], image["captions"][0]["mentions"][0]["boxes"]

    assert linked() == linked("--linker", "largest") == ({"mentions": "linked"}, ["1"])
    assert linked("--linker", "all") == ({"mentions": "linked, all"}, ["0", "1"])
    chosen = [linked("--linker", "random", "--seed", str(seed)) for seed in range(8)]
    assert [facts["mentions"] for facts, _ in chosen] == [f"linked, random, seed {seed}" for seed in range(8)]
    assert {box for _, (box,) in chosen} == {"0", "1"}


def test_boxes_and_captions_may_come_from_two_files(tmp_path: Path) -> None:
    (tmp_path / "boxes.jsonl").write_text(f'{{"limner":1,"id":"a",{BOXES}}}\n')
    (tmp_path / "texts.jsonl").write_text('{"limner":1,"id":"a","captions":[{"id":"0","text":"A dog ."}]}\n')
    assert "1 of 1 captions" in link(tmp_path / "boxes.jsonl", tmp_path / "texts.jsonl", "-").stderr
    alone = link(tmp_path / "texts.jsonl", "-")
    assert alone.returncode == 0
    assert "warning: no image has both boxes and captions; name the files of both" in alone.stderr


def test_a_corpus_with_mentions_is_refused_unless_forced(corpus: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked.jsonl"
    assert link(corpus, linked).returncode == 0
    again = link(linked, tmp_path / "again.jsonl")
    assert again.returncode == 1
    assert again.stderr == f"limner: {linked}: image 'a' has mentions already; pass --force to replace them\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl", "linked.jsonl"]
    assert link(linked, tmp_path / "again.jsonl", "--force").returncode == 0
    assert (tmp_path / "again.jsonl").read_bytes() == linked.read_bytes()


def test_other_words_are_read_from_a_file(corpus: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("person, pedestrian\n")
    found = json.loads(link(corpus, "-", "--synonyms", words).stdout)["captions"][0]["mentions"]
    assert [(m["start"], m["end"]) for m in found] == [(12, 20)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("empty.jsonl", "out.jsonl"), "empty.jsonl: the file is empty"),
        (("none.jsonl", "out.jsonl"), "none.jsonl: there is no such file or folder"),
        (("corpus.jsonl", "out.jsonl", "--synonyms", "empty.jsonl"), "empty.jsonl: it names no class"),
        (("corpus.jsonl", "out.jsonl", "--synonyms", "none.txt"), "none.txt: cannot read"),
        (("bad.jsonl", "out.jsonl"), "bad.jsonl:2:"),
    ],
)
def test_a_fault_is_one_line_and_leaves_nothing(
    corpus: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "bad.jsonl").write_text(LINE + "{")
    before = sorted(tmp_path.iterdir())
    done = link(*(argument if argument.startswith("-") else tmp_path / argument for argument in arguments))
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_lenient_leaves_out_what_is_faulty(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(LINE + "{\n")
    done = link(tmp_path / "bad.jsonl", "-", "--lenient")
    assert done.returncode == 0
    assert "left out: 1 ×" in done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [*LIMNER, "link", "-", str(tmp_path / "out.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(LINE)
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(timeout=30) == 130
    assert "stopped; nothing was written" in said
    assert list(tmp_path.iterdir()) == []
