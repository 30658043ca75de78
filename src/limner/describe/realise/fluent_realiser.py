"""Fluent sentences: of everything that may be said of the chosen boxes, what is most like people's captions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from limner.arrays import Floats
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.describe.realise.caption_text import Text, joints
from limner.describe.realise.clause_reasons import Reason, attribute_reasons, clause_reasons
from limner.describe.realise.described_things import (
    Thing,
    goes_without_saying,
    nameable,
    says_something,
    things_of,
    worn_by_others,
)
from limner.describe.realise.evidence import clues
from limner.describe.realise.picture_colours import BoxFeatures, PictureColour, with_colours
from limner.describe.realise.relator import Relator
from limner.describe.realise.remark_choice import RemarkChooser
from limner.describe.realise.sentence_plan import Clause, divided, in_focus, ordered, plan
from limner.describe.realise.sentences import Clauses, arranged, place_of, write_alone
from limner.describe.realise.thing_phrases import NounPhrases, after_there, choose_words, is_obscure, is_singular
from limner.describe.selectors import Selection
from limner.errors import unknown

if TYPE_CHECKING:
    from limner.describe.realise.phrasebook import Phrasebook

DETAILS = ("low", "medium", "high")
WORDS = ("true", "people's")

# Longer clauses and lists are hard to read: the things that are left over follow in sentences of their own.
MOST_IN_CLAUSE = {"low": 4, "medium": 5, "high": 6}
MOST_IN_LIST = 4

# The best so many drafts are completed by acts and settings.
MOST_COMPLETED = 2

# How much more a draft counts that tells what is done to a thing: captions do, in words that vary too much to expect.
ACTED = 1.5

# How much it counts what F against people a selection promises, as an exponent: things that are left out or added
# must make a sentence much better. Chosen so that content F hardly changes.
CONTENT = 9.0

# So many ways to say that there is a thing are tried; of a clause, its patterns are.
WORDINGS = 3


class Draft(NamedTuple):
    """A sentence that could be said of a selection, the clause in it, and how much it is like people's captions.

    The likeness is None if nothing is known of captions.
    """

    caption: Caption
    clause: Clause
    likeness: float | None = None
    selection: Selection = Selection(())


class _View(NamedTuple):
    """What all boxes of an image tell: how likely everything is that no box shows, and which n-grams are expected.

    `likeness_by_text` is how much texts that were drafted are like captions.
    """

    image: Image
    relator: Relator
    likeness_by_text: dict[str, float]
    likely: Floats | None = None
    expected: Sequence[float] | None = None


class FluentRealiser:
    """Puts chosen boxes into a sentence or two.

    Wording, order and relations come from a phrasebook; without one the kinds
    of things and their positions in the picture decide. Several sentences are
    drafted, and the one is taken that is most like captions of such images.
    `detail` is how much is said of the things, `simple` asks for short sentences
    of frequent words, and `focus` is a noun or kind that comes first. `words` is
    "true" for nouns that are certain to hold, "people's" for what people say
    most. With `features` of the boxes, and a phrasebook that has learnt from
    such, colours are said that boxes have in their pictures. The same seed and
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
        features: BoxFeatures | None = None,
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
        self._colours = phrasebook.colours if phrasebook is not None and features is not None else None
        self._features = features
        if self._colours is not None and features is not None:
            self._colours.check(features)
        self._ngrams = phrasebook.ngrams if phrasebook is not None and detail != "low" else None

    def __repr__(self) -> str:
        return f"FluentRealiser({self._book}, seed={self._seed}, detail={self._detail!r}, words={self._words!r})"

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The chosen boxes in words: each is in exactly one mention, and no other box is mentioned.

        A box whose label says nothing is left out if there is another, and so are
        a person who may be somebody that is named, and clothes of somebody who is not.
        """
        return self.realise_any(image, [Selection(selected)])

    def realise_any(self, image: Image, selections: Sequence[Selection]) -> Caption:
        """One of several selections in words: which one depends on what each promises, and on how well it reads."""
        draft = self.best_draft(image, selections)
        return Caption("0", "A picture.", source=f"system:{self.name}") if draft is None else draft.caption

    def reasons(self, image: Image, selected: Sequence[str]) -> list[Reason]:
        """Why the sentence for the chosen boxes says what it says, clause by clause."""
        draft = self.best_draft(image, [Selection(selected)])
        return [] if draft is None else self.draft_reasons(image, draft)

    def draft_reasons(self, image: Image, draft: Draft) -> list[Reason]:
        """Why a draft says what it says, clause by clause."""
        clause = arranged(draft.clause)
        reasons = clause_reasons(clause, image, self._book, self._relator)
        if self._colours is None:
            # All attributes were given with the boxes.
            return reasons
        _, colours = self._coloured(image, draft.selection.boxes)
        likely = {id: colour.probability for id, colour in colours.items()}
        return [*attribute_reasons(clause, self._phrases, likely), *reasons]

    def best_draft(self, image: Image, selections: Sequence[Selection]) -> Draft | None:
        """The draft that is said; None if there is nothing to say."""
        return next(iter(self._drafts(image, selections)), None)

    def drafts(self, image: Image, selected: Sequence[str]) -> list[Draft]:
        """The sentences that were considered for the chosen boxes, the best first."""
        return self._drafts(image, [Selection(selected)])

    def considered(self, selections: Sequence[Selection]) -> Sequence[Selection]:
        """The selections that are compared.

        Only the first is where there are no captions to compare with, or where something is in focus, which another
        selection might leave out.
        """
        return selections if self._ngrams is not None and self._focus is None else selections[:1]

    def _drafts(self, image: Image, selections: Sequence[Selection]) -> list[Draft]:
        selections = self.considered(selections)
        image, _ = self._coloured(image, list(dict.fromkeys(id for selection in selections for id in selection.boxes)))
        view = self._view(image)
        drafts = [draft for selection in selections for draft in self._planned(selection, view)]
        drafts.sort(key=_rank)
        for draft in drafts[:MOST_COMPLETED]:
            drafts += self._completed(draft, view)
        drafts.sort(key=_rank)
        if view.expected is not None and drafts:
            drafts += self._reworded(drafts[0], view)
        # Chance may have found the same words again.
        by_text: dict[str, Draft] = {}
        for draft in sorted(drafts, key=_rank):
            by_text.setdefault(draft.caption.text, draft)
        return list(by_text.values())

    def _planned(self, selection: Selection, view: _View) -> Iterator[Draft]:
        things = self._things(view.image, selection.boxes, view)
        if things:
            for clause in self._plans(things, view):
                yield self._draft(clause, selection, view)

    def _coloured(self, image: Image, selected: Sequence[str]) -> tuple[Image, dict[str, PictureColour]]:
        """The image with the colours that the selected boxes have in its picture, and these by box."""
        if self._colours is None or self._features is None:
            return image, {}
        return with_colours(image, selected, self._colours, self._features)

    def _view(self, image: Image) -> _View:
        if self._remarks is None:
            return _View(image, self._relator, {})
        names = clues(image)
        likely = self._remarks.probabilities(names)
        expected = self._ngrams.expected(names) if self._ngrams is not None else None
        return _View(image, self._relator.in_image(self._remarks.acts(likely)), {}, likely, expected)

    def _things(self, image: Image, selected: Sequence[str], view: _View) -> list[Thing]:
        """The chosen boxes as things, with their words."""
        every = things_of(image, selected, self._book.are_synonyms) if self._book else things_of(image, selected)
        named = nameable(every)
        things = [thing for thing in every if thing in named or (self._focus and in_focus(thing, self._focus))]
        if self._focus is None:
            worn = worn_by_others(things, image, selected)
            things = [thing for thing in things if thing not in worn] or things
        choose_words(things, self._book, self._words)
        things = [thing for thing in things if self._is_understood(thing)] or things
        if self._remarks is not None and view.likely is not None:
            words = {thing.word for thing in things}
            for thing in things:
                # What else is called a man is somebody else.
                if (word := self._remarks.word(thing, view.likely)) not in words:
                    thing.word = word
        return things

    def _is_understood(self, thing: Thing) -> bool:
        """Whether the word for a thing tells what it is; a label that is odd may turn out to be just clothes."""
        if self._book is None or (self._focus and in_focus(thing, self._focus)):
            return True
        if self._detail != "low" and goes_without_saying(thing) and not self._phrases.attributes(thing):
            # Its attribute is none that can be said: "a face" is left of "a painted face".
            return False
        return (thing.word == thing.noun or says_something(thing)) and not is_obscure(thing, self._book)

    def _plans(self, things: Sequence[Thing], view: _View) -> Iterator[Clause]:
        """What may be said of the things; only where captions are there to compare with is there a choice."""
        most = 3 if self._simple else MOST_IN_CLAUSE[self._detail]
        order = ordered(divided(things, view.relator), self._book, self._focus)
        clause = plan(order, view.relator, most=most)
        yield clause
        if view.expected is None:
            return
        if any(arm.relation.is_verbal for arm in clause.arms):
            yield plan(ordered(things, self._book, self._focus), view.relator.without_acts(), most=most)
        elif self._focus is None and len(order) > 1 and view.relator.rests_on(order[1], order[0]):
            # "A vase on a table" may be said of "a table with a vase".
            yield plan([order[1], order[0], *order[2:]], view.relator, most=most)

    def _completed(self, draft: Draft, view: _View) -> Iterator[Draft]:
        """A draft's clause with acts and settings; without captions to compare with, only with the likeliest."""
        if self._remarks is None or view.likely is None:
            return
        for act, setting in self._remarks.completions(draft.clause, view.image, view.likely):
            yield self._draft(draft.clause.completed(act, setting), draft.selection, view)

    def _reworded(self, draft: Draft, view: _View) -> Iterator[Draft]:
        """A draft's clause in further patterns, and with other words for numbers."""
        if draft.clause.rest:
            # Two sentences are longer than captions, whatever their words.
            return
        rng = random_stream("rewording", self._seed, view.image.id)
        patterns = [""] * WORDINGS if _is_bare(draft.clause) else self._clauses.patterns(draft.clause)
        if any(node.thing.n > 1 for node in (*draft.clause.heads, *draft.clause.objects)):
            # There are several words for a number.
            patterns *= 2
        for pattern in patterns:
            yield self._draft(draft.clause, draft.selection, view, rng, pattern)

    def _draft(
        self, clause: Clause, selection: Selection, view: _View, rng: Random | None = None, pattern: str = ""
    ) -> Draft:
        # Seeded by the image too: sentences do not depend on which images came before.
        rng = rng or random_stream("wording", self._seed, view.image.id)
        caption = self._written(clause, view.image, rng, pattern)
        if self._ngrams is None or view.expected is None:
            return Draft(caption, clause, selection=selection)
        # Several wordings are often the same.
        likeness = view.likeness_by_text.get(caption.text)
        if likeness is None:
            # Rounded, so that the order of summation cannot break ties.
            likeness = float(f"{self._ngrams.likeness(caption.text, view.expected):.9g}")
            view.likeness_by_text[caption.text] = likeness
        return Draft(caption, clause, likeness, selection)

    def _written(self, clause: Clause, image: Image, rng: Random, pattern: str) -> Caption:
        text = Text()
        if _is_bare(clause):
            write_alone(text, clause.heads[0].thing, image, self._phrases, rng, places=self._detail != "low")
            return text.caption(f"system:{self.name}")
        self._clauses.write(text, clause, rng, pattern)
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


def _is_bare(clause: Clause) -> bool:
    """Whether a clause names a thing and says nothing of it."""
    return clause.is_single and clause.act is None and clause.setting is None


def _rank(draft: Draft) -> tuple[float, int]:
    """The best first: the most like captions, of what promises most; of equals, what says most that is likely true."""
    n_remarks = (draft.clause.act is not None) + (draft.clause.setting is not None)
    has_act = any(arm.relation.verb for arm in draft.clause.arms)
    worth = (ACTED if has_act else 1.0) * draft.selection.promise**CONTENT
    return -(draft.likeness or 0.0) * worth, -n_remarks
