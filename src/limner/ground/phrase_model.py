"""A model of phrases: where the noun phrases of a caption are, and of which types; and its file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import msgspec

from limner.ground.phrase_features import neighbourhoods, noun_features, phrase_words, type_features, word_features
from limner.learn.chain_tagger import ChainRecord, ChainTagger, chain_faults
from limner.learn.model_files import ModelKind, read_record, write_record
from limner.text.kinds import kind_of_noun
from limner.text.mention_rules import can_be_mention
from limner.text.noun_forms import singular
from limner.text.phrases import colours, count, is_plural_phrase, thing_noun
from limner.text.sentence_tokens import Token, sentence_tokens

PHRASES = ModelKind("phrases", 1, "limner.ground.train_phrases")

# The tags of words: outside of any phrase, the first of one, inside one.
OUTSIDE, BEGIN, INSIDE = TAGS = ("O", "B", "I")

# The types of Flickr30k Entities.
TYPES = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene", "other")

# Types that the dictionaries of kinds tell of nouns that a model does not know.
TOLD_BY_KIND = frozenset(TYPES) - {"other"}

# The type of a phrase that refers to nothing one could see.
NOT_VISUAL = "notvisual"

# Scores of words, and types of phrases, that are kept for when they come again: some 60 MB of them.
MAX_KEPT = 1 << 17

# What stands between the types of a phrase that has several.
BETWEEN_TYPES = "/"


class Phrase(NamedTuple):
    """A noun phrase: its half-open span of characters, its words as written there, and its types."""

    start: int
    end: int
    text: str
    types: tuple[str, ...]

    @property
    def is_visual(self) -> bool:
        """Whether it refers to something one could see."""
        return NOT_VISUAL not in self.types

    @property
    def head(self) -> str:
        """The noun for what can be seen, in the singular: "person" of "a group of people"."""
        return singular(thing_noun(self.text))

    @property
    def number(self) -> int | None:
        """How many things it means, None if it does not say."""
        return count(self.text)

    @property
    def is_plural(self) -> bool:
        """Whether it means more than one thing."""
        return is_plural_phrase(self.text)

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours that it names."""
        return colours(self.text)


class TrainedOn(msgspec.Struct, frozen=True):
    """What a model was learnt from; `data` is the fingerprint of the captions."""

    n_images: int
    n_captions: int
    n_phrases: int
    seed: int
    data: str


class PhraseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A model as files hold it: a tagger of words, and one of phrases."""

    limner_model: str = PHRASES.name
    version: int = PHRASES.version
    trained_on: TrainedOn
    chunks: ChainRecord
    types: ChainRecord


class PhraseModel:
    """Finds the noun phrases of captions, and says of which types they are."""

    def __init__(self, record: PhraseRecord) -> None:
        self.record = record
        self._chunks = ChainTagger(record.chunks)
        self._types = ChainTagger(record.types)
        self._scores: dict[tuple[str, str, str], list[int]] = {}
        self._types_by_phrase: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._types_by_tag = {tag: tuple(tag.split(BETWEEN_TYPES)) for tag in record.types.tags}

    def __repr__(self) -> str:
        trained = self.record.trained_on
        return f"PhraseModel(trained on {trained.n_captions:,} captions of {trained.n_images:,} images)"

    @classmethod
    def load(cls, path: Path | str) -> PhraseModel:
        """The model that a file holds."""
        return cls(read_record(Path(path), PHRASES, PhraseRecord, _faults))

    def save(self, path: Path | str) -> None:
        """Write the model as JSON, compressed if the name ends in .gz or .zst."""
        write_record(self.record, Path(path))

    def phrases(self, text: str) -> list[Phrase]:
        """The noun phrases of a text from left to right; none of them overlap or hold another.

        Pronouns are no phrases here, nor are words that name no thing, such as
        "the background".
        """
        tokens = sentence_tokens(text)
        spans = list(self._spans(tokens))
        of_letters = [(tokens[first].start, tokens[last - 1].end) for first, last in spans]
        return [
            Phrase(start, end, text[start:end], types)
            for (start, end), types in zip(of_letters, self._types_of(tokens, spans), strict=True)
        ]

    def types(self, text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
        """The types of the phrases at half-open spans of characters of a text."""
        tokens = sentence_tokens(text)
        return self._types_of(tokens, token_spans(tokens, spans))

    def _spans(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """The first token of each phrase and the one after its last."""
        tags = [*self._tags(tokens), OUTSIDE]
        first = None
        for at, tag in enumerate(tags):
            if tag == INSIDE:
                continue
            if first is not None and can_be_mention([token.word for token in tokens[first:at]]):
                yield first, at
            first = at if tag == BEGIN else None

    def _tags(self, tokens: Sequence[Token]) -> list[str]:
        if not tokens:
            return []
        around = neighbourhoods(tokens)
        # Captions repeat themselves: most neighbourhoods were scored before.
        scores = self._scores
        if len(scores) > MAX_KEPT:
            # Another thread may still read the old one.
            scores = self._scores = {}
        new = list(dict.fromkeys(words for words in around if words not in scores))
        if new:
            scores.update(zip(new, self._chunks.scores([word_features(*words) for words in new]).tolist(), strict=True))
        return self._chunks.decode([scores[words] for words in around])

    def _types_of(self, tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
        return [self._types_of_phrase(phrase_words(tokens[first:last])) for first, last in spans]

    def _types_of_phrase(self, words: tuple[str, ...]) -> tuple[str, ...]:
        known = self._types_by_phrase.get(words)
        if known is not None:
            return known
        if len(self._types_by_phrase) > MAX_KEPT:
            self._types_by_phrase = {}
        features = type_features(words)
        kind = kind_of_noun(thing_noun(" ".join(words)))
        if kind in TOLD_BY_KIND and not any(map(self._types.knows, noun_features(features))):
            types: tuple[str, ...] = (kind,)
        else:
            types = self._types_by_tag[self._types.tag_alone([features])[0]]
        self._types_by_phrase[words] = types
        return types


def token_spans(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each half-open span of characters the first token that reaches into it and the one after the last.

    They are equal if there is none.
    """
    starts, ends = [token.start for token in tokens], [token.end for token in tokens]
    return [(bisect_right(ends, start), bisect_left(starts, end)) for start, end in spans]


@cache
def built_in_phrases() -> PhraseModel:
    """The model that comes with Limner, learnt from the training images of Flickr30k Entities."""
    with as_file(files("limner.ground") / "phrases.json.gz") as path:
        return PhraseModel.load(path)


def _faults(record: PhraseRecord) -> Iterator[str]:
    yield from chain_faults(record.chunks, "chunks")
    yield from chain_faults(record.types, "types")
    if tuple(record.chunks.tags) != TAGS:
        yield f"chunks: the tags are not {', '.join(TAGS)}"
    allowed = {*TYPES, NOT_VISUAL}
    for tag in record.types.tags:
        if not set(tag.split(BETWEEN_TYPES)) <= allowed:
            yield f"types: {tag!r} is not made of {', '.join(sorted(allowed))}"
