"""The words by which captions call the classes of boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from limner.corpus.classes.class_names import class_name, is_open_images_id, term_key
from limner.corpus.classes.class_tables import COCO_LABEL_WORDS, COCO_WORDS, NO_CLASS, PUBLISHED_WORDS
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.files import entries, read_lines
from limner.text.labels import first_lemma, many, noun, one
from limner.text.noun_forms import is_plural

# Longer labels are sentences rather than names; looking for them would only cost time.
MAX_WORDS = 10


class Term(NamedTuple):
    """A word, or several, that names things of some classes.

    `word` is its singular. `several` tells whether it means more than one
    thing ("dogs", "crowd") or one ("dog"); None if its form does not tell
    ("sheep"). `is_collective` marks those that mean several in the singular.
    """

    word: str
    classes: tuple[str, ...]
    several: bool | None
    is_collective: bool = False


# Terms by their words in lower case.
Terms = dict[tuple[str, ...], Term]


class Synonyms:
    """Which words may mean which classes, in the singular and the plural.

    A class's name always means itself. Classes that are not listed are called
    by their label alone. Names and words are compared in lower case, in the
    singular, and without the sense of a WordNet synset: `Male child.n.01` is
    called "male child" and "male children". `name` is what signatures call
    the list.
    """

    def __init__(self, words_by_class: Mapping[str, Iterable[str]], name: str = "given") -> None:
        self.name = name
        self._listed = {class_name(name): list(listed) for name, listed in words_by_class.items()}
        self.terms: Terms = {}
        for label, listed in self._listed.items():
            if label != NO_CLASS:
                self._add(label, _forms_of_class(label))
            for word in listed:
                self._add(label, _forms_of_word(word))
        self.words_by_class: dict[str, set[str]] = {}
        for term in self.terms.values():
            for label in term.classes:
                self.words_by_class.setdefault(label, set()).add(term.word)

    def _add(self, name: str, forms: Iterable[tuple[tuple[str, ...], Term]]) -> None:
        for key, form in forms:
            before = self.terms.get(key)
            names = before.classes if before is not None else ()
            # A word that means a class anywhere is never one of those that mean none.
            if name in names or (name == NO_CLASS and names):
                continue
            self.terms[key] = form._replace(classes=(*(n for n in names if n != NO_CLASS), name))

    def replaced(self, words_by_class: Mapping[str, Iterable[str]]) -> Synonyms:
        """These synonyms, with other words for the classes that are given."""
        given = {class_name(name): list(listed) for name, listed in words_by_class.items()}
        return Synonyms({**self._listed, **given})

    def fingerprint(self) -> str:
        """A short hash of the terms and their classes, for signatures of scores."""
        listed = "\n".join(f"{' '.join(key)}:{','.join(term.classes)}" for key, term in sorted(self.terms.items()))
        return sha256(listed.encode()).hexdigest()[:8]

    def vocabulary(self, labels: Iterable[str]) -> Terms:
        """Every term, and the names of the labels that are not listed."""
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
    """Words for the 80 classes of COCO, as many as captions use."""
    return Synonyms(COCO_WORDS, "limner")


@cache
def label_synonyms() -> Synonyms:
    """Words that a box of COCO's 80 classes may be labelled with: those that are seldom said of anything else."""
    return Synonyms(COCO_LABEL_WORDS, "limner-labels")


@cache
def published_synonyms() -> Synonyms:
    """The words that mean COCO's 80 classes in CHAIR as it was published (Rohrbach et al. 2018)."""
    return Synonyms(PUBLISHED_WORDS, "rohrbach-2018")


# The lists that come with Limner.
WORD_LISTS = {"published": published_synonyms, "limner": built_in_synonyms}


def word_list(source: str | Path) -> Synonyms:
    """The list of that name in `WORD_LISTS`, or else the words of a file, alone."""
    make = WORD_LISTS.get(source) if isinstance(source, str) else None
    if make is not None:
        return make()
    # What looks like a name, and is no file, is a name misspelt.
    if str(source).isalnum() and not Path(source).exists():
        raise unknown("word list", str(source), WORD_LISTS)
    return read_synonyms(Path(source), alone=True)


def read_synonyms(path: Path, *, alone: bool = False) -> Synonyms:
    """The built-in synonyms, with a file's words for the classes it names; with `alone`, only the file's.

    Each line is a class and other words for it, separated by commas. Blank
    lines and those that start with # are skipped.
    """
    words_by_class = _parse(path)
    if not words_by_class:
        raise BadInput(str(path), "it names no class", "a line is a class and other words for it, between commas")
    return Synonyms(words_by_class) if alone else built_in_synonyms().replaced(words_by_class)


def name_terms(classes: Iterable[str]) -> Terms:
    """The classes' own names as terms, without synonyms; ids, which captions never mention, are an error.

    A name is understood with and without what only tells it from other
    classes: "hand" and "human hand" for `Human hand`.
    """
    terms: Terms = {}
    for name in classes:
        if is_open_images_id(name):
            raise LimnerError(f"class {shown(name)} is an id, which no caption mentions", code="class-names-needed")
        for word in (noun(name), first_lemma(name).lower()):
            for key in filter(None, map(term_key, (word, one(word), many(word)))):
                before = terms[key].classes if key in terms else ()
                if name not in before:
                    terms[key] = Term(word, (*before, name), None)
    return terms


def _parse(path: Path) -> dict[str, list[str]]:
    words_by_class: dict[str, list[str]] = {}
    for number, line in entries(read_lines(path)):
        name, *listed = (part.strip() for part in line.split(","))
        for part in (name, *listed):
            if part not in ("", NO_CLASS) and not 0 < len(term_key(part)) <= MAX_WORDS:
                raise BadInput(f"{path}:{number}", f"invalid word {shown(part)}", "give words between commas")
        if not name:
            raise BadInput(f"{path}:{number}", "the line starts with no class", "the first word is the class")
        words_by_class.setdefault(name, []).extend(part for part in listed if part not in ("", NO_CLASS))
    return words_by_class


def _forms_of_class(name: str) -> Iterator[tuple[tuple[str, ...], Term]]:
    """Both forms of a class's name."""
    return _forms_of_word(name) if 0 < len(term_key(name)) <= MAX_WORDS else iter(())


def _forms_of_word(listed: str) -> Iterator[tuple[tuple[str, ...], Term]]:
    """The forms of a listed word; one that is listed in the plural has only that form."""
    key = term_key(listed)
    phrase = " ".join(key)
    word, plural_phrase = one(phrase), many(phrase)
    if listed.endswith("+"):
        yield key, Term(word, (), True, True)
        yield term_key(plural_phrase), Term(word, (), True)
    elif is_plural(phrase.partition(" of ")[0]):
        yield key, Term(word, (), True)
    else:
        # "Sheep" is its own plural: the form does not tell how many.
        is_telling = plural_phrase != phrase
        yield key, Term(word, (), False if is_telling else None)
        if is_telling:
            yield term_key(plural_phrase), Term(word, (), True)
