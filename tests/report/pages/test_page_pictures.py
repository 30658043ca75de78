"""Pictures: made small, turned as the corpus has them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image as Picture

from limner.corpus import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.report.pages.page_pictures import Pictures, Shown, fits
from refusals import refusal

STRICT = Reading()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pictures" / "deep").mkdir(parents=True)
    return tmp_path / "pictures"


def save(path: Path, size: tuple[int, int] = (8, 6), mode: str = "RGB", turned: int | None = None) -> Path:
    exif = Picture.Exif()
    if turned is not None:
        exif[0x0112] = turned
    Picture.new(mode, size, "red").save(path, exif=exif)
    return path


def opened(shown: Shown | None) -> Picture.Image:
    assert shown is not None
    return Picture.open(io.BytesIO(shown.data))


@pytest.mark.parametrize(
    "image",
    [
        Image("1", file="../secret.jpg"),
        Image("1", file="deep/../../secret.jpg"),
        Image("../secret"),
        Image("1", file="x" * 5000),
        Image("1", file="a\0b.jpg"),
        Image("1", file="deep"),
        Image("1"),
    ],
)
def test_nothing_outside_the_folder_is_found(folder: Path, image: Image) -> None:
    save(folder.parent / "secret.jpg")
    assert Pictures(folder, folder / "page.html").show(image, STRICT) is None


@pytest.mark.parametrize(
    ("name", "mode", "kind"), [("a.jpg", "RGB", "JPEG"), ("a.jpg", "L", "JPEG"), ("a.png", "RGB", "WEBP")]
)
def test_photographs_stay_jpeg_and_the_rest_becomes_webp(folder: Path, name: str, mode: str, kind: str) -> None:
    save(folder / name, mode=mode)
    shown = Pictures(folder, folder / "page.html").show(Image("1", file=name), STRICT)
    assert opened(shown).format == kind
    assert shown is not None
    assert shown.mime == f"image/{kind.lower()}"


def test_what_shines_through_still_does(folder: Path) -> None:
    save(folder / "a.png", mode="RGBA")
    Picture.new("RGBA", (8, 6), (0, 0, 0, 0)).save(folder / "a.png")
    assert opened(Pictures(folder, folder / "page.html").show(Image("1", file="a.png"), STRICT)).mode == "RGBA"


def test_of_16_bits_the_upper_ones_are_shown(folder: Path) -> None:
    Picture.new("I;16", (8, 6), 0x8000).save(folder / "a.png")
    shown = opened(Pictures(folder, folder / "page.html").show(Image("1", file="a.png"), STRICT))
    assert shown.convert("L").getpixel((3, 3)) == pytest.approx(0x80, abs=2)


@pytest.mark.parametrize(("attributes", "colour"), [({}, (0, 0, 0)), ({"orientation": "upright"}, (255, 255, 255))])
def test_an_image_may_say_that_its_boxes_lie_on_the_upright_picture(
    folder: Path, attributes: dict[str, str], colour: tuple[int, int, int]
) -> None:
    # Black above and white below, upside down: the size is the same either way.
    picture, exif = Picture.new("RGB", (80, 60)), Picture.Exif()
    picture.paste("white", (0, 30, 80, 60))
    exif[0x0112] = 3
    picture.save(folder / "a.png", exif=exif)
    image = Image("1", 80, 60, file="a.png", attributes=attributes)
    shown = opened(Pictures(folder, folder / "page.html").show(image, STRICT))
    assert shown.convert("RGB").getpixel((40, 5)) == pytest.approx(colour, abs=9)


@pytest.mark.parametrize(("size", "small"), [((3000, 1500), (64, 32)), ((40, 30), (40, 30))])
def test_large_pictures_are_made_small_and_small_ones_are_not_made_large(
    folder: Path, size: tuple[int, int], small: tuple[int, int]
) -> None:
    save(folder / "a.jpg", size)
    shown = Pictures(folder, folder / "page.html", longest_side=64).show(Image("1", file="a.jpg"), STRICT)
    assert shown is not None
    assert (shown.width, shown.height) == size
    assert opened(shown).size == small


@pytest.mark.parametrize(
    ("image", "size"),
    [
        (Image("1", 80, 60, file="a.jpg"), (80, 60)),
        (Image("1", 60, 80, file="a.jpg"), (60, 80)),
        (Image("1", file="a.jpg"), (60, 80)),
    ],
)
def test_a_picture_is_turned_as_the_camera_was_held_unless_the_corpus_has_it_as_stored(
    folder: Path, image: Image, size: tuple[int, int]
) -> None:
    save(folder / "a.jpg", (80, 60), turned=6)
    shown = Pictures(folder, folder / "page.html").show(image, STRICT)
    assert shown is not None
    assert (shown.width, shown.height) == size
    assert opened(shown).size == size


def test_where_a_photograph_was_taken_is_not_told(folder: Path) -> None:
    exif = Picture.Exif()
    exif[0x010E] = "at home"
    Picture.new("RGB", (8, 6)).save(folder / "a.jpg", exif=exif)
    shown = Pictures(folder, folder / "page.html").show(Image("1", file="a.jpg"), STRICT)
    assert not opened(shown).getexif()


def test_linked_pictures_stay_where_they_are(folder: Path) -> None:
    save(folder / "deep" / "a b#?.jpg", (80, 60), turned=6)
    pictures = Pictures(folder, folder.parent / "pages" / "page.html", link=True)
    assert pictures.show(Image("1", file="deep/a b#?.jpg"), STRICT) == Shown(
        60, 80, link="./../pictures/deep/a%20b%23%3F.jpg"
    )


@pytest.mark.parametrize(
    "content", [b"", b"no picture", b"\xff\xd8\xff\xe0 cut short", b"%!PS-Adobe", b"GIF89a\xff\xff"]
)
def test_a_file_that_is_no_picture_is_one_line_or_when_lenient_a_layout(folder: Path, content: bytes) -> None:
    (folder / "a.jpg").write_bytes(content)
    pictures, image = Pictures(folder, folder / "page.html"), Image("1", file="a.jpg")
    with refusal(BadInput):
        pictures.show(image, STRICT)
    lenient = Reading(lenient=True)
    assert pictures.show(image, lenient) is None
    assert lenient.skipped == {"picture that cannot be read": 1}


def test_a_photograph_cut_short_is_one_line_too(folder: Path) -> None:
    path = save(folder / "a.jpg", (400, 300))
    path.write_bytes(path.read_bytes()[:700])
    with refusal(BadInput):
        Pictures(folder, folder / "page.html").show(Image("1", file="a.jpg"), STRICT)


def test_a_picture_that_would_fill_the_memory_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(folder / "a.png", (100, 100))
    monkeypatch.setattr(Picture, "MAX_IMAGE_PIXELS", 9_000)
    with refusal(BadInput):
        Pictures(folder, folder / "page.html").show(Image("1", file="a.png"), STRICT)


@pytest.mark.parametrize(
    ("image", "fit"),
    [(Image("1"), True), (Image("1", 100, 50), True), (Image("1", 1001, 499), True), (Image("1", 50, 100), False)],
)
def test_a_picture_of_another_shape_is_noticed(image: Image, fit: bool) -> None:
    assert fits(image, Shown(200, 100)) is fit


def test_a_link_out_of_the_folder_is_told_of_with_the_remedy(folder: Path, tmp_path: Path) -> None:
    # As in the cache of Hugging Face's hub.
    save(tmp_path / "blobs.png")
    (folder / "1.png").symlink_to(tmp_path / "blobs.png")
    reading = Reading()
    assert Pictures(folder, tmp_path / "page.html").show(Image("1"), reading) is None
    ((what, n),) = reading.warnings.items()
    assert (n, reading.first[what]) == (1, str(folder / "1.png"))
    assert "links out of the folder are not followed: copy the files themselves into it" in what
