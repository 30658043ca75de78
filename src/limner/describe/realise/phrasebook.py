"""Phrasebooks: what captions teach about nouns, articles, order, and the words between two things."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from limner.corpus.seen_images import SeenImages, is_hash
from limner.describe.realise.expected_ngrams import ExpectedNgrams, ngram_faults
from limner.describe.realise.picture_colours import ColourModel, colour_faults
from limner.describe.realise.relation_words import relation_of
from limner.describe.realise.remark_table import RemarkTable, table_faults
from limner.describe.realise.thing_layout import BUCKETS
from limner.errors import shown
from limner.learn.model_files import ModelKind, read_record, write_record
from limner.text.kinds import KINDS, kind_of_noun

PHRASEBOOK = ModelKind("phrasebook", 1, "limner.describe.learn_phrasebook")
MAX_NOUN = 60

# The share of people who use one noun for what others call by another, from which on the two may be of one thing.
SYNONYM = 0.02

Count = Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
Counts = dict[str, Count]
# How often a relation of A to B was said, by layout: {"man": {"horse": {"riding": {"oue": 12}}}}.
Relations = dict[str, dict[str, dict[str, Counts]]]


class Phrasebook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts from captions that are tied to boxes.

    `nouns` are the words people use for one box of a label; `determiners` how
    often a noun has "a", "the", "his" and the like ("possessive") or none ("bare"); `before` which noun is
    mentioned before which, `kinds_before` the same of kinds. What is said
    between two things is counted by the nouns of both (`by_nouns`), by the
    kind of the first and the noun of the second (`by_object`), and by the
    kinds of both (`by_kinds`). `compounds` are nouns that stand before a noun,
    as "tennis" before "ball". `remarks` are what captions say without naming a
    box, `ngrams` which n-grams they have, `colours` which colours boxes have in
    their pictures, if features of these were given. Older files have none of these.
    `hashes` are of the images it was learnt from, and missing in files of before
    there were any.
    """

    limner_model: str = PHRASEBOOK.name
    version: int = PHRASEBOOK.version
    n_images: int
    n_captions: int
    nouns: dict[str, Counts]
    determiners: dict[str, Counts]
    before: dict[str, Counts]
    kinds_before: dict[str, Counts]
    by_nouns: Relations
    by_object: Relations
    by_kinds: Relations
    compounds: dict[str, Counts] = {}
    remarks: RemarkTable | None = None
    ngrams: ExpectedNgrams | None = None
    colours: ColourModel | None = None
    hashes: list[str] | None = None

    @property
    def seen(self) -> SeenImages | None:
        """The images it was learnt from; None if its file does not tell."""
        return None if self.hashes is None else SeenImages(self.hashes)

    def __repr__(self) -> str:
        return f"Phrasebook({len(self.nouns):,} nouns, {self.n_captions:,} captions, {self.n_images:,} images)"

    def known_as(self, noun: str) -> str:
        """The noun under which captions speak of a thing: itself, or its last word if only that is known.

        What is known of a table holds of a dining table; but a hot dog is not a dog.
        """
        if noun in self.before or " " not in noun:
            return noun
        last = noun.rpartition(" ")[2]
        return last if last in self.before and kind_of_noun(last) == kind_of_noun(noun) else noun

    def are_synonyms(self, noun: str, other: str) -> bool:
        """Whether people who call something by one noun now and then call it by the other: a kid is a child."""
        return self._share(noun, other) >= SYNONYM or self._share(other, noun) >= SYNONYM

    def _share(self, noun: str, word: str) -> float:
        """The share of people who use a word for a thing that is labelled with a noun."""
        counts = self.nouns.get(noun, {})
        return counts[word] / sum(counts.values()) if word in counts else 0.0


def write_phrasebook(book: Phrasebook, path: Path) -> None:
    """Write a phrasebook as JSON, compressed if the name ends in .gz or .zst."""
    write_record(book, path)


def read_phrasebook(path: Path) -> Phrasebook:
    """The phrasebook in a file, checked: it can hold nothing but words, counts and weights."""
    return read_record(path, PHRASEBOOK, Phrasebook, _faults)


def _faults(book: Phrasebook) -> Iterator[str]:
    """What no learning would have written, in words."""
    if not all(map(is_hash, book.hashes or ())):
        yield "hashes: there is a hash that is none"
    nouns = [
        *book.nouns,
        *(noun for counts in book.nouns.values() for noun in counts),
        *book.determiners,
        *book.before,
        *(noun for counts in book.before.values() for noun in counts),
    ]
    for noun in nouns:
        if not is_noun(noun):
            yield f"{shown(noun)} is not a noun"
    for counts in book.determiners.values():
        if unknown := counts.keys() - DETERMINERS:
            yield f"{shown(min(unknown))} is not one of {', '.join(sorted(DETERMINERS))}"
    kinds = {*book.kinds_before, *(kind for counts in book.kinds_before.values() for kind in counts)}
    if strange := kinds - _KINDS:
        yield f"{shown(min(strange))} is not a kind"
    for name in ("by_nouns", "by_object", "by_kinds"):
        yield from _relation_faults(getattr(book, name), name)
    for noun, before in book.compounds.items():
        for word in (noun, *before):
            if not is_noun(word):
                yield f"compounds: {shown(word)} is not a noun"
    if book.remarks is not None:
        yield from table_faults(book.remarks)
    if book.ngrams is not None:
        yield from ngram_faults(book.ngrams)
    if book.colours is not None:
        yield from colour_faults(book.colours)


def _relation_faults(relations: Relations, name: str) -> Iterator[str]:
    for first, seconds in relations.items():
        if not (is_noun(first) if name == "by_nouns" else first in _KINDS):
            yield f"{name}: {shown(first)} cannot be related to anything"
        for second, said in seconds.items():
            if not (is_noun(second) if name != "by_kinds" else second in _KINDS):
                yield f"{name}: nothing can be related to {shown(second)}"
            for text, buckets in said.items():
                if relation_of(text) is None:
                    yield f"{name}: {shown(text)} is not a known verb or preposition"
                if unknown := buckets.keys() - BUCKETS:
                    yield f"{name}: {shown(min(unknown))} is not a layout"


DETERMINERS = frozenset({"a", "the", "bare", "possessive"})
_KINDS = frozenset(KINDS)


def is_noun(text: str) -> bool:
    """Whether a text can stand for a noun in a sentence: letters, with hyphens, apostrophes and spaces inside."""
    if not 0 < len(text) <= MAX_NOUN:
        return False
    return all(part and part.replace("'", "a").isalpha() for part in text.replace("-", " ").split(" "))
