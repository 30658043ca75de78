"""What attributes speak of: colours, sizes and counts are told apart from the rest."""

from __future__ import annotations

from limner.score.spice.scene_graph import Fact
from limner.text.lexicon import NUMBERS, word_set

CATEGORIES = ("all", "object", "attribute", "relation", "color", "count", "size")
"""What a score can be broken down by; those after `relation` are attributes too."""

COLOURS = word_set(
    """
    black white red green blue yellow orange brown pink purple gray grey tan beige gold golden silver maroon teal navy
    khaki turquoise violet cream blond blonde burgundy lavender magenta aqua cyan olive lime mauve ivory crimson scarlet
    """
)

SIZES = word_set(
    """
    big large huge giant enormous massive gigantic immense small little tiny miniature mini petite tall short long wide
    narrow thick thin high low oversized medium big bigger biggest larger largest smaller smallest taller tallest
    shorter shortest longer longest
    """
)


def categories_of(fact: Fact) -> tuple[str, ...]:
    """The categories that a fact counts in."""
    if len(fact) == 1:
        return ("all", "object")
    if len(fact) == 3:
        return ("all", "relation")
    value = fact[1]
    if value in COLOURS:
        return ("all", "attribute", "color")
    if value in SIZES:
        return ("all", "attribute", "size")
    return ("all", "attribute", "count") if is_count(value) else ("all", "attribute")


def is_count(value: str) -> bool:
    """Whether an attribute is a number, in letters or digits."""
    return value in NUMBERS or value.isdecimal()
