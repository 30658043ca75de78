"""What the constructors and `write_corpus` refuse, so that what is written can be read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Box, Candidate, Caption, Chain, Image, ImageLabel, Mention, open_corpus, write_corpus
from limner.errors import LimnerError
from refusals import refusal


@pytest.mark.parametrize("images", ["a.jsonl", b"a.jsonl", Path("a.jsonl")])
def test_a_path_is_not_taken_for_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, images: Any) -> None:
    monkeypatch.chdir(tmp_path)
    target = Path("b.jsonl")
    with refusal(TypeError):
        write_corpus(images, target)
    with refusal(TypeError):
        write_corpus(target, [Image("a")])  # type: ignore[arg-type]
    with refusal(TypeError):
        write_corpus([Image("a")], 42)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "tsv:a", "coco:a.json"])
def test_only_images_are_written_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with refusal(TypeError):
        write_corpus([Image("a"), 42], name)  # type: ignore[list-item]
    assert not list(tmp_path.iterdir())


WRONG: list[tuple[Callable[[Any], object], Any]] = [
    (Image, 42),
    (lambda value: Image("a", file=value), 42),
    (lambda value: Image("a", 640, value), 480.5),
    (lambda value: Image("a", boxes=value), "01"),
    (lambda value: Image("a", captions=value), (3,)),
    (lambda value: Box(value, 0, 0, 1, 1), 7),
    (lambda value: Box("0", value, 0, 1, 1), "7"),
    (lambda value: Mention(0, 5, value), "01"),
    (lambda value: Mention(0, 5, candidates=value), "01"),
    (lambda value: Mention(0, 5, candidates=value), ("0",)),
    (lambda value: Mention(0, 5, origin="linked", probability=value), "1"),
    (lambda value: Candidate(value, 1), 0),
    (lambda value: Candidate("0", value), "1"),
    (lambda value: Caption(value, "A dog ."), 0),
    (lambda value: Caption("0", value), None),
    (lambda value: Caption("0", "A dog .", value), ("dog",)),
    (lambda value: Chain("0", value), "01"),
    (ImageLabel, 42),
    (lambda value: ImageLabel("Dog", value), "1"),
]


@pytest.mark.parametrize(("make", "value"), WRONG)
def test_a_value_of_the_wrong_type_is_refused_with_the_value(make: Callable[[Any], object], value: Any) -> None:
    with refusal(ValueError):
        make(value)


def test_lists_become_tuples() -> None:
    boxes: Any = [Box("0", 0, 0, 9, 9)]
    candidates: Any = [Candidate("0", 1)]
    mentions: Any = [Mention(0, 5, ["0"], candidates=candidates)]  # type: ignore[arg-type]
    captions: Any = [Caption("0", "A dog .", mentions)]
    image = Image("a", boxes=boxes, captions=captions)
    assert hash(image) == hash(Image("a", boxes=tuple(boxes), captions=tuple(captions)))
    assert type(image.captions[0].mentions[0].candidates) is type(image.captions[0].mentions[0].boxes) is tuple


@pytest.mark.parametrize(
    "image",
    [
        Image("a", boxes=(Box("0", 0, 0, 1, 1, types=(1,)),)),  # type: ignore[arg-type]
        Image("a", captions=(Caption("0", "A dog .", (Mention(0.5, 5),)),)),  # type: ignore[arg-type]
        Image("a", attributes={"domain": [1]}),  # type: ignore[dict-item]
    ],
)
def test_what_constructors_let_through_is_found_before_it_is_written(tmp_path: Path, image: Image) -> None:
    with refusal(ValueError):
        write_corpus([image], tmp_path / "a.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("jsnl:a.jsonl", "unknown format 'jsnl'; did you mean 'jsonl'?"),
        ("foo:a.jsonl", "unknown format 'foo'; choose from: jsonl, "),
    ],
)
def test_a_mistyped_format_before_the_colon_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus([Image("a")], "a.jsonl")
    for use in (lambda: open_corpus(source), lambda: write_corpus([Image("a")], source)):
        with pytest.raises(LimnerError) as caught:
            use()
        assert said in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    # A file of that name is not mistaken for a format, and neither is a path.
    (tmp_path / source).write_bytes((tmp_path / "a.jsonl").read_bytes())
    assert [image.id for image in open_corpus(source)] == ["a"]
    assert write_corpus([Image("b")], f"./{source.replace('.', '2.')}") == 1


def test_a_jsonl_file_without_the_version_is_told_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id":"a"}\n')
    with refusal(LimnerError):
        open_corpus(tmp_path / "a.jsonl")
