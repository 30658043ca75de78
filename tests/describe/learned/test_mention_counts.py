"""What a corpus teaches about labels, kinds and pairs of labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.mention_counts import (
    PAIR_STRENGTH,
    STRENGTH,
    Tally,
    Vocabulary,
    Worth,
    add,
    priors_of,
    tally,
)
from limner.describe.learned.mention_priors import Priors

WORDS = Vocabulary({"dog": 0, "hat": 1, "man": 2}, {"animals": 0, "clothing": 1, "people": 2})


def picture(*labels: str, name: str = "a") -> Image:
    """Squares side by side, each smaller than the one before."""
    boxes = [Box(str(i), 40 * i, 0, 40 * i + 30 - i, 30 - i, label) for i, label in enumerate(labels)]
    return Image(name, 400, 100, tuple(boxes))


def counted(images: list[Image], p: list[float], words: Vocabulary = WORDS) -> Tally:
    return tally(Layout(images), Worth(np.array(p), np.array(p) / 2), words)


def learnt(images: list[Image], p: list[float], words: Vocabulary = WORDS) -> Priors:
    return priors_of(counted(images, p, words), words)


def test_a_label_tends_to_its_kind_and_a_kind_to_all_boxes() -> None:
    priors = learnt([picture("man", "dog"), picture("man")], [1.0, 0.0, 0.8])
    overall = (1.8 + STRENGTH * 0.5) / (3 + STRENGTH)
    people = (1.8 + STRENGTH * overall) / (2 + STRENGTH)
    man = (1.8 + STRENGTH * people) / (2 + STRENGTH)
    assert priors.kinds.names == ["", "animals", "clothing", "people"]
    assert priors.kinds.p[[0, 3]] == pytest.approx([overall, people], abs=1e-5)
    assert priors.labels.names == ["dog", "man"]
    assert priors.labels.p[1] == pytest.approx(man, abs=1e-5)


def test_what_was_seen_often_needs_no_smoothing() -> None:
    priors = learnt([picture("man", name=str(i)) for i in range(5000)], [0.9] * 5000)
    assert priors.labels.p == pytest.approx([0.9], abs=0.002)
    assert priors.labels.r == pytest.approx([0.45], abs=0.002)
    assert priors.labels.n.tolist() == [5000]


def test_boxes_of_a_label_differ_by_their_standing() -> None:
    images = [picture("dog", "dog", "dog", name=str(i)) for i in range(2000)]
    priors = learnt(images, [1.0, 0.2, 0.2] * 2000)
    assert priors.labels.standing_p[0, 1:] == pytest.approx([1.0, 0.2], abs=0.01)
    known = priors.known(Layout([picture("dog", "dog"), picture("dog")]))
    assert known.standing_p[:2] == pytest.approx([1.0, 0.2], abs=0.01)
    assert known.plural == pytest.approx([0.2] * 3, abs=0.01)
    # People name dogs here always: their most mentioned box is always mentioned.
    assert known.named == pytest.approx([1.0] * 3, abs=0.01)


def test_a_label_never_seen_is_answered_for_by_its_kind_and_a_kind_never_seen_by_all() -> None:
    priors = learnt([picture("man", "dog", name=str(i)) for i in range(500)], [0.9, 0.3] * 500)
    known = priors.known(Layout([picture("woman", "spoon", "man")]))
    assert known.label.tolist() == [-1, -1, 1]
    assert known.n.tolist() == [0, 0, 500]
    assert known.p == pytest.approx([0.9, 0.6, 0.9], abs=0.01)
    assert known.standing_p == pytest.approx([0.9, 0.6, 0.9], abs=0.01)


def test_company_tells_how_p_differs_from_what_it_is_anyway() -> None:
    images = [picture("man", "dog", name=f"d{i}") for i in range(100)] + [
        picture("man", name=f"m{i}") for i in range(100)
    ]
    priors = learnt(images, [0.4, 0.5] * 100 + [0.8] * 100)
    dog, man = priors.labels.find(["dog", "man"])
    effect, seen = priors.effect("company", np.array([man, dog, man, -1]), np.array([dog, man, man, dog]))
    anyway = priors.labels.standing_p[man, 0]
    assert effect[0] == pytest.approx((0.4 - anyway) * 100 / (100 + PAIR_STRENGTH), abs=1e-3)
    assert effect[1] == pytest.approx(0.0, abs=1e-2)
    assert seen.tolist() == [100, 100, 0, 0]
    assert effect[2:].tolist() == [0, 0]


def test_inside_and_holding_are_told_of_the_inner_and_the_outer_box() -> None:
    boxes = (Box("0", 0, 0, 90, 90, "man"), Box("1", 10, 10, 20, 20, "hat"))
    images = [Image(str(i), 100, 100, boxes) for i in range(50)] + [
        picture("hat", "man", name=f"x{i}") for i in range(50)
    ]
    priors = learnt(images, [1.0, 0.0] * 50 + [0.5, 0.5] * 50)
    hat, man = priors.labels.find(["hat", "man"])
    inside, _ = priors.effect("inside", np.array([hat, man]), np.array([man, hat]))
    holding, _ = priors.effect("holding", np.array([hat, man]), np.array([man, hat]))
    assert inside[0] < -0.1
    assert inside[1] == 0
    assert holding[1] > 0.1
    assert holding[0] == 0


def test_pairs_seen_seldom_are_not_kept() -> None:
    priors = learnt([picture("man", "dog", name=str(i)) for i in range(4)], [1.0, 0.0] * 4)
    assert len(priors.effects["company"].n) == 0


def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(world: Callable[[int, int], list[Image]]) -> None:
    images = world(30, 5)
    labels = {label: i for i, label in enumerate(sorted({box.label for image in images for box in image.boxes}))}
    words = Vocabulary(labels, {kind: i for i, kind in enumerate(Layout(images).kinds.names)})

    def of(some: list[Image]) -> Tally:
        n = sum(len(image.boxes) for image in some)
        return counted(some, [(7 * i % 10) / 10 for i in range(n)], words)

    # p depends on the place in the part: only counts of boxes can be compared.
    whole, parts = of(images), add([of(images[:11]), of(images[11:])])
    assert np.array_equal(whole.labels[..., 0], parts.labels[..., 0])
    assert np.array_equal(whole.label_kinds.key, parts.label_kinds.key)
    for pairing, pairs in whole.pairs.items():
        assert np.array_equal(pairs.key, parts.pairs[pairing].key)
        assert np.array_equal(pairs.values[:, :3], parts.pairs[pairing].values[:, :3])
    halved = add([of(images[:11]), of(images[:11])])
    assert halved.labels == pytest.approx(2 * of(images[:11]).labels)


def test_nothing_learnt_is_an_answer_too() -> None:
    priors = learnt([], [], Vocabulary({}, {}))
    known = priors.known(Layout([picture("man", "dog")]))
    assert known.p.tolist() == [0.5, 0.5]
