"""The page as a file: whole, self-contained, safe to open."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image as Picture

from limner.corpus import Box, Candidate, Caption, Image, Mention
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.look.palette import PALETTE
from limner.report import Pictures, Written, write_page
from page_parts import Parts, data_of
from refusals import refusal

HOSTILE = "</script><!--<script>alert(1)</script><img src=x onerror=alert(1)>\u2028\x00'\"&amp;]]>"
IMAGES = [
    Image("a", 9, 9, (Box("0", 0, 0, 5, 5, "dog"),), (Caption("0", "A dog", (Mention(0, 5, ("0",)),)),), file="a.png"),
    Image("b", 9, 9),
    Image("c"),
]
RESULTS = [Image("a", captions=(Caption("0", "Dog .", (Mention(0, 3, ("0",)),), "system:s"),))]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_the_data_are_in_the_page(page: Path) -> None:
    assert write_page(IMAGES, [("r.jsonl", RESULTS)], page, title="Mine") == Written(3, 0, n_named=1)
    data = data_of(page)
    assert data["title"] == "Mine"
    assert [source["name"] for source in data["sources"]] == ["gold", "system:s"]
    assert [image["i"] for image in data["images"]] == ["a", "b", "c"]
    assert data["images"][0]["c"] == [[0, [["A dog", 0]]], [1, [["Dog", 0], " ."], [1, 1, 1]]]


def test_pictures_are_in_the_page(page: Path) -> None:
    Picture.new("RGB", (9, 9), "red").save(page.parent / "a.png")
    assert write_page(IMAGES, [], page, pictures=Pictures(page.parent, page)) == Written(3, 1, n_named=1)
    assert [image.get("p") for image in data_of(page)["images"]] == [1, None, None]
    ((found, text),) = [one for one in Parts(page.read_text()).of("script") if one[0].get("id") == "picture-0"]
    assert found["type"] == "image/webp"
    assert base64.b64decode(text)[8:12] == b"WEBP"


def test_nothing_in_the_data_is_taken_for_html(page: Path) -> None:
    plain, hostile = page.with_name("plain.html"), page
    write_page(sample("x"), sample_results("x"), plain, title="x")
    write_page(sample(HOSTILE), sample_results(HOSTILE), hostile, title=HOSTILE)
    before, after = Parts(plain.read_text()), Parts(hostile.read_text())
    assert [tag for tag, _ in after.elements] == [tag for tag, _ in before.elements]
    assert data_of(hostile)["images"][0]["i"] == HOSTILE
    assert data_of(hostile)["images"][0]["c"][0][1][0][0] == HOSTILE


def sample(word: str) -> list[Image]:
    boxes = (Box("0", 0, 0, 5, 5, word, 1.0, (word,), (word,), (word,)),)
    caption = Caption("0", word, (Mention(0, len(word), ("0",)),))
    return [Image(word, 9, 9, boxes, (caption,), attributes={word: word})]


def sample_results(word: str) -> list[tuple[str, list[Image]]]:
    return [(word, [Image(word, captions=(Caption("0", word, (), f"system:{word}"),))])]


def test_half_a_surrogate_pair_does_not_stop_the_page(page: Path) -> None:
    write_page([Image("\udc80")], [], page, title="\udc80")
    assert data_of(page)["images"][0]["i"] == "\udc80"


def test_the_title_may_look_like_the_template(page: Path) -> None:
    write_page([Image("a")], [], page, title="{{program}} {{pictures}} {{data}}")
    assert "<title>{{program}} {{pictures}} {{data}}</title>" in page.read_text()


def test_the_policy_lets_run_what_the_page_brought_and_nothing_be_fetched(page: Path) -> None:
    write_page(IMAGES, [], page)
    parts = Parts(page.read_text())
    (policy,) = [
        found["content"] for found, _ in parts.of("meta") if found.get("http-equiv") == "Content-Security-Policy"
    ]
    (program,) = [text for found, text in parts.of("script") if "type" not in found]
    ((_, style),) = parts.of("style")
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "http" not in policy
    for name, text in (("script", program), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not [
        value for _, found in parts.elements for name, value in found.items() if name == "src" or name[:2] == "on"
    ]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page.read_text())


def test_the_colours_are_those_of_the_plots(page: Path) -> None:
    write_page(IMAGES, [], page)
    for number, colour in enumerate(PALETTE):
        assert f"--c{number}:{colour};" in page.read_text()
    assert f"const COLOURS = {len(PALETTE)};" in page.read_text()


def test_equal_corpora_give_equal_pages(page: Path) -> None:
    again = page.with_name("again.html")
    write_page(IMAGES, [("r", RESULTS)], page)
    write_page(iter(IMAGES), [("r", iter(RESULTS))], again)
    assert page.read_bytes() == again.read_bytes()


def test_no_more_images_than_wanted_are_shown_and_results_for_the_others_are_no_fault(page: Path) -> None:
    results = [Image("d", captions=(Caption("0", "x", (), "system:s"),))]
    assert write_page([*IMAGES, Image("d")], [("r", results)], page, limit=2).n_images == 2
    assert [image["i"] for image in data_of(page)["images"]] == ["a", "b"]


def test_a_corpus_is_not_read_further_than_needed(page: Path) -> None:
    def endless() -> Iterator[Image]:
        for number in range(10**9):
            yield Image(str(number))

    assert write_page(endless(), [], page, limit=3).n_images == 3


def test_an_empty_corpus_is_refused_and_a_failed_run_leaves_nothing(page: Path) -> None:
    with refusal(LimnerError):
        write_page([], [], page)
    with refusal(LimnerError):
        write_page(IMAGES, [("r", [Image("zz")])], page)
    assert list(page.parent.iterdir()) == []


def test_a_picture_of_another_shape_is_told_of(page: Path) -> None:
    Picture.new("RGB", (90, 10), "red").save(page.parent / "a.png")
    reading = Reading()
    write_page(IMAGES, [], page, pictures=Pictures(page.parent, page), reading=reading)
    assert reading.warnings == {"picture whose shape is not the corpus'": 1}


def test_of_a_localisers_proposals_those_that_captions_speak_of_are_shown(page: Path) -> None:
    boxes = tuple(Box(f"p{i}", i, i, i + 5, i + 5) for i in range(20))
    mention = Mention(0, 5, ("p7",), candidates=(Candidate("p7", 1.0), Candidate("p3", 0.5)), origin="localised")
    captions = (Caption("0", "a dog", (mention,)),)
    write_page([Image("a", 30, 30, boxes, captions, provenance={"candidates": "proposals"})], [], page)
    (entry,) = data_of(page)["images"]
    assert len(entry["b"]) == 1
    assert "oracle" not in entry
    write_page([Image("a", 30, 30, boxes, captions)], [], page)
    assert len(data_of(page)["images"][0]["b"]) == 20
