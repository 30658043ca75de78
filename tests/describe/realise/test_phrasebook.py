from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from limner.corpus import Box, Caption, Image, Mention
from limner.describe.realise import Phrasebook, learn_phrasebook, read_phrasebook, write_phrasebook
from limner.errors import BadInput
from limner.learn.model_files import MAX_BYTES
from refusals import refusal
from strategies import corpora


def total(book: Phrasebook, a: str, b: str) -> dict[str, int]:
    return {text: sum(buckets.values()) for text, buckets in book.by_nouns[a][b].items()}


def test_verbs_of_every_form_are_counted_as_one(book: Phrasebook) -> None:
    assert total(book, "person", "horse") == {"riding": 18, "on": 6}
    assert total(book, "person", "couch") == {"sitting on": 12, "lying on": 12}


def test_things_named_together_are_counted(book: Phrasebook) -> None:
    assert total(book, "person", "dog") == {"and": 12}


def test_relations_are_counted_by_the_objects_noun_and_by_kinds_too(book: Phrasebook) -> None:
    assert sum(book.by_object["people"]["horse"]["riding"].values()) == 18
    assert sum(book.by_kinds["people"]["animals"]["riding"].values()) == 18


def test_layouts_are_kept_apart(book: Phrasebook) -> None:
    assert list(book.by_nouns["person"]["horse"]["riding"]) == ["oue"]


def test_nouns_articles_and_order_are_counted(book: Phrasebook) -> None:
    assert book.nouns["dining table"] == {"table": 12}
    assert set(book.nouns["person"]) == {"man", "woman", "boy", "person"}
    assert book.determiners["horse"] == {"a": 24}
    assert book.before["person"]["horse"] == 24
    assert "horse" not in book.before
    assert book.kinds_before["people"]["animals"] == 36


def captioned(text: str, *phrases: tuple[str, str]) -> Image:
    """An image whose caption mentions boxes labelled as told."""
    boxes = tuple(Box(str(i), 10 * i, 0, 10 * i + 50, 80, label) for i, (_, label) in enumerate(phrases))
    mentions = []
    at = 0
    for i, (phrase, _) in enumerate(phrases):
        at = text.index(phrase, at)
        mentions.append(Mention(at, at + len(phrase), (str(i),)))
        at += len(phrase)
    return Image("i", 200, 100, boxes, (Caption("0", text, tuple(mentions)),))


def learnt(image: Image) -> dict[tuple[str, str], set[str]]:
    """What a phrasebook holds of captions that say the same often enough."""
    book = learn_phrasebook([image] * 3)
    return {(a, b): set(said) for a, seconds in book.by_nouns.items() for b, said in seconds.items()}


@pytest.mark.parametrize(
    ("text", "phrases", "relations"),
    [
        (
            "A man in a hat holding a flag .",
            [("A man", "man"), ("a hat", "hat"), ("a flag", "flag")],
            {("man", "hat"): {"in"}, ("man", "flag"): {"holding"}},
        ),
        (
            "A man in a hat on a bench .",
            [("A man", "man"), ("a hat", "hat"), ("a bench", "bench")],
            {("man", "hat"): {"in"}, ("man", "bench"): {"on"}},
        ),
        (
            "A man on a bench reading a book .",
            [("A man", "man"), ("a bench", "bench"), ("a book", "book")],
            {("man", "bench"): {"on"}, ("man", "book"): {"reading"}},
        ),
        (
            "A man with a dog is sitting on a bench .",
            [("A man", "man"), ("a dog", "dog"), ("a bench", "bench")],
            {("man", "dog"): {"with"}, ("man", "bench"): {"sitting on"}},
        ),
        (
            "A man standing on a court holding a racket .",
            [("A man", "man"), ("a racket", "racket")],
            {("man", "racket"): {"holding"}},
        ),
        ("A man kicked Bob near a car .", [("A man", "man"), ("a car", "car")], {}),
        ("A man saw a dog .", [("A man", "man"), ("a dog", "dog")], {}),
        ("A man 3 feet from a car .", [("A man", "man"), ("a car", "car")], {}),
        ("A man near by a car .", [("A man", "man"), ("a car", "car")], {}),
    ],
)
def test_what_is_learnt_from_a_sentence(
    text: str, phrases: list[tuple[str, str]], relations: dict[tuple[str, str], set[str]]
) -> None:
    assert learnt(captioned(text, *phrases)) == relations


def test_a_caption_without_its_first_article_tells_nothing_of_articles() -> None:
    image = captioned("Man riding a horse .", ("Man", "man"), ("a horse", "horse"))
    book = learn_phrasebook([image] * 3)
    assert book.determiners == {"horse": {"a": 3}}
    assert book.nouns["man"] == {"man": 3}


def test_a_file_too_large_to_be_one_is_not_read_whole(tmp_path: Path) -> None:
    (tmp_path / "book.json").write_bytes(b" " * (MAX_BYTES + 1))
    with refusal(BadInput):
        read_phrasebook(tmp_path / "book.json")


def test_systems_captions_teach_nothing(said_images: Callable[[], list[Image]]) -> None:
    images = [
        Image(
            i.id, i.width, i.height, i.boxes, tuple(Caption(c.id, c.text, c.mentions, "system:x") for c in i.captions)
        )
        for i in said_images()
    ]
    assert learn_phrasebook(images).n_captions == 0


def test_progress_is_told_image_by_image(said_images: Callable[[], list[Image]]) -> None:
    told: list[tuple[str, int, int | None]] = []
    learn_phrasebook(said_images()[:3], lambda *step: told.append(step))
    assert told[:4] == [("images", 0, None), ("images", 1, None), ("images", 2, None), ("images", 3, None)]
    assert {name for name, _, _ in told[4:]} == {"epochs"}


@given(corpora())
def test_any_corpus_gives_a_phrasebook_that_can_be_read_again(tmp_path: Path, corpus: list[Image]) -> None:
    book = learn_phrasebook([*corpus, *corpus, *corpus, *corpus])
    write_phrasebook(book, tmp_path / "book.json")
    assert read_phrasebook(tmp_path / "book.json") == book


@pytest.mark.parametrize("name", ["book.json", "book.json.gz", "book.json.zst"])
def test_a_phrasebook_is_read_as_it_was_written(book: Phrasebook, tmp_path: Path, name: str) -> None:
    write_phrasebook(book, tmp_path / name)
    assert read_phrasebook(tmp_path / name) == book


def test_the_file_says_first_what_it_is(book: Phrasebook, tmp_path: Path) -> None:
    write_phrasebook(book, tmp_path / "book.json")
    assert (tmp_path / "book.json").read_text().startswith('{"limner_model":"phrasebook","version":1,')


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"limner_model": "selector"}, "is a model of kind 'selector'"),
        ({"version": 2}, "of version 2; only version 1 can be read"),
        ({"version": "1"}, "is not a phrasebook"),
        ({"nouns": []}, "is not a phrasebook"),
        ({"nouns": {"dog": {"dog": 1.5}}}, "is not a phrasebook"),
        ({"nouns": {"dog": {"dog": 0}}}, "is not a phrasebook"),
        ({"nouns": {"dog": {"dog": -3}}}, "is not a phrasebook"),
        ({"nouns": {"dog": {"dog": 1 << 60}}}, "is not a phrasebook"),
        ({"nouns": {"dog": {"a dog. Buy now!": 3}}}, "is not a noun"),
        ({"nouns": {"dog": {"<b>": 3}}}, "is not a noun"),
        ({"nouns": {"": {"dog": 3}}}, "is not a noun"),
        ({"nouns": {"dog": {"d" * 61: 3}}}, "is not a noun"),
        ({"determiners": {"dog": {"my": 3}}}, "'my' is not one of a, bare, possessive, the"),
        ({"before": {"dog": {"c4t": 1}}}, "is not a noun"),
        ({"kinds_before": {"ghosts": {"people": 1}}}, "'ghosts' is not a kind"),
        ({"kinds_before": {"people": {"ghosts": 1}}}, "'ghosts' is not a kind"),
        ({"by_nouns": {"dog": {"cat": {"murdering": {"oue": 3}}}}}, "'murdering' is not a known verb"),
        ({"by_nouns": {"dog": {"cat": {"on": {"xyz": 3}}}}}, "'xyz' is not a layout"),
        ({"by_nouns": {"d0g": {"cat": {"on": {"oue": 3}}}}}, "'d0g' cannot be related"),
        ({"by_object": {"dog": {"cat": {"on": {"oue": 3}}}}}, "'dog' cannot be related"),
        ({"by_kinds": {"people": {"cat": {"on": {"oue": 3}}}}}, "nothing can be related to 'cat'"),
        ({"by_nouns": {"dog": {"cat": {"sits on": {"oue": 3}}}}}, "'sits on' is not a known verb"),
        ({"extra": 1}, "is not a phrasebook"),
        ({"n_images": None}, "is not a phrasebook"),
    ],
)
def test_a_file_that_no_learning_wrote_is_refused_in_one_line(
    book: Phrasebook, tmp_path: Path, changed: dict[str, Any], problem: str
) -> None:
    write_phrasebook(book, tmp_path / "book.json")
    content = json.loads((tmp_path / "book.json").read_text())
    (tmp_path / "book.json").write_text(json.dumps({**content, **changed}))
    with pytest.raises(BadInput) as caught:
        read_phrasebook(tmp_path / "book.json")
    assert problem in str(caught.value)
    assert str(tmp_path / "book.json") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"limner_model": "phrasebook", "version": NaN}',
        b'{"limner_model": "\xff", "version": 1}',
        b'{"limner_model": "phrasebook", "version": 1, "nouns": ' + b"[" * 100_000,
        b'{"limner_model": "phrasebook", "version": 1, "x": ' + b'{"a":' * 100_000,
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_hostile_bytes_are_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "book.json").write_bytes(raw)
    with pytest.raises(BadInput):
        read_phrasebook(tmp_path / "book.json")


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with refusal(BadInput):
        read_phrasebook(tmp_path / "none.json")
