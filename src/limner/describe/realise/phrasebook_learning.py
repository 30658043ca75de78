"""Learning a phrasebook from captions that are tied to boxes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.seen_images import SeenImages
from limner.describe.realise.colour_learning import ColourLearner
from limner.describe.realise.ngram_learning import NgramLearner
from limner.describe.realise.phrasebook import Counts, Phrasebook, Relations, is_noun
from limner.describe.realise.picture_colours import BoxFeatures
from limner.describe.realise.relation_words import NAMED_TOGETHER, Relation, read_relation
from limner.describe.realise.remark_learning import RemarkLearner
from limner.describe.realise.thing_layout import Frame, layout
from limner.describe.realise.thing_names import AGENTS, PARTS
from limner.progress import Progress, silent, track
from limner.text.kinds import kind_of
from limner.text.labels import noun, one
from limner.text.lexicon import ARTICLES, DETERMINERS, NUMBERS, word_set
from limner.text.noun_forms import singular
from limner.text.phrases import head_noun, is_adjective, is_plural_phrase, modifiers, qualities

# What was said less often than this is not kept: it may be a slip.
MIN_COUNT = 3

# The most frequent pairs of nouns are kept, so many for order and for each table of relations: a file stays small.
MAX_PAIRS = 20_000
MAX_RELATIONS = 40
MAX_NOUNS_OF_LABEL = 6
MAX_COMPOUNDS = 30

# Determiners that refer back to somebody.
POSSESSIVES = word_set("his her its their")

# No relation is read from more characters than this between two mentions.
MAX_BETWEEN = 60


def learn_phrasebook(
    images: Iterable[Image], progress: Progress = silent, *, features: BoxFeatures | None = None
) -> Phrasebook:
    """The phrasebook of a corpus: what its gold captions say, counted.

    With `features` of the boxes of some images it also learns which colours boxes have in their pictures.
    """
    learner = _Learner(features)
    for image in track(images, "images", progress):
        learner.add(image)
    return learner.phrasebook(progress)


class _Said(NamedTuple):
    """A mention with what it refers to."""

    start: int
    end: int
    noun: str
    kind: str
    frame: Frame


class _Learner:
    def __init__(self, features: BoxFeatures | None) -> None:
        self._colours = None if features is None else ColourLearner(features)
        self._seen = SeenImages()
        self._n_images = 0
        self._n_captions = 0
        self._nouns: Counter[tuple[str, str]] = Counter()
        self._compounds: Counter[tuple[str, str]] = Counter()
        self._determiners: Counter[tuple[str, str]] = Counter()
        self._before: Counter[tuple[str, str]] = Counter()
        self._kinds_before: Counter[tuple[str, str]] = Counter()
        self._by_nouns: Counter[_Key] = Counter()
        self._by_object: Counter[_Key] = Counter()
        self._by_kinds: Counter[_Key] = Counter()
        self._remarks = RemarkLearner()
        self._ngrams = NgramLearner()

    def add(self, image: Image) -> None:
        self._seen.add(image)
        if self._colours is not None:
            self._colours.add(image)
        image = visible(image)
        boxes = image.box_by_id()
        if self._remarks.add(image):
            self._ngrams.add(caption.text for caption in image.captions if caption.source == "gold")
        self._n_images += 1
        for caption in image.captions:
            if caption.source != "gold" or not caption.mentions:
                continue
            self._n_captions += 1
            said = [s for mention in caption.mentions if (s := self._said(caption, mention, boxes)) is not None]
            self._count_order(said)
            self._count_relations(caption.text, said)

    def _said(self, caption: Caption, mention: Mention, boxes: Mapping[str, Box]) -> _Said | None:
        meant = [boxes[id] for id in mention.boxes if id in boxes]
        if not meant:
            return None
        name, kind = _named(meant[0].label, meant[0].types)
        if not name:
            return None
        if len(meant) == 1:
            self._count_words(caption.phrase(mention), name, mention.start == 0)
        return _Said(mention.start, mention.end, name, kind, Frame.around(meant))

    def _count_words(self, phrase: str, name: str, leads: bool) -> None:
        word, determiner = _wording(phrase, name)
        # Plurals have compounds too: swim trunks.
        head = singular(head_noun(phrase))
        if (described := qualities(phrase)) and _is_part_of_noun(described[-1]) and head in (name, word):
            self._compounds[head, described[-1]] += 1
        if not word:
            return
        self._nouns[name, word] += 1
        if determiner and not leads:
            self._determiners[word, determiner] += 1

    def _count_order(self, said: Sequence[_Said]) -> None:
        for later, second in enumerate(said):
            for first in said[:later]:
                if first.noun != second.noun:
                    self._before[first.noun, second.noun] += 1
                if first.kind != second.kind:
                    self._kinds_before[first.kind, second.kind] += 1

    def _count_relations(self, text: str, said: Sequence[_Said]) -> None:
        subject = 0
        for at in range(1, len(said)):
            before, after = said[at - 1], said[at]
            apart = after.start - before.end
            read = read_relation(text[before.end : after.start]) if 0 < apart <= MAX_BETWEEN else None
            if read is None:
                if after.kind in AGENTS:
                    subject = at
                continue
            if read.adjacent and not _belongs_elsewhere(read.relation, before):
                of = before
            else:
                of = said[subject] if read.finite else _actor(said, at)
            self._count(read.relation, of, after)

    def _count(self, relation: Relation, a: _Said, b: _Said) -> None:
        if a is b:
            return
        text = _text(relation)
        bucket = layout(a.frame, b.frame).bucket
        self._by_nouns[a.noun, b.noun, text, bucket] += 1
        self._by_object[a.kind, b.noun, text, bucket] += 1
        self._by_kinds[a.kind, b.kind, text, bucket] += 1

    def phrasebook(self, progress: Progress) -> Phrasebook:
        book = Phrasebook(
            n_images=self._n_images,
            n_captions=self._n_captions,
            nouns=_nested(self._nouns, MAX_NOUNS_OF_LABEL),
            compounds=_nested(self._compounds, MAX_COMPOUNDS),
            determiners=_nested(self._determiners, 4),
            before=_nested(Counter(dict(self._before.most_common(MAX_PAIRS)))),
            kinds_before=_nested(self._kinds_before),
            by_nouns=_relations(self._by_nouns),
            by_object=_relations(self._by_object),
            by_kinds=_relations(self._by_kinds),
            hashes=self._seen.to_json(),
        )
        rows = self._remarks.clue_rows()
        colours = None if self._colours is None else self._colours.model()
        return replace(
            book, remarks=self._remarks.table(rows, progress), ngrams=self._ngrams.ngrams(rows), colours=colours
        )


_Key = tuple[str, str, str, str]


def _belongs_elsewhere(relation: Relation, before: _Said) -> bool:
    """Whether what follows a mention is more likely said of somebody before: "a man in a hat holding"."""
    if relation == NAMED_TOGETHER:
        return False
    if before.kind in PARTS:
        return relation.preposition not in ("of", "with") or relation.is_verbal
    return bool(relation.verb) and before.kind not in AGENTS and before.kind != "vehicles"


def _actor(said: Sequence[_Said], at: int) -> _Said:
    """The last mention before that can act, or else the last."""
    for candidate in reversed(said[:at]):
        if candidate.kind in AGENTS:
            return candidate
    return said[at - 1]


@lru_cache(maxsize=1 << 16)
def _named(label: str, types: tuple[str, ...]) -> tuple[str, str]:
    """The noun and kind of boxes with a label; empty if it is not a noun."""
    name = one(noun(label))
    return (name, kind_of(name, types)) if is_noun(name) else ("", "")


_text = lru_cache(maxsize=1 << 14)(str)


@lru_cache(maxsize=1 << 18)
def _wording(phrase: str, name: str) -> tuple[str, str]:
    """The noun that a phrase for one thing uses, compounds whole, and its determiner; both may be empty."""
    if is_plural_phrase(phrase):
        return "", ""
    lower = phrase.lower()
    first = lower.split(" ", 1)[0]
    if lower == name or lower.endswith(" " + name):
        word = name
    else:
        word = head_noun(phrase)
        described = modifiers(phrase)
        if described and _is_part_of_noun(described[-1]):
            word = f"{described[-1]} {word}"
    if not is_noun(word) or singular(word) != word:
        return "", ""
    if first in ARTICLES:
        return word, "the" if first == "the" else "a"
    if first in POSSESSIVES:
        return word, "possessive"
    return word, "" if first in DETERMINERS or first in NUMBERS else "bare"


@lru_cache(maxsize=1 << 14)
def _is_part_of_noun(word: str) -> bool:
    """Whether a word before a noun makes another noun of it, as "tennis" of "ball", and does not describe it."""
    return is_noun(word) and not is_adjective(word) and not word.endswith(("ed", "ing", "er"))


def _nested(counter: Mapping[tuple[str, str], int], most: int | None = None) -> dict[str, Counts]:
    """Counts of pairs by their first, the frequent ones, in a stable order."""
    by_first: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (first, second), n in sorted(counter.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        if n >= MIN_COUNT and (most is None or len(by_first[first]) < most):
            by_first[first][second] = n
    return {first: seconds for first, seconds in by_first.items() if seconds}


def _relations(counter: Mapping[_Key, int]) -> Relations:
    """Counts of relations by pair: of frequent pairs, what is said of them more than now and then."""
    of_pair: Counter[tuple[str, str]] = Counter()
    of_text: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (a, b, text, _), n in counter.items():
        of_pair[a, b] += n
        of_text[a, b][text] += n
    frequent = {
        pair: {text for text, n in of_text[pair].most_common(MAX_RELATIONS) if n >= MIN_COUNT}
        for pair, n in sorted(of_pair.items(), key=lambda item: (-item[1], item[0]))[:MAX_PAIRS]
        if n >= MIN_COUNT
    }
    nested: Relations = {}
    for (a, b, text, bucket), n in sorted(counter.items()):
        if text in frequent.get((a, b), ()):
            nested.setdefault(a, {}).setdefault(b, {}).setdefault(text, {})[bucket] = n
    return nested
