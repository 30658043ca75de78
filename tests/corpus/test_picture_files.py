"""Picture files: found within their folder, and told of where a link leads out of it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image as Picture

from limner.corpus import Image, picture_files
from limner.corpus.picture_files import check_scans, find_picture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pictures" / "deep").mkdir(parents=True)
    return tmp_path / "pictures"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.jpg"
    path.write_bytes(b"x")
    return path


@pytest.mark.parametrize(
    ("there", "image"),
    [
        ("x.jpg", Image("1", file="x.jpg")),
        ("deep/x.jpg", Image("1", file="deep/x.jpg")),
        ("x.jpg", Image("1", file="elsewhere/x.jpg")),
        ("x.jpg", Image("1", file="/data/x.jpg")),
        ("1.png", Image("1")),
        ("1.webp", Image("1", file="gone.jpg")),
    ],
)
def test_a_picture_is_found_by_path_by_name_or_by_id(folder: Path, there: str, image: Image) -> None:
    (folder / there).write_bytes(b"x")
    assert find_picture(folder, image) == (folder / there, None)


def test_an_absolute_path_is_not_followed(folder: Path, secret: Path) -> None:
    assert find_picture(folder, Image("1", file=str(secret))) == (None, None)


@pytest.mark.parametrize(
    "image",
    [
        Image("1", file="../secret.jpg"),
        Image("../secret"),
        Image(".."),
        Image("1", file=".."),
        Image("1", file="x" * 5000),
        Image("1", file="a\0b.jpg"),
        Image("1", file="a\ud800.jpg"),
        Image("1", file="deep"),
    ],
)
@pytest.mark.usefixtures("secret")
def test_nothing_outside_the_folder_is_found(folder: Path, image: Image) -> None:
    assert find_picture(folder, image) == (None, None)


@pytest.mark.parametrize("name", ["out.jpg", "deep/out.jpg", "elsewhere/secret.jpg"])
def test_a_link_out_of_the_folder_is_told_of(folder: Path, secret: Path, name: str) -> None:
    (folder / "elsewhere").symlink_to(secret.parent)
    if not (folder / name).exists():
        (folder / name).symlink_to(secret)
    assert find_picture(folder, Image("1", file=name)) == (None, folder / name)


def test_a_file_under_another_name_is_taken_before_a_link_out_of_the_folder(folder: Path, secret: Path) -> None:
    (folder / "out.jpg").symlink_to(secret)
    (folder / "1.png").write_bytes(b"x")
    assert find_picture(folder, Image("1", file="out.jpg")) == (folder / "1.png", None)


def test_links_within_the_folder_and_to_it_are_followed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "deep" / "real.jpg").write_bytes(b"x")
    (folder / "in.jpg").symlink_to(folder / "deep" / "real.jpg")
    (tmp_path / "link").symlink_to(folder)
    assert find_picture(folder, Image("1", file="in.jpg")).file == folder / "in.jpg"
    assert find_picture(tmp_path / "link", Image("1", file="in.jpg")).file == tmp_path / "link" / "in.jpg"
    monkeypatch.chdir(folder)
    assert find_picture(Path(), Image("1", file="deep/real.jpg")).file == Path("deep/real.jpg")
    assert find_picture(Path(), Image("1", file="in.jpg")).file == Path("in.jpg")


def scanned(path: Path, n: int, **options: object) -> Path:
    """A picture of 64 by 64 pixels in so many scans, six of which are those of a usual progressive file."""
    buffer = BytesIO()
    Picture.new("L", (64, 64), 128).save(buffer, "JPEG", progressive=True, **options)
    content = buffer.getvalue()
    last = content[content.rindex(b"\xff\xda") : -2]
    # What follows the end is not decoded: phones keep videos there.
    path.write_bytes(content[:-2] + last * (n - 6) + b"\xff\xd9" + last)
    return path


@pytest.mark.parametrize("block", [7, 16, 100, 1 << 16])
def test_a_jpeg_file_of_too_many_scans_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(picture_files, "BLOCK", block)
    monkeypatch.setattr(picture_files, "MAX_SCANNED", 10 * 64 * 64)
    with Picture.open(scanned(tmp_path / "a.jpg", 10, exif=b"Exif\0\0" + b"\xff\xda\0\x02" * 30)) as picture:
        check_scans(picture)
        picture.load()
    with (
        Picture.open(scanned(tmp_path / "b.jpg", 11)) as picture,
        pytest.raises(Picture.DecompressionBombError),
    ):
        check_scans(picture)


def test_usual_progressive_files_of_the_largest_pictures_are_far_from_the_bound() -> None:
    assert picture_files.MAX_SCANNED >= 3 * 10 * Picture.MAX_IMAGE_PIXELS * 0.99
