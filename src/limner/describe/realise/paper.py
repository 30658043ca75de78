"""The sentences of Wang & Gaizauskas (2015), sections 4.2 and 4.3."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.describe.realise.writing import capitalised
from limner.errors import shown
from limner.text.labels import first_lemma

FUNCTION_WORDS = (
    "against", "along", "among", "and", "around", "at", "behind", "below", "beneath", "beside", "by", "in", "inside",
    "near", "on", "underneath", "with",
)  # fmt: skip
"""The prepositions and conjunctions that stand in the paper's Figure 5."""

EMPTY = "A picture ."
"""What is said where nothing was chosen."""


class PaperRealiser:
    """The first lemma of each label, with a random function word and perhaps "the" before it.

    "Hallway below the dog near the dog ." Every box has a mention of its own,
    the noun without its article. The same seed and image give the same words.
    """

    name = "paper"

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The chosen boxes in their order, each mentioned once."""
        rng = Random(f"{self._seed}:{image.id}")
        box_by_id = image.box_by_id()
        text = ""
        mentions: list[Mention] = []
        for id in dict.fromkeys(selected):
            if id not in box_by_id:
                raise ValueError(f"image {shown(image.id)} has no box {shown(id)} that could be described")
            box = box_by_id[id]
            noun = first_lemma(box.label)
            if not text:
                noun = capitalised(noun)
            else:
                text += f" {rng.choice(FUNCTION_WORDS)} {'the ' if rng.random() < 0.5 else ''}"
            mentions.append(Mention(len(text), len(text) + len(noun), (id,), None, box.types))
            text += noun
        return Caption("0", f"{text} ." if text else EMPTY, tuple(mentions), f"system:{self.name}")
