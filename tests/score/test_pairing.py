"""Captions joined to references: what fits, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Box, write_corpus
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError
from limner.score.given_captions import Captions, read_captions, read_grounded_references, read_references
from limner.score.pairing import Policy, check_boxes, pair
from limner.score.run import Run
from refusals import refusal

Write = Callable[..., Caption]

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
    ("captions", "allowed", "count"),
    [
        ({"a": "x", "b": "y"}, "missing=zero", "missing"),
        ({"a": "x", "b": "y"}, "missing=skip", "missing"),
        ({"a": "x", "b": "y", "c": "z", "d": "?"}, "extra=skip", "extra"),
        ({"a": "x", "b": " \n", "c": "z"}, "empty=score", "empty"),
    ],
)
def test_what_does_not_fit_is_an_error_unless_allowed_and_then_counted(
    captions: dict[str, str], allowed: str, count: str
) -> None:
    with refusal(BadInput):
        paired(captions)
    name, _, way = allowed.partition("=")
    run, counts = paired(captions, **{name: way})
    assert {what: n for what, n in counts.items() if n} == {count: 1}
    assert run.ids == (["a", "b"] if way == "skip" and name == "missing" else ["a", "b", "c"])


def test_a_second_caption_is_an_error_or_the_first_is_taken() -> None:
    image = Image("a", captions=(Caption("0", "x", source="system:s"), Caption("1", "y", source="system:s")))
    with refusal(BadInput):
        read_captions([image])
    found = read_captions([image], duplicate="first")
    assert (found.by_image["a"].text, found.n_duplicates) == ("x", 1)


def test_references_are_gold_captions_or_those_of_the_only_source() -> None:
    gold, other = Caption("0", "x"), Caption("1", "y", source="system:s")
    assert read_references([Image("a", captions=(gold, other))]).texts == {"a": ["x"]}
    assert read_references([Image("a", captions=(other,))]).texts == {"a": ["y"]}
    mixed = read_references([Image("a", captions=(gold,)), Image("b", captions=(other,)), Image("c")])
    assert (mixed.texts, mixed.n_without) == ({"a": ["x"]}, 2)


def test_references_of_nobody_or_of_several_are_refused() -> None:
    two = (Caption("0", "x", source="system:s"), Caption("1", "y", source="system:t"))
    for images in ([Image("a")], [Image("a", captions=two)]):
        with refusal(BadInput):
            read_references(images)


def test_ids_that_never_agree_are_said_so_even_where_gaps_are_allowed() -> None:
    with refusal(LimnerError):
        paired({"A": "x"}, missing="skip", extra="skip")


def test_a_policy_that_is_not_there_is_refused() -> None:
    with refusal(LimnerError):
        Policy(missing="ignore")  # type: ignore[arg-type]


@pytest.fixture
def result(caption: Write) -> Callable[..., Image]:
    """An image with a caption by each of these sources, `system:s` without any."""

    def make(id: str, text: str = "[A dog]a", *sources: str) -> Image:
        given = sources or ("system:s",)
        return Image(id, captions=tuple(caption(text, str(n), source) for n, source in enumerate(given)))

    return make


def test_the_only_system_is_found_beside_gold(result: Callable[..., Image]) -> None:
    found = read_captions([result("i", "[A dog]a", "gold", "system:s"), result("j")])
    assert found.name == "system:s"
    assert {id: caption.source for id, caption in found.by_image.items()} == {"i": "system:s", "j": "system:s"}


@pytest.mark.parametrize("name", ["t", "system:t"])
def test_one_of_several_is_named(result: Callable[..., Image], name: str) -> None:
    found = read_captions([result("i", "[A dog]a", "system:s", "system:t", "gold")], source=name)
    assert (found.name, found.by_image["i"].id) == ("system:t", "1")


def test_people_and_gold_can_be_scored_as_well(result: Callable[..., Image]) -> None:
    images = [result("i", "[A dog]a", "gold", "person:p")]
    assert read_captions(images).name == "person:p"
    assert read_captions(images, source="gold").by_image["i"].id == "0"


@pytest.mark.parametrize(
    ("sources", "named", "message"),
    [
        (("system:s", "system:t"), None, "results: captions are by system:s, system:t; name one of them as the source"),
        (("gold",), None, "results: every caption is gold; "),
        (("system:s", "gold"), "r", "results: no caption is by 'system:r'; choose from: gold, system:s"),
        (("system:s", "system:s"), None, "results: image 'i' has two captions by 'system:s'; keep one of them"),
        (("gold", "gold"), "gold", "results: image 'i' has two captions by 'gold'"),
    ],
)
def test_what_is_not_one_caption_of_one_source_is_refused(
    result: Callable[..., Image], sources: tuple[str, ...], named: str | None, message: str
) -> None:
    with pytest.raises(BadInput) as caught:
        read_captions([result("i", "[A dog]a", *sources)], source=named)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_results_without_captions_are_refused() -> None:
    with refusal(BadInput):
        read_captions([Image("i")])


def test_of_captions_of_unknown_images_only_the_ids_are_kept(result: Callable[..., Image]) -> None:
    found = read_captions([result("i", "[A dog]a"), result("j", "[A cat]a")], known={"i"})
    assert [(id, caption.text) for id, caption in found.by_image.items()] == [("i", "A dog"), ("j", "")]


@pytest.fixture
def results(caption: Write) -> Captions:
    return Captions("r.jsonl", "system:s", {"i": caption("[A dog]a"), "j": caption("[A cat]a")})


def grounded(results: Captions, gold: list[Image], **policy: Any) -> Run:
    references = read_grounded_references(gold)
    check_boxes(results, references)
    ((run, _),) = pair([results], references, Policy(**policy))
    return run


def test_gold_comes_in_its_order_with_what_it_is_called(results: Captions, image: Callable[..., Image]) -> None:
    gold = [image("[dog]a", id="j"), image("[dog]a", id="i")]
    run = grounded(results, gold)
    assert list(zip(run.ids, run.captions or (), strict=True)) == [
        ("j", results.by_image["j"]),
        ("i", results.by_image["i"]),
    ]


def test_results_for_images_that_gold_does_not_have_are_refused(results: Captions, image: Callable[..., Image]) -> None:
    with pytest.raises(BadInput) as caught:
        grounded(results, [image("[dog]a", id="i")], missing="zero")
    assert str(caught.value) == (
        "r.jsonl: 1 ('j') of 2 images with a caption are not in gold; score results against the gold of the same images"
    )


def test_gold_without_a_result_is_refused_unless_allowed(results: Captions, image: Callable[..., Image]) -> None:
    gold = [image("[dog]a", id=id) for id in "ijklmn"]
    with pytest.raises(BadInput) as caught:
        grounded(results, gold)
    assert str(caught.value).startswith(
        "r.jsonl: 4 ('k', 'l', 'm', …) of 6 gold images have no caption by 'system:s'; allow a missing caption"
    )
    assert [caption.text for caption in grounded(results, gold, missing="zero", empty="score").captions or ()] == [
        *("A dog", "A cat"),
        *[""] * 4,
    ]
    assert grounded(results, gold, missing="skip").ids == ["i", "j"]


@pytest.mark.parametrize("boxes", ["b", ""])
def test_boxes_that_gold_does_not_have_are_refused(results: Captions, image: Callable[..., Image], boxes: str) -> None:
    gold = image("[dog]b") if boxes else Image("i")
    with refusal(BadInput):
        grounded(results, [gold])


def test_an_unknown_policy_for_missing_captions_is_refused() -> None:
    with refusal(LimnerError):
        Policy("zeros")  # type: ignore[arg-type]


@pytest.mark.parametrize("results", [{"1": ["a dog", "dogs"]}, {"1": None}, [{"image": 1, "caption": "a dog"}]])
def test_what_is_no_caption_is_refused(results: Any) -> None:
    with refusal(BadInput):
        read_captions(results)


def test_what_is_no_reference_is_refused() -> None:
    references: Any = {"1": ["a dog", 3]}
    with refusal(BadInput):
        read_references(references)
    with refusal(BadInput):
        read_references({"1": None})  # type: ignore[dict-item]


def test_captions_and_references_may_be_given_by_path(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    captions = (Caption("0", "a dog"), Caption("1", "dogs", source="system:mine"))
    write_corpus([Image("1", captions=captions)], path)
    for source in (path, str(path), [path]):
        assert read_captions(source).by_image["1"].text == "dogs"
        assert read_references(source).texts == {"1": ["a dog"]}
    assert read_captions(path).place == str(path)


def test_what_is_no_policy_is_refused() -> None:
    policy: Any = "skip"
    with refusal(LimnerError):
        pair([read_captions({"1": "x"})], read_references({"1": ["x"]}), policy)


def test_disjoint_ids_are_said_with_one_of_each_side() -> None:
    for policy in (Policy(), Policy(missing="zero", extra="skip"), Policy(missing="skip", extra="skip")):
        with refusal(BadInput):
            pair([read_captions({"x1": "a dog", "x2": "a cat"})], read_references(REFERENCES), policy)
    gold = read_grounded_references([Image("g")])
    with refusal(BadInput):
        pair([read_captions({"x": "a dog"})], gold, Policy(missing="zero"))


def test_captions_may_be_lists_of_one_by_id() -> None:
    run, counts = paired({"a": ["a dog"], "b": ("cat",), "c": "bird"})
    assert run.candidates == ["a dog", "cat", "bird"]
    assert not any(counts.values())
    with refusal(BadInput):
        paired({"a": ["a dog"], "b": [], "c": ["bird"]})


def test_of_several_captions_by_id_the_first_is_taken_if_allowed() -> None:
    two = {"a": ["a dog", "one dog"], "b": ["cat"], "c": ["bird"]}
    with refusal(BadInput):
        read_captions(two)
    captions = read_captions(two, duplicate="first")
    assert (captions.by_image["a"].text, captions.n_duplicates) == ("a dog", 1)


def test_images_with_boxes_only_are_called_that() -> None:
    boxes = (Box("0", 0, 0, 1, 1, "dog"),)
    captioned = Image("a", captions=(Caption("0", "A dog ."),))
    images = [captioned, Image("b", boxes=boxes), Image("c", boxes=boxes), Image("d")]
    ((_, counts),) = pair([read_captions({"a": "a dog"})], read_references(images))
    assert (counts["boxes_only"], counts["without_references"]) == (2, 1)
