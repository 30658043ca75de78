"""How a caption may speak of a class of boxes: its name and other names, singular and plural."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from limner.text.labels import many, noun, one
from limner.text.lexicon import word_set


@lru_cache(maxsize=1 << 16)
def class_phrases(label: str) -> tuple[str, ...]:
    """The phrases that name one or several things of a label, in lower case; none where it has no words.

    The label's own noun comes first, in the singular and then in the plural
    where it has both: "Fire hydrant" gives "fire hydrant" and "fire hydrants",
    "Furniture" itself alone. What only an annotator would write is said as
    people do: "Kitchen & dining room table" is a "dining table" as well, and
    "Moths and butterflies" are moths or butterflies.
    """
    if not _has_words(label):
        return ()
    name = noun(label).removeprefix("common ")
    names = NOT_SAID_SO.get(one(name)) or (name, *OTHER_NAMES.get(one(name), ()))
    return tuple(dict.fromkeys(form for said in names for form in _forms(said)))


def _has_words(label: str) -> bool:
    """Whether a label says something: neither "object", which stands for no label, nor an id."""
    return noun(label) != UNLABELLED and not _ID.match(label) and any(map(str.isalpha, label))


def _forms(name: str) -> Iterator[str]:
    if " and " in name or name.rpartition(" ")[2] in UNCOUNTED:
        yield name
    else:
        yield one(name)
        yield many(name)


UNLABELLED = "object"
_ID = re.compile(r"/[a-z]+/|n\d{8}$")

# Last words of names that have one form alone.
UNCOUNTED = word_set(
    """
    asparagus bread cabinetry care cattle clothing cream dairy equipment food footwear furniture guacamole hair juice
    kitchenware lavender luggage milk paper pasta popcorn powder seafood shellfish spray swimwear tableware
    cosmetics goods stairs supplies fries fruit rice grass sand snow water soup
    """
)

# Names that nobody says, by their singular, and what is said in their place.
NOT_SAID_SO: dict[str, tuple[str, ...]] = {
    "bow and arrow": ("bow and arrow", "bows and arrows"),
    "dining room table": ("dining table", "kitchen table", "dining room table", "table"),
    "luggage and bag": ("luggage", "bag"),
    "moths and butterfly": ("moth", "butterfly"),
    "power plugs and socket": ("power plug", "power socket"),
    "rays and skate": ("ray", "skate"),
    "salt and pepper shaker": ("salt and pepper shakers", "salt shaker", "pepper shaker"),
    "sports ball": ("ball",),
}

# Other names for the same thing, by its own in the singular.
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "airplane": ("plane",),
    "bicycle": ("bike",),
    "billiard table": ("pool table",),
    "brassiere": ("bra",),
    "cabinetry": ("cabinet",),
    "cattle": ("cow",),
    "cell phone": ("cellphone", "mobile phone", "phone"),
    "coffeemaker": ("coffee maker",),
    "computer keyboard": ("keyboard",),
    "computer mouse": ("mouse",),
    "corded phone": ("telephone", "phone"),
    "couch": ("sofa",),
    "dining table": ("table",),
    "donut": ("doughnut",),
    "doughnut": ("donut",),
    "facial tissue holder": ("tissue box",),
    "flying disc": ("frisbee",),
    "frisbee": ("flying disc",),
    "hair dryer": ("hair drier", "blow dryer"),
    "handbag": ("purse",),
    "houseplant": ("potted plant", "house plant"),
    "indoor rower": ("rowing machine",),
    "infant bed": ("crib",),
    "lifejacket": ("life jacket",),
    "microwave oven": ("microwave",),
    "mobile phone": ("cell phone", "phone"),
    "motorcycle": ("motorbike",),
    "potted plant": ("plant",),
    "refrigerator": ("fridge",),
    "remote control": ("remote",),
    "remote": ("remote control",),
    "stationary bicycle": ("exercise bike",),
    "street light": ("streetlight",),
    "studio couch": ("couch", "sofa"),
    "submarine sandwich": ("sub",),
    "swimwear": ("swimsuit",),
    "table tennis racket": ("ping pong paddle",),
    "tap": ("faucet",),
    "telephone": ("phone",),
    "television": ("tv",),
    "tennis racket": ("tennis racquet",),
    "traffic light": ("traffic signal", "stop light", "stoplight"),
    "trousers": ("pants",),
    "tv": ("television",),
    "waste container": ("trash can", "garbage can"),
    "wine glass": ("glass of wine",),
    "wood-burning stove": ("wood stove",),
}
