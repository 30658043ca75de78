"""Sentences of a language model that has to say the selected things: the model's text becomes a grounded caption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from limner.corpus.caption import Caption, Mention
from limner.corpus.classes.class_mentions import ClassMentions, NounPhrase
from limner.corpus.classes.class_names import class_phrases, term_key
from limner.corpus.classes.class_words import Term, Terms, built_in_synonyms
from limner.corpus.image import Image
from limner.describe.realise.described_things import Thing, things_of
from limner.errors import LimnerError, shown
from limner.text.labels import many


class ThingWords(NamedTuple):
    """A selected thing: phrases of which one has to be said, in lower case, and the ids of its boxes.

    Wherever the caption room takes constraints in words, it takes these.
    """

    phrases: tuple[str, ...]
    boxes: tuple[str, ...]


class SentenceWriter(Protocol):
    """Anything that writes a sentence about an image in which every thing is named by one of its phrases."""

    def write(self, image: Image, things: Sequence[ThingWords]) -> str: ...


@runtime_checkable
class StreamingWriter(Protocol):
    """A sentence writer that is faster if it gets many images one after the other; it may leave some out."""

    def write_each(self, asked: Iterable[tuple[Image, Sequence[ThingWords]]]) -> Iterator[tuple[Image, str]]: ...


Report = Callable[[Image, Sequence[ThingWords]], None]


class ConstrainedRealiser:
    """Puts selected boxes into the words of a sentence writer, such as a captioner with a constrained search.

    Boxes of one noun are one thing. It is asked for in the number that it has:
    one dog as "dog", two as "dogs". What the text says of it becomes its
    mention. A thing that the text does not say is an error; with a `report`,
    the caption is returned without it, and `report` is called with the image
    and all such things.
    """

    def __init__(self, writer: SentenceWriter, *, name: str = "constrained", report: Report | None = None) -> None:
        self._writer = writer
        self._report = report or _refuse
        self.name = name

    def __repr__(self) -> str:
        return f"ConstrainedRealiser({self._writer!r}, name={self.name!r})"

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The writer's sentence: each chosen box is in one mention, or was reported; nothing else is mentioned."""
        asked = _Asked.of(image, selected)
        return self._grounded(image, asked, self._writer.write(image, asked.words))

    def realise_each(self, chosen: Iterable[tuple[Image, Sequence[str]]]) -> Iterator[tuple[Image, Caption]]:
        """Each image with the caption of its chosen boxes, by a writer that takes many images if it does."""
        if not isinstance(self._writer, StreamingWriter):
            for image, selected in chosen:
                yield image, self.realise(image, selected)
            return
        asked_by_image: dict[str, _Asked] = {}

        def asked() -> Iterator[tuple[Image, Sequence[ThingWords]]]:
            for image, selected in chosen:
                asked_by_image[image.id] = _Asked.of(image, selected)
                yield image, asked_by_image[image.id].words

        for image, text in self._writer.write_each(asked()):
            yield image, self._grounded(image, asked_by_image.pop(image.id), text)

    def _grounded(self, image: Image, asked: _Asked, text: str) -> Caption:
        """The text with what it says of the things as their mentions."""
        things, words = asked
        phrase_by_thing = _assigned(_named(text, words), len(words))
        unsaid = [words[number] for number in range(len(words)) if number not in phrase_by_thing]
        if unsaid:
            self._report(image, unsaid)
        mentions = [_mention(things[number], phrase) for number, phrase in phrase_by_thing.items()]
        mentions.sort(key=lambda mention: mention.start)
        return Caption("0", text, tuple(mentions), f"system:{self.name}")


class _Asked(NamedTuple):
    """The things that a sentence is to say, and the words for each."""

    things: Sequence[Thing]
    words: Sequence[ThingWords]

    @classmethod
    def of(cls, image: Image, selected: Sequence[str]) -> _Asked:
        things = things_of(image, selected)
        return cls(things, [_words_of(thing, image) for thing in things])


def _refuse(image: Image, unsaid: Sequence[ThingWords]) -> None:
    listed = ", ".join(" or ".join(map(shown, words.phrases)) for words in unsaid)
    raise LimnerError(f"the sentence for image {shown(image.id)} does not say {listed}")


def _words_of(thing: Thing, image: Image) -> ThingWords:
    """The phrases of the thing's labels that have its number, or all where none has ("scissors")."""
    phrases = dict.fromkeys(phrase for box in thing.boxes for phrase in class_phrases(box.label))
    if not phrases:
        box = thing.boxes[0]
        problem = f"box {shown(box.id)} of image {shown(image.id)} is labelled {shown(box.label)}"
        raise LimnerError(f"{problem}, which no sentence says; give the class a name")
    plurals = {many(phrase) for phrase in phrases if many(phrase) != phrase}
    of_number = [phrase for phrase in phrases if (phrase in plurals) == _is_many(thing)]
    return ThingWords(tuple(of_number or phrases), thing.ids)


def _is_many(thing: Thing) -> bool:
    """Whether the words are in the plural. A box labelled "crowd" is one crowd; a person flagged as one is people."""
    return thing.n > 1 or thing.is_plural_label or any("crowd" in box.flags for box in thing.boxes)


def _named(text: str, words: Sequence[ThingWords]) -> list[tuple[NounPhrase, list[int]]]:
    """The noun phrases of the text that name things, each with the numbers of the things it may mean.

    Other names of classes are looked for too: a dog is not in "a hot dog".
    """
    terms: Terms = {key: term._replace(classes=()) for key, term in built_in_synonyms().terms.items()}
    for number, thing in enumerate(words):
        for phrase in thing.phrases:
            key = term_key(phrase)
            before = terms[key] if key in terms else Term(phrase, (), None)
            terms[key] = before._replace(classes=(*before.classes, str(number)))
    phrases = ClassMentions(terms).noun_phrases(text)
    return [(phrase, [int(number) for number in phrase.term.classes]) for phrase in phrases if phrase.term.classes]


def _assigned(named: Sequence[tuple[NounPhrase, list[int]]], n_things: int) -> dict[int, NounPhrase]:
    """A noun phrase of its own for as many things as possible; a thing that has a choice gets the first."""
    thing_of: dict[int, int] = {}

    def is_assigned(thing: int, tried: set[int]) -> bool:
        for at, (_, things) in enumerate(named):
            if thing in things and at not in tried:
                tried.add(at)
                # Whoever has the phrase may give way, if there is another for it.
                if at not in thing_of or is_assigned(thing_of[at], tried):
                    thing_of[at] = thing
                    return True
        return False

    for thing in range(n_things):
        is_assigned(thing, set())
    return {thing: named[at][0] for at, thing in thing_of.items()}


def _mention(thing: Thing, phrase: NounPhrase) -> Mention:
    types = tuple(dict.fromkeys(kind for box in thing.boxes for kind in box.types))
    return Mention(phrase.start, phrase.end, thing.ids, None, types, origin="constraint")
