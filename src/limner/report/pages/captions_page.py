"""The page of caption scores: its figures, and its images with what was said of them.

At its head are values with intervals, subsets of the images, differences and
signatures. There systems and columns go by number; a value is [value, low,
high], the bounds left out where there are none; null stands for what is not a
number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.files import ScratchFile
from limner.look.document import Document, kept_json, object_with_images, to_json
from limner.report.pages.caption_entries import MOST_IMAGES, Entries, Joined
from limner.report.pages.caption_explanations import MOST, Explained, explain, has_objects, objects_spoken_of
from limner.report.pages.page_data import Json
from limner.report.pages.page_pictures import Pictures
from limner.report.pages.show_page import Written
from limner.score.caption_evaluation import Evaluation
from limner.score.paired import Comparison
from limner.score.resampling import CONFIDENCE

VALUE_DIGITS = 6
# Decimals of an image's own values: differences between two are right in the fourth.
IMAGE_DIGITS = 5

Value = list[float | None]

PAGE = Document(
    __package__,
    "captions.html",
    ("captions.css", "captions_tables.css"),
    ("captions_choosing.js", "alignment.js", "captions_card.js", "captions_tables.js", "histogram.js", "captions.js"),
)


def write_captions_page(
    systems: Sequence[Evaluation],
    compared: Sequence[Comparison],
    path: str | Path,
    *,
    pictures: Pictures | None = None,
    title: str = "Caption scores",
    most_images: int = MOST_IMAGES,
    most_explained: int = MOST,
    reading: Reading | None = None,
    people: Sequence[Evaluation] = (),
) -> Written:
    """Write the page of one system's scores, or of several side by side with the differences between them.

    An image is shown by its picture, found by `pictures`, or the layout of its
    boxes, where the evaluations were made with images. The first
    `most_images` are listed; scores are of all. Metrics that explain
    themselves do so for at most `most_explained` images, the most informative
    ones. `reading` notes what was odd about pictures and, if it is lenient,
    what was left out. `people` are people's scores and each system's against
    the references that people meet: a table of their own.
    """
    joined = Joined(systems, most_images)
    if not len(joined):
        raise LimnerError("there is no image to show; score captions of at least one image")
    explained = list(explain(joined, most_explained))
    entries = Entries(joined, objects_spoken_of(joined))
    noted = Reading() if reading is None else reading
    with ScratchFile() as embedded:
        made, n_pictures = _images(joined, entries, explained, pictures, noted, embedded)
        head = {
            "title": title,
            **figures_of(joined, compared, CONFIDENCE, people),
            **entries.boxes.tables(),
            "explained": [_explained(item) for item in explained],
            "objects": any(map(has_objects, systems)),
            "sources": [{"title": system.name} for system in systems],
        }
        PAGE.write(Path(path), title, object_with_images(head, made), embedded)
    return Written(len(joined), n_pictures)


def _images(
    joined: Joined,
    entries: Entries,
    explained: Sequence[Explained],
    pictures: Pictures | None,
    noted: Reading,
    embedded: IO[bytes],
) -> tuple[list[bytes], int]:
    """The images' objects as JSON, and how many have a picture; pictures and explanations go to `embedded`."""
    made: list[bytes] = []
    n_pictures = 0
    for number, id in enumerate(joined.ids):
        image = joined.image(id)
        picture = pictures.embed(image, number, noted, embedded) if pictures else None
        n_pictures += picture is not None
        why = [[of_system.get(id) for of_system in item.by_system] for item in explained]
        if any(map(any, why)):
            embedded.write(kept_json(f"why-{number}", why))
        made.append(to_json(entries.make(id, image, picture, is_explained=any(map(any, why)))))
    return made, n_pictures


def _explained(explained: Explained) -> Json:
    n = len({id for of_system in explained.by_system for id in of_system})
    return {"metric": explained.metric, "kind": explained.kind, "n": n}


def figures_of(
    joined: Joined, compared: Sequence[Comparison], confidence: float, people: Sequence[Evaluation] = ()
) -> Json:
    """Everything that is told of all images together, and the columns of what each has for itself."""
    systems = joined.systems
    columns = [column for metric in systems[0].metrics for column in metric.columns]
    per_image = [_per_image(joined, s, columns) for s in range(len(systems))]
    return {
        "n": joined.n,
        "confidence": confidence,
        "samples": max(system.samples for system in systems),
        "systems": [_system(system) for system in systems],
        "columns": _columns(systems[0], per_image),
        "values": [_values(system, columns) for system in systems],
        "differences": [_difference(item, systems, columns) for item in compared if not item.by],
        "tests": len(compared),
        "subsets": [_subsets(joined, key, columns, compared) for key in systems[0].by],
        "people": [_person(evaluation) for evaluation in people],
        "peopleColumns": list(people[0].scores) if people else [],
        "signatures": _signatures([*systems, *people]),
        "scores": per_image,
    }


def _person(evaluation: Evaluation) -> Json:
    return {"name": evaluation.name, "values": _values(evaluation, evaluation.scores)}


def _system(system: Evaluation) -> Json:
    counts = {name.replace("_", " "): n for name, n in system.counts.items() if n}
    return {
        "name": system.name,
        "n": len(system.run),
        "counts": counts,
        "warnings": list(dict.fromkeys(system.warnings)),
    }


def _columns(system: Evaluation, per_image: Sequence[Sequence[Sequence[float | None] | None]]) -> list[Json]:
    """Names of columns, the metric of each, whether more of it is better, and whether images have it too."""
    columns: list[Json] = []
    for metric in system.metrics:
        for column in metric.columns:
            images_have_it = any(values[len(columns)] is not None for values in per_image)
            columns.append(
                {"name": column, "metric": metric.name, "up": metric.higher_is_better, "each": images_have_it}
            )
    return columns


def _per_image(joined: Joined, s: int, columns: Iterable[str]) -> list[list[float | None] | None]:
    """By column the images' own values in the page's order, None for a column that no image has."""
    system, per_column = joined.systems[s], []
    for column in columns:
        values = joined.aligned(s, np.array(list(system.per_image(column).values())))
        finite = np.isfinite(values)
        numbers = np.round(values, IMAGE_DIGITS).tolist()
        per_column.append(
            [_short(v) if is_finite else None for v, is_finite in zip(numbers, finite.tolist(), strict=True)]
            if finite.any()
            else None
        )
    return per_column


def _values(system: Evaluation, columns: Iterable[str]) -> list[Value]:
    scores, intervals = system.scores, system.intervals
    return [[_number(value) for value in (scores[column], *intervals.get(column, ()))] for column in columns]


def _difference(comparison: Comparison, systems: Sequence[Evaluation], columns: Sequence[str]) -> list[Any]:
    """[column, first, second, difference, low, high, p, adjusted p, is exact, images]."""
    names = [system.name for system in systems]
    numbers = (
        comparison.difference,
        comparison.low,
        comparison.high,
        comparison.p,
        comparison.p_adjusted,
    )
    return [
        columns.index(comparison.column),
        names.index(comparison.first),
        names.index(comparison.second),
        *map(_number, numbers),
        int(comparison.is_exact),
        comparison.n_images,
    ]


def _subsets(joined: Joined, key: str, columns: Sequence[str], compared: Sequence[Comparison]) -> Json:
    """The subsets by one key: their names and images, and every system's values and differences in each."""
    systems = joined.systems
    names = list(dict.fromkeys(name for system in systems for name in system.by.get(key, {})))
    subsets: list[Json] = []
    for name in names:
        evaluations = [system.by.get(key, {}).get(name) for system in systems]
        ids = {id for evaluation in evaluations if evaluation is not None for id in evaluation.run.ids}
        images = sorted(joined.numbers[id] for id in ids if id in joined.numbers)
        values = [None if evaluation is None else _values(evaluation, columns) for evaluation in evaluations]
        of_subset = [item for item in compared if (item.by, item.subset) == (key, name) and item.column in columns]
        tested = [_difference(item, systems, columns) for item in of_subset]
        subsets.append({"name": name, "n": len(ids), "values": values, "differences": tested, "images": images})
    return {"key": key, "subsets": subsets}


def _signatures(systems: Sequence[Evaluation]) -> list[Json]:
    """Every different signature once: the columns and, where they do not share it, the systems that it is for."""
    entries: dict[str, Json] = {}
    for s, system in enumerate(systems):
        for column, text in system.signatures.items():
            entry = entries.setdefault(text, {"text": text, "columns": [], "systems": []})
            if column not in entry["columns"]:
                entry["columns"].append(column)
            if s not in entry["systems"]:
                entry["systems"].append(s)
    return list(entries.values())


def _number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return _short(round(float(value), VALUE_DIGITS)) if math.isfinite(value) else None


def _short(value: float) -> float:
    """Whole numbers without a decimal point: many values are 0 or 1."""
    return int(value) if value == int(value) else value
