"""The two classifiers of colours, and which colours they take for which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.ground.colour_classifiers import (
    FEWEST_REGIONS,
    NETWORK,
    SVM,
    ColourClassifiers,
    balanced_accuracy,
    learn_colours,
)
from limner.ground.colour_confusion import colour_confusions
from limner.ground.grounder import Grounder
from limner.ground.grounder_training import train_grounder
from limner.ground.phrase_queries import PhraseQuery, make_query
from limner.ground.picture_regions import PictureRegions
from limner.learn.ranking_network import RankingSettings
from limner.playground import World, write_world
from limner.vision.features.colour_table import NAMES

RED, BLUE = NAMES.index("red"), NAMES.index("blue")


def query(text: str, kind: str = "vehicles") -> PhraseQuery:
    return make_query(0, len(text), text, (kind,))


def regions(colours: list[int], appearance: list[int] | None = None) -> PictureRegions:
    """Regions that have one colour each, and may look as if they had another."""
    shares = np.zeros((len(colours), 81))
    shares[np.arange(len(colours)), np.array(colours) - len(NAMES)] = 1.0
    looks = np.eye(len(NAMES))[appearance] if appearance else np.zeros((len(colours), 0))
    n = len(colours)
    return PictureRegions(
        (10, 10), np.tile([0.0, 0, 5, 5], (n, 1)), looks, np.zeros((n, 0)), shares, np.zeros((n, 136))
    )


SAID = [query("a red car"), query("a blue car")]


def test_the_better_classifier_is_used() -> None:
    learnt = learn_colours([(regions([RED, BLUE], [0, 1]), SAID)] * FEWEST_REGIONS)
    assert learnt.svm is not None
    assert learnt.names == (SVM, NETWORK)
    # Where colours mislead, the SVM over appearance is the better; where the appearance does, the network.
    by_looks = learnt.tuned([(regions([BLUE, RED], [0, 1]), SAID)])
    by_colours = learnt.tuned([(regions([RED, BLUE], [1, 0]), SAID)])
    assert (by_looks.used, dict(by_looks.accuracies)) == (SVM, {SVM: 1.0, NETWORK: 0.0})
    assert (by_colours.used, dict(by_colours.accuracies)) == (NETWORK, {SVM: 0.0, NETWORK: 1.0})
    assert learnt.tuned([(regions([RED, BLUE], [0, 1]), SAID)]).used == NETWORK
    assert by_looks.chances(regions([RED], [1]))[0].argmax() == BLUE
    assert by_looks.chances(regions([RED], [1]), NETWORK)[0].argmax() == RED


def test_without_enough_regions_the_shares_of_colours_speak() -> None:
    few = learn_colours([(regions([RED, BLUE]), SAID)])
    assert (few.network, few.svm, few.names) == (None, None, (NETWORK,))
    assert few.chances(regions([RED]))[0].tolist() == np.eye(len(NAMES))[RED].tolist()
    assert few.tuned([(regions([RED]), [query("a car")])]) is few
    assert few.tuned([(regions([RED, BLUE]), SAID)]).accuracies == {NETWORK: 1.0}
    assert learn_colours([]) == ColourClassifiers()


def test_accuracy_is_the_mean_over_classes() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    gold, told = rng.choice([0, 2, 5], 200, p=[0.7, 0.2, 0.1]), rng.integers(0, 6, 200)
    told[:80] = gold[:80]
    theirs = metrics.recall_score(gold, told, labels=[0, 2, 5], average="macro")
    assert balanced_accuracy(gold, told) == pytest.approx(theirs)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    write_world(World(captions=(2, 2), size=(160, 120)), 4, str(folder / "world.jsonl"), pictures=True)
    return folder


@pytest.fixture(scope="module")
def grounder(world: Path) -> Grounder:
    return train_grounder(open_corpus(world / "world.jsonl"), world, settings=RankingSettings(n_hidden=8, n_passes=2))


def described(source: Image, *phrases: tuple[str, str, tuple[str, ...]]) -> Image:
    """The image with two boxes, and captions of one phrase each: text, type, boxes."""
    captions = tuple(
        Caption(str(n), text, (Mention(0, len(text), boxes, types=(kind,)),))
        for n, (text, kind, boxes) in enumerate(phrases)
    )
    boxes = (Box("0", 0, 0, 40, 40), Box("1", 60, 60, 100, 100))
    return Image(source.id, source.width, source.height, boxes, captions, file=source.file)


def test_confusions_count_a_region_once_for_each_colour(grounder: Grounder, world: Path) -> None:
    source = next(iter(open_corpus(world / "world.jsonl")))
    image = described(
        source,
        ("a green car", "vehicles", ("0",)),
        ("the green van", "vehicles", ("0",)),
        ("a pink hat", "clothing", ("1",)),
        ("a green hat", "clothing", ("1",)),
        ("a blue man", "people", ("1",)),
        ("a red and blue ball", "other", ("1",)),
        ("a red ball", "other", ()),
    )
    found = colour_confusions(grounder, [image], world)
    assert sorted(found.colours) == sorted(NAMES)
    assert found.colours[:3] == ("green", "pink", "black")
    for table in found.counts.values():
        assert table.shape == (11, 11)
        assert table.sum(axis=1).tolist() == [2, 1, *[0] * 9]
    assert list(found.counts) == list(grounder.parts.colours.names)


def test_confusions_of_nothing_are_empty(grounder: Grounder, world: Path) -> None:
    assert colour_confusions(grounder, [], world).colours == NAMES
