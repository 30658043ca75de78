from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ngram_definitions
from limner.score.bleu import Bleu
from limner.score.run import Run
from ngram_definitions import run, runs, sound_sentences, use
from refusals import refusal


@pytest.fixture(autouse=True, params=["compiled", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch)
    return str(request.param)


@pytest.mark.parametrize(
    ("caption", "references", "expected"),
    [
        # The example of Papineni et al. (2002), section 2.1: two of seven, since no reference has "the" more often.
        ("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"], [2 / 7, 0.0]),
        ("a dog runs", ["a dog runs"], [1.0, 1.0]),
        ("a dog", ["a dog runs far"], [exp(1 - 4 / 2)] * 2),
        ("runs dog a", ["a dog runs"], [1.0, 0.0]),
        # As near to two words as to six: the shorter counts, and the caption is not too short.
        ("a dog b c", ["a dog", "a dog runs very far away"], [1 / 2, (1 / 2 * 1 / 3) ** 0.5]),
        ("", ["a dog"], [0.0, 0.0]),
        ("", [""], [0.0, 0.0]),
        ("a dog", [""], [0.0, 0.0]),
        # A tokeniser's fraction is two words.
        ("22\xa03/4", ["22 3/4"], [1.0, 1.0]),
    ],
)
def test_bleu_1_and_2_of_an_image(caption: str, references: list[str], expected: list[float]) -> None:
    found = Bleu(2).measure(run([(caption, references)]))
    assert found.value() == pytest.approx(expected, abs=1e-6)
    assert found.per_image[0] == pytest.approx(expected, abs=1e-6)


@given(runs(), st.integers(1, 5))
def test_bleu_is_what_its_definition_says(run: Run, n: int) -> None:
    images = list(zip(run.candidates, run.references, strict=True))
    found = Bleu(n).measure(run)
    assert found.value() == pytest.approx(ngram_definitions.bleu(images, n), rel=1e-12, abs=1e-15)
    each = [ngram_definitions.bleu([image], n) for image in images]
    np.testing.assert_allclose(found.per_image, each, rtol=1e-12, atol=1e-15)


@given(runs(sound_sentences), st.data())
def test_a_subset_scores_as_the_run_of_it(run: Run, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(run) - 1), min_size=1, unique=True))
    whole, part = Bleu().measure(run), Bleu().measure(run.subset(places))
    np.testing.assert_array_equal(whole.rows[places], part.rows)
    np.testing.assert_allclose(whole.finish(whole.rows[places].sum(axis=0)), part.value(), rtol=1e-14)
    assert not whole.depends_on_run


@given(runs(sound_sentences))
def test_a_reference_that_is_there_twice_changes_nothing(run: Run) -> None:
    twice = Run(run.ids, run.candidates, [[*some, some[0]] for some in run.references])
    np.testing.assert_array_equal(Bleu().measure(run).rows, Bleu().measure(twice).rows)


def test_sums_of_many_samples_are_finished_at_once() -> None:
    found = Bleu().measure(run([("a dog runs far", ["a dog runs"]), ("a cat", ["the cat sits"])]))
    samples = np.stack([found.rows.sum(axis=0), found.rows[0], 2 * found.rows[1]])
    expected = np.stack([found.value(), found.per_image[0], found.per_image[1]])
    np.testing.assert_allclose(found.finish(samples), expected, atol=1e-6)
    assert found.finish(np.stack([samples, samples])).shape == (2, 3, 4)


def test_long_captions_and_many_references() -> None:
    caption = " ".join(f"w{i % 700}" for i in range(10_000))
    references = [" ".join(f"w{i % (650 + k)}" for i in range(9_000 + k)) for k in range(0, 50, 7)]
    references += ["w1 w2"] * 43
    expected = ngram_definitions.bleu([(caption, references)], 4)
    assert Bleu().measure(run([(caption, references)])).value() == pytest.approx(expected, rel=1e-12)


def test_no_image_is_no_error() -> None:
    found = Bleu().measure(run([]))
    assert found.rows.shape == (0, 10)
    assert found.per_image.shape == (0, 4)


def test_its_name_and_what_its_signature_tells() -> None:
    assert (Bleu().name, Bleu(2).columns) == ("bleu", ("bleu1", "bleu2"))
    assert Bleu(2).measure(run([("a", ["a"])])).choices["n"] == 2
    with refusal(ValueError):
        Bleu(0)
