"""What a box is judged by: numbers in families, each of which can be left out.

A feature's name begins with its family: `geometry.area`. None of them looks at
captions, chains, ids or the order of boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Numbers, Truths
from limner.describe.learned import grouping
from limner.describe.learned.grouping import share
from limner.describe.learned.layout import Layout
from limner.describe.learned.priors import Known, Priors
from limner.describe.learned.smoothing import learn
from limner.describe.learned.surroundings import Surroundings, surroundings
from limner.describe.learned.tally import Vocabulary, Worth, log_area, tally
from limner.text.kinds import KINDS

EDGE = 0.01
"""How near to the picture's edge, as a share of it, a box touches it."""


class Seen(NamedTuple):
    """All that features are made from."""

    layout: Layout
    known: Known
    around: Surroundings


def matrix(layout: Layout, priors: Priors, names: Sequence[str]) -> Numbers:
    """The named features of every box, `[boxes, features]`."""
    known = priors.known(layout)
    seen = Seen(layout, known, surroundings(layout, known, priors))
    wanted = dict.fromkeys(family_of(name) for name in names)
    columns = {name: column for family in wanted for name, column in _of_family(family, seen).items()}
    return np.column_stack([columns[name] for name in names]) if names else np.zeros((layout.n, 0))


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Every feature there is, family by family."""
    layout, priors = Layout(()), _nothing_learnt()
    known = priors.known(layout)
    seen = Seen(layout, known, surroundings(layout, known, priors))
    return tuple(name for family in FAMILIES for name in _of_family(family, seen))


def family_of(feature: str) -> str:
    return feature.partition(".")[0]


def _of_family(family: str, seen: Seen) -> dict[str, Numbers]:
    return {f"{family}.{name}": column for name, column in FAMILIES[family](seen).items()}


def _geometry(seen: Seen) -> dict[str, Numbers]:
    at, around = seen.layout, seen.around
    image, n = at.image, at.n_images
    left, top, right, bottom = at.corners.T
    size_place, distance_place = grouping.places(image, at.area), grouping.places(image, -at.distance)
    pixels = at.size[image]
    return {
        "width": at.width,
        "height": at.height,
        "area": at.area,
        "aspect": np.log((at.width * pixels[:, 0] + 1) / (at.height * pixels[:, 1] + 1)),
        "x": at.x,
        "y": at.y,
        "left": left,
        "top": top,
        "right": right,
        "bottom": bottom,
        "distance": at.distance,
        "off_axis": np.abs(at.x - 0.5),
        "edges": sum((side.astype(float) for side in touched(at)), np.zeros(at.n)),
        "picture_aspect": pixels[:, 0] / pixels[:, 1],
        "of_largest": share(at.area, grouping.maxima(image, at.area, n)[image]),
        "of_all": share(at.area, grouping.sums(image, at.area, n)[image]),
        "size_place": size_place,
        "size_place_share": (size_place + 0.5) / at.n_boxes,
        "distance_place": distance_place,
        "distance_place_share": (distance_place + 0.5) / at.n_boxes,
        "prominence": np.sqrt(at.area) * (1 - at.distance),
        "gap": around.gap,
        "gap_mean": share(around.gap_sum, around.others),
        "above": share(around.above, around.others),
        "left_of_it": share(around.left, around.others),
    }


def touched(at: Layout) -> list[Truths]:
    """Whether each box touches the left, top, right, bottom edge of its picture."""
    left, top, right, bottom = at.corners.T
    return [left < EDGE, top < EDGE, right > 1 - EDGE, bottom > 1 - EDGE]


def _label(seen: Seen) -> dict[str, Numbers]:
    at, known = seen.layout, seen.known
    return {
        "p": known.p,
        "r": known.r,
        "named": known.named,
        "seen": np.log1p(known.n),
        "p_place": grouping.places(at.image, known.p),
        "p_share": share(known.p, grouping.sums(at.image, known.p, at.n_images)[at.image]),
        "relative_size": log_area(at) - known.size,
    }


def _type(seen: Seen) -> dict[str, Numbers]:
    at, known = seen.layout, seen.known
    group = grouping.numbered(at.image * max(1, len(at.kinds.names)) + at.kinds.code)
    return {
        "p": known.kind_p,
        "r": known.kind_r,
        "standing_p": known.kind_standing_p,
        "standing_r": known.kind_standing_r,
        "same": grouping.counts(group, at.n)[group],
        "size_place": grouping.places(group, at.area),
        **{kind: is_kind(at, kind).astype(float) for kind in KINDS},
    }


def is_kind(at: Layout, kind: str) -> Truths:
    """Whether each box is of a kind."""
    found: Truths = at.kinds.code == (at.kinds.names.index(kind) if kind in at.kinds.names else -1)
    return found


def _company(seen: Seen) -> dict[str, Numbers]:
    at, around = seen.layout, seen.around
    p, image, n = seen.known.standing_p, at.image, at.n_images
    all_p = grouping.sums(image, p, n)[image]
    return {
        "effect": around.company_sum,
        "effect_most": around.company_most,
        "effect_least": around.company_least,
        "seen": around.company_seen,
        "others_p_most": around.company_p,
        "others_p": around.company_p_sum,
        "p_place": grouping.places(image, p),
        "p_share": share(p, all_p),
        "p_sum": all_p,
        "p_most": grouping.maxima(image, p, n)[image],
        **{f"n_{kind}": grouping.sums(image, is_kind(at, kind).astype(float), n)[image] for kind in KINDS},
    }


def _containment(seen: Seen) -> dict[str, Numbers]:
    at, around = seen.layout, seen.around
    return {
        "cover": around.cover,
        "cover_sum": around.cover_sum,
        "iou": around.iou,
        "containers": around.containers,
        "of_container": np.where(around.containers > 0, at.area / np.maximum(around.container_area, 1e-9), 2.0),
        "container_p": around.container_p,
        "contents": around.contents,
        "content_area": around.content_area,
        "content_p": around.content_p,
        "in_person": around.in_person,
        "inside_effect": around.inside_sum,
        "inside_effect_most": around.inside_most,
        "inside_effect_least": around.inside_least,
        "holding_effect": around.holding_sum,
    }


def _redundancy(seen: Seen) -> dict[str, Numbers]:
    at, known, around = seen.layout, seen.known, seen.around
    thing, n = at.thing, at.n_things
    largest, together = grouping.maxima(thing, at.area, n)[thing], grouping.sums(thing, at.area, n)[thing]
    return {
        "alike": at.n_alike,
        "size_place": at.place_alike,
        "size_place_share": (at.place_alike + 0.5) / at.n_alike,
        "distance_place": grouping.places(thing, -at.distance),
        "of_largest": share(at.area, largest),
        "of_all": share(at.area, together),
        "largest": largest,
        "together": together,
        "of_boxes": at.n_alike / at.n_boxes,
        "mean_y": grouping.sums(thing, at.y, n)[thing] / at.n_alike,
        "cover": around.same_cover,
        "gap": around.same_gap,
        "p": known.standing_p,
        "r": known.standing_r,
        "plural": known.plural,
    }


def _crowding(seen: Seen) -> dict[str, Numbers]:
    at = seen.layout
    image, n = at.image, at.n_images
    covered = grouping.sums(image, at.area, n)[image]
    return {
        "boxes": at.n_boxes,
        "labels": grouping.counts(image[at.leads], n)[image],
        "covered": covered,
        "largest": grouping.maxima(image, at.area, n)[image],
        "mean_area": covered / at.n_boxes,
    }


def _score(seen: Seen) -> dict[str, Numbers]:
    at = seen.layout
    return {
        "score": at.score,
        "place": grouping.places(at.image, at.score),
        "of_best": share(at.score, grouping.maxima(at.image, at.score, at.n_images)[at.image]),
    }


FAMILIES: dict[str, Callable[[Seen], dict[str, Numbers]]] = {
    "geometry": _geometry,
    "label": _label,
    "type": _type,
    "company": _company,
    "containment": _containment,
    "redundancy": _redundancy,
    "crowding": _crowding,
    "score": _score,
}
"""Size, place and distances; how often people mention the label; the kind; which other labels are there; what is
inside what; boxes of the same label; how many boxes there are; how sure a detector was."""


def _nothing_learnt() -> Priors:
    nobody, nothing = Vocabulary({}, {}), np.zeros(0)
    return learn(tally(Layout(()), Worth(nothing, nothing), nobody), nobody)
