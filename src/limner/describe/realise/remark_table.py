"""What captions teach about settings and acts, as a phrasebook holds it."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from limner.describe.realise.evidence import Evidence
from limner.describe.realise.remarks import act_of, setting_of
from limner.text.noun_forms import singular


class RemarkTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, by whom, and what it takes to be true.

    `settings` are counts by the noun and by the kind of the first thing that a
    caption mentions, and by "" for any; `acts` by the noun of who does them;
    `prepositions` of settings by the verb before. `shown` is how many images
    each truth holds of, `n_captions` the number of captions of an image.
    `ranking` are weights of `FEATURES`, empty if they were not learnt.
    """

    settings: dict[str, dict[str, int]]
    acts: dict[str, dict[str, int]]
    prepositions: dict[str, dict[str, int]]
    shown: dict[str, int]
    n_captions: float
    evidence: Evidence
    ranking: dict[str, float] = {}


# By what acts and settings are ranked: that there is one, how likely it is true and is said so (logarithms), and
# whether other things are mentioned too.
FEATURES = tuple(
    f"{name}{aspect}" for name in ("act", "setting") for aspect in ("", " is true", " is said", " beside things")
)

# Words that say more of a person than that it is one.
WORDS_FOR_PEOPLE = ("man", "woman", "boy", "girl", "child", "baby")


@lru_cache(maxsize=1 << 14)
def truth_of(text: str) -> str:
    """What must be spoken of for a setting or act to be true: the place, the game, or the verb."""
    setting = setting_of(text)
    if setting is not None:
        return setting.noun
    act = act_of(text)
    assert act is not None
    return singular(act.object.split(" ")[-1]) if act.object else act.verb
