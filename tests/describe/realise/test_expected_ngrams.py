from __future__ import annotations

from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image
from limner.describe.realise import FluentRealiser, Phrasebook, learn_phrasebook, read_phrasebook, write_phrasebook
from limner.describe.realise.evidence import ClueRows, clues
from limner.describe.realise.expected_ngrams import SIGMA, ExpectedNgrams, ngram_faults
from limner.describe.realise.ngram_learning import MIN_CAPTIONS, RIDGE, NgramLearner
from limner.errors import BadInput
from limner.score.cider import Cider
from limner.score.document_frequencies import document_frequencies
from limner.score.run import Run
from limner.text.ptb import PTB, tokenise
from refusals import refusal

DOG = ExpectedNgrams(
    weights={"dog": {"": 0.1, "dog": 0.5}, "a dog": {"dog": 0.3}, "a": {"": 0.2}},
    idf={"dog": 2.0, "a dog": 3.0, "a": 0.5},
    rare=4.0,
    length=2.0,
)


def test_what_is_expected_is_the_sum_over_the_clues_that_hold() -> None:
    assert DOG.expected(["dog", "never seen"]) == pytest.approx([0.6, 0.3, 0.2])
    assert DOG.expected([]) == pytest.approx([0.1, 0.0, 0.2])


def test_likeness_is_the_mean_cosine_of_ngrams() -> None:
    expected = DOG.expected(["dog"])
    words = (0.5 * 0.2 + 2.0 * 0.6) / sqrt(0.5**2 + 2.0**2)
    assert DOG.likeness("A dog.", expected) == pytest.approx((words + 0.3) / 4)
    # A word that captions do not have takes from the likeness, and so does another length.
    longer = (0.5 * 0.2 + 2.0 * 0.6) / sqrt(0.5**2 + 2.0**2 + 4.0**2) + 3.0 * 0.3 / sqrt(3.0**2 + 4.0**2)
    assert DOG.likeness("A dog zooms.", expected) == pytest.approx(longer / 4 * exp(-1 / (2 * SIGMA**2)))
    assert DOG.likeness("", expected) == 0.0


def images() -> list[Image]:
    """Dogs that people see on the grass, and cats on couches; each with two captions."""
    said = {"dog": ["a dog on the grass", "a dog runs"], "cat": ["a cat asleep on a couch", "the cat is on a couch"]}
    return [
        Image(
            f"{label}{n}",
            100,
            100,
            (Box("0", 0, 0, 60, 60, label),),
            tuple(Caption(str(i), text) for i, text in enumerate(texts)),
        )
        for n in range(MIN_CAPTIONS)
        for label, texts in said.items()
    ]


def learnt(corpus: list[Image]) -> ExpectedNgrams | None:
    learner = NgramLearner()
    for image in corpus:
        learner.add(caption.text for caption in image.captions)
    return learner.ngrams(ClueRows([clues(image) for image in corpus], 1, 100))


def test_dogs_are_expected_on_the_grass_and_cats_on_couches() -> None:
    ngrams = learnt(images())
    assert ngrams is not None
    dog, cat = (ngrams.expected(clues(image)) for image in images()[:2])
    for image_of, own, other in ((dog, "a dog on the grass", "a cat on a couch"), (cat, "a cat on a couch", "a dog")):
        assert ngrams.likeness(own, image_of) > ngrams.likeness(other, image_of)


def test_weights_are_those_of_a_ridge_regression() -> None:
    corpus = images()
    ngrams = learnt(corpus)
    assert ngrams is not None
    # Words that all images have weigh nothing: "dog" and "grass" are left of one, "dog" and "runs" of the other.
    target = 1 / sqrt(2)
    rows = ClueRows([clues(image) for image in corpus], 1, 100)
    matrix = rows.matrix().astype(float)
    wanted = np.array([target if image.id.startswith("dog") else 0.0 for image in corpus])
    penalty = np.diag([*[RIDGE] * len(rows.names), 1e-3])
    weights = np.linalg.solve(matrix.T @ matrix + penalty, matrix.T @ wanted)
    for name, weight in zip([*rows.names, ""], weights, strict=True):
        assert ngrams.weights["dog"].get(name, 0.0) == pytest.approx(weight, abs=5e-3)


def test_likeness_orders_sentences_as_cider_does_where_all_images_are_alike() -> None:
    corpus = images()
    ngrams = learnt(corpus)
    assert ngrams is not None
    sentences = ["a dog on the grass", "a dog runs", "a dog", "the grass", "a cat on a couch", "a zebra"]
    references = [[caption.text for caption in corpus[0].captions]] * len(sentences)
    run = Run([str(i) for i in range(len(sentences))], sentences, references, tokenise, PTB)
    everything = Run(
        [image.id for image in corpus],
        [""] * len(corpus),
        [[caption.text for caption in image.captions] for image in corpus],
        tokenise,
        PTB,
    )
    scores = Cider(document_frequencies(everything)).measure(run).per_image[:, 0]
    expected = ngrams.expected(clues(corpus[0]))
    likeness = [ngrams.likeness(sentence, expected) for sentence in sentences]
    # "a cat on a couch" shares "on" with the references, of which the regression expects a little of everything.
    assert np.argsort(scores[:4]).tolist() == np.argsort(likeness[:4]).tolist()
    assert max(likeness[4:]) < min(likeness[:2])


def test_rare_ngrams_teach_nothing_and_too_few_captions_no_ngrams_at_all() -> None:
    assert learnt(images()[:4]) is None
    assert learnt([]) is None
    ngrams = learnt([*images(), Image("x", 9, 9, (), (Caption("0", "a purple zebra"),))])
    assert ngrams is not None
    assert "zebra" not in ngrams.weights


def test_equal_captions_give_equal_weights() -> None:
    assert learnt(images()) == learnt(images())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"idf": {"dog": 1.0}}, "has only one of weights and idf"),
        ({"weights": {"a b c d e": {}}, "idf": {"a b c d e": 1.0}}, "has more than 4 words"),
    ],
)
def test_strange_ngrams_are_faults(change: dict[str, Any], fault: str) -> None:
    assert list(ngram_faults(DOG)) == []
    assert any(fault in said for said in ngram_faults(replace(DOG, **change)))


def test_a_table_that_would_not_fit_is_refused() -> None:
    many = {f"w{i}": {f"c{i}": 1.0} for i in range(5000)}
    (fault,) = ngram_faults(replace(DOG, weights=many, idf=dict.fromkeys(many, 1.0)))
    assert fault == "ngrams: weights of 5,000 clues for 5,000 n-grams are too many"


def test_a_phrasebook_with_strange_ngrams_is_refused(tmp_path: Path) -> None:
    book = learn_phrasebook(images())
    path = tmp_path / "book.json"
    write_phrasebook(book, path)
    assert read_phrasebook(path) == book
    write_phrasebook(replace(book, ngrams=replace(DOG, idf={})), path)
    with refusal(BadInput):
        read_phrasebook(path)


def test_the_sentence_is_the_one_that_is_most_like_captions(photo_book: Phrasebook, photos: list[Image]) -> None:
    assert photo_book.ngrams is not None
    for seed in range(10):
        assert FluentRealiser(photo_book, seed=seed).realise(photos[41], ["a"]).text == "A man standing on the beach."
    expected = photo_book.ngrams.expected(clues(photos[41]))
    for draft in FluentRealiser(photo_book).drafts(photos[41], ["a"]):
        assert draft.likeness == pytest.approx(photo_book.ngrams.likeness(draft.caption.text, expected))
