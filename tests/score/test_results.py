"""Results beside their gold: what fits, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from limner.corpus import Caption, Image
from limner.errors import BadInput, LimnerError
from limner.score.results import Results, join, read_results

Write = Callable[..., Caption]


@pytest.fixture
def result(caption: Write) -> Callable[..., Image]:
    """An image with a caption by each of these sources, `system:s` without any."""

    def make(id: str, text: str = "[A dog]a", *sources: str) -> Image:
        given = sources or ("system:s",)
        return Image(id, captions=tuple(caption(text, str(n), source) for n, source in enumerate(given)))

    return make


def test_the_only_system_is_found_beside_gold(result: Callable[..., Image]) -> None:
    found = read_results([result("i", "[A dog]a", "gold", "system:s"), result("j")])
    assert found.source == "system:s"
    assert {id: caption.source for id, caption in found.captions.items()} == {"i": "system:s", "j": "system:s"}


@pytest.mark.parametrize("name", ["t", "system:t"])
def test_one_of_several_is_named(result: Callable[..., Image], name: str) -> None:
    found = read_results([result("i", "[A dog]a", "system:s", "system:t", "gold")], source=name)
    assert (found.source, found.captions["i"].id) == ("system:t", "1")


def test_people_and_gold_can_be_scored_as_well(result: Callable[..., Image]) -> None:
    images = [result("i", "[A dog]a", "gold", "person:p")]
    assert read_results(images).source == "person:p"
    assert read_results(images, source="gold").captions["i"].id == "0"


@pytest.mark.parametrize(
    ("sources", "named", "message"),
    [
        (("system:s", "system:t"), None, "results: captions are by system:s, system:t; pass --source to name one"),
        (("gold",), None, "results: every caption is gold; "),
        (("system:s", "gold"), "r", "results: no caption is by 'system:r'; there is: gold, system:s"),
        (("system:s", "system:s"), None, "results: image 'i' has two captions by 'system:s'; keep one of them"),
        (("gold", "gold"), "gold", "results: image 'i' has two captions by 'gold'"),
    ],
)
def test_what_is_not_one_caption_of_one_source_is_refused(
    result: Callable[..., Image], sources: tuple[str, ...], named: str | None, message: str
) -> None:
    with pytest.raises(BadInput) as caught:
        read_results([result("i", "[A dog]a", *sources)], source=named)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_results_without_captions_are_refused() -> None:
    with pytest.raises(BadInput, match="there are no captions"):
        read_results([Image("i")])


@pytest.fixture
def results(caption: Write) -> Results:
    return Results("r.jsonl", "system:s", {"i": caption("[A dog]a"), "j": caption("[A cat]a")})


def test_gold_comes_in_its_order_with_what_it_is_called(results: Results, image: Callable[..., Image]) -> None:
    gold = [image("[dog]a", id="j"), image("[dog]a", id="i")]
    assert [(pair.gold.id, pair.caption) for pair in join(results, iter(gold))] == [
        ("j", results.captions["j"]),
        ("i", results.captions["i"]),
    ]


def test_results_for_unknown_images_are_refused(results: Results, image: Callable[..., Image]) -> None:
    with pytest.raises(BadInput) as caught:
        list(join(results, [image("[dog]a", id="i")], missing="zero"))
    assert str(caught.value) == (
        "r.jsonl: 1 ('j') of 2 images with a caption are not in gold; score results against the gold of the same images"
    )


def test_gold_without_a_result_is_refused_unless_allowed(results: Results, image: Callable[..., Image]) -> None:
    gold = [image("[dog]a", id=id) for id in "ijklmn"]
    with pytest.raises(BadInput) as caught:
        list(join(results, gold))
    assert str(caught.value).startswith(
        "r.jsonl: 4 ('k', 'l', 'm', …) of 6 gold images have no caption by 'system:s'; pass --missing zero"
    )
    for allowed in ("zero", "skip"):
        assert [pair.caption is None for pair in join(results, gold, missing=allowed)] == [False] * 2 + [True] * 4


@pytest.mark.parametrize("boxes", ["b", ""])
def test_boxes_that_gold_does_not_have_are_refused(results: Results, image: Callable[..., Image], boxes: str) -> None:
    gold = image("[dog]b") if boxes else Image("i")
    with pytest.raises(
        BadInput, match=r"r.jsonl: image 'i': caption '0' mentions box 'a', which the gold image does not"
    ):
        list(join(results, [gold]))


def test_an_unknown_way_with_what_is_missing_is_refused(results: Results) -> None:
    with pytest.raises(LimnerError, match="unknown way with what is missing 'zeros'; did you mean 'zero'"):
        list(join(results, [], missing="zeros"))  # type: ignore[arg-type]


def test_of_captions_of_unknown_images_only_the_ids_are_kept(result: Callable[..., Image]) -> None:
    found = read_results([result("i", "[A dog]a"), result("j", "[A cat]a")], known={"i"})
    assert [(id, caption.text) for id, caption in found.captions.items()] == [("i", "A dog"), ("j", "")]
