"""Whole corpora described by one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from limner import describe as room
from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.describe import (
    Concepts,
    DescribeSettings,
    FluentRealiser,
    Limited,
    PaperRealiser,
    describe,
    describe_corpus,
    find_realiser,
    find_selector,
    learn_phrasebook,
    train_selector,
    write_phrasebook,
)
from limner.describe.selectors import seen
from limner.errors import LimnerError
from limner.playground import playground
from refusals import refusal


@pytest.fixture(scope="module")
def images() -> list[Image]:
    return list(playground(12, seed=4))


def texts(path: Path) -> list[str]:
    return [result.captions[0].text for result in open_corpus(path)]


def test_one_call_does_what_a_selector_and_a_realiser_do(images: list[Image], tmp_path: Path) -> None:
    settings = DescribeSettings(selector="position", k=2, seed=3, detail="low")
    assert describe_corpus(images, tmp_path / "said.jsonl", settings) == 12
    results = describe(images, Limited(find_selector("position"), 2), FluentRealiser(seed=3, detail="low"))
    assert texts(tmp_path / "said.jsonl") == [result.captions[0].text for result in results]


def test_by_default_the_four_largest_boxes_are_mentioned(images: list[Image], tmp_path: Path) -> None:
    describe_corpus(images, tmp_path / "said.jsonl")
    results = describe(images, Limited(find_selector("size"), 4), FluentRealiser())
    assert texts(tmp_path / "said.jsonl") == [result.captions[0].text for result in results]


def test_models_are_read_from_their_files(images: list[Image], tmp_path: Path) -> None:
    selector, book = train_selector(images), learn_phrasebook(images)
    selector.save(tmp_path / "selector.json")
    write_phrasebook(book, tmp_path / "book.json")
    settings = DescribeSettings(model=tmp_path / "selector.json", phrasebook=tmp_path / "book.json")
    describe_corpus(images, tmp_path / "said.jsonl", settings, reasons=tmp_path / "why.txt")
    results = describe(images, selector, FluentRealiser(book))
    assert texts(tmp_path / "said.jsonl") == [result.captions[0].text for result in results]
    assert (tmp_path / "why.txt").read_text().count("boxes chosen") == 12


def test_content_and_wording_are_chosen_together(tmp_path: Path) -> None:
    training, testing = list(playground(150, seed=5)), list(playground(60, seed=6))
    selector, realiser = train_selector(training), FluentRealiser(learn_phrasebook(training))
    results = list(describe(testing, selector, realiser))
    n_changed = 0
    for image, result, offers in zip(testing, results, selector.offer_many(testing), strict=True):
        (caption,) = result.captions
        assert caption == realiser.realise_any(seen(image), offers)
        texts_of_offers = [realiser.realise(seen(image), selection.boxes).text for selection in offers]
        n_changed += caption.text != texts_of_offers[0]
    assert 0 < n_changed < len(testing) / 2


def test_a_limited_selector_offers_nothing_else(images: list[Image], tmp_path: Path) -> None:
    selector, book = train_selector(images), learn_phrasebook(images)
    results = describe(images, Limited(selector, 2), FluentRealiser(book))
    said = [{id for mention in result.captions[0].mentions for id in mention.boxes} for result in results]
    assert said == [set(selector.select(seen(image))[:2]) for image in images]


def test_why_tells_which_selection_was_taken(images: list[Image], tmp_path: Path) -> None:
    train_selector(images).save(tmp_path / "selector.json")
    write_phrasebook(learn_phrasebook(images), tmp_path / "book.json")
    settings = DescribeSettings(model=tmp_path / "selector.json", phrasebook=tmp_path / "book.json")
    describe_corpus(images, tmp_path / "said.jsonl", settings, why=tmp_path / "why.jsonl")
    records = [msgspec.json.decode(line) for line in (tmp_path / "why.jsonl").read_bytes().splitlines()]
    assert [record["caption"] for record in records] == texts(tmp_path / "said.jsonl")
    taken = [record["selection"] for record in records if "selection" in record]
    assert taken
    assert all(0.9 < selection["promise"] <= 1 and selection["of"] > 1 for selection in taken)


def test_counts_of_what_people_mention_are_passed_on(images: list[Image], tmp_path: Path) -> None:
    settings = DescribeSettings(selector="unigram", realiser="paper")
    with refusal(LimnerError):
        describe_corpus(images, tmp_path / "said.jsonl", settings)
    assert list(tmp_path.iterdir()) == []
    describe_corpus(images, tmp_path / "said.jsonl", settings, concepts=Concepts.count(images))
    assert all(text.endswith(" .") for text in texts(tmp_path / "said.jsonl"))


def test_settings_that_contradict_each_other_are_refused(images: list[Image], tmp_path: Path) -> None:
    with refusal(ValueError):
        DescribeSettings(selector="learned")
    with refusal(ValueError):
        DescribeSettings(selector="size", model=tmp_path / "model.json")
    with refusal(ValueError):
        describe_corpus(images, tmp_path / "said.jsonl", reasons=tmp_path / "why.txt")


class Shouting:
    """A realiser that no module of Limner knows."""

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        label = image.box_by_id()[selected[0]].label.upper()
        return Caption("0", label, (Mention(0, len(label), (selected[0],)),), "system:shouting")


def test_anything_that_realises_can_be_used() -> None:
    image = Image("i", 10, 10, (Box("d", 0, 0, 5, 5, "dog"),))
    (result,) = describe([image], find_selector("all"), Shouting())
    assert result.captions[0].text == "DOG"


def test_realisers_are_found_by_name() -> None:
    assert isinstance(find_realiser("paper", seed=3, detail="low"), PaperRealiser)
    assert isinstance(find_realiser("fluent", words="people's"), FluentRealiser)
    with refusal(LimnerError):
        find_realiser("fluant")


def test_what_was_learnt_shows_itself_in_a_line(images: list[Image]) -> None:
    selector, book = train_selector(images), learn_phrasebook(images)
    assert repr(selector) == "LearnedSelector(105 features, trained on 12 images)"
    assert repr(book) == f"Phrasebook({len(book.nouns)} nouns, 60 captions, 12 images)"
    for thing in (selector.model, selector.model.priors, FluentRealiser(book)):
        assert len(repr(thing)) < 200


def test_the_room_exports_lazily_what_its_page_documents() -> None:
    assert set(room.__all__) <= set(dir(room))
    assert room.LearnedSelector.__name__ == "LearnedSelector"
