"""The realisers by name: fluent sentences, those of Wang & Gaizauskas (2015), and plain baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.describe.realise.baselines import RetrievalRealiser, TemplateRealiser
from limner.describe.realise.caption_text import capitalised
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.selectors import Selection
from limner.errors import LimnerError, shown, unknown
from limner.text.labels import first_lemma

if TYPE_CHECKING:
    from limner.describe.realise.caption_index import CaptionIndex
    from limner.describe.realise.phrasebook import Phrasebook


class Realiser(Protocol):
    """Anything that puts selected boxes of an image into words: it returns a caption whose mentions name the boxes."""

    def realise(self, image: Image, selected: Sequence[str]) -> Caption: ...


@runtime_checkable
class ChoosingRealiser(Protocol):
    """A realiser that can also choose which of several selections to put into words."""

    def realise_any(self, image: Image, selections: Sequence[Selection]) -> Caption: ...


@runtime_checkable
class StreamingRealiser(Protocol):
    """A realiser that is faster if it gets many images one after the other; it may leave some out."""

    def realise_each(self, chosen: Iterable[tuple[Image, Sequence[str]]]) -> Iterator[tuple[Image, Caption]]: ...


# The prepositions and conjunctions in the paper's Figure 5.
FUNCTION_WORDS = (
    "against", "along", "among", "and", "around", "at", "behind", "below", "beneath", "beside", "by", "in", "inside",
    "near", "on", "underneath", "with",
)  # fmt: skip


class PaperRealiser:
    """The sentences of Wang & Gaizauskas (2015), sections 4.2 and 4.3.

    The first lemma of each label, with a random function word and perhaps "the"
    before it: "Hallway below the dog near the dog ." Every box has a mention of
    its own, the noun without its article. The same seed and image give the same
    words.
    """

    name = "paper"

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    def __repr__(self) -> str:
        return f"PaperRealiser(seed={self._seed})"

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The chosen boxes in their order, each mentioned once."""
        rng = random_stream("wording", self._seed, image.id)
        box_by_id = image.box_by_id()
        text = ""
        mentions: list[Mention] = []
        for id in dict.fromkeys(selected):
            if id not in box_by_id:
                raise ValueError(f"image {shown(image.id)} has no box {shown(id)}")
            box = box_by_id[id]
            noun = first_lemma(box.label)
            if not text:
                noun = capitalised(noun)
            else:
                text += f" {rng.choice(FUNCTION_WORDS)} {'the ' if rng.random() < 0.5 else ''}"
            mentions.append(Mention(len(text), len(text) + len(noun), (id,), None, box.types))
            text += noun
        return Caption("0", f"{text} ." if text else "A picture .", tuple(mentions), f"system:{self.name}")


def _retrieval(phrasebook: Phrasebook | None, *, captions: CaptionIndex | None = None, **style: object) -> Realiser:
    if captions is None:
        raise LimnerError("the realiser retrieval needs training captions", code="no-training-captions")
    return RetrievalRealiser(captions)


def _fluent(phrasebook: Phrasebook | None, *, captions: CaptionIndex | None = None, **style: Any) -> Realiser:
    return FluentRealiser(phrasebook, **style)


# What makes each realiser, from a phrasebook, training captions, a seed and whatever options of style it takes.
REALISERS: Mapping[str, Callable[..., Realiser]] = {
    PaperRealiser.name: lambda phrasebook, *, seed, **style: PaperRealiser(seed=seed),
    FluentRealiser.name: _fluent,
    TemplateRealiser.name: lambda phrasebook, **style: TemplateRealiser(),
    RetrievalRealiser.name: _retrieval,
}


def find_realiser(
    name: str,
    phrasebook: Phrasebook | None = None,
    *,
    seed: int = 0,
    captions: CaptionIndex | None = None,
    **style: object,
) -> Realiser:
    """The realiser of a name; `captions` are what `retrieval` needs, `style` are the options of `FluentRealiser`."""
    if name not in REALISERS:
        raise unknown("realiser", name, REALISERS)
    return REALISERS[name](phrasebook, seed=seed, captions=captions, **style)
