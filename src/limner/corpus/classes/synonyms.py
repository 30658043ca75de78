"""The words by which captions call the classes of boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from limner.errors import BadInput, shown
from limner.files import entries, read_lines
from limner.text.forms import is_plural, plural, singular
from limner.text.words import words

MAX_WORDS = 10
"""How many words a term may have; longer labels are not looked for."""

NOTHING = "-"
"""The class of words that contain a class' name and are none of it: "train station"."""


class Term(NamedTuple):
    """A word, or several, that names things of some classes.

    `word` is its singular. `several` tells whether it means more than one
    thing ("dogs", "crowd") or one ("dog"); None where its form does not tell
    ("sheep"). `is_collective` marks those that mean several in the singular.
    """

    word: str
    classes: tuple[str, ...]
    several: bool | None
    is_collective: bool = False


Terms = dict[tuple[str, ...], Term]


class Synonyms:
    """Which words may mean which classes, in the singular and the plural.

    A class' name always means itself. Classes that are not listed are called
    by their label alone. Names and words are compared in lower case, in the
    singular, and without the sense of a WordNet synset: `Male child.n.01` is
    called "male child" and "male children".
    """

    def __init__(self, words_by_class: Mapping[str, Iterable[str]]) -> None:
        self._listed = {class_name(name): list(listed) for name, listed in words_by_class.items()}
        self.terms: Terms = {}
        for name, listed in self._listed.items():
            if name != NOTHING:
                self._add(name, _forms_of_class(name))
            for word in listed:
                self._add(name, _forms_of_word(word))
        self.words_by_class: dict[str, set[str]] = {}
        for term in self.terms.values():
            for name in term.classes:
                self.words_by_class.setdefault(name, set()).add(term.word)

    def _add(self, name: str, forms: Iterable[tuple[tuple[str, ...], Term]]) -> None:
        for key, form in forms:
            before = self.terms.get(key)
            names = before.classes if before is not None else ()
            if name in names or (name == NOTHING and names):
                continue
            self.terms[key] = form._replace(classes=(*(n for n in names if n != NOTHING), name))

    def replaced(self, words_by_class: Mapping[str, Iterable[str]]) -> Synonyms:
        """These synonyms, with other words for the classes that are named."""
        given = {class_name(name): list(listed) for name, listed in words_by_class.items()}
        return Synonyms({**self._listed, **given})

    def vocabulary(self, labels: Iterable[str]) -> Terms:
        """Every term, with those of labels that are in no list."""
        more = {
            key: term._replace(classes=(label,))
            for label in labels
            if label not in self._listed
            for key, term in _forms_of_class(label)
            if key not in self.terms
        }
        return {**self.terms, **more} if more else self.terms


@cache
def built_in_synonyms() -> Synonyms:
    """Words for the 80 classes of COCO."""
    text = files("limner.corpus.classes").joinpath("synonyms.txt").read_text(encoding="utf-8")
    return Synonyms(_parse(enumerate(text.splitlines(), 1), "synonyms.txt"))


def read_synonyms(path: Path, *, alone: bool = False) -> Synonyms:
    """The built-in synonyms, with the words of a file for the classes it names; or the file's alone.

    A line is a class and other words for it, separated by commas. Blank lines
    and those that start with # are passed over.
    """
    found = _parse(read_lines(path), str(path))
    if not found:
        raise BadInput(str(path), "it names no class", "a line is a class and other words for it, between commas")
    return Synonyms(found) if alone else built_in_synonyms().replaced(found)


def _parse(lines: Iterable[tuple[int, str]], place: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for number, line in entries(lines):
        name, *others = (part.strip() for part in line.split(","))
        for part in (name, *others):
            if part not in ("", NOTHING) and not 0 < len(term_key(part)) <= MAX_WORDS:
                raise BadInput(f"{place}:{number}", f"{shown(part)} is no word", "give words between commas")
        if not name:
            raise BadInput(f"{place}:{number}", "the line starts with no class", "the first word is the class")
        found.setdefault(name, []).extend(part for part in others if part not in ("", NOTHING))
    return found


_SENSE = re.compile(r"\.[nvars]\.\d+$")


@lru_cache(maxsize=1 << 16)
def class_name(label: str) -> str:
    """A label as words are compared with it: lower case, singular, without underscores and a synset's sense."""
    if label == NOTHING:
        return NOTHING
    tokens = term_key(_SENSE.sub("", label.strip()))
    return singular(" ".join(tokens)) if tokens else label.lower()


@lru_cache(maxsize=1 << 16)
def term_key(text: str) -> tuple[str, ...]:
    """The words of a term, hyphens and underscores taken for spaces."""
    return tuple(words(text.replace("_", " ").replace("-", " ")))


def _forms_of_class(name: str) -> Iterator[tuple[tuple[str, ...], Term]]:
    """Both forms of a class' name."""
    return _forms_of_word(name) if 0 < len(term_key(name)) <= MAX_WORDS else iter(())


def _forms_of_word(listed: str) -> Iterator[tuple[tuple[str, ...], Term]]:
    """The forms of a word in a list; one that is listed in the plural has that form only.

    Of "glass of wine" the glass is turned.
    """
    key = term_key(listed)
    noun, of, rest = " ".join(key).partition(" of ")
    one = singular(noun) + of + rest
    if listed.endswith("+"):
        yield key, Term(one, (), True, True)
        yield term_key(plural(noun) + of + rest), Term(one, (), True)
    elif is_plural(noun):
        yield key, Term(one, (), True)
    else:
        many = plural(noun)
        yield key, Term(one, (), None if many == noun else False)
        if many != noun:
            yield term_key(many + of + rest), Term(one, (), True)
