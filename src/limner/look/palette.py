"""The colours that pages, plots and notebooks share."""

from __future__ import annotations

# Okabe and Ito's colours, most distant first: people with any kind of colour vision tell them apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")

INK, FAINT = "#222222", "#D9D9D9"


def numbered_colour(number: int) -> str:
    """The colour of a numbered thing; after the last, the palette starts again."""
    return PALETTE[number % len(PALETTE)]
