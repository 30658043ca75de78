from __future__ import annotations

import pytest

from limner.text.kinds import KINDS, kind_of


@pytest.mark.parametrize(
    ("noun", "kind"),
    [
        ("person", "people"),
        ("women", "people"),
        ("male child", "people"),
        ("dog", "animals"),
        ("polar bear", "animals"),
        ("hot dog", "food"),
        ("teddy bear", "other"),
        ("fire truck", "vehicles"),
        ("dining table", "furniture"),
        ("trousers", "clothing"),
        ("face", "bodyparts"),
        ("guitar", "instruments"),
        ("street", "scene"),
        ("wine glass", "other"),
        ("blorb", "other"),
        ("", "other"),
    ],
)
def test_kinds_by_nouns(noun: str, kind: str) -> None:
    assert kind_of(noun) == kind


def test_a_type_that_is_a_kind_comes_before_the_noun() -> None:
    assert kind_of("umbrella", ("clothing",)) == "clothing"
    assert kind_of("dog", ("other",)) == "animals"
    assert kind_of("dog", ("unheard-of", "scene")) == "scene"


def test_sentences_begin_with_people_and_end_with_places() -> None:
    assert (KINDS[0], KINDS[1], KINDS[-1]) == ("people", "animals", "scene")
