"""Which colours are taken for which (Plummer et al. 2016, Figure 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from limner.arrays import Integers
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.ground.colour_classifiers import named_colour
from limner.ground.grounder import Grounder
from limner.ground.picture_regions import RegionReader
from limner.ground.picture_workers import work_on_pictures
from limner.ground.training_pictures import said_captions
from limner.vision.features.colour_table import NAMES
from limner.vision.image_pixels import ImagePixels


@dataclass(frozen=True)
class ColourConfusions:
    """By classifier (`svm`, `network`) how many regions of a colour, by row, were told to be of each, by column.

    `colours` name rows and columns, the most frequent first.
    """

    colours: tuple[str, ...]
    counts: Mapping[str, Integers]


def colour_confusions(
    grounder: Grounder,
    images: Iterable[Image],
    pictures: Path,
    *,
    readers: Sequence[RegionReader] | None = None,
    reading: Reading | None = None,
) -> ColourConfusions:
    """The confusions of a grounder's classifiers of colour, over regions of images whose phrases have boxes.

    A region counts once for each colour that phrases name it by; people, and phrases of several colours, are
    left out. Of colours that are as frequent, the earlier in `NAMES` comes first. Where the grounder
    has no SVM there are counts of the network alone. Proposals are not made.
    """
    names = grounder.parts.colours.names
    counts = {name: np.zeros((len(NAMES), len(NAMES)), dtype=np.int64) for name in names}
    workers = [partial(_told, reader=r, grounder=grounder) for r in readers or grounder.open_readers()]
    for gold, told in work_on_pictures(images, pictures, workers, reading):
        for name in names:
            np.add.at(counts[name], (gold, told[name]), 1)
    order = np.argsort(-counts[names[0]].sum(axis=1), kind="stable")
    return ColourConfusions(
        tuple(NAMES[number] for number in order),
        {name: table[np.ix_(order, order)] for name, table in counts.items()},
    )


def _told(seen: ImagePixels, reader: RegionReader, grounder: Grounder) -> tuple[Integers, dict[str, Integers]]:
    """The colours that phrases name regions of a picture by, and those that each classifier tells."""
    corners, captions = said_captions(seen.image)
    named = {
        (row, number)
        for caption in captions
        for query, row in zip(caption.queries, caption.gold.tolist(), strict=True)
        if row >= 0 and (number := named_colour(query)) is not None
    }
    table = np.array(sorted(named), dtype=np.int64).reshape(-1, 2)
    classifiers = grounder.parts.colours
    if not len(table):
        return table[:, 1], dict.fromkeys(classifiers.names, table[:, 1])
    given = corners[table[:, 0]] * (*seen.scale, *seen.scale)
    regions = grounder.reduced(reader.read(seen.image, seen.pixels, given))
    return table[:, 1], {name: classifiers.chances(regions, name).argmax(axis=1) for name in classifiers.names}
