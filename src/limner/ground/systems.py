"""Which cues take part: the rows of Plummer et al. (2016, Table 5), and what goes beyond them."""

from __future__ import annotations

CUES = ("cca", "detector", "size", "colour", "position", "scene", "match")

# The largest region, whatever the phrase is: what everything else has to beat.
LARGEST = "largest"

# All cues, and the phrases of a sentence solved together.
JOINT = "joint"

# Each row adds a cue to the one before it; the weights of a row are fitted for it.
SYSTEMS: dict[str, tuple[str, ...]] = {
    LARGEST: ("size",),
    "cca": CUES[:1],
    "detector": CUES[:2],
    "size": CUES[:3],
    "colour": CUES[:4],
    "position": CUES[:5],
    "full": CUES,
    JOINT: CUES,
}

# Systems whose weights are fitted: the largest region has none, and the joint step takes those of `full`.
FITTED = tuple(name for name in SYSTEMS if name not in (LARGEST, JOINT))
