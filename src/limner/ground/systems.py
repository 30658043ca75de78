"""Which cues take part: the rows of Plummer et al. (2016, Table 5), and what goes beyond them."""

from __future__ import annotations

CUES = ("cca", "detector", "size", "colour", "position", "scene", "match")

# The largest region, whatever the phrase is: what everything else has to beat.
LARGEST = "largest"

# The detector alone where it has a class for the phrase, CCA alone elsewhere.
EITHER = "cca-or-detector"

# All cues, and the phrases of a sentence solved together.
JOINT = "joint"

# Each adds a cue to the one before it.
STEPS: dict[str, tuple[str, ...]] = {
    LARGEST: ("size",),
    "cca": CUES[:1],
    "detector": CUES[:2],
    "size": CUES[:3],
    "colour": CUES[:4],
    "position": CUES[:5],
    "full": CUES,
    JOINT: CUES,
}

# The other rows of Table 5 of Plummer et al. (2016).
SYSTEMS: dict[str, tuple[str, ...]] = {
    **STEPS,
    EITHER: ("cca", "detector"),
    "detector-and-colour": ("cca", "detector", "colour"),
}

# Systems whose weights are fitted for them: the joint step takes those of `full`, and the other two have none.
FITTED = tuple(name for name in SYSTEMS if name not in (LARGEST, EITHER, JOINT))
