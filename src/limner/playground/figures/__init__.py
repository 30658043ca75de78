"""Every figure of the world, and every part that figures draw, by name, as geometry; `drawing` turns it into pixels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from limner.playground.figures.clip_art import STANZAS, stanza_figure
from limner.playground.figures.garments import garment
from limner.playground.figures.people import body
from limner.playground.figures.shape import Figure

FIGURES: dict[str, Callable[..., Figure]] = {
    "body": body,
    "garment": garment,
    **{name: partial(stanza_figure, name) for name, _ in STANZAS},
}


@cache
def figure(name: str, *variant: str) -> Figure:
    """The figure of that name in a pose or variant, made once."""
    return FIGURES[name](*variant)
