"""The command line as people meet it: in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import limner
from limner.cli import COMMANDS, main
from limner.errors import MissingLibrary

LIMNER = [sys.executable, "-m", "limner"]
LINES = '{"limner":2,"id":"a"}\n{"limner":2,"id":"b","captions":[{"id":"0","text":"A dog ."}]}\n'


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text(LINES)
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    done = limner(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")


def test_a_command_with_a_typo_is_answered_with_the_nearest() -> None:
    done = limner("convrt")
    assert done.returncode == 2
    assert "did you mean 'convert'?" in done.stderr


def test_an_unknown_format_is_wrong_usage() -> None:
    done = limner("convert", "x", "y", "--from", "jsnl")
    assert done.returncode == 2
    assert "did you mean 'jsonl'?" in done.stderr


def test_corpora_go_through_pipes(corpus: Path) -> None:
    done = limner("convert", "-", "-", given=LINES)
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "b"]
    assert done.stderr == "limner: 2 images written to -\n"


def test_only_the_listed_images_are_kept(corpus: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("b\n\n")
    assert '"id":"a"' not in limner("convert", corpus, "-", "--ids", ids).stdout
    ids.write_text("\n")
    done = limner("convert", corpus, tmp_path / "out.jsonl", "--ids", ids)
    assert done.returncode == 1
    assert "ids.txt: there is no id in it; list the ids" in done.stderr
    ids.write_text("b\nz\n")
    done = limner("convert", corpus, tmp_path / "out.jsonl", "--ids", ids)
    assert done.returncode == 1
    assert "there is no image z" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_sources_of_one_format_join_by_image_id(corpus: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    results.write_text('{"limner":2,"id":"b","captions":[{"id":"0","text":"A cat .","source":"system:x"}]}\n')
    done = limner("convert", corpus, results, "-")
    assert [c["text"] for c in json.loads(done.stdout.splitlines()[1])["captions"]] == ["A dog .", "A cat ."]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\x02", "unrecognised format"),
        (b'{"limner":2,"id":"a"}\n{"limner":2,"id":"a"}\n', "image 'a' appears twice"),
        (b'{"limner":2,"id":"a"}\n{"limner', "faulty.jsonl:2: not JSON"),
    ],
)
def test_a_faulty_file_is_one_line_and_leaves_nothing(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "faulty.jsonl"
    path.write_bytes(content)
    done = limner("convert", path, tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_lenient_leaves_out_and_counts(tmp_path: Path) -> None:
    path = tmp_path / "faulty.jsonl"
    path.write_text(LINES + "{\n{\n")
    done = limner("convert", path, "-", "--lenient")
    assert done.returncode == 0
    assert "left out: 2 × invalid line (first: " in done.stderr


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_leaves_nothing(tmp_path: Path, stop: signal.Signals, code: int) -> None:
    command = [*LIMNER, "convert", "-", str(tmp_path / "out.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(LINES)
        process.stdin.flush()
        started = time.monotonic()
        while not list(tmp_path.iterdir()) and time.monotonic() < started + 20:
            time.sleep(0.02)
        assert list(tmp_path.iterdir()), "the run never began to write"
        process.send_signal(stop)
        said = process.stderr.read()
        assert process.wait(timeout=20) == code
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in said


def test_a_pipe_that_closes_early_is_no_error(tmp_path: Path) -> None:
    corpus = tmp_path / "large.jsonl"
    corpus.write_text("".join(f'{{"limner":2,"id":"{i}"}}\n' for i in range(50_000)))
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{sys.executable}' -m limner convert '{corpus}' - | head -n 1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_the_schema_is_of_the_model() -> None:
    schema = json.loads(limner("schema").stdout)
    assert set(schema["$defs"]) == {"Image", "Box", "Chain", "Caption", "Mention", "Candidate", "ImageLabel"}
    assert schema["$defs"]["Image"]["required"] == ["limner", "id"]
    assert set(schema["$defs"]["Mention"]["properties"]) == {
        *("start", "end", "boxes", "chain", "types"),
        *("candidates", "origin", "probability"),
    }


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (["convert", "x"], "DST"),
        (["convert"], "SRC... DST"),
        (["convert", "x", "--force"], "DST"),
        (["link", "x"], "OUT"),
    ],
)
def test_the_argument_that_is_missing_is_named(arguments: list[str], missing: str) -> None:
    done = limner(*arguments)
    assert done.returncode == 2
    assert f"Missing argument '{missing}'." in done.stderr


def test_a_name_that_does_not_tell_the_format_is_answered_with_the_option(corpus: Path, tmp_path: Path) -> None:
    done = limner("convert", corpus, tmp_path / "out.zip")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"limner: {tmp_path / 'out.zip'}: the name does not tell the format; name it FORMAT:PATH"
    )
    assert "flickr30k-entities" in done.stderr


def test_converting_says_what_the_target_cannot_hold(tmp_path: Path) -> None:
    mentions = '"mentions":[{"start":0,"end":5,"chain":"1"}]'
    given = f'{{"limner":2,"id":"a","captions":[{{"id":"0","text":"A dog .",{mentions}}}],"chains":[{{"id":"1"}}]}}\n'
    done = limner("convert", "-", tmp_path / "out", "--to", "coco", given=given)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"limner: 1 image written to {tmp_path / 'out'}",
        "limner: not written: 1 mention, 1 chain",
    ]
    assert "not written" not in limner("convert", "-", tmp_path / "out.jsonl", given=given).stderr


def test_advice_is_for_the_command_that_was_called(tmp_path: Path) -> None:
    gold, twice = tmp_path / "gold.jsonl", tmp_path / "twice.jsonl"
    gold.write_text('{"limner":2,"id":"a","captions":[{"id":"0","text":"A dog ."}]}\n')
    said = [f'{{"id":"{i}","text":"A cat .","source":"system:mine"}}' for i in range(2)]
    twice.write_text(f'{{"limner":2,"id":"a","captions":[{",".join(said)}]}}\n')
    captions = limner("score", "captions", twice, "--refs", gold, "--metrics", "bleu")
    assert captions.stderr.endswith("give each its own source, or pass --duplicate first\n")
    content = limner("score", "content", twice, "--gold", gold)
    assert content.stderr.endswith("keep one of them, or give each its own source\n")


def test_the_lenient_are_not_advised_to_be(tmp_path: Path) -> None:
    table = tmp_path / "boxes.tsv"
    table.write_text("image\tbox\tx0\ty0\tx1\ty1\tlabel\na\t0\t5\t0\t1\t5\tdog\n")
    assert limner("info", table).stderr.endswith("; correct it, or pass --lenient to leave it out\n")
    told = limner("info", table, "--lenient").stderr
    assert "left out: 1 ×" in told
    assert "leniently" not in told


def test_a_command_whose_library_is_not_installed_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(target: str) -> None:
        raise MissingLibrary("lightgbm", "train")

    monkeypatch.setattr("limner.cli.click_classes.load_object", missing)
    with pytest.raises(SystemExit) as stop:
        main(["demo", "out"])
    assert stop.value.code == 1
    assert capsys.readouterr().err == "limner: this needs lightgbm; install it with: pip install 'limner[train]'\n"
