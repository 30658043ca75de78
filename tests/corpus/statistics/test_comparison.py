"""Samples of one size from corpora of different sizes."""

from __future__ import annotations

import pytest

from limner.corpus import Caption, Corpus, Image
from limner.corpus.statistics import Distribution, Sample, compare, equal_sample
from limner.errors import LimnerError
from refusals import refusal


def dist(*pairs: tuple[int, int]) -> Distribution:
    return Distribution(pairs)


COCO = dist((5, 4990), (6, 10))
NOCAPS = dist((10, 1500))


@pytest.mark.parametrize(
    ("corpora", "images", "captions_each", "expected"),
    [
        ([COCO, NOCAPS], None, None, Sample(1500, 5)),
        ([COCO, COCO], None, None, Sample(5000, 5)),
        ([NOCAPS], None, None, Sample(1500, 10)),
        ([COCO, NOCAPS], 1000, None, Sample(1000, 5)),
        ([COCO, NOCAPS], 5, None, Sample(5, 6)),
        ([COCO, NOCAPS], None, 3, Sample(1500, 3)),
        ([COCO, NOCAPS], None, 6, Sample(10, 6)),
        ([COCO, NOCAPS], 10, 2, Sample(10, 2)),
        # One image with a single caption costs that image, not all the others' captions.
        ([dist((0, 7), (1, 1), (5, 99)), NOCAPS], None, None, Sample(99, 5)),
        # As many captions either way: more of each image.
        ([dist((1, 2), (2, 2))], None, None, Sample(2, 2)),
        ([dist((0, 5)), NOCAPS], None, None, None),
        ([dist(), NOCAPS], None, None, None),
    ],
)
def test_the_sample_is_the_largest_all_corpora_can_give(
    corpora: list[Distribution], images: int | None, captions_each: int | None, expected: Sample | None
) -> None:
    assert equal_sample(corpora, ["one", "other"][: len(corpora)], images, captions_each) == expected


@pytest.mark.parametrize(("images", "captions_each"), [(2000, None), (11, 6), (None, 11)])
def test_a_sample_too_large_is_one_line_that_names_the_corpus(images: int | None, captions_each: int | None) -> None:
    with refusal(LimnerError):
        equal_sample([COCO, NOCAPS], ["coco", "nocaps"], images, captions_each)


def corpus(n_images: int, n_captions: int) -> Corpus:
    """Images whose every caption has a word of its own."""
    return Corpus.of(
        Image(f"{i}", captions=tuple(Caption(f"{k}", f"w{i}x{k}") for k in range(n_captions))) for i in range(n_images)
    )


def test_ngrams_are_counted_in_a_sample_of_that_size() -> None:
    one, other = compare([corpus(9, 4), corpus(5, 6)], ["one", "other"])
    for found in (one, other):
        assert found.ngrams is not None
        assert (found.ngrams.images, found.ngrams.captions, found.ngrams.captions_each) == (5, 20, 4)
        assert found.ngrams.distinct == (20, 0, 0, 0)


def test_a_seed_gives_one_sample_and_another_seed_another() -> None:
    # Image i has the words a to the i-th letter, so that the sample shows in the count.
    letters = "abcdefghijklmnop"
    images = Corpus.of(Image(c, captions=(Caption("0", " ".join(letters[: i + 1])),)) for i, c in enumerate(letters))

    def distinct(seed: int) -> tuple[int, ...]:
        (found,) = compare([images], ["letters"], images=3, captions_each=1, seed=seed)
        assert found.ngrams is not None
        assert found.ngrams.seed == seed
        return found.ngrams.distinct

    assert distinct(1) == distinct(1)
    assert len({distinct(seed) for seed in range(20)}) > 5


def test_every_image_is_as_likely_to_be_drawn() -> None:
    images = Corpus.of(
        [Image("none"), *(Image(str(i), captions=(Caption("0", " ".join("a" * (i + 1))),)) for i in range(4))]
    )
    drawn = []
    for seed in range(400):
        (found,) = compare([images], ["four"], images=1, captions_each=1, seed=seed)
        assert found.ngrams is not None
        # The n-grams of one word repeated tell how often: 1, 2, 3 or at least 4 times.
        drawn.append(sum(found.ngrams.distinct))
    assert all(70 < drawn.count(length) < 130 for length in (1, 2, 3, 4))


def test_a_corpus_without_captions_leaves_ngrams_out() -> None:
    one, other = compare([corpus(3, 2), Corpus.of([Image("a")])], ["one", "other"])
    assert one.ngrams is other.ngrams is None
