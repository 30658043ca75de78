"""Sentences about one thing, of which only its number and place can be told."""

from __future__ import annotations

from random import Random

from limner.corpus.image import Image
from limner.describe.realise.layout import Frame, layout
from limner.describe.realise.noun_phrases import NounPhrases, after_there, is_singular
from limner.describe.realise.things import Thing
from limner.describe.realise.writing import Text

CLOSE = 0.55
"""The share of the picture from which on a thing is seen from close by."""

PLACED = 0.5
"""How often it is told where in the picture something is, where that is clear."""


def alone(text: Text, thing: Thing, image: Image, phrases: NounPhrases, rng: Random, *, places: bool) -> None:
    """A sentence that mentions nothing but one thing."""
    phrase = phrases.phrase(thing, rng)
    luck = rng.random()
    where = ""
    if places:
        where = company(thing) or (place_of(thing, image) if rng.random() < PLACED else "")
    if luck < 0.2 and not thing.is_many and _share(thing, image) >= CLOSE:
        text.say("a close view of")
        where = ""
    elif 0.2 <= luck < 0.42:
        text.say("there is" if is_singular(phrase, thing) else "there are")
        phrase = after_there(phrase, thing)
    elif 0.42 <= luck < 0.52 and not where:
        text.say("a picture of")
    text.refer(phrase, thing)
    text.say(where)
    text.stop()


def company(thing: Thing) -> str:
    """How a few things of one noun lie to each other, where their boxes show it."""
    if thing.n != 2 or thing.collective:
        return ""
    a, b = (Frame(*box.corners) for box in thing.boxes)
    how = layout(a, b)
    alike = 0.5 <= how.size <= 2
    if alike and how.y_overlap and how.gap <= 0.3 and max(how.a_in_b, how.b_in_a) < 0.6:
        return "next to each other"
    return ""


def place_of(thing: Thing, image: Image) -> str:
    """Where in the picture a thing is, if it is clearly at one side or in the middle."""
    if image.width is None or image.height is None or thing.n > 1:
        return ""
    left, right = thing.frame.x0 / image.width, thing.frame.x1 / image.width
    if right <= 0.45:
        return "on the left side of the picture"
    if left >= 0.55:
        return "on the right side of the picture"
    if left >= 0.25 and right <= 0.75 and abs(left + right - 1) < 0.1:
        return "in the middle of the picture"
    return ""


def _share(thing: Thing, image: Image) -> float:
    if image.width is None or image.height is None:
        return 0.0
    return thing.frame.area / (image.width * image.height)
