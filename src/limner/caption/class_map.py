"""What things of a class are called in captions: fine-grained words, each in the singular and the plural."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from limner.caption.caption_vocabulary import caption_words
from limner.corpus.classes.class_names import class_name, class_phrases
from limner.corpus.classes.class_tables import OPEN_IMAGES_NAMES
from limner.corpus.classes.class_words import built_in_synonyms
from limner.text.labels import many, noun, one


class FineWord(NamedTuple):
    """A word for things of a class, in both numbers; a word with one form alone has no plural, "".

    Several words, as in "tennis racket", have a space between them.
    """

    singular: str
    plural: str

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(filter(None, self))


class ClassMap:
    """From labels of boxes to the words that captions call such things by.

    A class is known by its own names, and by the words that Limner's lexicon
    lists for it: a "puppy" is a dog. A word that is the name of one of the
    `labels` of a corpus is that class's alone: where "man" is a label, a
    person is not called so (nocaps, appendix 2.1). With `said`, listed words
    count only if a form of them is in it: what captions never said is said by
    a class's own name alone. Any label is looked up, also one of other images.
    """

    def __init__(self, labels: Iterable[str] = (), said: Container[str] | None = None) -> None:
        self.classes = tuple(name for name in dict.fromkeys(map(class_of, labels)) if _own_words(name))
        self._class_of_name = {form: name for name in reversed(self.classes) for form in _own_words(name)[0].forms}
        self._said = said
        self._words: dict[str, tuple[FineWord, ...]] = {}

    def words(self, label: str) -> tuple[FineWord, ...]:
        """The words for things of a label, its own names first; none if it has no words, as "object" has none."""
        name = class_of(label)
        if name not in self._words:
            names = _own_words(name)
            listed = filter(self._is_said, _listed_words(name)) if names else ()
            others = [word for word in (*names[1:], *listed) if self._may_call(name, word)]
            self._words[name] = tuple(_without_repeats([*names[:1], *others]))
        return self._words[name]

    def forms(self, label: str) -> tuple[str, ...]:
        """The forms of all words for things of a label."""
        return tuple(form for word in self.words(label) for form in word.forms)

    def _is_said(self, word: FineWord) -> bool:
        return self._said is None or any(form in self._said for form in word.forms)

    def _may_call(self, name: str, word: FineWord) -> bool:
        return all(self._class_of_name.get(form, name) == name for form in word.forms)


def class_of(label: str) -> str:
    """The class of a label: its noun in the singular."""
    return one(noun(label))


@cache
def _own_words(name: str) -> tuple[FineWord, ...]:
    """The names of a class, in both numbers where it has both."""
    return tuple(_paired(class_phrases(name)))


@cache
def _listed_words(name: str) -> tuple[FineWord, ...]:
    """The words that the lexicon lists for a class, or for what COCO calls it."""
    key = class_name(name)
    return tuple(_paired(_forms_by_class().get(_coco_names().get(key, key), ())))


@cache
def _coco_names() -> dict[str, str]:
    return {class_name(other): class_name(name) for name, other in OPEN_IMAGES_NAMES.items()}


@cache
def _forms_by_class() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for key, term in built_in_synonyms().terms.items():
        for name in term.classes:
            forms.setdefault(name, []).append(" ".join(key))
    return forms


def _paired(forms: Iterable[str]) -> Iterator[FineWord]:
    """Forms as words, a plural with its singular; written as captions are once they are words."""
    given = list(dict.fromkeys(forms))
    tokens = {form: " ".join(words) for form, words in zip(given, caption_words(given), strict=True)}
    plurals = {many(form) for form in given if many(form) != form}
    for form in given:
        if many(form) != form:
            yield FineWord(tokens[form], tokens.get(many(form), ""))
        elif form not in plurals or one(form) not in tokens:
            yield FineWord(tokens[form], "")


def _without_repeats(words: Iterable[FineWord]) -> Iterator[FineWord]:
    """The words without forms that an earlier one has: a class has a form once."""
    taken: set[str] = set()
    for word in words:
        if new := [form for form in dict.fromkeys(word.forms) if form not in taken]:
            taken.update(new)
            yield FineWord(new[0], new[1] if len(new) > 1 else "")
