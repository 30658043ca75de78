"""Surface: is it a sentence as people write them, whatever it speaks of?

The last of what Wang & Gaizauskas (2015, section 6) ask for: how well a
description is worded, its content held fixed. A language model of trigrams is
trained on the gold captions of all images (`trigram_model`), and an image's
caption is judged without those of the same image: nobody is right for having
said the same. Three things keep content out of it:

- A noun that gold captions use for boxes is any noun, singular or plural:
  "two dogs are" is fluent because "two horses are". "An" before one is "a".
  So is a word that gold never has, if the caption mentions a thing by it.
- Any other content word (verbs, adjectives, rare nouns) counts by how likely
  it is where it stands, over its share of all content words: being rare alone
  costs little.
- The value is a mean over words, so that length does not matter.

It is in nats a word; more is better. It says how expected the wording is, and
not how good: a system that only says what everybody says is above people.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import log, nan
from typing import ClassVar

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.corpus.caption import Caption
from limner.corpus.classes.class_words import built_in_synonyms
from limner.score.data_fingerprint import data_fingerprint, image_number
from limner.score.metric import Choices, Metric, Scope, Statistics, means
from limner.score.reference_round import Round
from limner.score.run import Run
from limner.score.trigram_model import MAX_WORDS, TrigramModel
from limner.text.lexicon import (
    CLAUSE_WORDS,
    CONJUNCTIONS,
    DETERMINERS,
    INDEFINITE,
    NUMBERS,
    PERSONAL_PRONOUNS,
    PREPOSITIONS,
    word_set,
)
from limner.text.noun_forms import is_plural
from limner.text.phrases import thing_noun
from limner.text.words import words

# What stands before and after a sentence, and for words that are too rare to tell anything.
START, END, RARE = "<s>", "</s>", "<rare>"

# What stands for nouns.
SINGULAR, PLURAL = "<noun>", "<nouns>"

# In how many images a word must be: the model without one of them still knows it.
MIN_IMAGES = 2

# With the captions of fewer images it still tells order and articles, but hardly one preposition from another.
ENOUGH_IMAGES = 100

# What signatures say of it.
MODEL = "trigrams of other images, Kneser-Ney"

FUNCTION_WORDS = (
    DETERMINERS
    | PREPOSITIONS
    | CLAUSE_WORDS
    | CONJUNCTIONS
    | PERSONAL_PRONOUNS
    | INDEFINITE
    | frozenset(NUMBERS)
    | word_set("not there here out")
)


class Surface(Metric):
    """The mean over a caption's words of how likely they are where they stand; NaN for a caption without words."""

    name: ClassVar[str] = "surface"
    columns: ClassVar[tuple[str, ...]] = ("surface",)
    value_names: ClassVar[tuple[str, ...]] = ("score",)
    pools_gold: ClassVar[bool] = False
    needs_images: ClassVar[bool] = True
    scope: ClassVar[Scope] = "run"

    def measure(self, run: Run) -> Statistics:
        """The value of every image, by a model of the gold captions of the run."""
        return self.judged(_model(run), run.captions or run.candidates, run.ids)

    def measure_round(self, left_out: Round) -> Statistics:
        """The same with the model of the whole run: what an image's other captions say has no part in it."""
        run = left_out.run(with_tokens=False)
        return self.judged(_model(left_out.whole), run.captions or run.candidates, run.ids)

    def judged(self, model: SurfaceModel, captions: Sequence[Caption | str], ids: Sequence[str]) -> Statistics:
        """The values of captions of these images by a model; `items` count their words."""
        # Not `depends_on_run`: a subset keeps the values by the model of all images.
        choices: Choices = {"model": MODEL, "model_data": model.data, "nouns": len(model.nouns), "words": model.n_words}
        statistics = means(model.scores(captions, ids), choices)
        texts = (caption if isinstance(caption, str) else caption.text for caption in captions)
        n_words = np.fromiter((len(words(text)) for text in texts), dtype=np.float64, count=len(captions))
        return replace(statistics, items=np.stack([n_words, n_words], axis=1), warnings=_warnings(model))


SURFACE = Surface()


@dataclass(frozen=True, slots=True)
class SurfaceModel:
    """What is expected of captions, without those of any one image.

    `nouns` stand for each other. `number_by_word` are the words that the model
    knows, `number_by_image` the images whose captions it learnt from.
    `is_content` says which of the words are no function words, and
    `content_share` is the share of those among all that were written. `data`
    is the fingerprint of what the model learnt from.
    """

    nouns: frozenset[str]
    number_by_word: Mapping[str, int]
    number_by_image: Mapping[str, int]
    trigrams: TrigramModel
    is_content: Booleans
    content_share: float
    data: str = ""

    @property
    def n_words(self) -> int:
        return len(self.number_by_word)

    def scores(self, captions: Sequence[Caption | str], ids: Sequence[str]) -> Floats:
        """The value of each caption, judged without those of its image; NaN for one without words."""
        sentences = list(map(self._symbols, captions))
        known, rare = self.number_by_word, self.number_by_word[RARE]
        numbers = np.array([known.get(word, rare) for sentence in sentences for word in sentence], dtype=np.int64)
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        return self.judged(numbers, lengths, np.array([self.number_by_image.get(id, -1) for id in ids], dtype=np.int64))

    def judged(self, numbers: Integers, lengths: Integers, images: Integers) -> Floats:
        """The values of sentences that are numbers of words after each other."""
        trigrams = _trigrams(numbers, lengths)
        # The end of a sentence is one of its words.
        lengths = lengths + 1
        member = np.repeat(np.arange(len(lengths)), lengths)
        likely = self.trigrams.log_probabilities(trigrams, images[member])
        share = self.trigrams.log_frequencies(trigrams, images[member]) - log(self.content_share)
        value = likely - np.where(self.is_content[trigrams[:, 2]], share, 0.0)
        sums = np.bincount(member, value, len(lengths))
        return np.where(lengths > 1, sums / lengths, nan)

    def _symbols(self, caption: Caption | str) -> list[str]:
        """A caption's words, with symbols for nouns: also for a word that gold never has, if a mention is about it."""
        if isinstance(caption, str):
            return symbols(words(caption), self.nouns)
        unknown = {noun for noun in _heads(caption) if noun not in self.number_by_word}
        return symbols(words(caption.text), self.nouns | unknown if unknown else self.nouns)


class GoldSentences:
    """The words of gold captions, image by image, in little memory: what a model learns from, and people's score."""

    def __init__(self) -> None:
        self._number_by_word: dict[str, int] = {}
        self._number_by_image: dict[str, int] = {}
        self._words, self._lengths, self._images = array("q"), array("q"), array("q")
        self._heads: Counter[str] = Counter()
        self._numbers = array("q")

    def add(self, id: str, captions: Iterable[Caption]) -> None:
        """Add the gold captions of an image."""
        numbers = self._number_by_word
        learnt: list[str] = []
        for caption in captions:
            said = words(caption.text)
            self._words.extend(numbers.setdefault(word, len(numbers)) for word in said)
            self._lengths.append(len(said))
            self._images.append(self._number_by_image.setdefault(id, len(self._number_by_image)))
            # Many captions have no mentions.
            heads = list(_heads(caption)) if caption.mentions else []
            if heads:
                self._heads.update(heads)
            learnt.append(f"{caption.text} {heads}")
        # A subset is judged by the model of all images, and images that are not scored teach it too: neither is in the
        # fingerprint of what is scored.
        self._numbers.append(image_number(id, learnt))

    def fingerprint(self) -> str:
        """The fingerprint of all sentences that were added, and of what they call things."""
        return data_fingerprint(_integers(self._numbers))

    def model(self) -> SurfaceModel:
        """The model of all sentences that were added."""
        nouns = self._nouns()
        numbers, symbol_by_number = self._symbols(nouns)
        images = _integers(self._images)
        of_image = np.unique(np.repeat(images, _integers(self._lengths)) * len(symbol_by_number) + numbers)
        n_images = np.bincount(of_image % max(1, len(symbol_by_number)), minlength=len(symbol_by_number))
        most_first = np.argsort(-n_images, kind="stable")[: MAX_WORDS - 3].tolist()
        usual = [symbol_by_number[number] for number in most_first if n_images[number] >= MIN_IMAGES]
        number_by_word = {word: number for number, word in enumerate((START, END, RARE, *usual))}
        is_content = np.array([_is_content(word) for word in number_by_word], dtype=np.bool_)
        trigrams = _trigrams(_renumbered(numbers, symbol_by_number, number_by_word), _integers(self._lengths))
        share = float(is_content[trigrams[:, 2]].mean()) if is_content[trigrams[:, 2]].any() else 1.0
        groups = np.repeat(images, _integers(self._lengths) + 1)
        model = TrigramModel(trigrams, groups, len(number_by_word))
        return SurfaceModel(nouns, number_by_word, self._number_by_image, model, is_content, share, self.fingerprint())

    def people(self, model: SurfaceModel, ids: Sequence[str]) -> Floats:
        """The mean over the captions of each of these images; NaN for one with fewer than two."""
        numbers, symbol_by_number = self._symbols(model.nouns)
        known, images = _renumbered(numbers, symbol_by_number, model.number_by_word), _integers(self._images)
        values = model.judged(known, _integers(self._lengths), images)
        has_value, n_images = ~np.isnan(values), len(self._number_by_image)
        sums = np.bincount(images[has_value], values[has_value], n_images)
        counts = np.bincount(images[has_value], minlength=n_images)
        of_image = [self._number_by_image.get(id, -1) for id in ids]
        return np.array([sums[i] / counts[i] if i >= 0 and counts[i] > 1 else nan for i in of_image])

    def _nouns(self) -> frozenset[str]:
        """The words that more often than not are what a gold caption calls a thing; COCO's words without mentions.

        COCO's words that gold never uses are nouns too: a system may.
        """
        used = np.bincount(_integers(self._words), minlength=len(self._number_by_word))
        numbers = self._number_by_word
        listed = (key[0] for key in built_in_synonyms().terms if len(key) == 1)
        heads = (word for word, n in self._heads.items() if word in numbers and 2 * n >= used[numbers[word]])
        return frozenset(
            [
                *(word for word in heads if word not in FUNCTION_WORDS),
                *(word for word in listed if not self._heads or word not in numbers),
            ]
        )

    def _symbols(self, nouns: frozenset[str]) -> tuple[Integers, list[str]]:
        """The sentences as numbers of symbols, and the symbols by number."""
        names = [_symbol(word, nouns) for word in self._number_by_word]
        number_by_symbol = {symbol: number for number, symbol in enumerate(dict.fromkeys((*names, "a")))}
        said = _integers(self._words)
        numbers = np.array([number_by_symbol[name] for name in names], dtype=np.int64)[said]
        is_noun = np.isin(numbers, [number_by_symbol.get(symbol, -1) for symbol in (SINGULAR, PLURAL)])
        is_last = np.zeros(len(said) + 1, dtype=np.bool_)
        is_last[np.cumsum(_integers(self._lengths)) - 1] = True
        is_before_noun = np.append(is_noun[1:], False)[: len(said)] & ~is_last[:-1]
        is_an = said == self._number_by_word.get("an", -1)
        return np.where(is_an & is_before_noun, number_by_symbol["a"], numbers), list(number_by_symbol)


def symbols(sentence: Sequence[str], nouns: frozenset[str]) -> list[str]:
    """The words, with symbols for nouns; "an" before one is "a", which the noun would have decided."""
    named = [_symbol(word, nouns) for word in sentence]
    return ["a" if word == "an" and after in (SINGULAR, PLURAL) else word for word, after in pairwise((*named, END))]


def surface_model(run: Run) -> SurfaceModel:
    """The model of the gold captions of a run's images, or of its references where it has no images."""
    sentences = GoldSentences()
    for i, id in enumerate(run.ids):
        gold = [caption for caption in run.images[i].captions if caption.source == "gold"] if run.images else []
        sentences.add(id, gold or (Caption(str(j), text) for j, text in enumerate(run.references[i])))
    return sentences.model()


def _model(run: Run) -> SurfaceModel:
    return run.model(SURFACE.name, lambda: surface_model(run))


def _warnings(model: SurfaceModel) -> list[str]:
    n_images = len(model.number_by_image)
    if n_images >= ENOUGH_IMAGES:
        return []
    return [f"surface learns from the captions of {n_images:,} images; with fewer than {ENOUGH_IMAGES} it is crude"]


@lru_cache(maxsize=1 << 16)
def _is_plural(noun: str) -> bool:
    return is_plural(noun)


def _symbol(word: str, nouns: frozenset[str]) -> str:
    return (PLURAL if _is_plural(word) else SINGULAR) if word in nouns else word


def _is_content(word: str) -> bool:
    return word not in FUNCTION_WORDS and word not in (START, END, SINGULAR, PLURAL)


def _heads(caption: Caption) -> Iterator[str]:
    """What the caption calls the things that it mentions."""
    return (thing_noun(caption.phrase(mention)) for mention in caption.mentions)


def _integers(numbers: array[int]) -> Integers:
    return np.array(numbers, dtype=np.int64)


def _renumbered(numbers: Integers, symbols: Sequence[str], number_by_word: Mapping[str, int]) -> Integers:
    """Numbers of symbols as the numbers that a model has for them."""
    known = [number_by_word.get(symbol, number_by_word[RARE]) for symbol in symbols]
    return np.array(known, dtype=np.int64)[numbers]


def _trigrams(numbers: Integers, lengths: Integers) -> Integers:
    """The trigrams that end in each word of the sentences, and in their ends; START is 0 and END 1."""
    ends = np.cumsum(lengths + 1) - 1
    member = np.repeat(np.arange(len(lengths)), lengths + 1)
    is_word = np.ones(len(member), dtype=np.bool_)
    is_word[ends] = False
    # Each sentence before, and the sentence itself, has two words more than trigrams.
    at = np.arange(len(member)) + 2 * (member + 1)
    padded = np.zeros(len(member) + 2 * len(lengths), dtype=np.int64)
    padded[at[is_word]] = numbers
    padded[at[~is_word]] = 1
    return np.stack([padded[at - 2], padded[at - 1], padded[at]], axis=1)
