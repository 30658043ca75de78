"""Picture files: every kind becomes the same kind of pixels, and what is no picture is told in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from limner.corpus import picture_files
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.vision.picture_stream import find_pictures
from limner.vision.pictures import TURNS, list_pictures, read_pixels
from refusals import refusal

# Four colours, one a corner, so that every turn of the picture is told from the others.
CORNERS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]], [[255, 255, 0], [0, 0, 0], [255, 255, 255]]], np.uint8)


def save(path: Path, picture: Picture.Image, **options: object) -> Path:
    picture.save(path, **options)
    return path


def test_a_picture_is_height_by_width_by_red_green_and_blue(tmp_path: Path) -> None:
    pixels = read_pixels(save(tmp_path / "a.png", Picture.fromarray(CORNERS)))
    assert pixels.dtype == np.uint8
    np.testing.assert_array_equal(pixels, CORNERS)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "I;16"])
def test_white_is_white_in_every_mode(tmp_path: Path, mode: str) -> None:
    white = Picture.new(mode, (3, 2), {"I;16": 0xFFFF, "CMYK": (0, 0, 0, 0)}.get(mode, "white"))
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    pixels = read_pixels(save(path, white))
    assert pixels.shape == (2, 3, 3)
    assert pixels.min() >= 254


def test_16_bits_lose_the_lower_ones_and_are_not_cut_off(tmp_path: Path) -> None:
    ramp = np.array([[0, 255, 256, 0x7FFF, 0xFFFF]], dtype=np.uint16)
    pixels = read_pixels(save(tmp_path / "a.png", Picture.fromarray(ramp)))
    assert pixels[0, :, 0].tolist() == [0, 0, 1, 0x7F, 0xFF]


def test_one_grey_of_16_bits_may_be_transparent(tmp_path: Path) -> None:
    greys = np.array([[0x4000, 0x4001, 0x8000]], dtype=np.uint16)
    Picture.fromarray(greys).save(tmp_path / "a.png", transparency=0x4001)
    assert read_pixels(tmp_path / "a.png")[0, :, 0].tolist() == [0x40, 255, 0x80]


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    picture = Picture.new("RGBA", (2, 1), (10, 20, 30, 0))
    picture.putpixel((1, 0), (10, 20, 30, 255))
    assert read_pixels(save(tmp_path / "a.png", picture)).tolist() == [[[255, 255, 255], [10, 20, 30]]]


@pytest.mark.parametrize("suffix", ["gif", "webp", "png"])
def test_of_an_animation_the_first_frame_counts(tmp_path: Path, suffix: str) -> None:
    frames = [Picture.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    options = {"lossless": True} if suffix == "webp" else {}
    frames[0].save(tmp_path / f"a.{suffix}", save_all=True, append_images=frames[1:], duration=100, **options)
    assert read_pixels(tmp_path / f"a.{suffix}")[0, 0].tolist() == [255, 0, 0]


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("suffix", ["png", "webp", "tif"])
def test_pictures_are_turned_as_exif_says(tmp_path: Path, number: int, suffix: str) -> None:
    # What is stored is the upright picture under the inverse turn, so that reading it gives the upright one again.
    inverse = {6: 8, 8: 6}.get(number, number)
    stored = Picture.fromarray(CORNERS)
    stored = stored.transpose(TURNS[inverse]) if inverse in TURNS else stored
    exif = Picture.Exif()
    exif[0x0112] = number
    path = save(tmp_path / f"a.{suffix}", stored, exif=exif, **({"lossless": True} if suffix == "webp" else {}))
    np.testing.assert_array_equal(read_pixels(path), CORNERS)


def test_an_orientation_that_is_none_changes_nothing(tmp_path: Path) -> None:
    exif = Picture.Exif()
    exif[0x0112] = 77
    np.testing.assert_array_equal(read_pixels(save(tmp_path / "a.png", Picture.fromarray(CORNERS), exif=exif)), CORNERS)


def heic() -> bytes:
    return b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(40)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (heic(), "is HEIC, which is not read here; convert it to JPEG or PNG"),
        (heic().replace(b"heic", b"avif"), "is AVIF, which is not read here"),
        (heic().replace(b"heic", b"isom"), "is video, which is not read here"),
        (b"dear diary, today\nI took a picture", "is text, not a picture"),
        ("gr\u00fc\u00dfe".encode(), "is text, not a picture"),
        (b"", "the file is empty"),
        (bytes(range(200)), "is not a picture of a known kind"),
        (b"P6 9450 9450 255\n", "measures 9,450 by 9,450, more than 89,000,000 pixels; make it smaller"),
        (b"P6 40000 40000 255\n", "is too large"),
    ],
    ids=["heic", "avif", "video", "text", "umlauts", "empty", "bytes", "large", "bomb"],
)
def test_what_is_no_usable_picture_is_told_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_pixels(path)
    assert str(caught.value).startswith(f"{path}: {said}")
    assert caught.value.code == "unusable-picture"


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "gif", "bmp", "tif"])
def test_a_picture_that_is_cut_short_is_an_error(tmp_path: Path, suffix: str) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (90, 80, 3), dtype=np.uint8)
    path = save(tmp_path / f"a.{suffix}", Picture.fromarray(noise))
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    with refusal(BadInput):
        read_pixels(path)


def test_a_picture_of_too_many_scans_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "a.jpg", Picture.fromarray(CORNERS))
    monkeypatch.setattr(picture_files, "MAX_SCANNED", 1)
    with pytest.raises(BadInput) as caught:
        read_pixels(path)
    assert (caught.value.code, caught.value.place) == ("unusable-picture", str(path))


def test_colours_in_fractions_are_refused(tmp_path: Path) -> None:
    with refusal(BadInput):
        read_pixels(save(tmp_path / "a.tif", Picture.new("F", (2, 2))))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with refusal(BadInput):
        read_pixels(tmp_path / "a.jpg")


def test_the_largest_number_of_pixels_is_a_choice(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", Picture.fromarray(CORNERS))
    assert read_pixels(path, max_pixels=6).shape == (2, 3, 3)
    with refusal(BadInput):
        read_pixels(path, max_pixels=5)


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")


def test_pictures_are_listed_by_name_with_their_folders(tmp_path: Path) -> None:
    touch(tmp_path, "b.JPG", "a.png", "c/a.jpeg", "c/.hidden.jpg", ".cache/d.jpg", "notes.txt", "x.heic", "c.webp")
    reading = Reading()
    listed = list_pictures(tmp_path, reading)
    assert listed == [("a", "a.png"), ("b", "b.JPG"), ("c/a", "c/a.jpeg"), ("c", "c.webp"), ("x", "x.heic")]
    assert reading.warnings == {"file that is no picture by its name, ignored": 1}


def test_pictures_that_differ_in_their_suffix_alone_keep_it_in_their_ids(tmp_path: Path) -> None:
    touch(tmp_path, "a.png", "a.jpg", "b.jpg")
    assert [picture.id for picture in list_pictures(tmp_path)] == ["a.jpg", "a.png", "b"]


def test_a_name_that_is_anothers_with_a_suffix_keeps_its_own(tmp_path: Path) -> None:
    for name in ("a.jpg", "a.png", "a.jpg.png", "b.png", "b.png.png"):
        (tmp_path / name).touch()
    ids = [picture.id for picture in list_pictures(tmp_path)]
    assert ids == ["a.jpg", "a.jpg.png", "a.png", "b", "b.png.png"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    touch(tmp_path, "secret.jpg", "folder/a.jpg", "others/b.jpg")
    (tmp_path / "folder" / "out.jpg").symlink_to(tmp_path / "secret.jpg")
    (tmp_path / "folder" / "more").symlink_to(tmp_path / "others")
    (tmp_path / "folder" / "in.jpg").symlink_to(tmp_path / "folder" / "a.jpg")
    reading = Reading()
    assert [picture.id for picture in list_pictures(tmp_path / "folder", reading)] == ["a", "in"]
    assert reading.warnings["link out of the folder, not followed"] == 1


def test_a_name_that_is_not_utf8_is_an_error_or_counted(tmp_path: Path) -> None:
    try:
        touch(tmp_path, "a.jpg", "\udcff\udcfe.jpg")
    except OSError:
        pytest.skip("the file system has no such names")
    with pytest.raises(BadInput) as refused:
        list_pictures(tmp_path)
    assert (refused.value.code, refused.value.place) == ("unusable-picture", f"{tmp_path}/\\udcff\\udcfe.jpg")
    reading = Reading(lenient=True)
    assert [picture.id for picture in list_pictures(tmp_path, reading)] == ["a"]
    assert reading.skipped.total() == 1
    with pytest.raises(BadInput) as refused:
        find_pictures(tmp_path / "\udcff\udcfe.jpg", reading)
    assert refused.value.code == "unusable-picture"


@pytest.mark.parametrize("names", [(), ("notes.txt",)])
def test_a_folder_without_pictures_is_an_error(tmp_path: Path, names: tuple[str, ...]) -> None:
    touch(tmp_path, *names)
    with refusal(BadInput):
        list_pictures(tmp_path)
