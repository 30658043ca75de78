from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ngram_definitions
from limner.errors import LimnerError
from limner.score.cider import Cider, PlainCider
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.run import Run
from ngram_definitions import run, runs, sound_sentences, use
from refusals import refusal


@pytest.fixture(autouse=True, params=["compiled", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch)
    return str(request.param)


def test_the_value_of_an_image_by_hand() -> None:
    other = ("b", ["b"])
    # One word in common of two and of one, each in one image of two; no longer n-grams in the reference.
    clipped = 10 * exp(-(1**2) / 72) * (1 / sqrt(2)) / 4
    assert Cider().measure(run([("a c", ["a"]), other])).per_image[0, 0] == pytest.approx(clipped)
    assert PlainCider().measure(run([("a c", ["a"]), other])).per_image[0, 0] == pytest.approx(10 / sqrt(2) / 4)
    # Saying it three times is worth no more than once, but takes its part of the norm; without clipping it is the same.
    assert Cider().measure(run([("a a a", ["a"]), other])).per_image[0, 0] == pytest.approx(
        10 * exp(-(2**2) / 72) / 3 / 4
    )
    assert PlainCider().measure(run([("a a a", ["a"]), other])).per_image[0, 0] == pytest.approx(10 / 4)


@given(runs())
def test_cider_is_what_its_definition_says(run: Run) -> None:
    images = list(zip(run.candidates, run.references, strict=True))
    for metric, sigma in ((Cider(), 6.0), (Cider(sigma=2.0), 2.0), (PlainCider(), None)):
        found = metric.measure(run)
        expected = ngram_definitions.cider(images, sigma=sigma)
        np.testing.assert_allclose(found.per_image[:, 0], expected, rtol=1e-9, atol=1e-12)
        assert found.value()[0] == pytest.approx(np.mean(expected), abs=1e-12)
        assert found.depends_on_run


@given(runs(), runs())
def test_cider_by_document_frequencies_of_other_images(run: Run, other: Run) -> None:
    images, others = (list(zip(one.candidates, one.references, strict=True)) for one in (run, other))
    found = Cider(document_frequencies(other)).measure(run)
    expected = ngram_definitions.cider(images, ngram_definitions.images_with(others), len(others))
    np.testing.assert_allclose(found.per_image[:, 0], expected, rtol=1e-9, atol=1e-12)
    assert not found.depends_on_run


@given(runs(sound_sentences, min_size=2))
def test_the_run_s_own_frequencies_give_the_same_when_they_are_given(run: Run) -> None:
    own, given_ = Cider().measure(run), Cider(document_frequencies(run)).measure(run)
    np.testing.assert_allclose(own.per_image, given_.per_image, rtol=1e-12, atol=1e-15)


@given(runs(sound_sentences, min_size=2), st.data())
def test_a_subset_scores_by_given_frequencies_as_it_does_in_the_whole(run: Run, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(run) - 1), min_size=1, unique=True))
    metric = Cider(document_frequencies(run))
    whole, part = metric.measure(run), metric.measure(run.subset(places))
    np.testing.assert_array_equal(whole.rows[places], part.rows)


def test_what_every_image_has_weighs_nothing_at_all() -> None:
    # 5 and 7 images: logarithms that rounding could keep from being equal.
    for n in (5, 7, 49):
        found = Cider().measure(run([("a dog", ["a dog"])] * n))
        assert found.per_image.tolist() == [[0.0]] * n


def test_one_image_is_told_that_its_value_means_nothing() -> None:
    alone = run([("a dog", ["a dog"])])
    for metric in (Cider(), PlainCider(), Cider(document_frequencies(alone))):
        found = metric.measure(alone)
        assert found.value()[0] == 0.0
        assert found.warnings == (
            "CIDEr of one image is 0 whatever is written: its n-grams are in every image, and weigh nothing; "
            "give document frequencies",
        )
    helped = Cider(DocumentFrequencies(10, {("a",): 5, ("dog",): 2})).measure(alone)
    assert helped.warnings == ()
    assert helped.value()[0] == pytest.approx(10 * 2 / 4)
    assert Cider().measure(run([("a dog", ["a dog"]), ("a", ["a"])])).warnings == ()


def test_an_n_gram_without_a_frequency_is_the_rarest() -> None:
    found = Cider(DocumentFrequencies(10, {("a",): 5})).measure(run([("a b", ["a"])]))
    cosine = log(2) / sqrt(log(2) ** 2 + log(10) ** 2)
    assert found.value()[0] == pytest.approx(10 * exp(-1 / 72) * cosine / 4)


def test_words_made_differently_are_told_apart() -> None:
    df = document_frequencies(Run(["x", "y"], ["a", "b"], [["a"], ["b"]], tokeniser_name="ptb"))
    (warning,) = Cider(df).measure(run([("a", ["a"]), ("b", ["b"])])).warnings
    assert "'ptb'" in warning
    assert "'none'" in warning


def test_the_signature_tells_the_frequencies_apart() -> None:
    images = [("a dog", ["a dog"]), ("a cat", ["a cat"])]
    df = document_frequencies(run(images))
    other = document_frequencies(run([*images, ("a", ["a"])]))
    choices = [metric.measure(run(images)).choices for metric in (Cider(), Cider(df), Cider(other), PlainCider())]
    assert choices[0] == {"variant": "D", "n": 4, "sigma": 6.0, "df": "run"}
    assert choices[1]["df"] != choices[2]["df"]
    assert choices[2]["df_images"] == 3
    assert choices[3]["variant"] == "plain"


def test_a_share_of_a_run_with_the_frequencies_of_the_whole_is_as_the_whole_says() -> None:
    whole = run([("a dog runs", ["a dog", "the dog runs"]), ("a cat", ["a cat sits"]), ("birds", ["two birds"])])
    df = document_frequencies(whole)
    for own, given_ in ((Cider(), Cider(df, is_of_run=True)), (PlainCider(), PlainCider(df, is_of_run=True))):
        expected, found = own.measure(whole).select(np.array([0, 2])), given_.measure(whole.subset([0, 2]))
        np.testing.assert_allclose(found.rows, expected.rows, rtol=1e-12)
        assert list(found.choices.items()) == list(expected.choices.items())
        assert (found.depends_on_run, found.warnings) == (True, ())
    assert not Cider(df).measure(whole).depends_on_run


def test_long_captions() -> None:
    caption = " ".join(f"w{i % 700}" for i in range(10_000))
    references = [" ".join(f"w{i % (650 + k)}" for i in range(9_000 + 10 * k)) for k in range(2)]
    images = [(caption, [*references, *["w1 w2"] * 3]), ("w1", ["w1"])]
    found = PlainCider().measure(run(images)).per_image[:, 0]
    assert found == pytest.approx(ngram_definitions.cider(images, sigma=None))
    assert found[0] > 0.1


def test_fifty_references_that_say_the_same_are_as_one() -> None:
    images = [("a dog runs", ["a dog"]), ("a cat", ["the cat"])]
    expected = Cider().measure(run(images)).per_image
    many = Cider().measure(run([(caption, references * 50) for caption, references in images]))
    np.testing.assert_allclose(many.per_image, expected, rtol=1e-12)


def test_no_image_is_no_error() -> None:
    assert Cider().measure(run([])).per_image.shape == (0, 1)


def test_frequencies_of_no_image_are_refused() -> None:
    with refusal(LimnerError):
        Cider(DocumentFrequencies(0, {}))
    with refusal(ValueError):
        Cider(sigma=0.0)


def test_names() -> None:
    assert (Cider().name, Cider().columns) == ("cider", ("cider",))
    assert (PlainCider().name, PlainCider().columns) == ("cider-plain", ("cider-plain",))
