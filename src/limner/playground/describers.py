"""The simulated people who write captions: each with habits of their own, kept from picture to picture."""

from __future__ import annotations

from functools import cache
from random import Random

from limner.playground.catalogue import KINDS, Word
from limner.playground.scene_settings import Wheel

N_DESCRIBERS = 48

# How often a colour that is named is a wrong one.
WRONG_COLOUR = 0.02
# How often a thing is taken for one that looks like it.
WRONG_CLASS = 0.012
# How often a count of three or more is one off.
WRONG_COUNT = 0.04
# How often a caption has a slip of the keyboard in it.
MISSPELT = 0.03


class Describer:
    """One person's habits, as probabilities unless said otherwise.

    `detail` moves how much is told from terse (0) to exhaustive (1). `style`
    weighs the shapes of sentences. `noise` is how far their eye for what
    matters strays from everybody's.
    """

    def __init__(self, number: int) -> None:
        rng = Random(f"describer {number}")
        self.number = number
        self.detail = detail = rng.random()
        self.noise = rng.uniform(0.2, 0.9)
        self.colour = rng.uniform(0.15, 0.6) + 0.2 * detail
        self.clothes = rng.uniform(0.12, 0.54) + 0.28 * detail
        self.place = rng.uniform(0.2, 0.62) + 0.1 * detail
        self.place_first = rng.choice((0.0, 0.02, 0.04, 0.3))
        self.landmark = rng.uniform(0.1, 0.4) + 0.35 * detail
        self.second = rng.uniform(0.05, 0.25) + 0.4 * detail
        self.count = rng.uniform(0.4, 0.95)
        self.gather = rng.uniform(0.3, 0.9)
        self.single_out = rng.uniform(0.0, 0.45)
        self.own = rng.uniform(0.0, 0.25)
        self.definite = rng.choice((0.0, 0.0, 0.01, 0.03, 0.5))
        self.telegraphic = rng.choice((0.0, 0.0, 0.0, 0.0, 0.02, 0.55))
        self.capital = rng.choice((1.0, 1.0, 1.0, 0.98, 0.3))
        self.stop = rng.choice((1.0, 1.0, 0.98, 0.9, 0.2))
        self.loyalty = rng.uniform(0.55, 0.95)
        weights = {
            "progressive": 4.0,
            "participle": 5.0,
            "present": 3.5,
            "existential": 0.35,
            "inventory": 0.2,
            "passive": 0.25,
        }
        favourite = rng.choice(("progressive", "participle", "present", "present", "existential", "inventory"))
        # A favourite is no rule: everybody uses every style now and then.
        weights[favourite] = weights[favourite] * 3 + 1.0
        self.style = Wheel(weights)
        self._favourite: dict[str, Word] = {}

    def word(self, name: str, rng: Random) -> Word:
        """Their word for a class: mostly the one they always use."""
        words = WORDS[name]
        if len(words.items) == 1:
            return words.items[0]
        if rng.random() > self.loyalty:
            return words.spin(rng)
        favourite = self._favourite.get(name)
        if favourite is None:
            # From a generator of its own: the word is the same in whichever picture it comes first.
            favourite = self._favourite[name] = words.spin(Random(f"describer {self.number}: {name}"))
        return favourite


@cache
def describers() -> tuple[Describer, ...]:
    """The whole population, the same in every world."""
    return tuple(Describer(i) for i in range(N_DESCRIBERS))


def chosen(rng: Random, count: int) -> list[Describer]:
    """That many different describers."""
    pool = describers()
    picked: list[int] = []
    while len(picked) < count:
        i = int(rng.random() * len(pool))
        if i not in picked:
            picked.append(i)
    return [pool[i] for i in picked]


WORDS: dict[str, Wheel[Word]] = {
    name: Wheel({word: word.weight for word in kind.words}) for name, kind in KINDS.items()
}
