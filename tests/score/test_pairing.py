"""Captions joined to references: what fits, and what becomes of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError
from limner.score.pairing import Policy, pair, read_captions, read_references
from limner.score.run import Run

REFERENCES = {"a": ["a dog", "one dog runs"], "b": ["cat"], "c": ["a bird", "bird", "one bird"]}


def paired(captions: dict[str, str], **policy: Any) -> tuple[Run, dict[str, int]]:
    ((run, counts),) = pair([read_captions(captions)], read_references(REFERENCES), Policy(**policy))
    return run, counts


def test_captions_meet_references_by_id_in_the_references_order() -> None:
    run, counts = paired({"c": "bird sings", "a": "dog", "b": "cats"})
    assert run.ids == ["a", "b", "c"]
    assert run.candidates == ["dog", "cats", "bird sings"]
    assert not any(counts.values())
    starts = run.groups
    for i, id in enumerate(run.ids):
        sentences = [" ".join(run.tokens.sentence(s)) for s in range(starts[i], starts[i + 1])]
        assert sentences == [run.candidates[i], *REFERENCES[id]]


def test_several_systems_share_the_references() -> None:
    one, other = read_captions({"a": "x", "b": "y", "c": "z"}), read_captions({"a": "p", "c": "r"})
    (first, _), (second, counts) = pair([one, other], read_references(REFERENCES), Policy(missing="skip"))
    assert (first.ids, second.ids) == (["a", "b", "c"], ["a", "c"])
    assert counts["missing"] == 1
    for run in (first, second):
        sentences = [s for c, refs in zip(run.candidates, run.references, strict=True) for s in (c, *refs)]
        assert [" ".join(run.tokens.sentence(s)) for s in range(len(run.tokens))] == sentences


def test_every_distinct_list_of_sentences_is_tokenised_once() -> None:
    asked: list[int] = []

    def tokeniser(sentences: Any) -> Any:
        asked.append(len(sentences))
        return sentences

    whole = {"a": "x", "b": "y", "c": "z"}
    pair([read_captions(whole), read_captions(whole)], read_references(REFERENCES), tokeniser=tokeniser)
    assert asked == [6 + 3 + 3]


@pytest.mark.parametrize(
    ("captions", "problem", "allowed", "count"),
    [
        ({"a": "x", "b": "y"}, r"1 \('c'\) of 3 images with references have no caption", "missing=zero", "missing"),
        ({"a": "x", "b": "y"}, "--missing skip", "missing=skip", "missing"),
        ({"a": "x", "b": "y", "c": "z", "d": "?"}, r"1 \('d'\) of 4 captions are of images", "extra=skip", "extra"),
        ({"a": "x", "b": " \n", "c": "z"}, r"1 \('b'\) of 3 captions have no words", "empty=score", "empty"),
    ],
)
def test_what_does_not_fit_is_an_error_unless_allowed_and_then_counted(
    captions: dict[str, str], problem: str, allowed: str, count: str
) -> None:
    with pytest.raises(BadInput, match=problem):
        paired(captions)
    name, _, way = allowed.partition("=")
    run, counts = paired(captions, **{name: way})
    assert {what: n for what, n in counts.items() if n} == {count: 1}
    assert run.ids == (["a", "b"] if way == "skip" and name == "missing" else ["a", "b", "c"])


def test_a_second_caption_is_an_error_or_the_first_is_taken() -> None:
    image = Image("a", captions=(Caption("0", "x", source="system:s"), Caption("1", "y", source="system:s")))
    with pytest.raises(BadInput, match="two captions"):
        read_captions([image])
    found = read_captions([image], duplicate="first")
    assert (found.by_image["a"].text, found.n_duplicates) == ("x", 1)


def test_references_are_gold_captions_or_those_of_the_only_source() -> None:
    gold, other = Caption("0", "x"), Caption("1", "y", source="system:s")
    assert read_references([Image("a", captions=(gold, other))]).texts == {"a": ["x"]}
    assert read_references([Image("a", captions=(other,))]).texts == {"a": ["y"]}
    mixed = read_references([Image("a", captions=(gold,)), Image("b", captions=(other,)), Image("c")])
    assert (mixed.texts, mixed.without) == ({"a": ["x"]}, 2)


def test_references_of_nobody_or_of_several_are_refused() -> None:
    two = (Caption("0", "x", source="system:s"), Caption("1", "y", source="system:t"))
    for images, problem in (([Image("a")], "no captions"), ([Image("a", captions=two)], "system:s, system:t")):
        with pytest.raises(BadInput, match=problem):
            read_references(images)


def test_ids_that_never_agree_are_said_so_even_where_gaps_are_allowed() -> None:
    with pytest.raises(LimnerError, match="check that the ids agree"):
        paired({"A": "x"}, missing="skip", extra="skip")


def test_a_way_that_is_not_there_is_refused() -> None:
    with pytest.raises(LimnerError, match="unknown way with what is missing 'ignore'"):
        Policy(missing="ignore")  # type: ignore[arg-type]
