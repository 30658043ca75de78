"""Chains of mentions against gold's: the scores of a corpus, on all mentions and on those that are visual.

Images are joined by their ids, captions by their text and mentions by their
exact span, in which spaces do not count. A mention without a chain, as Flickr30k Entities' phrases that are not
visual are read, is a chain of its own. Numerators and denominators are summed
over images, an image being what the field calls a document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from limner import __version__
from limner.arrays import Floats
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown
from limner.score.chain_confusions import ChainConfusions
from limner.score.coreference import MEASURES, Chains
from limner.score.data_fingerprint import chain_number, data_fingerprint
from limner.score.letter_spans import CaptionKey, letter_spans, numbered_captions
from limner.score.metric import SHARE, Statistics
from limner.score.pairing import Missing
from limner.score.resampling import CONFIDENCE, SAMPLES, SEED, bounds
from limner.score.selection_scores import signed

# Raised whenever equal chains would score otherwise than before.
VERSION = 1

# Mentions of one image. Every two that share a chain are compared.
MAX_MENTIONS = 2_000

# A mention by its caption, the text and which of several captions with that text it is, and its span, without spaces.
Key = tuple[str, int, int, int]

VALUES = ("P", "R", "F")
COLUMNS = (*(f"{name}.{value}" for name in MEASURES for value in VALUES), "mean")

# Which mentions and chains are scored: all; those of gold chains, without what is not visual; all, but only chains of
# several mentions, as in OntoNotes.
VIEWS = ("all", "visual", "without_singletons")


def evaluate_chains(
    predicted: Iterable[Image],
    gold: Iterable[Image],
    *,
    missing: Missing = "error",
    samples: int = SAMPLES,
    seed: int = SEED,
    place: str = "predicted chains",
    gold_place: str = "gold",
) -> dict[str, Any]:
    """The scores of predicted chains as the command line prints them in JSON.

    A gold image or caption that was not predicted is an error, has only
    missed mentions (`zero`) or is left out (`skip`). `place` and `gold_place`
    name the corpora in errors.
    """
    image_by_id = _by_id(predicted, place)
    evaluation = ChainEvaluation(missing)
    for image in _distinct(gold, gold_place):
        evaluation.add(image, image_by_id.pop(image.id, None), place)
    for id in image_by_id:
        raise BadInput(place, f"image {shown(id)} is not in gold", "give gold of the same images", code="unknown-image")
    return evaluation.to_json(samples, seed)


class _Sides(NamedTuple):
    """The mentions of an image on both sides, by what identifies them, and gold's types and words."""

    gold: dict[Key, str | None]
    predicted: dict[Key, str | None]
    types: dict[Key, str]
    phrases: dict[Key, str]


@dataclass
class ChainEvaluation:
    """The sums of every image, by view, and what was counted on the way."""

    missing: Missing = "error"
    rows: dict[str, list[list[float]]] = field(default_factory=lambda: {view: [] for view in VIEWS})
    counts: Counter[str] = field(default_factory=Counter)
    confusions: ChainConfusions = field(default_factory=ChainConfusions)
    numbers: list[int] = field(default_factory=list)

    def add(self, gold: Image, predicted: Image | None, place: str) -> None:
        """Score the chains of an image; None is one that was not predicted."""
        if predicted is None:
            if self.missing == "error":
                raise _missing(place, f"image {shown(gold.id)} of gold is missing")
            self.counts["images_missing"] += 1
            if self.missing == "skip":
                return
        sides = self._joined(gold, predicted, place)
        if max(len(sides.gold), len(sides.predicted)) > MAX_MENTIONS:
            raise LimnerError(f"image {shown(gold.id)} has more than {MAX_MENTIONS:,} mentions; leave it out")
        self.numbers.append(chain_number(gold))
        self._count(sides)
        visual = {key for key, chain in sides.gold.items() if chain is not None}
        not_visual = sides.gold.keys() - visual
        self._score("all", _chains(sides.gold), _chains(sides.predicted))
        self._score("visual", _chains(sides.gold, not_visual), _chains(sides.predicted, not_visual))
        self._score("without_singletons", _several(_chains(sides.gold)), _several(_chains(sides.predicted)))
        self.confusions.add(sides.gold, sides.predicted, sides.types, sides.phrases)

    def _score(self, view: str, gold: Chains, predicted: Chains) -> None:
        self.rows[view].append([number for measure in MEASURES.values() for number in measure(gold, predicted)])

    def _count(self, sides: _Sides) -> None:
        self.counts["images"] += 1
        self.counts["gold_mentions"] += len(sides.gold)
        self.counts["gold_visual"] += sum(chain is not None for chain in sides.gold.values())
        self.counts["predicted_mentions"] += len(sides.predicted)
        self.counts["matched_mentions"] += len(sides.gold.keys() & sides.predicted.keys())
        self.counts["gold_chains"] += len(_chains(sides.gold))
        self.counts["predicted_chains"] += len(_chains(sides.predicted))

    def _joined(self, gold: Image, predicted: Image | None, place: str) -> _Sides:
        captions = dict(numbered_captions(gold.captions))
        others = dict(numbered_captions(predicted.captions)) if predicted is not None else {}
        for key in sorted(others.keys() - captions.keys()):
            problem = f"image {shown(gold.id)}: gold has no caption {shown(others[key].text)}"
            raise BadInput(place, problem, "score chains over gold's captions, letter for letter")
        absent = captions.keys() - others.keys()
        if absent and predicted is not None:
            if self.missing == "error":
                text = captions[min(absent)].text
                raise _missing(place, f"image {shown(gold.id)}: caption {shown(text)} of gold is missing")
            self.counts["captions_missing"] += len(absent)
            if self.missing == "skip":
                captions = {at: caption for at, caption in captions.items() if at in others}
        of_gold = dict(_mentions(captions))
        return _Sides(
            {key: mention.chain for key, (_, mention) in of_gold.items()},
            {key: mention.chain for key, (_, mention) in _mentions(others)},
            {key: "/".join(mention.types) for key, (_, mention) in of_gold.items()},
            {key: caption.phrase(mention) for key, (caption, mention) in of_gold.items()},
        )

    def to_json(self, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Any]:
        """The scores as JSON holds them; intervals are of as many samples of the images, none with 0."""
        statistics = {view: _statistics(self.rows[view]) for view in VIEWS}
        intervals = bounds(list(statistics.values()), samples=samples, seed=seed) if samples else None
        scored = {
            view: _values(of_view, intervals[number] if intervals else None)
            for number, (view, of_view) in enumerate(statistics.items())
        }
        counts = self.counts
        return {
            "n_images": counts["images"],
            **scored["all"],
            "visual": scored["visual"],
            "without_singletons": scored["without_singletons"],
            "mentions": {
                **_ratios(counts["matched_mentions"], counts["predicted_mentions"], counts["gold_mentions"]),
                "gold": counts["gold_mentions"],
                "gold_visual": counts["gold_visual"],
                "predicted": counts["predicted_mentions"],
                "matched": counts["matched_mentions"],
            },
            "chains": {"gold": counts["gold_chains"], "predicted": counts["predicted_chains"]},
            "missing": {"images": counts["images_missing"], "captions": counts["captions_missing"]},
            "confusions": self.confusions.to_json(),
            "signature": self.signature(),
        }

    def signature(self) -> str:
        """Every choice that could change a score: two numbers with one signature compare."""
        return signed(
            metric="chains",
            version=VERSION,
            mentions="exact span without spaces",
            spurious="as reference scorer 8",
            singletons="kept",
            no_chain="a chain of its own",
            sums="images",
            missing=self.missing,
            images=self.counts["images"],
            data=data_fingerprint(np.array(self.numbers, dtype=np.int64)),
            limner=__version__,
        )


def _by_id(images: Iterable[Image], place: str) -> dict[str, Image]:
    return {image.id: image for image in _distinct(images, place)}


def _distinct(images: Iterable[Image], place: str) -> Iterator[Image]:
    ids: set[str] = set()
    for image in images:
        if image.id in ids:
            raise BadInput(place, f"image {shown(image.id)} appears twice", "give each its own id")
        ids.add(image.id)
        yield image


def _missing(place: str, problem: str) -> BadInput:
    return BadInput(place, problem, "give chains of every image and caption", code="missing-captions")


def _mentions(captions: Mapping[CaptionKey, Caption]) -> Iterator[tuple[Key, tuple[Caption, Mention]]]:
    for (letters, number), caption in captions.items():
        for start, end, mention in letter_spans(caption):
            yield (letters, number, start, end), (caption, mention)


def _chains(chain_by_mention: Mapping[Key, str | None], without: Iterable[Key] = ()) -> Chains:
    """The mentions of each chain; one without a chain is alone."""
    left_out = frozenset(without)
    mentions: dict[Hashable, list[Key]] = {}
    for key, chain in chain_by_mention.items():
        if key not in left_out:
            mentions.setdefault(key if chain is None else chain, []).append(key)
    return [frozenset(keys) for keys in mentions.values()]


def _several(chains: Chains) -> Chains:
    return [chain for chain in chains if len(chain) > 1]


def _statistics(rows: Sequence[Sequence[float]]) -> Statistics:
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 4 * len(MEASURES))
    return Statistics(table, _finish, _finish(table), ranges=[SHARE] * len(COLUMNS))


def _finish(sums: Floats) -> Floats:
    """Sums of numerators and denominators as P, R and F of each measure, then the mean of the F."""
    columns = []
    for at in range(0, 4 * len(MEASURES), 4):
        predicted_right, predicted, gold_right, gold = (sums[..., at + i] for i in range(4))
        # Nothing of nothing is 0, as in the reference scorer.
        precision = predicted_right / np.where(predicted > 0, predicted, 1.0)
        recall = gold_right / np.where(gold > 0, gold, 1.0)
        both = precision + recall
        columns += [precision, recall, 2.0 * precision * recall / np.where(both > 0, both, 1.0)]
    return np.stack([*columns, np.mean(columns[2::3], axis=0)], axis=-1)


def _values(statistics: Statistics, intervals: Sequence[tuple[float, float]] | None) -> dict[str, Any]:
    value = dict(zip(COLUMNS, statistics.value().tolist(), strict=True))
    scores: dict[str, Any] = {name: {v: value[f"{name}.{v}"] for v in VALUES} for name in MEASURES}
    scores["mean"] = value["mean"]
    if intervals is not None:
        named = dict(zip(COLUMNS, intervals, strict=True))
        scores["intervals"] = {
            "mean": _bounds(named["mean"]),
            **{name: _bounds(named[f"{name}.F"]) for name in MEASURES},
            "confidence": CONFIDENCE,
        }
    return scores


def _bounds(interval: tuple[float, float]) -> list[float | None]:
    return [None if isnan(bound) else bound for bound in interval]


def _ratios(matched: int, predicted: int, gold: int) -> dict[str, float]:
    precision, recall = matched / predicted if predicted else 0.0, matched / gold if gold else 0.0
    both = precision + recall
    return {"P": precision, "R": recall, "F": 2 * precision * recall / both if both else 0.0}
