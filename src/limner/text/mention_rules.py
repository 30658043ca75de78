"""Which noun phrases can be mentions at all: not pronouns, nor the few words that captions use of no thing.

After Plummer et al. (2016, section 3.1), who leave out personal pronouns and
"a small list of frequent non-visual terms (background, air)".
"""

from __future__ import annotations

from collections.abc import Sequence

from limner.text.lexicon import PERSONAL_PRONOUNS, SPECIFIERS, word_set

PRONOUNS = PERSONAL_PRONOUNS | word_set(
    """
    himself herself itself themselves ourselves yourself myself oneself his hers theirs mine yours ours who whom which
    that what there this another both neither
    """
)
RECIPROCAL = frozenset({"each other", "one another"})

# Nouns for a part of the picture or for no thing at all, which are no mentions where nothing describes them.
NOT_THINGS = word_set("background foreground air distance")


def can_be_mention(words: Sequence[str]) -> bool:
    """Whether the lower-case words of a noun phrase can mention something: one of them names a thing.

    "the background" and "it" cannot, "the snowy background" and "some" can.
    """
    if " ".join(words) in RECIPROCAL:
        return False
    return any(word[:1].isalnum() and word not in _NAMING_NOTHING for word in words)


_NAMING_NOTHING = PRONOUNS | NOT_THINGS | SPECIFIERS
