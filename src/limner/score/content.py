"""Content selection: does a description mention the boxes that people mention?

Wang & Gaizauskas (2015), equations 1 to 3. For an image with gold captions
that refer to the sets of boxes G1 … GM, and a description that refers to S:

    P = mean of |Gm ∩ S| / |S|,   R = mean of |Gm ∩ S| / |Gm|,   F = 2PR / (P + R)

Scores of a corpus are means over its images, with the population's standard
deviation. A gold caption that refers to no box has no say, or counts in the M
of precision as an empty set, with which nothing agrees; it has no recall. An
image whose gold captions all refer to no box is left out. Both are counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from limner.corpus.caption import Caption
from limner.corpus.image import Image

Boxes = frozenset[str]


class PRF(NamedTuple):
    """Precision, recall and F of one image."""

    P: float
    R: float
    F: float


class Content(NamedTuple):
    """The scores of a corpus: means, standard deviations, and every image's own by its id."""

    n_images: int
    P: float
    R: float
    F: float
    P_sd: float
    R_sd: float
    F_sd: float
    per_image: Mapping[str, PRF]


def mentioned(caption: Caption) -> Boxes:
    """The ids of the boxes that a caption refers to."""
    return frozenset(box for mention in caption.mentions for box in mention.boxes)


def gold_sets(image: Image, *, all_captions: bool = False) -> list[Boxes]:
    """What each gold caption of the image refers to, without those that refer to no box.

    With `all_captions` these are empty sets, if any other caption refers to a box.
    """
    said = [mentioned(caption) for caption in image.captions if caption.source == "gold"]
    return said if all_captions and any(said) else [boxes for boxes in said if boxes]


def score_selection(selected: Collection[str], gold: Sequence[Boxes]) -> PRF:
    """The score of a set of boxes against the gold sets of its image.

    An empty selection scores 0. An empty gold set costs precision, and has no recall.
    """
    chosen = frozenset(selected)
    if not chosen:
        return PRF(0.0, 0.0, 0.0)
    shared = [len(chosen & boxes) for boxes in gold]
    recalls = [n / len(boxes) for n, boxes in zip(shared, gold, strict=True) if boxes]
    return _prf(sum(shared) / len(chosen) / len(gold), sum(recalls) / len(recalls) if recalls else 0.0)


def human(gold: Sequence[Boxes]) -> PRF | None:
    """How people score: each caption against the image's others, averaged; None with fewer than two captions."""
    if len(gold) < 2:
        return None
    scores = [score_selection(boxes, [*gold[:i], *gold[i + 1 :]]) for i, boxes in enumerate(gold)]
    # fsum: the order in which people wrote does not change the last digit.
    return PRF(*(fsum(values) / len(scores) for values in zip(*scores, strict=True)))


def weights(gold: Sequence[Boxes]) -> dict[str, tuple[int, float]]:
    """What each mentioned box is worth: the captions that mention it, and its share of recall.

    With c of the M captions mentioning a box and r the mean over captions of
    1/|G| where it is in G, precision is Σc / M|S| and recall Σr: both are sums
    over the boxes selected. Empty sets are in M alone.
    """
    n_grounded = sum(map(bool, gold))
    worth: dict[str, tuple[int, float]] = {}
    for boxes in gold:
        for box in boxes:
            share = 1 / len(boxes) / n_grounded
            count, recall = worth.get(box, (0, 0.0))
            worth[box] = count + 1, recall + share
    return worth


def oracle(gold: Sequence[Boxes]) -> Boxes:
    """A set of boxes that no other set outscores.

    Exact for up to `EXACT` mentioned boxes. Beyond, the best of the sets that
    weigh mentions against recall: within rounding of the exact one in practice.
    """
    worth = sorted(weights(gold).items())
    sets = _frontier(worth) if len(worth) <= EXACT else _weighed(worth, len(gold))
    scored = ((_prf(c / len(boxes) / len(gold), r).F, -len(boxes), boxes) for c, r, boxes in sets)
    return frozenset(max(scored, default=(0.0, 0, ()))[2])


# Mentioned boxes up to which the best set comes from a table over sizes and mentions, which grows with their square.
EXACT = 100

# Weights of mentions against recall that are tried beyond that.
WEIGHTS = 33

_Worth = list[tuple[str, tuple[int, float]]]
# Candidates: the mentions of a set, its recall, the set.
_Sets = Iterator[tuple[int, float, tuple[str, ...]]]


def _frontier(worth: _Worth) -> _Sets:
    """For each size and number of mentions, the set with the most recall: one of these is best.

    Precision and recall are sums over the boxes, so a table over both finds them.
    """
    best: dict[tuple[int, int], tuple[float, tuple[str, ...]]] = {(0, 0): (0.0, ())}
    for box, (count, recall) in worth:
        for (n, c), (r, members) in list(best.items()):
            key, value = (n + 1, c + count), r + recall
            if key not in best or value > best[key][0]:
                best[key] = value, (*members, box)
    for (n, c), (r, members) in best.items():
        if n:
            yield c, r, members


def _weighed(worth: _Worth, n_captions: int) -> _Sets:
    """The best beginning of each order of the boxes by a weighted sum of mentions and recall."""
    scale = n_captions * len(worth) / 2
    for step in range(WEIGHTS):
        share = step / (WEIGHTS - 1)
        order = sorted(worth, key=lambda item: -(share * item[1][0] + (1 - share) * item[1][1] * scale))
        c, r, best, n_best = 0, 0.0, (-1.0, 0, 0.0), 0
        for n, (_, (count, recall)) in enumerate(order, start=1):
            c, r = c + count, r + recall
            f = _prf(c / n / n_captions, r).F
            if f > best[0]:
                best, n_best = (f, c, r), n
        yield best[1], best[2], tuple(box for box, _ in order[:n_best])


def summarise(scores: Mapping[str, PRF]) -> Content:
    """Means and population standard deviations over images."""
    n = len(scores)
    if n == 0:
        return Content(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, {})
    (p, p_sd), (r, r_sd), (f, f_sd) = (_mean_and_sd(column) for column in zip(*scores.values(), strict=True))
    return Content(n, p, r, f, p_sd, r_sd, f_sd, dict(scores))


def _mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _prf(precision: float, recall: float) -> PRF:
    total = precision + recall
    return PRF(precision, recall, 2 * precision * recall / total if total else 0.0)
