"""BLEU, ROUGE-L and CIDEr against pycocoevalcap's own, called as its users call them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import limner.score.pycocoevalcap as ours
from limner.errors import LimnerError
from limner.score.document_frequencies import DocumentFrequencies
from limner.score.pycocoevalcap import Bleu, Cider, Rouge
from ngram_definitions import sentences, use
from refusals import refusal

Captions = dict[Any, list[str]]


@pytest.fixture(autouse=True, params=["compiled", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    use(request.param, monkeypatch)


@pytest.fixture
def theirs() -> dict[str, Any]:
    """The reference scorers."""
    bleu = pytest.importorskip("pycocoevalcap.bleu.bleu", reason="pycocoevalcap is not installed")
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    return {"Bleu": bleu.Bleu, "Rouge": Rouge, "Cider": Cider}


def of(images: list[tuple[int, tuple[str, list[str]]]]) -> tuple[Captions, Captions]:
    return {id: references for id, (_, references) in images}, {id: [caption] for id, (caption, _) in images}


IMAGES = st.lists(
    st.tuples(st.integers(), st.tuples(sentences, st.lists(sentences, min_size=1, max_size=4))),
    min_size=2,
    max_size=5,
    unique_by=lambda image: image[0],
).map(of)


@given(images=IMAGES)
def test_bleu_is_pycocoevalcap_s(theirs: dict[str, Any], images: tuple[Captions, Captions]) -> None:
    expected, each = theirs["Bleu"](4).compute_score(*images, verbose=0)
    found, own = Bleu(4).compute_score(*images, verbose=0)
    assert type(found) is list
    assert [type(value) for value in found] == [float] * 4
    assert found == pytest.approx(expected, abs=1e-9)
    assert [len(values) for values in own] == [len(values) for values in each]
    np.testing.assert_allclose(own, each, rtol=0, atol=1e-9)


@given(images=IMAGES)
def test_rouge_is_pycocoevalcap_s(theirs: dict[str, Any], images: tuple[Captions, Captions]) -> None:
    expected, each = theirs["Rouge"]().compute_score(*images)
    found, own = Rouge().compute_score(*images)
    assert (type(found), type(own), own.shape) == (type(expected), type(each), each.shape)
    assert found == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(own, each, rtol=0, atol=1e-9)
    gts, res = images
    assert [Rouge().calc_score(res[id], gts[id]) for id in gts] == pytest.approx(each, abs=1e-9)


@given(images=IMAGES, sigma=st.sampled_from([6.0, 1.5]))
def test_cider_is_pycocoevalcap_s(theirs: dict[str, Any], images: tuple[Captions, Captions], sigma: float) -> None:
    if not any(reference.split() for references in images[0].values() for reference in references):
        return  # pycocoevalcap fails where no reference has a word.
    expected, each = theirs["Cider"](sigma=sigma).compute_score(*images)
    found, own = Cider(sigma=sigma).compute_score(*images)
    assert (type(found), type(own), own.shape) == (type(expected), type(each), each.shape)
    assert found == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(own, each, rtol=0, atol=1e-9)


def test_captions_need_not_stand_in_the_order_of_the_references() -> None:
    gts: Captions = {2: ["a dog"], 1: ["a cat"]}
    _, each = Rouge().compute_score(gts, {1: ["a cat"], 2: ["bird"]})
    assert each.tolist() == [0.0, 1.0]


def test_cider_of_one_image_warns() -> None:
    images: tuple[Captions, Captions] = ({1: ["a dog"]}, {1: ["a dog"]})
    with pytest.warns(UserWarning, match="0 whatever is written"):
        assert Cider().compute_score(*images)[0] == 0.0
    value, _ = Cider(df=DocumentFrequencies(10, {("a",): 5})).compute_score(*images)
    assert value == pytest.approx(5.0)


@pytest.mark.parametrize("scorer", [Bleu(), Rouge(), Cider()])
@pytest.mark.parametrize(
    ("gts", "res"),
    [({1: ["a"]}, {2: ["a"]}), ({1: ["a"]}, {1: ["a", "b"]}), ({1: ["a"]}, {1: []}), ({1: []}, {1: ["a"]})],
)
def test_what_cannot_be_scored_is_an_error(scorer: Any, gts: Captions, res: Captions) -> None:
    with pytest.raises(LimnerError):
        scorer.compute_score(gts, res)


def test_other_orders_of_cider_are_refused() -> None:
    with refusal(LimnerError):
        Cider(n=3)


def test_the_names_by_which_the_scorers_go(theirs: dict[str, Any]) -> None:
    for name, scorer in theirs.items():
        assert getattr(ours, name)().method() == scorer().method()


def test_the_package_lists_what_it_has_and_nothing_else() -> None:
    assert {"Bleu", "Cider", "Rouge", "COCO", "COCOEvalCap", "Meteor", "PTBTokenizer", "Spice"} <= set(dir(ours))
    with pytest.raises(AttributeError, match="Blue"):
        _ = ours.Blue
