"""Counts of mentions and chains, and of the words that they use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from limner.corpus.caption import Mention
from limner.corpus.image import Image
from limner.corpus.statistics.corpus_figures import Chains, Mentions, TypeFigures, WordFigures, Words, ratio
from limner.errors import unknown
from limner.lazy import lazy
from limner.text.lexicon import ADVERBS, CLAUSE_WORDS, CONJUNCTIONS, DETERMINERS, ING_NOUNS, PREPOSITIONS
from limner.text.noun_forms import singular
from limner.text.phrases import head_noun, is_adjective, is_number, modifiers
from limner.text.words import words

if TYPE_CHECKING:
    from limner.text import tagging
else:
    tagging = lazy("limner.text.tagging")


class Spoken:
    """What the captions of one image speak of.

    A mention that names no box refers to the boxes of its chain. An
    expression is a mention with a chain or a box: what has neither is an
    annotation that a phrase stands for nothing to be seen.
    """

    def __init__(self, image: Image) -> None:
        self.chain_by_id = image.chain_by_id()
        self.n_mentions = 0
        self.n_captions_without_box = 0
        self.expressions: list[tuple[Mention, str, tuple[str, ...]]] = []
        for caption in image.captions:
            refers = False
            for mention in caption.mentions:
                chain = self.chain_by_id[mention.chain] if mention.chain is not None else None
                boxes = mention.boxes or (chain.boxes if chain else ())
                refers = refers or bool(boxes)
                if boxes or chain:
                    self.expressions.append((mention, caption.phrase(mention), boxes))
            self.n_mentions += len(caption.mentions)
            self.n_captions_without_box += not refers


class MentionTally:
    """Counts mentions over images."""

    def __init__(self, tagger: str) -> None:
        self.wording = Wording(tagger)
        self.n = 0
        self.n_expressions = 0
        self._n_with_box = 0
        self._n_words = 0

    def add(self, spoken: Spoken) -> None:
        self.n += spoken.n_mentions
        self.n_expressions += len(spoken.expressions)
        self._n_with_box += sum(1 for _, _, boxes in spoken.expressions if boxes)
        self._n_words += sum(len(words(phrase)) for _, phrase, _ in spoken.expressions)
        self.wording.add([(phrase, boxes) for _, phrase, boxes in spoken.expressions])

    def figures(self, n_images: int, n_captions: int) -> Mentions:
        spoken = self.n > 0
        return Mentions(
            count=self.n,
            expressions=self.n_expressions,
            not_visual=self.n - self.n_expressions,
            with_box=self._n_with_box,
            per_image=ratio(self.n_expressions, n_images) if spoken else None,
            per_caption=ratio(self.n_expressions, n_captions) if spoken else None,
            words=ratio(self._n_words, self.n_expressions),
            noun_phrases=self.wording.noun_phrases(),
        )


class ChainTally:
    """Counts chains over images, altogether and by type."""

    def __init__(self) -> None:
        self._counts = Counter[str]()
        self._by_type: dict[str, Counter[str]] = {}

    def add(self, image: Image, spoken: Spoken) -> None:
        mentions: Counter[str] = Counter()
        types: dict[str, dict[str, None]] = {}
        for mention, _, _ in spoken.expressions:
            if mention.chain is not None:
                mentions[mention.chain] += 1
                types.setdefault(mention.chain, {}).update(dict.fromkeys(mention.types))
        before = self._counts["several_boxes"]
        mentioned_types: set[str] = set()
        for chain in image.chains:
            n, n_boxes = mentions[chain.id], len(chain.boxes)
            if not n:
                self._counts["unmentioned"] += 1
                continue
            self._counts.update(chains=1, mentions=n, several_mentions=n > 1)
            self._counts["no_box" if n_boxes == 0 else "one_box" if n_boxes == 1 else "several_boxes"] += 1
            for type in chain.types or types[chain.id] or (UNTYPED,):
                mentioned_types.add(type)
                self._by_type.setdefault(type, Counter()).update(chains=1, mentions=n, boxes=n_boxes)
        self._counts["boxes"] += len({box for chain in image.chains if mentions[chain.id] for box in chain.boxes})
        self._counts["images_with_several_boxes"] += self._counts["several_boxes"] > before
        for type in mentioned_types:
            self._by_type[type]["images"] += 1

    def figures(self, n_images: int) -> Chains:
        n = self._counts["chains"]
        return Chains(
            count=n,
            unmentioned=self._counts["unmentioned"],
            mentions=self._counts["mentions"],
            boxes=self._counts["boxes"],
            per_image=ratio(n, n_images) if n else None,
            mentions_per_chain=ratio(self._counts["mentions"], n),
            boxes_per_chain=ratio(self._counts["boxes"], n),
            **{name: ratio(self._counts[name], n) for name in _SHARES},
            images_with_several_boxes=ratio(self._counts["images_with_several_boxes"], n_images) if n else None,
            types=tuple(
                _type_figures(type, counts, n_images)
                for type, counts in sorted(self._by_type.items(), key=lambda item: (-item[1]["chains"], item[0]))
            ),
            with_unmentioned=n + self._counts["unmentioned"],
        )


_SHARES = ("several_mentions", "one_box", "several_boxes", "no_box")

# In brackets, so that it cannot be taken for a type of the corpus.
UNTYPED = "(no type)"


def _type_figures(type: str, counts: Counter[str], n_images: int) -> TypeFigures:
    return TypeFigures(
        type=type,
        chains=counts["chains"],
        mentions=counts["mentions"],
        boxes=counts["boxes"],
        mentions_per_chain=ratio(counts["mentions"], counts["chains"]),
        boxes_per_chain=ratio(counts["boxes"], counts["chains"]),
        images=ratio(counts["images"], n_images),
    )


# How many words are listed, as in Figure 6 of the Flickr30k Entities paper.
SHOWN = 20

# Expressions that are held before their words are looked for, since taggers like many at a time.
BATCH = 1 << 15

# Distinct phrases whose words are remembered.
REMEMBERED = 1 << 18


class Phrase(NamedTuple):
    """The words of a phrase: its nouns, singular; what describes them; and its nouns as they stand."""

    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]
    nouns_as_written: str


Reader = Callable[[Iterable[str]], Iterator[Phrase]]


class Wording:
    """Counts the words of expressions and the boxes they are used for."""

    def __init__(self, tagger: str) -> None:
        if tagger not in TAGGERS:
            raise unknown("tagger", tagger, TAGGERS)
        self._tagger = tagger
        self._known: dict[str, Phrase] = {}
        self._waiting: list[list[tuple[str, tuple[str, ...]]]] = []
        self._n_waiting = 0
        self._occurrences: dict[str, Counter[str]] = {"nouns": Counter(), "adjectives": Counter()}
        self._boxes: dict[str, Counter[str]] = {"nouns": Counter(), "adjectives": Counter()}
        self._noun_phrases: set[str] = set()

    def add(self, expressions: list[tuple[str, tuple[str, ...]]]) -> None:
        """Count the expressions of one image: each one's phrase and the boxes it refers to."""
        if expressions:
            self._waiting.append(expressions)
            self._n_waiting += len(expressions)
            if self._n_waiting >= BATCH:
                self._flush()

    def noun_phrases(self) -> int:
        """The number of distinct phrases once all but their nouns is left out."""
        self._flush()
        return len(self._noun_phrases)

    def words(self, n_expressions: int, n_boxes: int) -> Words:
        """The most frequent words, with their shares of all expressions and all boxes."""
        self._flush()
        nouns, adjectives = (self._most_frequent(kind, n_expressions, n_boxes) for kind in ("nouns", "adjectives"))
        return Words(self._tagger, nouns, adjectives)

    def _most_frequent(self, kind: str, n_expressions: int, n_boxes: int) -> tuple[WordFigures, ...]:
        """By occurrences; of equals the first in the alphabet."""
        occurrences, boxes = self._occurrences[kind], self._boxes[kind]
        chosen = sorted(occurrences, key=lambda word: (-occurrences[word], word))[:SHOWN]
        return tuple(
            WordFigures(w, occurrences[w], boxes[w], ratio(occurrences[w], n_expressions), ratio(boxes[w], n_boxes))
            for w in chosen
        )

    def _flush(self) -> None:
        self._look_up({phrase for image in self._waiting for phrase, _ in image})
        for image in self._waiting:
            self._count("nouns", [(self._known[phrase].nouns, boxes) for phrase, boxes in image])
            self._count("adjectives", [(self._known[phrase].adjectives, boxes) for phrase, boxes in image])
        self._waiting.clear()
        self._n_waiting = 0

    def _look_up(self, phrases: set[str]) -> None:
        if len(self._known) > REMEMBERED:
            self._known.clear()
        new = sorted(phrases - self._known.keys())
        self._known.update(zip(new, TAGGERS[self._tagger](new), strict=True))
        self._noun_phrases.update(self._known[phrase].nouns_as_written for phrase in new)
        self._noun_phrases.discard("")

    def _count(self, kind: str, image: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
        boxes_by_word: dict[str, set[str]] = {}
        for phrase_words, boxes in image:
            distinct = set(phrase_words)
            self._occurrences[kind].update(distinct)
            for word in distinct if boxes else ():
                boxes_by_word.setdefault(word, set()).update(boxes)
        for word, used_for in boxes_by_word.items():
            self._boxes[kind][word] += len(used_for)


def by_rules(phrases: Iterable[str]) -> Iterator[Phrase]:
    """Head nouns, and whatever stands between the determiner and the head."""
    for phrase in phrases:
        written = " ".join(word for word in words(phrase) if not _is_no_noun(word))
        head = head_noun(phrase)
        # "the one", "some others": a phrase without a noun still has a head, which says nothing of the world.
        nouns = () if _is_no_noun(head) else (singular(head),)
        yield Phrase(nouns, tuple(modifiers(phrase)), written)


def by_spacy(phrases: Iterable[str]) -> Iterator[Phrase]:
    """The nouns and adjectives that spaCy's tagger finds."""
    phrases = list(phrases)
    for phrase, (nouns, adjectives) in zip(phrases, tagging.nouns_and_adjectives(phrases), strict=True):
        written = " ".join(word for word in words(phrase) if singular(word) in nouns)
        yield Phrase(tuple(nouns), tuple(adjectives), written)


TAGGERS: Mapping[str, Reader] = {"none": by_rules, "spacy": by_spacy}

_FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | ADVERBS | CLAUSE_WORDS


@lru_cache(maxsize=1 << 16)
def _is_no_noun(word: str) -> bool:
    """Whether a word of a phrase is one that lists and endings tell from a noun."""
    if word in _FUNCTION_WORDS or is_number(word) or is_adjective(word):
        return True
    return word.endswith("ing") and word not in ING_NOUNS
