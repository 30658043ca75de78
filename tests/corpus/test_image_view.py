from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import PIL.Image
import pytest
from hypothesis import given

from limner.corpus import Box, Candidate, Caption, Corpus, Image, ImageLabel, Mention, open_corpus, write_corpus
from limner.corpus.image_view import MAX_IMAGES, image_html
from limner.errors import BadInput
from limner.look.palette import numbered_colour
from strategies import images

IMAGE = Image(
    "4<2",
    640,
    480,
    (Box("0", 10, 20, 200, 400, "<b>"), Box("1", 150, 300, 420, 470, "dog")),
    (Caption("0", "A woman & her dog .", (Mention(0, 7, ("0",)), Mention(10, 17, ("1",)))),),
    file="pictures/a.png",
    labels=(ImageLabel("Dog"), ImageLabel("Cat", 0), ImageLabel("Tree", 0.5)),
)


@given(images())
def test_an_image_shows_itself_as_well_formed_html(image: Image) -> None:
    ElementTree.fromstring(image._repr_html_())


def test_boxes_and_mentions_have_one_colour_and_all_text_is_escaped() -> None:
    page = IMAGE._repr_html_()
    assert "<b>" not in page
    assert "image 4&lt;2" in page
    assert page.count(numbered_colour(0)) == page.count(numbered_colour(1)) == 3
    assert f'solid {numbered_colour(1)}">her dog</span>' in page
    assert "Dog, no Cat, Tree 0.50" in page
    assert "<image" not in page


def test_a_mention_of_several_boxes_has_all_their_colours_and_says_where_they_come_from() -> None:
    mention = Mention(
        0, 4, ("0", "1"), candidates=(Candidate("0", 0.81), Candidate("1", 0.07)), origin="localised", probability=0.81
    )
    page = image_html(Image("a", 640, 480, IMAGE.boxes, (Caption("0", "Both sit .", (mention,)),)))
    ElementTree.fromstring(page)
    assert f"{numbered_colour(0)} 0% 50%,{numbered_colour(1)} 50% 100%" in page
    assert 'title="localised 0.81; candidates: 0 (0.81), 1 (0.07)"' in page
    assert ">Both</span> sit ." in page


def test_the_picture_is_drawn_where_it_is_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    PIL.Image.new("RGB", (640, 480), "red").save(tmp_path / "pictures" / "a.png")
    assert '<image href="data:image/jpeg;base64,' in image_html(IMAGE, tmp_path)
    assert image_html(IMAGE, str(tmp_path)) == image_html(IMAGE, tmp_path)
    (tmp_path / "pictures" / "a.png").write_bytes(b"no picture")
    assert "<image" not in image_html(IMAGE, tmp_path)


def test_a_picture_outside_the_folder_is_not_opened(tmp_path: Path) -> None:
    PIL.Image.new("RGB", (64, 48)).save(tmp_path / "secret.png")
    (tmp_path / "folder").mkdir()
    for name in ("../secret.png", str(tmp_path / "secret.png")):
        assert "<image" not in image_html(Image("a", 64, 48, file=name), tmp_path / "folder")


def test_a_picture_that_is_a_link_out_of_the_folder_is_told_of_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in the cache of Hugging Face's hub.
    PIL.Image.new("RGB", (64, 48)).save(tmp_path / "blob.png")
    (tmp_path / "<folder>").mkdir()
    (tmp_path / "<folder>" / "a.png").symlink_to(tmp_path / "blob.png")
    monkeypatch.chdir(tmp_path)
    page = image_html(Image("a", 64, 48), "<folder>")
    ElementTree.fromstring(page)
    assert "<image" not in page
    assert "&lt;folder&gt;/a.png: the picture is not shown; links out of the folder are not followed: copy the" in page
    monkeypatch.chdir("<folder>")
    assert ">a.png: the picture is not shown" in Image("a", 64, 48)._repr_html_()
    assert "not shown" not in Image("b", 64, 48)._repr_html_()


def test_a_corpus_shows_its_first_images() -> None:
    corpus = Corpus.of([IMAGE, *(Image(str(i)) for i in range(20))], "<name>")
    page = corpus._repr_html_()
    ElementTree.fromstring(page)
    assert f"&lt;name&gt;, first {MAX_IMAGES} images" in page
    assert page.count("<tr>") == 1 + MAX_IMAGES


def test_a_corpus_that_cannot_be_read_says_so_and_keeps_its_reading() -> None:
    def read(_: object) -> list[Image]:
        raise BadInput("a.jsonl:1", "not JSON", "is the <file> complete?")

    corpus = Corpus("a.jsonl", read)
    reading = corpus.reading
    assert "a.jsonl:1: not JSON; is the &lt;file&gt; complete?" in corpus._repr_html_()
    assert corpus.reading is reading


def test_what_cannot_be_read_quickly_is_not_read_for_a_glance() -> None:
    corpus = Corpus("-", lambda _: pytest.fail("standard input was read"), is_quick=False)
    assert "<table>" in corpus._repr_html_()


@pytest.mark.parametrize("is_first", [True, False])
def test_standard_input_is_not_read_for_a_glance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    write_corpus([IMAGE], tmp_path / "a.jsonl")
    monkeypatch.setattr("sys.stdin", None)
    sources = ["jsonl:-", tmp_path / "a.jsonl"]
    corpus = open_corpus(sources if is_first else sources[::-1], "jsonl")
    assert "640×480" not in corpus._repr_html_()


def test_a_pipe_by_another_name_is_not_read_for_a_glance(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "<table>" in open_corpus(tmp_path / "pipe", "jsonl")._repr_html_()


def test_a_large_file_that_must_be_read_whole_is_not_read_for_a_glance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = Image("42", captions=(Caption("0", "a dog"),))
    write_corpus([image], tmp_path / "a.json", "coco")
    write_corpus([image], tmp_path / "a.jsonl")
    assert "a dog" in open_corpus(tmp_path / "a.json")._repr_html_()
    monkeypatch.setattr("limner.corpus.formats.MAX_AT_ONCE", 10)
    assert "a dog" not in open_corpus(tmp_path / "a.json")._repr_html_()
    assert "a dog" in open_corpus(tmp_path / "a.jsonl")._repr_html_()


def test_a_large_file_is_not_searched_for_ids_at_a_glance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_corpus([Image("42", captions=(Caption("0", "a dog"),))], tmp_path / "a.jsonl")
    assert "a dog" in open_corpus(tmp_path / "a.jsonl", ids=["42"])._repr_html_()
    monkeypatch.setattr("limner.corpus.formats.MAX_AT_ONCE", 10)
    assert "a dog" not in open_corpus(tmp_path / "a.jsonl", ids=["42"])._repr_html_()


def test_a_folder_that_cannot_be_listed_is_opened_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_corpus([Image("42", captions=(Caption("0", "a dog"),))], tmp_path / "tables", "tsv")

    def refused(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refused)
    assert "a dog" not in open_corpus(tmp_path / "tables", "tsv")._repr_html_()
