"""How often people speak of a class by a verb, and not by its noun: "skiing" for skis.

Every gold caption of an image with a box of a class names it by a noun, or
speaks of it by a related word of a closed list, or says nothing of it. Beside
the list, the lift of every verb shows which ones the captions themselves offer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner import __version__
from limner.arrays import Floats
from limner.corpus import open_corpus
from limner.corpus.classes.class_names import class_name
from limner.corpus.image import Image
from limner.corpus.linking import link
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.experiments.class_verbs import KINDS, continuous_verbs, related_kind
from limner.experiments.experiment_files import Estimate, ExperimentReport, Table
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.content import mentioned
from limner.score.data_fingerprint import PassingImages
from limner.score.metric import SHARE, Statistics
from limner.score.resampling import SAMPLES, bounds
from limner.score.selection_scores import signed

if TYPE_CHECKING:
    from limner.report import estimate_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")

WAYS = ("noun", *KINDS, "nothing")
COLUMNS = ("class", "images", "captions", "by_noun", "by_verb", "by_fitting_verb", "by_agent", "not_at_all", "lifted")
TOP = 15
LEAST_IMAGES = 10
# A verb is listed from so many captions of a class on: fewer say nothing of how often it is used.
LEAST_CAPTIONS = 5
LIFTED = 3


class ClassShares(NamedTuple):
    """In which ways the captions of a class's images speak of it, and the verbs that stand out where no noun does."""

    name: str
    n_images: int
    n_captions: int
    shares: Sequence[Estimate]
    lifted: Sequence[tuple[str, float]]

    def row(self) -> tuple[str | int | Estimate, ...]:
        verbs = ", ".join(f"{verb} {lift:.0f}×" for verb, lift in self.lifted)
        return (self.name, self.n_images, self.n_captions, *self.shares, verbs)


@dataclass
class _Counts:
    """What is counted of one class: the ways of each image's captions, and the verbs of captions without the noun."""

    ways: list[list[int]] = field(default_factory=list)
    verbs: Counter[str] = field(default_factory=Counter)
    n_without_noun: int = 0


def verb_experiment(
    source: str,
    *,
    least_images: int = LEAST_IMAGES,
    top: int = TOP,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Count for every class with boxes in enough images how captions speak of it.

    Captions that refer to boxes by hand keep their mentions; others are
    linked by the names of classes.
    """
    corpus = open_corpus(source, lenient=lenient)
    passing = PassingImages()
    counts, verbs = _counted(passing.watch(track(corpus, "images", progress)))
    classes = [
        _shares(name, of_class, verbs, samples, seed)
        for name, of_class in counts.items()
        if len(of_class.ways) >= least_images
    ]
    if not classes:
        problem = f"no class has boxes in {least_images} images with gold captions"
        raise BadInput(corpus.name, problem, "ask for fewer images, or give a corpus with both boxes and captions")
    # Most captions by a verb that implies the class first; of equals those by any related word.
    order = sorted(classes, key=lambda c: (-c.shares[1].value * c.n_captions, c.shares[-1].value, c.name))
    facts = {"data": passing.fingerprint(), "least_images": least_images, "limner": __version__}
    return _report(order, top, signed(metric="verbs", version=1, **facts), corpus.reading)


def _counted(images: Iterable[Image]) -> tuple[dict[str, _Counts], tuple[Counter[str], int]]:
    """The counts of each class, and the captions that have each verb with how many captions there are."""
    counts: dict[str, _Counts] = {}
    verbs: Counter[str] = Counter()
    n_captions = 0
    for image in images:
        linked = image if any(caption.mentions for caption in image.captions) else link(image, linker="all")
        class_by_box = {box.id: class_name(box.label) for box in image.boxes}
        gold = [caption for caption in linked.captions if caption.source == "gold"]
        named = [{class_by_box[box] for box in mentioned(caption)} for caption in gold]
        said = [continuous_verbs(caption.text) for caption in gold]
        n_captions += len(gold)
        for of_caption in said:
            verbs.update(of_caption)
        for name in dict.fromkeys(class_by_box.values()) if gold else ():
            of_class = counts.setdefault(name, _Counts())
            ways = [0] * len(WAYS)
            for caption, classes, of_caption in zip(gold, named, said, strict=True):
                way = "noun" if name in classes else related_kind(caption.text, name) or "nothing"
                ways[WAYS.index(way)] += 1
                if way != "noun":
                    of_class.verbs.update(of_caption)
                    of_class.n_without_noun += 1
            of_class.ways.append(ways)
    return counts, (verbs, n_captions)


def _shares(name: str, counts: _Counts, verbs: tuple[Mapping[str, int], int], samples: int, seed: int) -> ClassShares:
    rows = np.array(counts.ways, dtype=np.float64)
    sizes = rows.sum(axis=1, keepdims=True)
    statistics = Statistics(np.concatenate([rows, sizes], axis=1), _ratio, rows / sizes, ranges=[SHARE] * len(WAYS))
    # Captions of one image are alike, so images are resampled.
    (limits,) = bounds([statistics], samples=samples, seed=seed) if samples else [[None] * len(WAYS)]
    values = statistics.value().tolist()
    shares = [Estimate.within(value, limit) for value, limit in zip(values, limits, strict=True)]
    return ClassShares(
        name, len(rows), int(sizes.sum()), shares, lifted_verbs(counts.verbs, counts.n_without_noun, *verbs)
    )


def _ratio(sums: Floats) -> Floats:
    return np.asarray(sums[..., :-1] / sums[..., -1:], dtype=np.float64)


def lifted_verbs(
    counts: Mapping[str, int], n_captions: int, counts_of_all: Mapping[str, int], n_of_all: int
) -> list[tuple[str, float]]:
    """The verbs that stand out most in some captions: by how many times more often than in all captions."""
    lifts = [
        (verb, n / n_captions / (counts_of_all[verb] / n_of_all)) for verb, n in counts.items() if n >= LEAST_CAPTIONS
    ]
    return sorted(lifts, key=lambda item: (-item[1], item[0]))[:LIFTED]


def _report(classes: Sequence[ClassShares], top: int, signature: str, reading: Reading) -> ExperimentReport:
    spoken_of = [of_class for of_class in classes[:top] if any(share.value for share in of_class.shares[1:-1])]
    # Where no verb speaks of anything, the table says so of every class.
    shown = spoken_of or classes[:top]
    panels = {
        "share of the captions": {
            "by noun": {of_class.name: of_class.shares[0] for of_class in shown},
            "by a verb that implies it": {of_class.name: of_class.shares[1] for of_class in shown},
            "not at all": {of_class.name: of_class.shares[-1] for of_class in shown},
        }
    }
    return ExperimentReport(
        "verbs",
        "Things that captions speak of by a verb",
        "People say “skiing” and not “skis”. How often do captions of an image with a box of a class name it by a "
        "noun, speak of it by a related word alone, or leave it out?",
        COLUMNS,
        [of_class.row() for of_class in shown],
        list(_findings(shown)),
        [
            "a caption is counted once for each class with a box, in the first way that holds: by a noun (a mention, "
            "by hand or linked), by a verb that implies the class, by a verb that fits it and others, by a noun for "
            "who does it, not at all; the words are a closed list",
            "lifted: the verbs in -ing that stand out most in captions without the noun, by how many times more often "
            "they are there than in all captions",
            "intervals are of 95 %, by resampling images",
        ],
        {"all shares": signature},
        lambda: estimate_plots.dots_figure(panels, "share of the captions"),
        readings=[reading],
        others=[Table("classes", COLUMNS, [of_class.row() for of_class in classes])],
    )


def _findings(classes: Sequence[ClassShares]) -> Iterator[str]:
    for of_class in classes[:5]:
        noun, verb, fitting, agent, nothing = (share.value for share in of_class.shares)
        yield (
            f"{of_class.name}: by noun {noun:.1%}, by a verb alone {verb:.1%}, by a fitting verb {fitting:.1%}, by "
            f"who does it {agent:.1%}, not at all {nothing:.1%}"
        )
