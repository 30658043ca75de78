"""Writing a world: its images as a corpus, their pictures, and a contact sheet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from PIL import Image as Picture

from limner.corpus.formats import split_source, write_sound
from limner.corpus.image import Image
from limner.errors import LimnerError
from limner.files import STDIO, write_bytes
from limner.outputs import write_folder
from limner.playground.drawing.contact_sheet import contact_sheet
from limner.playground.drawing.picture import draw
from limner.playground.world import World
from limner.progress import Progress, silent, track
from limner.written import outlast_readers

# A sheet of six by five pictures fills a screen.
N_ON_SHEET = 30

CORPUS_SUFFIXES = (".jsonl", ".json", ".parquet", ".tsv", ".zip", ".gz", ".zst")


class WrittenWorld(NamedTuple):
    """How many images were written, and the folder of their pictures, if they were drawn."""

    n_images: int
    pictures: Path | None


@dataclass
class Artist:
    """Draws the pictures of a world's first images, into a folder and for a contact sheet."""

    folder: Path | None = None
    n_pictures: int = 0
    n_on_sheet: int = 0
    _on_sheet: list[tuple[Picture.Image, Image]] = field(default_factory=list)

    def images(self, world: World, n: int, folder_name: str = "") -> Iterator[Image]:
        """The world's first `n` images; `folder_name` is how their `file` names the folder."""
        n_drawn = max(self.n_pictures, self.n_on_sheet)
        for number in range(n):
            if number >= n_drawn:
                yield world.image(number)
                continue
            is_saved = self.folder is not None and number < self.n_pictures
            scene, image = world.staged(number, folder_name if is_saved else "")
            picture = draw(scene)
            if self.folder is not None and is_saved:
                # The least effort that PNG knows: the files are a fifth larger and written in half the time.
                with write_bytes(self.folder / f"{image.id}.png") as file:
                    picture.save(file, "PNG", compress_level=1)
            if number < self.n_on_sheet:
                self._on_sheet.append((picture, image))
            yield image

    def save_sheet(self, file: IO[bytes], *, boxes: bool) -> None:
        """Write the contact sheet of the pictures drawn so far, as PNG."""
        contact_sheet(self._on_sheet, boxes=boxes).save(file, "PNG")


def write_world(
    world: World,
    n: int,
    target: str,
    *,
    to: str | None = None,
    pictures: bool = False,
    sheet: Path | None = None,
    boxes: bool = False,
    replace: bool = False,
    progress: Progress = silent,
) -> WrittenWorld:
    """Write a world's first `n` images to `target`, in the format `to` or that of its suffix.

    With `pictures`, they are drawn as PNG files in a folder beside the target.
    `sheet` is a file for a contact sheet of the first 30, with `boxes` also
    their captions and boxes. `replace` allows a folder to be overwritten.
    """
    path = split_source(target)[1]
    if pictures and path == STDIO:
        raise LimnerError("pictures need a folder beside the corpus; write it to a file")
    folder = path.with_name(f"{_stem(path)}_pictures")
    with outlast_readers(folder if pictures else None, sheet), ExitStack() as stack:
        # Folder and sheet are opened first: what cannot be written is known before any work is done.
        pictures_folder = (
            stack.enter_context(write_folder(folder, names=("*.png",), replace=replace)) if pictures else None
        )
        sheet_file = stack.enter_context(write_bytes(sheet)) if sheet is not None else None
        artist = Artist(pictures_folder, n if pictures else 0, N_ON_SHEET if sheet is not None else 0)
        images = track(artist.images(world, n, folder.name), "images", progress, n)
        n_images = write_sound(images, target, to, replace=replace)
        if sheet_file is not None:
            artist.save_sheet(sheet_file, boxes=boxes)
    return WrittenWorld(n_images, folder if pictures else None)


def _stem(path: Path) -> str:
    """The file's name without the suffixes that tell a corpus' format."""
    while path.suffix in CORPUS_SUFFIXES:
        path = path.with_suffix("")
    return path.name
