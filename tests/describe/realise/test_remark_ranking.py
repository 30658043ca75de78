from __future__ import annotations

import numpy as np
import pytest

from limner.corpus import Box, Caption, Image, Mention
from limner.describe.realise import Phrasebook, phrasebook_learning
from limner.describe.realise.evidence import clues
from limner.describe.realise.realisers import FluentRealiser
from limner.describe.realise.remark_learning import RemarkLearner
from limner.describe.realise.remark_ranking import FEWEST, RIDGE, _mentioned, _ridge, learn_ranking
from limner.describe.realise.remark_table import FEATURES


def test_too_few_images_teach_no_ranking(photos: list[Image], photo_book: Phrasebook) -> None:
    assert learn_ranking(photos[: FEWEST - 1], photo_book) == {}
    assert set(learn_ranking(photos[:FEWEST], photo_book)) == set(FEATURES)
    assert learn_ranking([], photo_book) == {}


def test_a_book_without_remarks_teaches_no_ranking(photos: list[Image], bare_book: Phrasebook) -> None:
    assert learn_ranking(photos, bare_book) == {}


@pytest.fixture
def bare_book() -> Phrasebook:
    names = ("nouns", "determiners", "before", "kinds_before", "by_nouns", "by_object", "by_kinds")
    return Phrasebook(n_images=0, n_captions=0, **{name: {} for name in names})


def test_equal_images_give_equal_weights(photos: list[Image], photo_book: Phrasebook) -> None:
    assert learn_ranking(photos, photo_book) == learn_ranking(photos, photo_book)


def alone(image: Image) -> Image:
    """The image with captions that leave out where it is."""
    captions = tuple(Caption(c.id, "A man .", c.mentions) for c in image.captions)
    return Image(image.id, image.width, image.height, image.boxes, captions)


def test_people_who_tell_places_teach_to_tell_them_and_people_who_do_not_teach_silence(
    photos: list[Image], photo_book: Phrasebook
) -> None:
    assert learn_ranking(photos, photo_book)["setting"] > 0.0
    # Words that all captions have are worth nothing, so that there must be others.
    dogs = Image("dogs", 640, 480, (Box("a", 0, 0, 9, 9, "dog"),), (Caption("0", "Dogs ."),))
    silent = learn_ranking([*(alone(image) for image in photos), *[dogs] * 40], photo_book)
    assert silent["setting"] < 0.0
    assert silent["act"] < 0.0


def test_what_is_learnt_decides_what_is_said(photos: list[Image], photo_book: Phrasebook) -> None:
    sentence = FluentRealiser(photo_book).realise(photos[1], ["a"]).text
    assert "kitchen" in sentence
    assert "beach" not in sentence


def test_the_boxes_of_a_sentence_are_those_that_half_of_the_captions_mention() -> None:
    boxes = tuple(Box(id, 0, 0, 9, 9, "dog") for id in "abcd")

    def image(*said: str) -> Image:
        captions = tuple(
            Caption(str(i), "dogs", (Mention(0, 4, tuple(ids)),) if ids else ()) for i, ids in enumerate(said)
        )
        return Image("i", 10, 10, boxes, captions)

    assert _mentioned(image("ab", "a", "ab", "c")) == ["a", "b"]
    assert _mentioned(image("a", "b", "", "")) == ["a", "b"]
    assert _mentioned(image("a", "", "", "", "")) == ["a"]
    assert _mentioned(image("", "")) == []
    assert _mentioned(image()) == []


def test_weights_are_those_of_a_ridge_regression_within_images() -> None:
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 5)
    features = generator.normal(size=(100, 3))
    ease = generator.normal(size=20) * 100
    scores = features @ np.array([1.0, -2.0, 0.0]) + ease[groups]
    # The same as least squares with a constant for each image, and rows that draw the weights to 0.
    constants = (groups[:, None] == np.arange(20)).astype(float)
    drawn = np.hstack([np.sqrt(RIDGE) * np.eye(3), np.zeros((3, 20))])
    whole = np.vstack([np.hstack([features, constants]), drawn])
    expected = np.linalg.lstsq(whole, np.concatenate([scores, np.zeros(3)]), rcond=None)[0][:3]
    np.testing.assert_allclose(_ridge(features, scores, groups), expected, atol=1e-4)


def test_a_ranking_is_learnt_with_evidence_from_other_images(
    photos: list[Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[Image], Phrasebook]] = []
    monkeypatch.setattr(phrasebook_learning, "learn_ranking", lambda *given: asked.append(given) or {})
    phrasebook_learning.learn_phrasebook(photos)
    ((sample, book),) = asked
    assert book.remarks is not None
    held_out = {image.id for image in sample}
    learner = RemarkLearner()
    for image in photos:
        learner.add(image)
    numbers = {number for number, image in enumerate(photos) if image.id in held_out}
    assert book.remarks.evidence == learner.table(without=numbers).evidence
    # Of few images only half are held out: from none at all, everything would be as likely as not.
    assert len(held_out) == len(photos) / 2
    assert book.remarks.evidence.reasons("kitchen", clues(photos[1])) != []
