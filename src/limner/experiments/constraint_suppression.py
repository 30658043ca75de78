"""What constraints remain with each way to suppress boxes in one place, and whether people say them.

A detector with Open Images' classes reports a dog and an animal in one place.
nocaps drops the "higher-order" one, which may mean the ancestor of the other,
or whatever is nearer to the root of the hierarchy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from limner import __version__
from limner.arrays import Floats
from limner.caption.constraints.constraint_choice import IOU, SUPPRESSIONS, TOP, Choice, ConstraintChooser
from limner.corpus import open_corpus
from limner.corpus.box import Box
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_names import class_name, class_phrases
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.data_fingerprint import PassingImages
from limner.score.metric import Statistics
from limner.score.resampling import SAMPLES, bounds, differences
from limner.score.selection_scores import signed
from limner.text.words import words

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

COLUMNS = (
    "suppression",
    "suppressed_boxes",
    "constraints",
    "per_image",
    "said",
    "captions_with_it",
    "recall",
    "said_minus_none",
)
MEASURES = ("per_image", "said", "captions_with_it", "recall")


class Suppressed(NamedTuple):
    """What a way to suppress boxes leaves: how many boxes it dropped, and a row of counts for each image."""

    name: str
    n_boxes: int
    statistics: Statistics


def suppression_experiment(
    source: str,
    hierarchy: Path,
    names: Path | None = None,
    *,
    expand: bool = False,
    top: int = TOP,
    iou: float = IOU,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Choose the constraints of every image in each way, and look for them in its gold captions.

    With `expand`, every box is there again for each class above its own, as
    Open Images expands the boxes of its challenges: detectors trained so
    report a dog as an animal too. Images without a gold caption are left out.
    """
    reading = Reading(lenient=lenient)
    tree = read_class_tree(hierarchy, names, reading)
    corpus = open_corpus(source, lenient=lenient)
    passing = PassingImages()
    images = [
        _expanded(image, tree) if expand else image
        for image in passing.watch(track(corpus, "images", progress))
        if image.boxes and any(caption.source == "gold" for caption in image.captions)
    ]
    if not images:
        raise BadInput(corpus.name, "no image has both boxes and gold captions", "give a corpus with both")
    said = [[_text(caption.text) for caption in image.captions if caption.source == "gold"] for image in images]
    results = []
    for suppression in SUPPRESSIONS:
        chooser = ConstraintChooser(tree, top=top, iou=iou, suppress=suppression)
        rows, n_boxes = [], 0
        for image, captions in track(zip(images, said, strict=True), f"images, {suppression}", progress, len(images)):
            choice = chooser.choose(image)
            n_boxes += sum(dropped.rule == "more general" for dropped in choice.dropped)
            rows.append(_counts(choice, _sayable(image, chooser), captions))
        results.append(Suppressed(suppression, n_boxes, _statistics(np.array(rows, dtype=np.float64))))
    facts = {
        "top": top,
        "iou": iou,
        "boxes": "expanded" if expand else "as given",
        "images": len(images),
        "data": passing.fingerprint(),
        "limner": __version__,
    }
    return _report(results, facts, samples, seed, [corpus.reading, reading])


def _expanded(image: Image, tree: ClassHierarchy) -> Image:
    """The image with a box for every class above each box's own, except the root, each class once in a place."""
    boxes: dict[tuple[str, tuple[float, ...]], Box] = {}
    for box in image.boxes:
        known = tree.find(box.label) or tree.find(class_name(box.label))
        boxes.setdefault((known or box.label, box.corners), box)
        for above in tree.ancestors(known) if known else ():
            if above != tree.root:
                boxes.setdefault((above, box.corners), replace(box, id=f"{box.id} {above}", label=above))
    return replace(image, boxes=tuple(boxes.values()))


def _sayable(image: Image, chooser: ConstraintChooser) -> set[tuple[str, ...]]:
    """The phrases of each class that the image's boxes could ask for."""
    labels = {box.label for box in image.boxes}
    return {phrases for label in labels if chooser.exclusion(label) is None and (phrases := class_phrases(label))}


def _text(caption: str) -> str:
    """The words of a caption, each between spaces, so that whole words can be looked for."""
    return f" {' '.join(words(caption)).lower()} "


def _says(caption: str, phrases: Iterable[str]) -> bool:
    return any(f" {phrase} " in caption for phrase in phrases)


def _counts(choice: Choice, sayable: set[tuple[str, ...]], captions: Sequence[str]) -> list[float]:
    """Of an image: constraints, those that somebody says, the share of captions that says each; classes said, met."""
    chosen = [constraint.phrases for constraint in choice.constraints]
    shares = [sum(_says(caption, phrases) for caption in captions) / len(captions) for phrases in chosen]
    said = {phrases for phrases in sayable if any(_says(caption, phrases) for caption in captions)}
    n_met = len(said & set(chosen))
    return [len(chosen), sum(share > 0 for share in shares), sum(shares), len(said), n_met, 1]


def _statistics(rows: Floats) -> Statistics:
    with np.errstate(invalid="ignore"):
        per_image = _measures(rows)
    return Statistics(rows, _measures, per_image)


def _measures(sums: Floats) -> Floats:
    """From sums of counts to the measures: constraints an image, the share said, of captions, and recall."""
    n_constraints, n_said, shares, n_classes, n_met, n_images = np.moveaxis(np.asarray(sums), -1, 0)
    with np.errstate(invalid="ignore"):
        ratios = (n_constraints / n_images, n_said / n_constraints, shares / n_constraints, n_met / n_classes)
    return np.stack(ratios, axis=-1)


def _report(
    results: Sequence[Suppressed], facts: Mapping[str, object], samples: int, seed: int, readings: Sequence[Reading]
) -> ExperimentReport:
    limits = bounds([result.statistics for result in results], samples=samples, seed=seed) if samples else None
    none = next(result for result in results if result.name == "none")
    rows, measured = [], {}
    for at, result in enumerate(results):
        values = result.statistics.value().tolist()
        estimates = [Estimate.within(value, limits[at][i] if limits else None) for i, value in enumerate(values)]
        measured[result.name] = dict(zip(MEASURES, estimates, strict=True))
        n_constraints = int(result.statistics.rows[:, 0].sum())
        rows.append((result.name, result.n_boxes, n_constraints, *estimates, _difference(result, none, samples, seed)))
    panels = {
        "said by somebody": {"": {name: of_name["said"] for name, of_name in measured.items()}},
        "recall": {"": {name: of_name["recall"] for name, of_name in measured.items()}},
    }
    return ExperimentReport(
        "suppression",
        "Constraints with each way to suppress boxes",
        "Of two boxes in one place, nocaps drops the one of the higher class: an ancestor of the other's, or whatever "
        "is nearer to the root? How many constraints remain, and do people say them?",
        COLUMNS,
        rows,
        list(_findings(results, measured)),
        [
            f"{facts['images']:,} images with boxes ({facts['boxes']}) and captions; at most {facts['top']} "
            f"constraints each, IoU {facts['iou']}",
            "said: the share of the constraints of which some gold caption has a phrase; captions_with_it: the share "
            "of the captions that has one, on average; recall: of the classes with a box that some caption names, the "
            "share that are constraints",
            "intervals are of 95 %, by resampling images; said_minus_none is tested on the same images",
        ],
        {result.name: signed(metric="constraints", version=1, suppression=result.name, **facts) for result in results},
        lambda: estimate_plots.dots_figure(panels, "share"),
        readings=readings,
    )


def _difference(result: Suppressed, none: Suppressed, samples: int, seed: int) -> Estimate | None:
    """By how much more of the constraints is said than without suppression."""
    if result is none:
        return None
    (columns,) = differences([result.statistics], [none.statistics], seed=seed)
    said = columns[MEASURES.index("said")]
    return Estimate.within(said.difference, (said.low, said.high) if samples else None)


def _findings(results: Sequence[Suppressed], measured: Mapping[str, Mapping[str, Estimate]]) -> Iterator[str]:
    for result in results:
        said, recall = measured[result.name]["said"].value, measured[result.name]["recall"].value
        n = int(result.statistics.rows[:, 0].sum())
        counted = f"{result.n_boxes:,} boxes suppressed, {n:,} constraints"
        yield f"{result.name}: {counted}; {said:.1%} said, recall {recall:.1%}"
