"""`limner score captions` given what nobody should give it: a value or one clear line, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from limner.cli import limner
from limner.cli.score_captions import captions as captions_command
from limner.errors import LimnerError

REFERENCES = {
    1: ["A brown dog is running on a beach.", "A dog runs along the sand."],
    2: ["A man is riding a brown horse.", "Someone on a horse in a field."],
    3: ["Two cats sleep on a couch.", "A pair of cats on a red sofa."],
}
MINE = [
    {"image_id": 1, "caption": "A dog runs on the beach."},
    {"image_id": 2, "caption": "A man rides a horse."},
    {"image_id": 3, "caption": "Two cats on a sofa."},
]
QUICK = ["--metrics", "bleu,rouge_l,cider", "--samples", "10"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    listed = [(id, text) for id, texts in REFERENCES.items() for text in texts]
    annotations = [{"id": n, "image_id": id, "caption": text} for n, (id, text) in enumerate(listed)]
    images = [{"id": id, "domain": "in" if id < 3 else "out"} for id in REFERENCES]
    (tmp_path / "refs.json").write_text(json.dumps({"images": images, "annotations": annotations}))
    (tmp_path / "mine.json").write_text(json.dumps(MINE))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(*arguments: object, given: bytes | None = None) -> Result:
    return CliRunner().invoke(limner, ["score", "captions", *map(str, arguments)], input=given)


def write(name: str, data: Any) -> str:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    Path(name).write_bytes(raw)
    return name


def refusal(*arguments: object, given: bytes | None = None) -> str:
    """What an expected failure says: one line, and nothing on standard output."""
    done = score(*arguments, given=given)
    assert isinstance(done.exception, LimnerError), done.exception
    said = str(done.exception)
    assert done.exit_code == 1
    assert not done.stdout
    assert "\n" not in said
    assert len(said) < 900
    return said


def captions(of: Any) -> list[dict[str, Any]]:
    return [{**one, "caption": of} for one in MINE]


def ids(of: Any) -> list[dict[str, Any]]:
    return [{**one, "image_id": of(one["image_id"])} for one in MINE]


@pytest.mark.parametrize(
    ("results", "said"),
    [
        (b"", "the file is empty"),
        (b"null", 'give [{"image_id": 1, "caption"'),
        (b"[]", 'give [{"image_id": 1, "caption"'),
        ([{}], 'give [{"image_id": 1, "caption"'),
        ({"1": "a dog"}, 'give [{"image_id": 1, "caption"'),
        ({"1": [{"caption": "a dog"}]}, 'give [{"image_id": 1, "caption"'),
        (b"\0" * 100, "unrecognised results format"),
        (json.dumps(MINE).encode("utf-16"), "unrecognised results format"),
        (json.dumps(MINE).encode()[:-9], "odd.json: character"),
        (ids(float), "image_id is 1.0; give a whole number"),
        (ids(lambda _: True), "image_id is True"),
        (ids(lambda _: None), "it has no image_id"),
        (ids(lambda id: [id]), "image_id is [1]"),
        ([*MINE, {"image_id": "1", "caption": "another"}], "image '1' has two captions"),
        (captions(None), "odd.json: [0]: there is neither a caption"),
        (captions(3), "caption is 3; give text"),
        (captions(["a"]), "caption is ['a']; give text"),
        (captions({"a": 1}), "caption is {'a': 1}; give text"),
        (captions(""), "3 ('1', '2', '3') of 3 captions have no words"),
        (captions(" \t\n\r "), "captions have no words"),
        (captions("\ud800"), "half a surrogate pair"),
        (b'[{"image_id":1,"caption":NaN}]', "NaN is not JSON; write plain JSON"),
        (b'[{"image_id":Infinity,"caption":"a"}]', "Infinity is not JSON"),
        (b'[{"image_id":1e999,"caption":"a"}]', "image_id is inf"),
        (b'[{"image_id":' + b"9" * 5000 + b',"caption":"a"}]', "not usable JSON"),
        (b'[{"image_id":1,"caption":"a","caption":"b"}]', "'caption' appears twice in one object"),
        (b'[{"image_id":1,"image_id":2,"caption":"b"}]', "'image_id' appears twice in one object"),
        (b'[{"image_id":1,"caption":"\xff"}]', "not UTF-8"),
        (b"[" * 200_000, "unrecognised results format"),
        (b'[{"image_id":1,"caption":"a"},' + b"[" * 200_000, "not usable JSON: maximum recursion depth"),
        (b'[{"image_id":1,"caption":"a","x":' + b'{"a":' * 200_000, "not usable JSON: maximum recursion depth"),
        (b'{"annotations":[{"id":1,"image_id":1,"caption":"a"}],"annotations":[]}', "'annotations' appears twice"),
        (MINE[:2], "1 ('3') of 3 images with references have no caption"),
        ([*MINE, {"image_id": "x" * 5000, "caption": "a"}], "1 ('xxx"),
    ],
)
def test_results_that_are_none_are_refused_in_one_line(results: Any, said: str) -> None:
    assert said in refusal(write("odd.json", results), "--refs", "refs.json", *QUICK)


@pytest.mark.parametrize(
    "results",
    [
        ids(str),
        b"\xef\xbb\xbf" + json.dumps(MINE).encode(),
        json.dumps(MINE, indent=1).replace("\n", "\r\n").encode(),
        json.dumps(MINE[::-1]).encode(),
        json.dumps([{**one, "score": 0.5, "extra": [{"deep": {}}]} for one in MINE]).encode(),
    ],
)
def test_the_same_results_written_otherwise_score_the_same(results: Any) -> None:
    usual = json.loads(score("mine.json", "--refs", "refs.json", *QUICK, "--json").stdout)
    other = json.loads(score(write("odd.json", results), "--refs", "refs.json", *QUICK, "--json").stdout)
    assert other["scores"] == usual["scores"]


@pytest.mark.parametrize(
    "caption",
    [
        "a dog\nruns\r\non\u2028the\u0085beach\x0b\x0c\x1c.",
        "a dog 🐕‍🦺 and 👨‍👩‍👧 \U0001f1e9\U0001f1ea",
        "كلب يجري على الشاطئ \u202e e\u0301\u0301\u0301 \u200b\ufeff",
        "a\0dog",
        "...",
        "\\u0041 &amp; <b> %s {} $HOME `ls`",
        "a dog runs on the beach " * 2_000,
        " ".join(f"w{n}" for n in range(10_000)),
        "x" * 1_000_000,
        "(" * 50_000,
        "a.b-" * 5_000,
    ],
    ids=lambda caption: ascii(caption[:20]),
)
def test_any_text_is_scored_wherever_it_stands(caption: str) -> None:
    # Full stops alone are no words, and have to be allowed.
    metrics = ["--metrics", "bleu,rouge_l,cider,diversity", "--samples", "10", "--json", "--empty", "score"]
    others = {**REFERENCES, 3: [caption, REFERENCES[3][0]]}
    notes = [
        {"id": n, "image_id": id, "caption": text}
        for n, (id, text) in enumerate((id, text) for id, texts in others.items() for text in texts)
    ]
    write("odd-refs.json", {"images": [{"id": id} for id in others], "annotations": notes})
    said = score(write("odd.json", captions(caption)), "--refs", "odd-refs.json", *metrics)
    assert said.exit_code == 0, said.exception
    found = json.loads(said.stdout)["scores"]
    assert 0 <= found["bleu1"] <= 1
    assert 0 <= found["rouge_l"] <= 1
    assert 0 <= found["cider"] <= 10 + 1e-9


def test_one_reference_or_fifty() -> None:
    one = write("r.txt", b"a dog runs on the beach\ntwo cats on a sofa\n")
    few = score(one, "--refs", one, *QUICK, "--json")
    many = score(one, *["--refs", one] * 50, *QUICK, "--json")
    assert json.loads(few.stdout)["scores"] == pytest.approx(json.loads(many.stdout)["scores"])
    assert "refs:50-50" in many.stdout


@pytest.mark.parametrize(
    ("files", "arguments", "said"),
    [
        ({"c.txt": b"a\n"}, ["c.txt", "--refs", "refs.json"], "it is plain text, but the references are a corpus"),
        ({"r.txt": b"a\n"}, ["mine.json", "--refs", "r.txt"], "it is a corpus, joined by image id, but"),
        ({"r.txt": b"a\n"}, ["mine.json", "--refs", "r.txt", "--refs", "refs.json"], "give all references alike"),
        ({"c.txt": b"a\n\xe9\n", "r.txt": b"a\nb\n"}, ["c.txt", "--refs", "r.txt"], "c.txt:2: byte 0 is not UTF-8"),
        ({"c.txt": b"\n\n", "r.txt": b"a\nb\n"}, ["c.txt", "--refs", "r.txt"], "2 ('1', '2') of 2 captions have no"),
        ({"c.txt": b"a\n" * 9, "r.txt": b"a\n" * 2}, ["c.txt", "--refs", "r.txt"], "c.txt:3: there are more lines"),
        ({"c.txt": b"a\n", "r.txt": b"a\nb\n"}, ["c.txt", "--refs", "r.txt"], "1 ('2') of 2 images with references"),
        ({"c.txt": b"a\n", "r.txt": b"\n"}, ["c.txt", "--refs", "r.txt"], "r.txt:1: the line is empty in every file"),
        ({}, ["nowhere.json", "--refs", "refs.json"], "nowhere.json: there is no such file"),
        ({}, ["text:nowhere", "--refs", "text:."], "is a folder"),
        ({"a.json.gz": b"no"}, ["a.json.gz", "--refs", "refs.json"], "cannot be decompressed"),
        ({}, ["refs.json", "--refs", "refs.json"], "every caption is gold"),
        ({}, ["mine.json", "--refs", "refs.json", "--source", "x"], "no caption is by 'system:x'"),
        ({}, ["mine.json", "--refs", "refs.json", "--metrics", ","], "no metric was named"),
        ({}, ["mine.json", "--refs", "refs.json", "--by", ""], "unknown attribute to score by ''"),
        ({}, ["mine.json", "--refs", "refs.json", "--df", "mine.json"], "not a file of document frequencies"),
        ({}, ["mine.json", "--refs", "refs.json", "--df", "."], "is a folder"),
        ({}, ["mine.json", "--refs", "refs.json", "--per-image", "no/a.csv"], "there is no such folder"),
        ({}, ["mine.json", "--refs", "refs.json", "--per-image", "."], "is a folder"),
        ({}, ["mine.json", "--refs", "refs.json", "--metric-file", "mine.json"], "scores are in .csv or .jsonl"),
    ],
)
def test_what_does_not_go_together_is_one_clear_line(files: dict[str, bytes], arguments: list[str], said: str) -> None:
    for name, raw in files.items():
        write(name, raw)
    assert said in refusal(*arguments, *([] if "--metrics" in arguments else QUICK))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-", "--refs", "-"], "standard input (-) can be read only once"),
        (["-", "-", "--refs", "refs.json"], "standard input (-) can be read only once"),
        (["text:-", "--refs", "text:-"], "standard input (-) can be read only once"),
        (["mine.json", "--refs", "refs.json", "--json", "--csv"], "pass one"),
        (["mine.json", "--refs", "refs.json", "--per-image", "-"], "standard output is taken; name a file"),
        (["mine.json", "--refs", "refs.json", "--per-image", "mine.json"], "is read as well"),
        (["coco:mine.json", "--refs", "refs.json", "--save-df", "./mine.json"], "is read as well"),
        (["mine.json", "--refs", "refs.json", "--save-df", "a", "--per-image", "./a"], "name the same file"),
        (["mine.json", "--refs", "refs.json", "--samples", "1000000000"], "100000"),
        (["mine.json"], "Missing option '--refs'"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_read_or_written(arguments: list[str], said: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = score(*arguments, given=json.dumps(MINE).encode())
    assert done.exit_code == 2
    assert said in done.stderr
    assert sorted(folder.iterdir()) == before


def test_a_part_of_one_image_is_warned_of_and_never_silently_nothing() -> None:
    done = score("mine.json", "--refs", "refs.json", *QUICK, "--by", "domain")
    assert done.exit_code == 0
    assert "warning: out (by domain): CIDEr of one image is 0" in done.stderr


def test_help_tells_every_option_in_sections() -> None:
    told = score("--help").stdout
    assert "Usage: " in told
    assert "--refs REFS" in told
    assert told.index("What is scored:") < told.index("What does not fit:") < told.index("What comes out:")
    options = {option.opts[-1] for option in captions_command.params if isinstance(option, click.Option)}
    assert not [option for option in options if f"  {option}" not in told]
    assert max(map(len, told.splitlines())) <= 80
