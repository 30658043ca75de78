"""One pass over a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from limner.arrays import Floats
from limner.corpus import geometry
from limner.corpus.box import Box
from limner.corpus.image import Image, Scalar
from limner.corpus.statistics.corpus_figures import Boxes, Captions, Distribution, Ngrams, Pictures, Statistics, ratio
from limner.corpus.statistics.distinct_ngrams import DistinctNgrams
from limner.corpus.statistics.mention_tally import ChainTally, MentionTally, Spoken
from limner.text.words import words

# As many labels as fit a page.
TOP_LABELS = 20
# More classes than this are many, as in Section 3.2 of the nocaps paper.
MANY_CLASSES = 6

# Values an attribute may have and still tell kinds of images apart.
MOST_KINDS = 100


def statistics(
    images: Iterable[Image], *, name: str = "corpus", tagger: str = "none", ngrams: bool = True
) -> Statistics:
    """The statistics of the images, which are read once and not kept.

    `tagger` tells nouns and adjectives: `none` takes head nouns and what
    stands before them, `spacy` needs the `nlp` extra. Without `ngrams` the
    distinct n-grams of the captions are not counted.
    """
    n_images = 0
    picture_tally, caption_tally, box_tally = _PictureTally(), _CaptionTally(ngrams), _BoxTally()
    mention_tally, chain_tally = MentionTally(tagger), ChainTally()
    for image in images:
        spoken = Spoken(image)
        n_images += 1
        picture_tally.add(image)
        caption_tally.add(image, spoken)
        box_tally.add(image, spoken)
        mention_tally.add(spoken)
        chain_tally.add(image, spoken)
    pictures = picture_tally.figures()
    has_mentions = mention_tally.n > 0
    captions, boxes = caption_tally.figures(has_mentions), box_tally.figures(has_mentions)
    mentions = mention_tally.figures(n_images, captions.count)
    categories, categories_from = _categories(boxes, mentions.noun_phrases, pictures.provenance)
    return Statistics(
        name=name,
        images=n_images,
        pictures=pictures,
        captions=captions,
        boxes=boxes,
        mentions=mentions,
        chains=chain_tally.figures(n_images),
        words=mention_tally.wording.words(mentions.expressions, boxes.count),
        ngrams=caption_tally.ngrams(),
        object_categories=categories,
        categories_from=categories_from,
        objects_per_category=ratio(boxes.count, categories or 0),
    )


def _categories(
    boxes: Boxes, noun_phrases: int, provenance: Mapping[str, Mapping[str, int] | None]
) -> tuple[int | None, str | None]:
    """What counts as a kind of object here: see `Statistics`."""
    from_captions = "captions" in (provenance.get("labels") or ())
    named = [label for label, _ in boxes.top_labels] not in ([], ["object"])
    if boxes.count and noun_phrases and (from_captions or not named):
        return noun_phrases, "phrases"
    return (boxes.labels, "labels") if named else (None, None)


class _PictureTally:
    def __init__(self) -> None:
        self._sizes: dict[str, Counter[int]] = {"width": Counter(), "height": Counter()}
        self._attributes = _Kinds()
        self._provenance = _Kinds()
        self._labels = Counter[str]()

    def add(self, image: Image) -> None:
        if image.width is not None and image.height is not None:
            self._sizes["width"][image.width] += 1
            self._sizes["height"][image.height] += 1
        self._attributes.add(image.attributes)
        self._provenance.add(image.provenance)
        if image.labels:
            self._labels["images"] += 1
            self._labels["all"] += len(image.labels)
            self._labels["absent"] += sum(label.confidence == 0 for label in image.labels)

    def figures(self) -> Pictures:
        width, height = (Distribution.of(sizes).summary() for sizes in self._sizes.values())
        return Pictures(
            sized=width.n,
            width=width,
            height=height,
            attributes=self._attributes.counts(),
            provenance=self._provenance.counts(),
            labels=self._labels["all"],
            absent_labels=self._labels["absent"],
            labelled=self._labels["images"],
        )


class _Kinds:
    """Counts the values of each named fact, as long as there are few."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str] | None] = {}

    def add(self, facts: Mapping[str, Scalar]) -> None:
        for name, value in facts.items():
            counts = self._counts.setdefault(name, Counter())
            if counts is not None:
                counts[_written(value)] += 1
                if len(counts) > MOST_KINDS:
                    self._counts[name] = None

    def counts(self) -> dict[str, Mapping[str, int] | None]:
        """By name; values by frequency, of equals by the alphabet."""
        return {
            name: counts if counts is None else _by_frequency(counts) for name, counts in sorted(self._counts.items())
        }


def _written(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class _CaptionTally:
    def __init__(self, ngrams: bool) -> None:
        self._per_image: Counter[int] = Counter()
        self._lengths: Counter[int] = Counter()
        self._sources: Counter[str] = Counter()
        self._n_without_box = 0
        self._ngrams = DistinctNgrams() if ngrams else None

    def add(self, image: Image, spoken: Spoken) -> None:
        self._per_image[len(image.captions)] += 1
        self._n_without_box += spoken.n_captions_without_box
        for caption in image.captions:
            tokens = words(caption.text)
            self._lengths[len(tokens)] += 1
            self._sources[caption.source] += 1
            if self._ngrams is not None:
                self._ngrams.add(tokens)

    def figures(self, has_mentions: bool) -> Captions:
        return Captions(
            count=self._lengths.total(),
            per_image=Distribution.of(self._per_image),
            words=Distribution.of(self._lengths),
            sources=_by_frequency(self._sources),
            without_box=self._n_without_box if has_mentions else None,
        )

    def ngrams(self) -> Ngrams | None:
        if self._ngrams is None or not self._lengths:
            return None
        n_images = self._per_image.total() - self._per_image[0]
        return Ngrams(n_images, self._lengths.total(), None, None, self._ngrams.counts())


class _BoxTally:
    def __init__(self) -> None:
        self._per_image: Counter[int] = Counter()
        self._classes: Counter[int] = Counter()
        self._labels: Counter[str] = Counter()
        self._flags: Counter[str] = Counter()
        self._n_without_area = 0
        self._n_unmentioned = 0
        self._overlap = Overlap()

    def add(self, image: Image, spoken: Spoken) -> None:
        labels = [box.label for box in image.boxes]
        self._per_image[len(labels)] += 1
        self._classes[len(set(labels))] += 1
        self._labels.update(labels)
        mentioned = {box for _, _, boxes in spoken.expressions for box in boxes}
        for box in image.boxes:
            self._flags.update(box.flags)
            self._n_without_area += box.area == 0
            self._n_unmentioned += box.id not in mentioned
        self._overlap.add(image.boxes)

    def figures(self, has_mentions: bool) -> Boxes:
        count = self._labels.total()
        # Without a single box there is nothing to say of classes, rather than that no image has any.
        per_image, classes = (Distribution.of(c) if count else Distribution() for c in (self._per_image, self._classes))
        by_frequency = _by_frequency(self._labels)
        return Boxes(
            count=count,
            per_image=per_image,
            classes_per_image=classes,
            one_class=classes.share(lambda n: n == 1),
            many_classes=classes.share(lambda n: n > MANY_CLASSES),
            labels=len(by_frequency),
            top_labels=tuple(list(by_frequency.items())[:TOP_LABELS]),
            flags=_by_frequency(self._flags),
            without_area=self._n_without_area,
            unmentioned=self._n_unmentioned if has_mentions else None,
            best_iou=self._overlap.best_iou(),
            enclosed=self._overlap.enclosed(),
        )


# Pairs of boxes that are compared at a time: bounds memory to some 100 MB.
BATCH = 1 << 20

# Pairs of one image that are compared at all: seconds. In an image with more, which no dataset has, the figures are
# those of some of its boxes, each compared with all.
MAX_PAIRS = 1 << 28


class Overlap:
    """The mean of each box's largest IoU with another of its image, and the share of boxes within another.

    A box that is alone in its image has the IoU 0 and is within none.
    """

    def __init__(self) -> None:
        self._n = 0
        self._best = 0.0
        self._enclosed = 0.0
        self._corners: list[tuple[float, float, float, float]] = []
        self._offsets = [0]
        self._pairs = 0

    def add(self, boxes: Sequence[Box]) -> None:
        """Count the boxes of one image."""
        n = len(boxes)
        self._n += n
        if n * (n - 1) > BATCH:
            self._add_crowded(geometry.corners(boxes))
            return
        self._corners += [box.corners for box in boxes]
        self._offsets.append(len(self._corners))
        self._pairs += n * (n - 1)
        if self._pairs > BATCH:
            self._flush()

    def best_iou(self) -> float | None:
        self._flush()
        return ratio(self._best, self._n)

    def enclosed(self) -> float | None:
        self._flush()
        return ratio(self._enclosed, self._n)

    def _flush(self) -> None:
        boxes = np.array(self._corners, dtype=np.float64).reshape(-1, 4)
        first, second, iou = geometry.iou_within(boxes, self._offsets)
        within = geometry.inside(boxes[first][:, None], boxes[second][:, None])[:, 0, 0]
        best = np.zeros(len(boxes))
        np.maximum.at(best, first, iou)
        self._best += float(best.sum())
        self._enclosed += len(np.unique(first[within]))
        self._corners.clear()
        self._offsets = [0]
        self._pairs = 0

    def _add_crowded(self, boxes: Floats) -> None:
        """Count an image with so many boxes that its matrix is taken a few rows at a time."""
        n = len(boxes)
        sample = np.linspace(0, n - 1, min(n, max(1, MAX_PAIRS // n))).round().astype(np.intp)
        n_rows = max(1, BATCH // n)
        best = enclosed = 0.0
        for start in range(0, len(sample), n_rows):
            rows = sample[start : start + n_rows]
            is_other = rows[:, None] != np.arange(n)
            best += float((geometry.iou(boxes[rows], boxes) * is_other).max(1).sum())
            enclosed += int((geometry.inside(boxes[rows], boxes) & is_other).any(1).sum())
        self._best += best * n / len(sample)
        self._enclosed += enclosed * n / len(sample)
