"""The features of pairs of mentions: symmetric, bounded, and what a few of them say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from limner.corpus import Caption, Mention
from limner.ground.mention_words import read_mentions
from limner.ground.noun_pairs import NounCounts, NounPairs, noun_pairs
from limner.ground.pair_features import feature_names, pair_features


def captions(*phrases: Sequence[str]) -> list[Caption]:
    """A caption for each list of phrases, which are its mentions."""
    made = []
    for number, of_caption in enumerate(phrases):
        text, mentions = "", []
        for phrase in of_caption:
            text += " near " if text else ""
            mentions.append(Mention(len(text), len(text) + len(phrase)))
            text += phrase
        made.append(Caption(str(number), text, tuple(mentions)))
    return made


@pytest.fixture
def known() -> NounPairs:
    counts = NounCounts()
    for i in range(50):
        counts.add_pair("man", "person", is_linked=i < 40)
        counts.add_pair("man", "man", is_linked=i < 45)
        counts.add_pair("dog", "man", is_linked=False)
        counts.add_type("man", ["people"])
    return noun_pairs([counts])


def column(name: str, phrases: Sequence[Sequence[str]], known: NounPairs) -> list[float]:
    pairs = pair_features(read_mentions(captions(*phrases)), known)
    return pairs.features[:, feature_names().index(name)].tolist()


def test_there_is_a_row_for_every_two_mentions_of_different_captions(known: NounPairs) -> None:
    pairs = pair_features(read_mentions(captions(["a man", "a dog"], ["a person"], ["a cat"])), known)
    assert list(zip(pairs.first, pairs.second, strict=True)) == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert pairs.features.shape == (5, len(feature_names()))
    assert np.isfinite(pairs.features).all()


def test_nouns_that_people_used_of_one_thing_have_high_odds(known: NounPairs) -> None:
    (likely,) = column("noun.odds", [["a man"], ["a person"]], known)
    (unlikely,) = column("noun.odds", [["a man"], ["a dog"]], known)
    (unmet,) = column("noun.odds", [["a man"], ["a giraffe"]], known)
    assert likely > 1.0 > unmet
    assert unlikely < -3.0
    assert column("noun.evidence", [["a man"], ["a giraffe"]], known) == [0.0]


VALUES = [
    ("words.colour_conflict", "a red shirt", "a blue shirt", 1.0),
    ("words.colour_conflict", "a red shirt", "a red and blue shirt", 0.0),
    ("words.colours", "a red shirt", "a red hat", 1.0),
    ("number.conflict", "two men", "three men", 1.0),
    ("number.equal", "two men", "a pair of boys", 1.0),
    ("number.equal", "the men", "the boys", 0.0),
    ("number.differ", "a man", "people", 1.0),
    ("type.same", "a man", "a man", 1.0),
    ("words.noun_in_other", "a tennis court", "tennis", 1.0),
]


@pytest.mark.parametrize(("name", "first", "second", "value"), VALUES)
def test_features_of_two_phrases(name: str, first: str, second: str, value: float, known: NounPairs) -> None:
    assert column(name, [[first], [second]], known) == [value]
    assert column(name, [[second], [first]], known) == [value]


def test_a_rival_in_the_other_caption_takes_the_margin(known: NounPairs) -> None:
    alone = column("rival.margin_low", [["a man"], ["a person"]], known)[0]
    beside = column("rival.margin_low", [["a man"], ["a person", "a man"]], known)[0]
    assert beside < 0 < alone


def test_the_order_of_captions_does_not_matter(known: NounPairs) -> None:
    phrases = [["a man", "a red hat"], ["two people", "his dog"], ["a person in blue"]]
    forth = pair_features(read_mentions(captions(*phrases)), known).features
    back = pair_features(read_mentions(captions(*phrases[::-1])), known).features
    assert sorted(map(tuple, forth.round(9).tolist())) == sorted(map(tuple, back.round(9).tolist()))


def test_an_unmet_noun_has_the_type_of_its_kind(known: NounPairs) -> None:
    shares = known.type_shares(["poodle", "man"])
    assert shares.sum(axis=1).tolist() == pytest.approx([1.0, 1.0])
    assert shares.argmax(axis=1).tolist() == [3, 0]
