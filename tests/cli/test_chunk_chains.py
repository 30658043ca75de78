"""`limner chunk --chains` in a process of its own."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from command_line import limner
from limner.corpus import Caption, Chain, Image, open_corpus, write_corpus

CAPTIONS = (Caption("0", "A man walks his dog ."), Caption("1", "A guy with a brown dog ."))


def only_image(path: Path) -> Image:
    (image,) = open_corpus(path)
    return image


def chains_of(image: Image) -> list[str | None]:
    return [mention.chain for _, mention in image.mentions()]


def test_chains_are_found_with_the_phrases(tmp_path: Path) -> None:
    write_corpus([Image("a", captions=CAPTIONS)], tmp_path / "plain.jsonl")
    done = limner("chunk", "plain.jsonl", "-o", "chained.jsonl", "--chains", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 chains" in done.stderr
    image = only_image(tmp_path / "chained.jsonl")
    assert chains_of(image) == ["1", "2", "1", "2"]
    assert [chain.types for chain in image.chains] == [("people",), ("animals",)]


def test_chains_that_are_there_stay_unless_they_are_made_anew(tmp_path: Path) -> None:
    write_corpus([Image("a", captions=CAPTIONS)], tmp_path / "plain.jsonl")
    limner("chunk", "plain.jsonl", "-o", "phrases.jsonl", cwd=tmp_path)
    image = only_image(tmp_path / "phrases.jsonl")
    captions = tuple(
        replace(c, mentions=tuple(replace(m, chain=f"{c.id}{i}") for i, m in enumerate(c.mentions)))
        for c in image.captions
    )
    ids = ["00", "01", "10", "11"]
    write_corpus([replace(image, captions=captions, chains=tuple(map(Chain, ids)))], tmp_path / "apart.jsonl")
    limner("chunk", "apart.jsonl", "-o", "kept.jsonl", "--chains", cwd=tmp_path)
    assert chains_of(only_image(tmp_path / "kept.jsonl")) == ids
    limner("chunk", "apart.jsonl", "-o", "anew.jsonl", "--chains", "--rechain", cwd=tmp_path)
    assert chains_of(only_image(tmp_path / "anew.jsonl")) == ["1", "2", "1", "2"]


def test_a_trained_chainer_can_be_used(tmp_path: Path) -> None:
    limner("playground", "30", "people.jsonl", cwd=tmp_path)
    trained = limner("train", "chains", "people.jsonl", "--out", "mine.json", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    options = ["--chains", "--rechain", "--chain-model", "mine.json"]
    done = limner("chunk", "people.jsonl", "-o", "chained.jsonl", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    bad = limner("chunk", "people.jsonl", "-o", "x.jsonl", "--chains", "--chain-model", "people.jsonl", cwd=tmp_path)
    assert bad.returncode == 1
    assert bad.stderr.count("\n") == 1
    assert "train one with `limner train chains`" in bad.stderr


def test_options_of_chains_need_chains(tmp_path: Path) -> None:
    write_corpus([Image("a", captions=CAPTIONS)], tmp_path / "plain.jsonl")
    done = limner("chunk", "plain.jsonl", "-o", "out.jsonl", "--rechain", cwd=tmp_path)
    assert done.returncode == 2
    assert "pass --chains too" in done.stderr


def test_mentions_that_are_chained_anew_need_not_be_found_again(tmp_path: Path) -> None:
    limner("playground", "30", "people.jsonl", cwd=tmp_path)
    done = limner("chunk", "people.jsonl", "-o", "chained.jsonl", "--chains", "--rechain", cwd=tmp_path)
    assert "--again" not in done.stderr
    trained = limner("train", "chains", "chained.jsonl", "--out", "mine.json", cwd=tmp_path)
    assert "warning: 30 of 30 images have mentions or chains that a model predicted" in trained.stderr


def test_chains_of_plain_text_are_warned_of(tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text("A man.\nA guy.\n")
    done = limner("chunk", "said.txt", "-o", "out.jsonl", "--chains", cwd=tmp_path)
    assert "warning: no image has two captions, as in plain text, so every chain is of one caption" in done.stderr


def test_an_image_with_too_many_mentions_goes_without_chains_if_lenient(tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text("A man.\n" + "A dog and a cat. " * 300 + "\n")
    refused = limner("chunk", "said.txt", "-o", "out.jsonl", "--chains", cwd=tmp_path)
    advice = "split the caption, or pass --lenient to leave its chains out"
    assert refused.stderr.endswith(f"600 mentions are more than the 500 that can be chained; {advice}\n")
    done = limner("chunk", "said.txt", "-o", "out.jsonl", "--chains", "--lenient", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "left out: 1 × chains of an image with too many mentions (first: said.txt: image '2'" in done.stderr
    first, second = open_corpus(tmp_path / "out.jsonl")
    assert chains_of(first) == ["1"]
    assert set(chains_of(second)) == {None}
