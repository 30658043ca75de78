"""`limner score chains` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from command_line import Done, limner
from limner.corpus import Caption, Chain, Image, Mention, write_corpus

CAPTIONS = ("A man rides a horse .", "A rider on a pony .")
SPANS = (((0, 5), (12, 19)), ((0, 7), (11, 17)))


def image(id: str, chains: str) -> Image:
    """An image with two captions of two mentions each, and the chains of these four."""
    numbers = iter(chains)
    captions = tuple(
        Caption(str(i), text, tuple(Mention(*span, chain=next(numbers), types=("people",)) for span in spans))
        for i, (text, spans) in enumerate(zip(CAPTIONS, SPANS, strict=True))
    )
    return Image(id, captions=captions, chains=tuple(Chain(chain) for chain in sorted(set(chains))))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    write_corpus([image("a", "1212"), image("b", "1212")], tmp_path / "gold.jsonl")
    write_corpus([image("b", "1213"), image("a", "1212")], tmp_path / "found.jsonl")
    return tmp_path / "found.jsonl", tmp_path / "gold.jsonl"


def score_chains(*arguments: object) -> Done:
    return limner("score", "chains", *arguments)


def test_scores_are_one_json_object(files: tuple[Path, Path]) -> None:
    found, gold = files
    done = score_chains(found, "--gold", gold, "--json")
    scores = json.loads(done.stdout)
    assert scores["muc"] == pytest.approx({"P": 1.0, "R": 3 / 4, "F": 6 / 7})
    assert scores["intervals"]["mean"] == [None, None]
    assert scores["confusions"]["links"] == {"right": 3, "split": 1, "merged": 0}


def test_the_table_has_every_measure_and_what_was_confused(files: tuple[Path, Path]) -> None:
    found, gold = files
    done = score_chains(found, "--gold", gold, "--samples", 0)
    measures = [line.split() for line in done.stdout.splitlines()[4:9]]
    assert [row[0] for row in measures] == ["P", "MUC", "B³", "CEAF-e", "mean"]
    assert measures[1][1:] == ["1.0000", "0.7500", "0.8571", "0.8571", "0.8571"]
    assert "split: horse – pony 1" in done.stdout
    assert done.stderr == "limner: no samples, so no intervals\n"


def test_a_missing_image_is_one_line_with_a_remedy(files: tuple[Path, Path], tmp_path: Path) -> None:
    _, gold = files
    write_corpus([image("a", "1212")], tmp_path / "some.jsonl")
    done = score_chains(tmp_path / "some.jsonl", "--gold", gold)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "image 'b' of gold is missing; pass --missing zero" in done.stderr
    assert score_chains(tmp_path / "some.jsonl", "--gold", gold, "--missing", "skip").returncode == 0


def test_spaces_do_not_count(files: tuple[Path, Path], tmp_path: Path) -> None:
    _, gold = files
    raw = [
        replace(i, captions=tuple(replace(c, text=c.text.replace(" .", ".")) for c in i.captions))
        for i in (image("a", "1212"), image("b", "1212"))
    ]
    write_corpus(raw, tmp_path / "raw.jsonl")
    done = score_chains(tmp_path / "raw.jsonl", "--gold", gold, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mean"] == 1
