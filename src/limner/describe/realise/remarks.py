"""What captions say without naming a box: where something is ("in a kitchen"), and what it does ("playing tennis").

Both have closed shapes and words. Neither noisy captions nor somebody else's
file can put other words into a sentence.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from limner.corpus.caption import Caption
from limner.text.kinds import kind_of_noun
from limner.text.lexicon import ADJECTIVES, word_set
from limner.text.noun_forms import singular
from limner.text.verb_forms import BASE_BY_FORM, GERUNDS, gerund
from limner.text.words import word_spans


class Setting(NamedTuple):
    """Where something is: a preposition, and a phrase for a place whose head is `noun`."""

    preposition: str
    phrase: str

    def __str__(self) -> str:
        return f"{self.preposition} {self.phrase}"

    @property
    def noun(self) -> str:
        """The place itself: "tennis court" of "a blue tennis court"."""
        words = self.phrase.split(" ")
        two = " ".join(words[-2:])
        return two if two in COMPOUNDS else singular(words[-1])


class Act(NamedTuple):
    """What somebody or something does: a verb, a particle, and an object that has no box; or a state: "parked".

    `verb` is the base form; of a state it is the participle.
    """

    verb: str
    particle: str = ""
    object: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.form, self.particle, self.object) if part)

    @property
    def is_state(self) -> bool:
        return self.verb in STATES

    @property
    def form(self) -> str:
        return self.verb if self.is_state else gerund(self.verb)


class Remark(NamedTuple):
    """An act or setting that is said, and how likely it is true."""

    what: Act | Setting
    probability: float


class Remarks(NamedTuple):
    """The settings of a caption, and its acts with the number of the mention that is said to do them."""

    settings: list[Setting]
    acts: list[tuple[Act, int]]


def read_remarks(caption: Caption, boxes: Container[str]) -> Remarks:
    """What a caption says of places and acts in words that refer to none of the boxes, which are given by id."""
    tokens = _tokens(caption, boxes)
    settings: list[Setting] = []
    acts: list[tuple[Act, int]] = []
    at = 0
    while at < len(tokens):
        if tokens[at].mention is None:
            if (setting := _setting_at(tokens, at)) is not None:
                settings.append(setting[0])
                at = setting[1]
                continue
            if (act := _act_at(tokens, at)) is not None:
                acts.append((act[0], act[2]))
                at = act[1]
                continue
        at += 1
    return Remarks(settings, acts)


@lru_cache(maxsize=1 << 14)
def setting_of(text: str) -> Setting | None:
    """The setting that a phrasebook writes as text, None if it is none."""
    tokens = [_Token(word, None, False) for word in text.split(" ")]
    read = _setting_at(tokens, 0)
    return read[0] if read is not None and str(read[0]) == text else None


@lru_cache(maxsize=1 << 14)
def act_of(text: str) -> Act | None:
    """The act that a phrasebook writes as text, None if it is none."""
    words = text.split(" ")
    verb = words[0] if words[0] in STATES else BASE_BY_FORM[words[0]] if words[0] in GERUNDS else ""
    if not verb:
        return None
    act, end = _act_words([_Token(word, None, False) for word in words], 0, verb)
    if not _is_complete(act):
        return None
    return act if end == len(words) and str(act) == text else None


class _Token(NamedTuple):
    """A word in lower case, the number of the mention it belongs to, and whether punctuation stands before it."""

    word: str
    mention: int | None
    after_break: bool


def _tokens(caption: Caption, boxes: Container[str]) -> list[_Token]:
    text, mentions = caption.text, caption.mentions
    tokens: list[_Token] = []
    reached = number = 0
    for start, end in word_spans(text):
        while number < len(mentions) and mentions[number].end <= start:
            number += 1
        inside = number < len(mentions) and mentions[number].start < end
        inside = inside and any(id in boxes for id in mentions[number].boxes)
        between = text[reached:start]
        tokens.append(
            _Token(text[start:end].lower(), number if inside else None, not between.isspace() and bool(tokens))
        )
        reached = end
    return tokens


def _setting_at(tokens: Sequence[_Token], at: int) -> tuple[Setting, int] | None:
    """The setting that begins at a word, and the index after it."""
    preposition = next((p for p in _PREPOSITIONS_BY_FIRST.get(tokens[at].word, ()) if _matches(tokens, at, p)), None)
    if preposition is None:
        return None
    start = at + len(preposition)
    end = start
    while end < len(tokens) and end - start < MAX_PLACE and _continues(tokens[end], is_first=end == start):
        end += 1
    if end == start or not _is_place([token.word for token in tokens[start:end]]):
        return None
    text = " ".join(preposition)
    return Setting(_SAID_AS.get(text, text), " ".join(token.word for token in tokens[start:end])), end


def _matches(tokens: Sequence[_Token], at: int, words: Sequence[str]) -> bool:
    following = tokens[at : at + len(words)]
    return len(following) == len(words) and all(
        token.word == word and token.mention is None and not (i and token.after_break)
        for i, (token, word) in enumerate(zip(following, words, strict=True))
    )


def _continues(token: _Token, *, is_first: bool) -> bool:
    if not _goes_on(token):
        return False
    return (is_first and token.word in _ARTICLES) or _is_place_word(token.word)


@lru_cache(maxsize=1 << 14)
def _is_place_word(word: str) -> bool:
    return word in ADJECTIVES or word in _BEFORE_PLACES or word in _COMPOUND_WORDS or _is_place_noun(word)


@lru_cache(maxsize=1 << 14)
def _is_place_noun(word: str) -> bool:
    return (kind_of_noun(word) == "scene" or singular(word) in SURFACES) and word not in _NO_PLACES


def _is_place(words: Sequence[str]) -> bool:
    """Whether words are a place: an article, words that may stand before its noun, and the noun."""
    last = words[-1]
    if len(words) == 1 and words[0] in _ARTICLES:
        return False
    return _is_place_noun(last) or " ".join(words[-2:]) in COMPOUNDS


def _act_at(tokens: Sequence[_Token], at: int) -> tuple[Act, int, int] | None:
    """The act that begins at a word, the index after it, and the mention that does it."""
    word = tokens[at].word
    verb = word if word in STATES else BASE_BY_FORM.get(word)
    if verb is None or not at:
        return None
    subject = _subject(tokens, at)
    if subject is None:
        return None
    act, end = _act_words(tokens, at, verb)
    if not _is_complete(act):
        return None
    # What is done to a box, on a box or to anything else is no act by itself.
    follows = tokens[end] if end < len(tokens) else None
    if follows is not None and not follows.after_break:
        if follows.mention is not None or (follows.word not in _AFTER_ACTS and _setting_at(tokens, end) is None):
            return None
        after = end
        while after < len(tokens) and tokens[after].word in _PREPOSITION_WORDS:
            after += 1
        if after > end and after < len(tokens) and tokens[after].mention is not None:
            return None
    return act, end, subject


def _act_words(tokens: Sequence[_Token], at: int, base: str) -> tuple[Act, int]:
    """The act that a verb begins, with its particle and object, and the index after it."""
    end = at + 1
    following = list(takewhile(_goes_on, tokens[end : end + MAX_OBJECT]))
    for length in range(len(following), 0, -1):
        text = " ".join(token.word for token in following[:length])
        if text in OBJECTS.get(base, ()):
            return Act(base, object=text), end + length
    if following and following[0].word in PARTICLES.get(base, ()):
        return Act(base, following[0].word), end + 1
    return Act(base), end


def _goes_on(token: _Token) -> bool:
    """Whether a word belongs to what was said before it: punctuation ends that, and so does a box."""
    return token.mention is None and not token.after_break


def _is_complete(act: Act) -> bool:
    """Whether nothing is missing: nobody just holds."""
    return bool(act.object) or act.is_state or act.verb in INTRANSITIVE


def _subject(tokens: Sequence[_Token], at: int) -> int | None:
    """The mention right before a verb, or the first one if only "is", "are" and the like stand between."""
    before = at - 1
    while before >= 0 and tokens[before].mention is None and tokens[before].word in _AUXILIARIES:
        before -= 1
    if before < 0 or tokens[before].mention is None or tokens[at].after_break:
        return None
    return tokens[before].mention


# Words of a place, its article and adjectives included, and of an act's object.
MAX_PLACE = 5
MAX_OBJECT = 4

_PREPOSITIONS = (
    "in the middle of", "on the side of", "at the edge of", "in front of", "next to", "on top of", "on", "in", "at",
    "down", "near", "through", "over", "along", "by", "across", "under", "against", "beside", "behind", "outside",
    "above", "around", "up", "inside", "into", "off", "past", "toward", "towards",
)  # fmt: skip
_SAID_AS = {"on top of": "on", "towards": "toward"}
_PREPOSITIONS_BY_FIRST: dict[str, list[list[str]]] = {}
for _words in map(str.split, _PREPOSITIONS):
    _PREPOSITIONS_BY_FIRST.setdefault(_words[0], []).append(_words)
_PREPOSITION_WORDS = frozenset(word for text in _PREPOSITIONS for word in text.split()) | {"with", "of", "to", "from"}
_ARTICLES = word_set("a an the some")
_AUXILIARIES = word_set("is are was were and while who that which")
_AFTER_ACTS = _PREPOSITION_WORDS | word_set("and while as together outside outdoors inside indoors during for next")

# Nouns that stand before the noun of a place, and words for what covers the ground.
_BEFORE_PLACES = word_set(
    """
    tennis baseball soccer basketball football skate ski train subway bus railroad railway parking living dining hotel
    city hospital snow snow-covered covered grass grass-covered dirt stone brick concrete wooden sand gravel ice fenced
    airport kitchen bathroom city-street public residential
    """
)
COMPOUNDS = frozenset({
    "parking lot", "living room", "dining room", "tennis court", "baseball field", "soccer field", "train station",
    "train tracks", "train track", "skate park", "ski slope", "city street", "swimming pool", "hotel room",
})  # fmt: skip
_COMPOUND_WORDS = frozenset(word for compound in COMPOUNDS for word in compound.split(" "))
# Nouns that say where in the picture something is, or nothing.
_NO_PLACES = word_set("background scene area lot lots landscape horizon corner square bar stage platform")

# What things stand, lie and hang on without being a place.
SURFACES = word_set(
    "table desk counter plate shelf tray rack tree branch window windowsill rug carpet pole rock log bed couch chair"
)

# Verbs that tell an act by themselves, and participles that tell a state.
INTRANSITIVE = word_set(
    """
    stand sit walk fly travel lie play ski graze pose wait jump work drive run smile surf skateboard float sleep kneel
    swim snowboard relax rest eat perform dance sing race cook shop gather skate hike sail crouch hang celebrate swing
    """
)
STATES = word_set("parked seated perched docked gathered")

PARTICLES: dict[str, tuple[str, ...]] = {
    "lie": ("down",),
    "fly": ("around",),
    "walk": ("around",),
    "drive": ("by",),
}

# What is done in captions to things that have no box.
_GAMES = ("tennis", "baseball", "soccer", "frisbee", "golf", "basketball", "volleyball", "football", "hockey", "polo")
OBJECTS: dict[str, tuple[str, ...]] = {
    "play": (
        *_GAMES, "a game", "video games", "a video game", "games", "music", "cards", "wii", "catch",
        *(f"{article} game of {game}" for article in ("a", "the") for game in _GAMES),
    ),
    "ride": ("a wave", "waves", "the wave", "the waves", "a large wave", "a small wave"),
    "surf": ("a wave", "waves", "the waves"),
    "perform": ("a trick", "tricks"),
    "jump": ("a ramp",),
    "pose": ("for a picture", "for a photo", "for the camera", "for a photograph"),
    "look": ("at the camera",),
    "smile": ("at the camera", "for the camera"),
    "eat": ("grass", "food", "a meal", "dinner", "lunch", "leaves", "hay"),
    "prepare": ("food", "a meal"),
    "cook": ("food", "a meal"),
    "swing": ("at a ball", "at a pitch", "at the ball"),
    "throw": ("a pitch",),
}  # fmt: skip
