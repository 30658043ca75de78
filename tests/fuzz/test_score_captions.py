"""No results, references or document frequencies, however broken, make `limner score captions` fail but in one line."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from attacks.mutations import mutated
from limner.cli import limner
from limner.errors import LimnerError

TEXTS = {1: ["A dog runs.", "A dog on sand."], 2: ["A man rides a horse.", "Someone rides."], 3: ["Cats.", "Two cats."]}
MINE = {1: "A dog is running.", 2: "A man on a horse.", 3: "Two cats sleep."}


def image(id: int, captions: list[tuple[str, str]]) -> str:
    said = [{"id": str(n), "text": text, "source": source} for n, (text, source) in enumerate(captions)]
    return json.dumps({"limner": 1, "id": str(id), "captions": said, "attributes": {"domain": "in"}}) + "\n"


def coco(folder: Path) -> list[str]:
    listed = [(id, text) for id, texts in TEXTS.items() for text in texts]
    annotations = [{"id": n, "image_id": id, "caption": text} for n, (id, text) in enumerate(listed)]
    whole = {"images": [{"id": id} for id in TEXTS], "annotations": annotations}
    (folder / "refs.json").write_text(json.dumps(whole))
    (folder / "mine.json").write_text(json.dumps([{"image_id": id, "caption": text} for id, text in MINE.items()]))
    return ["coco:mine.json", "--refs", "coco:refs.json"]


def native(folder: Path) -> list[str]:
    gold = "".join(image(id, [(text, "gold") for text in texts]) for id, texts in TEXTS.items())
    (folder / "refs.jsonl").write_text(gold)
    (folder / "mine.jsonl").write_text("".join(image(id, [(text, "system:x")]) for id, text in MINE.items()))
    return ["jsonl:mine.jsonl", "--refs", "jsonl:refs.jsonl"]


def plain(folder: Path) -> list[str]:
    (folder / "mine.txt").write_text("".join(f"{text}\n" for text in MINE.values()))
    for n in range(2):
        (folder / f"r{n}.txt").write_text("".join(f"{texts[n]}\n" for texts in TEXTS.values()))
    return ["mine.txt", "--refs", "r0.txt", "--refs", "r1.txt"]


def frequencies(folder: Path) -> list[str]:
    arguments = coco(folder)
    assert CliRunner().invoke(limner, ["score", "captions", *arguments, *QUICK, "--save-df", "a.df"]).exit_code == 0
    return [*arguments, "--df", "a.df"]


def scores(folder: Path) -> list[str]:
    rows = [{"metric": "judge"}, *({"image": str(id), "score": id / 10} for id in MINE)]
    (folder / "judge.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [*coco(folder), "--metric-file", "judge.jsonl"]


QUICK = ["--metrics", "bleu,rouge_l,cider,diversity", "--samples", "5"]
LOOSE = ["--lenient", "--missing", "zero", "--extra", "skip", "--empty", "score", "--duplicate", "first"]


@pytest.mark.parametrize("seed", [coco, native, plain, frequencies, scores], ids=lambda seed: seed.__name__)
def test_no_mutation_makes_a_traceback(
    seed: Callable[[Path], list[str]], tmp_path: Path, mutations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["captions", *seed(tmp_path), *QUICK]
    sound = {file: file.read_bytes() for file in sorted(tmp_path.iterdir())}
    assert CliRunner().invoke(limner, ["score", *arguments]).exit_code == 0, "the seed itself must be scored"
    refused, n_scored = [], 0
    for i in range(mutations):
        rng = random.Random(f"{seed.__name__}:{i}")
        file = rng.choice(list(sound))
        file.write_bytes(mutated(sound[file], rng))
        done = CliRunner().invoke(limner, ["score", *arguments, *(LOOSE if rng.random() < 0.5 else []), "--json"])
        if done.exit_code == 0:
            n_scored += 1
            found = json.loads(done.stdout)["scores"]
            assert all(value is None or value >= 0 for name, value in found.items() if name != "judge")
        else:
            assert isinstance(done.exception, LimnerError), (i, done.exception)
            refused.append(str(done.exception))
        file.write_bytes(sound[file])
    assert not [said for said in refused if "\n" in said or len(said) > 1200]
    assert len(refused) > mutations / 20, "mutations that nothing refuses test nothing"
    assert n_scored, "mutations that are all refused test only the readers"


@pytest.mark.parametrize(
    ("name", "start", "piece", "said"),
    [
        ("bomb.json.gz", b'[{"image_id":1,"caption":"', b"a" * (1 << 20), "one value is longer than"),
        ("bomb.json.gz", b'[{"image_id":1,"caption":"a"},', b" " * (1 << 20), "expected|Expecting|longer"),
        ("bomb.jsonl.gz", b'{"limner":1,"id":"', b"a" * (1 << 20), "longer than"),
        ("bomb.txt.gz", b"a", b"a" * (1 << 20), "longer than"),
        ("bomb.txt.gz", b"a\n", b"\n" * (1 << 20), "more lines than the 3 that have references"),
    ],
)
def test_a_few_bytes_that_unpack_to_gigabytes_are_given_up_early(
    name: str, start: bytes, piece: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = plain(tmp_path) if ".txt" in name else coco(tmp_path)
    with gzip.open(name, "wb", compresslevel=1) as handle:
        handle.write(start)
        for _ in range(200):
            handle.write(piece)
    done = CliRunner().invoke(limner, ["score", "captions", name, *arguments[1:], *QUICK])
    assert isinstance(done.exception, LimnerError)
    assert any(one in str(done.exception) for one in said.split("|")), str(done.exception)
