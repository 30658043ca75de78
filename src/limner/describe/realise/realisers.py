"""The realisers by name: fluent sentences, those of Wang & Gaizauskas (2015), and plain baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from limner.arrays import Floats
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.describe.realise.baselines import RetrievalRealiser, TemplateRealiser
from limner.describe.realise.caption_text import Text, capitalised, joints
from limner.describe.realise.clause_reasons import Reason, clause_reasons
from limner.describe.realise.described_things import Thing, nameable, things_of
from limner.describe.realise.relator import Relator
from limner.describe.realise.remark_choice import Completion, RemarkChooser
from limner.describe.realise.sentence_plan import Clause, divided, ordered, plan
from limner.describe.realise.sentences import Clauses, place_of, write_alone
from limner.describe.realise.thing_phrases import NounPhrases, after_there, choose_words, is_singular
from limner.errors import LimnerError, shown, unknown
from limner.text.labels import first_lemma

if TYPE_CHECKING:
    from limner.describe.realise.caption_index import CaptionIndex
    from limner.describe.realise.phrasebook import Phrasebook

DETAILS = ("low", "medium", "high")
WORDS = ("true", "people's")


class Realiser(Protocol):
    """Anything that puts selected boxes of an image into words: it returns a caption whose mentions name the boxes."""

    def realise(self, image: Image, selected: Sequence[str]) -> Caption: ...


# Longer clauses and lists are hard to read: the things that are left over follow in sentences of their own.
MOST_IN_CLAUSE = {"low": 4, "medium": 5, "high": 6}
MOST_IN_LIST = 4


class _Planned(NamedTuple):
    """Things in their order, what is said of them, and how likely everything is that no box shows, if it is known."""

    things: list[Thing]
    clause: Clause
    likely: Floats | None


class FluentRealiser:
    """Puts chosen boxes into a sentence or two.

    Wording, order and relations come from a phrasebook; without one the kinds
    of things and their positions in the picture decide. `detail` is how much is
    said of the things, `simple` asks for short sentences of frequent words, and
    `focus` is a noun or kind that comes first. `words` is "true" for nouns that
    are certain to hold, "people's" for what people say most. The same seed and
    image give the same sentence.
    """

    name = "fluent"

    def __init__(
        self,
        phrasebook: Phrasebook | None = None,
        *,
        seed: int = 0,
        detail: str = "medium",
        simple: bool = False,
        focus: str | None = None,
        words: str = "true",
    ) -> None:
        if detail not in DETAILS:
            raise unknown("detail", detail, DETAILS)
        if words not in WORDS:
            raise unknown("choice of words", words, WORDS)
        self._book = phrasebook
        self._seed = seed
        self._detail = detail
        self._simple = simple
        self._focus = focus
        self._words = words
        self._relator = Relator(phrasebook, simple=simple, acts=detail != "low")
        self._phrases = NounPhrases(phrasebook, detail, simple=simple)
        self._clauses = Clauses(self._phrases, simple=simple)
        table = phrasebook.remarks if phrasebook is not None and detail != "low" else None
        self._remarks = RemarkChooser(table) if table is not None else None

    def __repr__(self) -> str:
        return f"FluentRealiser({self._book}, seed={self._seed}, detail={self._detail!r}, words={self._words!r})"

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The chosen boxes in words: each is in exactly one mention, and no other box is mentioned.

        A box whose label says nothing is left out if there is another.
        """
        planned = self._completed(image, selected)
        if planned is None:
            return Caption("0", "A picture.", source=f"system:{self.name}")
        return self._written(planned, image)

    def reasons(self, image: Image, selected: Sequence[str]) -> list[Reason]:
        """Why the sentence for the chosen boxes says what it says, clause by clause."""
        planned = self._completed(image, selected)
        return [] if planned is None else clause_reasons(planned.clause, image, self._book, self._relator)

    def candidates(self, image: Image, selected: Sequence[str]) -> Iterator[tuple[Completion, Caption]]:
        """Every act and setting that could be said of the chosen boxes, each with its sentence."""
        planned = self._planned(image, selected)
        if planned is None or self._remarks is None or planned.likely is None:
            return
        for completion in self._remarks.candidates(planned.clause, image, planned.likely):
            again = self._planned(image, selected)
            assert again is not None
            again.clause.act, again.clause.setting = completion.act, completion.setting
            yield completion, self._written(again, image)

    def _completed(self, image: Image, selected: Sequence[str]) -> _Planned | None:
        """What is said of the chosen boxes, with the act and the setting that rank highest."""
        planned = self._planned(image, selected)
        if planned is not None and self._remarks is not None and planned.likely is not None:
            self._remarks.complete(planned.clause, image, planned.likely)
        return planned

    def _planned(self, image: Image, selected: Sequence[str]) -> _Planned | None:
        things = nameable(things_of(image, selected))
        if not things:
            return None
        choose_words(things, self._book, self._words)
        likely, relator = None, self._relator
        if self._remarks is not None:
            likely = self._remarks.probabilities(image)
            relator = relator.in_image(self._remarks.acts(likely))
            words = {thing.word for thing in things}
            for thing in things:
                # What else is called a man is somebody else.
                if (word := self._remarks.word(thing, likely)) not in words:
                    thing.word = word
        things = ordered(divided(things, relator), self._book, self._focus)
        clause = plan(things, relator, most=3 if self._simple else MOST_IN_CLAUSE[self._detail])
        return _Planned(things, clause, likely)

    def _written(self, planned: _Planned, image: Image) -> Caption:
        # Seeded by the image too: sentences do not depend on which images came before.
        rng = random_stream("wording", self._seed, image.id)
        text, clause = Text(), planned.clause
        if len(planned.things) == 1 and clause.act is None and clause.setting is None:
            write_alone(text, planned.things[0], image, self._phrases, rng, places=self._detail != "low")
            return text.caption(f"system:{self.name}")
        self._clauses.write(text, clause, rng)
        text.stop()
        step = 2 if self._simple else MOST_IN_LIST
        for start in range(0, len(clause.rest), step):
            self._write_list(text, clause.rest[start : start + step], image, rng, first=start == 0)
        return text.caption(f"system:{self.name}")

    def _write_list(self, text: Text, things: Sequence[Thing], image: Image, rng: Random, *, first: bool) -> None:
        """A sentence that these things are in the picture too."""
        seen = not self._simple and rng.random() < 0.4
        phrases = [self._phrases.phrase(thing, rng, again=thing.word in text.nouns) for thing in things]
        if not seen:
            verb = "is" if is_singular(phrases[0], things[0]) else "are"
            text.say(f"there {verb} also" if first else f"there {verb}")
            phrases[0] = after_there(phrases[0], things[0])
        for joint, thing, phrase in zip(joints(len(things)), things, phrases, strict=True):
            text.joint(joint)
            text.refer(phrase, thing)
            if self._detail == "high" and (position := place_of(thing, image)):
                text.say(position)
        if seen:
            text.say("can also be seen" if first else "can be seen as well")
        elif not first:
            text.say("too")
        text.stop()


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
