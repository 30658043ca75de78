"""What a box is judged by: features in families, each of which can be left out.

A feature's name begins with its family: `geometry.area`. None depends on
captions, chains, ids or the order of boxes. The names are part of the file
format of trained selectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats
from limner.describe.learned import grouping
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.grouping import share
from limner.describe.learned.mention_priors import Known, Priors
from limner.describe.learned.neighbours import Surroundings, surroundings
from limner.text.kinds import KINDS

# A box touches the edge of its picture if it is nearer than this share of the picture.
EDGE = 0.01


class Seen(NamedTuple):
    """All that features are made from."""

    layout: Layout
    known: Known
    around: Surroundings


def matrix(layout: Layout, priors: Priors, names: Sequence[str]) -> Floats:
    """The named features of every box, `[boxes, features]`."""
    known = priors.known(layout)
    seen = Seen(layout, known, surroundings(layout, known, priors))
    wanted = dict.fromkeys(family_of(name) for name in names)
    columns = {name: column for family in wanted for name, column in _of_family(family, seen).items()}
    return np.column_stack([columns[name] for name in names]) if names else np.zeros((layout.n, 0))


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Every feature, family by family."""
    # The names do not depend on boxes or priors: no boxes and empty priors will do.
    layout, priors = Layout(()), Priors.empty()
    known = priors.known(layout)
    seen = Seen(layout, known, surroundings(layout, known, priors))
    return tuple(name for family in FAMILIES for name in _of_family(family, seen))


def family_of(feature: str) -> str:
    return feature.partition(".")[0]


def _of_family(family: str, seen: Seen) -> dict[str, Floats]:
    return {f"{family}.{name}": column for name, column in FAMILIES[family](seen).items()}


def _geometry(seen: Seen) -> dict[str, Floats]:
    layout, around = seen.layout, seen.around
    image, n = layout.image, layout.n_images
    left, top, right, bottom = layout.corners.T
    size_place, distance_place = grouping.ranks(image, layout.area), grouping.ranks(image, -layout.distance)
    pixels = layout.size[image]
    return {
        "width": layout.width,
        "height": layout.height,
        "area": layout.area,
        "aspect": np.log((layout.width * pixels[:, 0] + 1) / (layout.height * pixels[:, 1] + 1)),
        "x": layout.x,
        "y": layout.y,
        "left": left,
        "top": top,
        "right": right,
        "bottom": bottom,
        "distance": layout.distance,
        "off_axis": np.abs(layout.x - 0.5),
        "edges": sum((side.astype(float) for side in touched(layout)), np.zeros(layout.n)),
        "picture_aspect": pixels[:, 0] / pixels[:, 1],
        "of_largest": share(layout.area, grouping.maxima(image, layout.area, n)[image]),
        "of_all": share(layout.area, grouping.sums(image, layout.area, n)[image]),
        "size_place": size_place,
        "size_place_share": (size_place + 0.5) / layout.n_boxes,
        "distance_place": distance_place,
        "distance_place_share": (distance_place + 0.5) / layout.n_boxes,
        "prominence": np.sqrt(layout.area) * (1 - layout.distance),
        "gap": around.gap,
        "gap_mean": share(around.gap_sum, around.others),
        "above": share(around.above, around.others),
        "left_of_it": share(around.left, around.others),
    }


def touched(layout: Layout) -> list[Booleans]:
    """Whether each box touches the left, top, right, bottom edge of its picture."""
    left, top, right, bottom = layout.corners.T
    return [left < EDGE, top < EDGE, right > 1 - EDGE, bottom > 1 - EDGE]


def _label(seen: Seen) -> dict[str, Floats]:
    layout, known = seen.layout, seen.known
    return {
        "p": known.p,
        "r": known.r,
        "named": known.named,
        "seen": np.log1p(known.n),
        "p_place": grouping.ranks(layout.image, known.p),
        "p_share": share(known.p, grouping.sums(layout.image, known.p, layout.n_images)[layout.image]),
        "relative_size": layout.log_area - known.size,
    }


def _type(seen: Seen) -> dict[str, Floats]:
    layout, known = seen.layout, seen.known
    group = grouping.numbered(layout.image * max(1, len(layout.kinds.names)) + layout.kinds.code)
    return {
        "p": known.kind_p,
        "r": known.kind_r,
        "standing_p": known.kind_standing_p,
        "standing_r": known.kind_standing_r,
        "same": grouping.counts(group, layout.n)[group],
        "size_place": grouping.ranks(group, layout.area),
        **{kind: layout.is_kind(kind).astype(float) for kind in KINDS},
    }


def _company(seen: Seen) -> dict[str, Floats]:
    layout, around = seen.layout, seen.around
    p, image, n = seen.known.standing_p, layout.image, layout.n_images
    all_p = grouping.sums(image, p, n)[image]
    return {
        "effect": around.company_sum,
        "effect_most": around.company_most,
        "effect_least": around.company_least,
        "seen": around.company_seen,
        "others_p_most": around.company_p,
        "others_p": around.company_p_sum,
        "p_place": grouping.ranks(image, p),
        "p_share": share(p, all_p),
        "p_sum": all_p,
        "p_most": grouping.maxima(image, p, n)[image],
        **{f"n_{kind}": grouping.sums(image, layout.is_kind(kind).astype(float), n)[image] for kind in KINDS},
    }


def _containment(seen: Seen) -> dict[str, Floats]:
    layout, around = seen.layout, seen.around
    return {
        "cover": around.cover,
        "cover_sum": around.cover_sum,
        "iou": around.iou,
        "containers": around.containers,
        "of_container": np.where(around.containers > 0, layout.area / np.maximum(around.container_area, 1e-9), 2.0),
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


def _redundancy(seen: Seen) -> dict[str, Floats]:
    layout, known, around = seen.layout, seen.known, seen.around
    thing, n = layout.thing, layout.n_things
    largest, together = grouping.maxima(thing, layout.area, n)[thing], grouping.sums(thing, layout.area, n)[thing]
    return {
        "alike": layout.n_alike,
        "size_place": layout.rank_alike,
        "size_place_share": (layout.rank_alike + 0.5) / layout.n_alike,
        "distance_place": grouping.ranks(thing, -layout.distance),
        "of_largest": share(layout.area, largest),
        "of_all": share(layout.area, together),
        "largest": largest,
        "together": together,
        "of_boxes": layout.n_alike / layout.n_boxes,
        "mean_y": grouping.sums(thing, layout.y, n)[thing] / layout.n_alike,
        "cover": around.same_cover,
        "gap": around.same_gap,
        "p": known.standing_p,
        "r": known.standing_r,
        "plural": known.plural,
    }


def _crowding(seen: Seen) -> dict[str, Floats]:
    layout = seen.layout
    image, n = layout.image, layout.n_images
    covered = grouping.sums(image, layout.area, n)[image]
    return {
        "boxes": layout.n_boxes,
        "labels": grouping.counts(image[layout.leads], n)[image],
        "covered": covered,
        "largest": grouping.maxima(image, layout.area, n)[image],
        "mean_area": covered / layout.n_boxes,
    }


def _score(seen: Seen) -> dict[str, Floats]:
    layout = seen.layout
    return {
        "score": layout.score,
        "place": grouping.ranks(layout.image, layout.score),
        "of_best": share(layout.score, grouping.maxima(layout.image, layout.score, layout.n_images)[layout.image]),
    }


# Size, place and distances; how often people mention the label; the kind; which other labels are present; what is
# inside what; boxes of the same label; how many boxes there are; how sure a detector was.
FAMILIES: dict[str, Callable[[Seen], dict[str, Floats]]] = {
    "geometry": _geometry,
    "label": _label,
    "type": _type,
    "company": _company,
    "containment": _containment,
    "redundancy": _redundancy,
    "crowding": _crowding,
    "score": _score,
}
