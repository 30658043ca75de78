"""`limner info` as people meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Done, limner
from limner.cli import main

DOGS = """\
{"limner":1,"id":"a","width":10,"height":10,"boxes":[{"id":"0","x0":0,"y0":0,"x1":5,"y1":5,"label":"dog"}],\
"captions":[{"id":"0","text":"A dog .","mentions":[{"start":0,"end":5,"boxes":["0"]}]},{"id":"1","text":"One dog ."}]}
{"limner":1,"id":"b","captions":[{"id":"0","text":"Two cats play ."},{"id":"1","text":"Cats ."}]}
"""
TEXTS = "".join(
    json.dumps({"limner": 1, "id": str(i), "captions": [{"id": "0", "text": f"word{i} a b c d"}]}) + "\n"
    for i in range(4)
)


def info(*arguments: object, given: str = "", cwd: Path | None = None) -> Done:
    return limner("info", *arguments, given=given, cwd=cwd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dogs.jsonl").write_text(DOGS)
    (tmp_path / "texts.jsonl").write_text(TEXTS)
    return tmp_path


def rows(text: str) -> dict[str, list[str]]:
    return {line[:40].strip(): line[40:].split() for line in text.splitlines() if line.startswith("  ")}


def test_one_corpus_is_told_on_standard_output(folder: Path) -> None:
    done = info(folder / "dogs.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    told = rows(done.stdout)
    assert told["images"] == ["2"]
    assert told["captions that refer to no box"] == ["3", "(75.0%)"]
    assert told["1-grams"] == ["6"]


def test_two_corpora_are_told_side_by_side_with_equal_samples(folder: Path) -> None:
    done = info(folder / "dogs.jsonl", f"jsonl:{folder / 'texts.jsonl'}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["dogs.jsonl", "texts.jsonl"]
    told = rows(done.stdout)
    assert told["images"] == ["2", "4"]
    assert told["boxes"] == ["1", "—"]
    assert told["in images"] == told["in captions"] == ["2", "2"]
    assert told["1-grams"][1] == "6"


def test_two_files_of_one_name_are_told_apart_by_their_folders(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "dogs.jsonl").write_text(TEXTS)
    done = info("dogs.jsonl", "more/dogs.jsonl", "--json", cwd=folder)
    assert [corpus["name"] for corpus in json.loads(done.stdout)["corpora"]] == ["dogs.jsonl", "more/dogs.jsonl"]


def test_json_is_one_object_of_corpora(folder: Path) -> None:
    one = json.loads(info(folder / "dogs.jsonl", "--json").stdout)
    assert list(one) == ["corpora"]
    (dogs,) = one["corpora"]
    assert (dogs["name"], dogs["images"], dogs["boxes"]["count"]) == ("dogs.jsonl", 2, 1)
    assert dogs["ngrams"]["seed"] is None
    two = json.loads(info(folder / "dogs.jsonl", folder / "texts.jsonl", "--json", "--seed", 7).stdout)
    assert [corpus["boxes"]["best_iou"] for corpus in two["corpora"]] == [0.0, None]
    assert [corpus["ngrams"]["seed"] for corpus in two["corpora"]] == [7, 7]
    assert two["corpora"][0].keys() == two["corpora"][1].keys() == dogs.keys()


def test_a_sample_of_one_corpus_has_the_size_that_was_asked_for(folder: Path) -> None:
    (found,) = json.loads(info(folder / "texts.jsonl", "--sample", 3, "--json").stdout)["corpora"]
    assert found["ngrams"] == {"images": 3, "captions": 3, "captions_each": 1, "seed": 0, "distinct": [7, 6, 5, 4]}
    (found,) = json.loads(info(folder / "dogs.jsonl", "--captions-each", 1, "--json").stdout)["corpora"]
    assert (found["ngrams"]["images"], found["ngrams"]["captions"]) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["texts.jsonl", "--sample", "5"], 1, "limner: texts.jsonl: 4 images have 1 captions or more, too few for"),
        (["texts.jsonl", "--captions-each", "2"], 1, "limner: texts.jsonl: 0 images have 2 captions or more, too few"),
        (["texts.jsonl", "--sample", "0"], 2, "Error: Invalid value for '--sample'"),
        (["-", "-"], 2, "Error: standard input (-) can be read only once; give the others as files"),
        (["gone.jsonl"], 1, "limner: gone.jsonl: there is no such file or folder"),
        (["texts.jsonl", "--tagger", "nltk"], 2, "Error: Invalid value for '--tagger'"),
        (["texts.jsonl", "--plots", "texts.jsonl"], 1, "limner: texts.jsonl: cannot write"),
    ],
)
def test_a_wrong_wish_is_one_line(
    folder: Path,
    arguments: list[str],
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as stopped:
        main(["info", *arguments])
    said = capsys.readouterr()
    assert (stopped.value.code, said.out) == (code, "")
    assert said.err.splitlines()[-1].startswith(message)
    assert sorted(path.name for path in folder.iterdir()) == ["dogs.jsonl", "texts.jsonl"]


def test_a_faulty_file_is_refused_and_lenient_leaves_the_fault_out(folder: Path) -> None:
    (folder / "bad.jsonl").write_text(TEXTS + '{"limner":1,"id":"x","width":-1,"height":5}\n')
    done = info(folder / "bad.jsonl")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "bad.jsonl:5" in done.stderr
    done = info(folder / "bad.jsonl", "--lenient")
    assert done.returncode == 0
    assert rows(done.stdout)["images"] == ["4"]
    assert "left out: 1 ×" in done.stderr


def test_standard_input_is_a_corpus_even_where_it_must_be_read_twice(folder: Path) -> None:
    alone = info("jsonl:-", "--json", given=DOGS)
    assert json.loads(alone.stdout)["corpora"][0]["name"] == "standard input"
    both = info(folder / "texts.jsonl", "jsonl:-", "--json", given=DOGS)
    assert [corpus["ngrams"]["captions"] for corpus in json.loads(both.stdout)["corpora"]] == [2, 2]


def test_plots_are_drawn_in_the_folder_that_is_named(folder: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    done = info("dogs.jsonl", "texts.jsonl", "--plots", "figures", cwd=folder)
    assert done.returncode == 0
    assert done.stderr == "limner: 5 figures drawn in figures\n"
    assert {path.stem for path in (folder / "figures").iterdir()} == {
        "nouns",
        "classes-per-image",
        "boxes-per-image",
        "caption-length",
        "ngrams",
    }


def test_a_tagger_tells_nouns_from_what_stands_before_them(folder: Path) -> None:
    pytest.importorskip("spacy", reason="the nlp extra is not installed")
    done = info(folder / "dogs.jsonl", "--tagger", "spacy")
    assert done.returncode == 0
    assert "Most frequent nouns and adjectives" in done.stdout
