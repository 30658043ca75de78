"""Texts that never end, pipes and devices, names that steer terminals, links that lead elsewhere."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from limner.cli import limner
from limner.cli.terminal import say, say_json, tell
from limner.corpus import Image, open_corpus
from limner.corpus.picture_files import find_picture
from limner.errors import BadInput, printable
from limner.look.tables import csv_text
from limner.score import evaluate
from limner.score.document_frequencies import DocumentFrequencies
from limner.score.pairing import Policy
from memory import memory_below
from refusals import refusal

LINE = '{"limner":2,"id":"a","captions":[{"id":"0","text":"A dog ."}]}\n'


@pytest.mark.parametrize("format", ["jsonl", "tsv", "kosmos-2"])
def test_very_many_blank_lines_are_given_up_early(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"images.{format}.gz"
    with gzip.open(path, "wb", compresslevel=1) as handle:
        handle.write(LINE.encode() if format == "jsonl" else b"")
        for _ in range(64):
            handle.write(b"\n" * (1 << 20))
    with (
        memory_below(50 << 20),
        refusal(BadInput),
    ):
        list(open_corpus(path, format))


def test_a_device_is_no_corpus() -> None:
    with refusal(BadInput):
        open_corpus("/dev/zero", "jsonl")
    with refusal(BadInput):
        open_corpus("/dev/zero")


def piped(path: Path, content: str) -> threading.Thread:
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text(content), daemon=True)
    writer.start()
    return writer


def test_a_pipe_of_a_named_format_is_read_once_like_standard_input(tmp_path: Path) -> None:
    writer = piped(tmp_path / "pipe", LINE)
    assert [image.id for image in open_corpus(f"jsonl:{tmp_path / 'pipe'}")] == ["a"]
    writer.join()


def test_other_pipes_are_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with refusal(BadInput):
        open_corpus(tmp_path / "pipe")
    with refusal(BadInput):
        open_corpus(tmp_path / "pipe", "parquet")


@pytest.mark.parametrize(
    "line",
    [
        '{"limner":2,"id":"a","width":5,"width":9,"height":9}',
        '{"limner":2,"id":"a","boxes":[{"id":"0","x0":1,"x0":2,"y0":0,"x1":3,"y1":4}]}',
        '{"limner":2,"id":"a","attributes":{"split":"val","split":"test"}}',
        '{"limner":2,"id":"a","captions":[{"id":"0","text":"a","te\\u0078t":"b"}]}',
        '{"limner":2,"id":"a","boxes":[{"id":"0","x0":1,"y0":0,"x1":3,"y1":4,"label":"a","label":"b"}]}',
    ],
)
def test_a_key_that_is_in_a_line_twice_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.jsonl").write_text(LINE.replace('"a"', '"b"', 1) + line + "\n")
    with refusal(BadInput):
        list(open_corpus(tmp_path / "a.jsonl"))


@pytest.mark.parametrize("caption", [".", "...", "\u200b", " "])
def test_a_caption_of_which_no_token_is_left_is_empty(caption: str) -> None:
    references = {"1": ["A dog runs ."], "2": ["A cat ."]}
    captions = {"1": caption, "2": "A cat ."}
    with refusal(BadInput):
        evaluate(captions, references, metrics=["bleu"], samples=0)
    assert (
        evaluate(captions, references, metrics=["bleu"], samples=0, policy=Policy(empty="score")).counts["empty"] == 1
    )


STEERING = "\x1b]0;a\x07\x9b31m\u202egnp.exe"


def test_names_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert printable("a\tb\nc é 👩‍🚀") == "a\tb\nc é 👩‍🚀"
    tell(STEERING)
    say(f"a\n{STEERING}")
    say_json({"name": STEERING})
    out, err = capsys.readouterr()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*out, *err}
    assert json.loads(out.splitlines()[-1]) == {"name": STEERING}
    assert "a\n\\x1b]0;a" in out


def test_a_system_whose_name_steers_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("refs.jsonl").write_text(LINE)
    for source in ("x", "y"):
        record = json.loads(LINE)
        record["captions"][0]["source"] = f"system:{STEERING}{source}"
        Path(f"{source}.jsonl").write_text(json.dumps(record) + "\n")
    done = CliRunner().invoke(
        limner,
        ["score", "captions", "x.jsonl", "y.jsonl", "--refs", "refs.jsonl", "--metrics", "bleu", "--samples", "0"],
    )
    assert done.exit_code == 0, done.output
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.output)


@pytest.mark.parametrize("cell", ['=HYPERLINK("http://x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_cells_that_a_spreadsheet_would_run_have_an_apostrophe(cell: str) -> None:
    (_, row) = csv.reader(io.StringIO(csv_text(["a", "b"], [[cell, "x"]]), newline=""))
    assert row == [f"'{cell}", "x"]


@pytest.mark.parametrize("cell", ["-1", "+0.5", "-1.5e-07", "", "a=b", "'a", "—", "-inf"])
def test_other_cells_are_written_as_they_are(cell: str) -> None:
    (_, row) = csv.reader(io.StringIO(csv_text(["a", "b"], [[cell, "x"]])))
    assert row == [cell, "x"]


def test_a_link_that_leads_out_of_the_folder_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").write_bytes(b"x")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "real.jpg").write_bytes(b"x")
    (pictures / "out.jpg").symlink_to(tmp_path / "secret.jpg")
    (pictures / "in.jpg").symlink_to(pictures / "real.jpg")
    (tmp_path / "link").symlink_to(pictures)
    assert find_picture(pictures, Image("1", file="out.jpg")) == (None, pictures / "out.jpg")
    assert find_picture(pictures, Image("1", file="in.jpg")).file == pictures / "in.jpg"
    assert find_picture(tmp_path / "link", Image("1", file="real.jpg")).file == tmp_path / "link" / "real.jpg"


def test_document_frequencies_whose_header_claims_terabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.df"
    DocumentFrequencies(1, {("a",): 1}).save(path)
    header, body = path.read_bytes().split(b"\n", 1)
    for name, value in (("n_packed", 1 << 45), ("n_packed", 1 << 29), ("n_bytes", 1 << 45)):
        path.write_bytes(json.dumps({**json.loads(header), name: value}).encode() + b"\n" + body)
        with memory_below(50 << 20), refusal(BadInput):
            DocumentFrequencies.load(path)
