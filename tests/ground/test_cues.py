"""Each cue by hand-made regions: what it says, and when it is silent."""

from __future__ import annotations

import numpy as np
import pytest

from limner.ground.colour_classifiers import FEWEST_REGIONS, learn_colours, named_colour
from limner.ground.colour_cue import ColourCue
from limner.ground.phrase_queries import PhraseQuery, make_query
from limner.ground.picture_regions import PictureRegions
from limner.ground.position_cue import N_BINS, PositionCue, position_bins
from limner.ground.region_cues import DetectorCue, SceneCue, SizeCue
from limner.vision.features.colour_table import NAMES


def regions(*corners: tuple[float, float, float, float], classes: list[list[float]] | None = None) -> PictureRegions:
    """Regions of a picture of 100 by 100 pixels; the first of them is red, the others are blue."""
    given = np.array(corners, dtype=np.float64)
    width, height = given[:, 2] - given[:, 0], given[:, 3] - given[:, 1]
    shapes = np.zeros((len(given), 136))
    shapes[:, :4], shapes[:, 4:6], shapes[:, 6] = given / 100, np.stack([width, height], 1) / 100, width * height / 1e4
    colours = np.zeros((len(given), 81))
    colours[:, NAMES.index("blue") - len(NAMES)] = 1.0
    colours[0, -len(NAMES) :] = np.eye(len(NAMES))[NAMES.index("red")]
    seen = np.zeros((len(given), 0)) if classes is None else np.array(classes)
    return PictureRegions((100, 100), given, np.zeros((len(given), 0)), seen, colours, shapes)


def query(text: str, *types: str) -> PhraseQuery:
    return make_query(0, len(text), text, types)


TWO = ((0.0, 0.0, 100.0, 100.0), (0.0, 0.0, 50.0, 20.0))


def test_size_is_the_share_of_the_picture_and_never_silent() -> None:
    (scores,) = SizeCue().scores([query("a man", "people")], regions(*TWO))
    assert scores is not None
    assert scores.tolist() == [1.0, pytest.approx(0.1)]


def test_scene_is_silent_about_things() -> None:
    of_place, of_thing = SceneCue().scores([query("a field", "scene"), query("a dog", "animals")], regions(*TWO))
    assert of_thing is None
    assert of_place is not None
    assert of_place[0] == 1.0 > of_place[1]


@pytest.mark.parametrize(
    ("phrase", "classes"),
    [
        ("an old man", ("person",)),
        ("two dogs", ("dog",)),
        ("a bike", ("bicycle", "motorcycle")),
        ("a traffic light", ("traffic light",)),
        ("a wug", ()),
    ],
)
def test_phrases_mean_classes_by_words_and_synonyms(phrase: str, classes: tuple[str, ...]) -> None:
    cue = DetectorCue(("person", "???", "dog", "bicycle", "motorcycle", "traffic light"))
    assert sorted(cue.classes(query(phrase))) == sorted(classes)


def test_the_detector_is_silent_about_what_it_has_no_class_for() -> None:
    seen = regions(*TWO, classes=[[0.1, 0.0, 0.7], [0.8, 0.0, 0.2]])
    man, wug, dogs = DetectorCue(("person", "???", "dog")).scores(
        [query("a man", "people"), query("a wug"), query("dogs", "animals")], seen
    )
    assert wug is None
    assert man is not None
    assert dogs is not None
    assert man.tolist() == [0.1, 0.8]
    assert dogs.tolist() == [0.7, 0.2]
    assert DetectorCue(()).scores([query("a man", "people")], regions(*TWO)) == [None]


@pytest.mark.parametrize(
    ("phrase", "kind", "colour"),
    [
        ("a red shirt", "clothing", "red"),
        ("a gray shirt", "clothing", "grey"),
        ("a black man", "people", None),
        ("a black and white shirt", "clothing", None),
        ("a shirt", "clothing", None),
        ("a khaki shirt", "clothing", None),
    ],
)
def test_one_colour_that_is_not_a_persons_is_named(phrase: str, kind: str, colour: str | None) -> None:
    number = named_colour(query(phrase, kind))
    assert (None if number is None else NAMES[number]) == colour


def test_colour_prefers_what_has_it_with_and_without_a_network() -> None:
    asked = [query("a red car", "vehicles"), query("a car", "vehicles")]
    red, silent = ColourCue().scores(asked, regions(*TWO))
    assert silent is None
    assert red is not None
    assert red.tolist() == [1.0, 0.0]
    said = [query("a red car", "vehicles"), query("a blue car", "vehicles")]
    pictures = [(regions(*TWO), said) for _ in range(FEWEST_REGIONS)]
    learnt = ColourCue(learn_colours(pictures))
    assert learnt.classifiers.network is not None
    red, _ = learnt.scores(asked, regions(*TWO))
    assert red is not None
    assert red[0] > 0.9 > 0.1 > red[1]
    assert ColourCue(learn_colours(pictures[:4])).classifiers.network is None


def test_position_knows_where_a_noun_usually_is() -> None:
    top, bottom = (40.0, 0.0, 60.0, 20.0), (40.0, 80.0, 60.0, 100.0)
    bins = position_bins(regions(top, bottom).position)
    said = [(query("the sky", "scene"), int(bins[0])), (query("a rug", "other"), int(bins[1]))] * 30
    cue = PositionCue.learn(said, np.ones(N_BINS))
    sky, rug, new = cue.scores(
        [query("sky", "scene"), query("rug", "other"), query("a wug", "people")], regions(top, bottom)
    )
    assert sky is not None
    assert rug is not None
    assert new is not None
    assert sky[0] > sky[1]
    assert rug[1] > rug[0]
    # A noun and type that were never met are as likely at either place.
    assert new[0] == pytest.approx(new[1])
