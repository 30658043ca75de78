"""Learning what is said of images without naming a box: settings and acts, and how likely they are true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

import numpy as np

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.describe.realise.evidence import ClueRows, Evidence, clues
from limner.describe.realise.remark_table import NO_VERB, WORDS_FOR_PEOPLE, RemarkTable, alike, truth_of
from limner.describe.realise.remarks import COMPOUNDS, Remarks, read_remarks
from limner.describe.realise.thing_names import Name, name_of
from limner.learn.logistic import fit_logistic
from limner.progress import Progress, silent
from limner.text.noun_forms import singular
from limner.text.verb_forms import BASE_BY_FORM
from limner.text.verb_tables import CAPTION_VERBS
from limner.text.words import words

# What was said less often than this is not learnt.
MIN_COUNT = 5

# The most frequent are kept, to keep files small. Training time grows with the product of truths and clues.
MAX_SETTINGS = 300
MAX_ACTS = 150
MAX_VERBS = 70
MAX_CLUES = 900

# Images that must have a clue, and captions of so many images a verb.
MIN_IMAGES = 4
MIN_VERB = 15


class RemarkLearner:
    """Collects what is said of image after image."""

    def __init__(self) -> None:
        self._clues: list[list[str]] = []
        # The words of each image's captions that may make something true.
        self._words: list[frozenset[str]] = []
        self._n_captions = 0
        self._settings: Counter[tuple[str, str]] = Counter()
        self._acts: Counter[tuple[str, str]] = Counter()
        self._prepositions: Counter[tuple[str, str]] = Counter()

    def add(self, image: Image) -> bool:
        """Take in an image, with boxes that may be seen, and its gold captions; whether there is any."""
        captions = [caption for caption in image.captions if caption.source == "gold"]
        if not captions:
            return False
        boxes = image.box_by_id()
        spoken: set[str] = set()
        for caption in captions:
            spoken |= _spoken(caption.text)
            self._count(read_remarks(caption, boxes), caption, boxes)
        self._n_captions += len(captions)
        self._clues.append(clues(image))
        self._words.append(frozenset(spoken))
        return True

    def _count(self, remarks: Remarks, caption: Caption, boxes: Mapping[str, Box]) -> None:
        names = [_name(mention, boxes) for mention in caption.mentions]
        head = next((name for name in names if name is not None), None)
        for setting in dict.fromkeys(remarks.settings):
            self._settings["", str(setting)] += 1
            if head is not None:
                self._settings[f"kind {head.kind}", str(setting)] += 1
                self._settings[head.noun, str(setting)] += 1
        for act, mention in remarks.acts:
            self._acts["", str(act)] += 1
            if (name := names[mention]) is not None:
                self._acts[name.noun, str(act)] += 1
        if remarks.settings:
            verb = remarks.acts[-1][0].verb if remarks.acts else NO_VERB
            for before in (verb, ""):
                self._prepositions[before, remarks.settings[0].preposition] += 1

    def clue_rows(self) -> ClueRows:
        """The clues of all images."""
        return ClueRows(self._clues, MIN_IMAGES, MAX_CLUES)

    def table(self, rows: ClueRows, progress: Progress = silent) -> RemarkTable:
        """Everything learnt, from the clues of the images."""
        settings, acts = _frequent(self._settings, MAX_SETTINGS), _frequent(self._acts, MAX_ACTS)
        places = {truth_of(text) for text in settings[""]}
        said = places | {truth_of(text) for text in acts[""]}
        truths = [*sorted(said | self._verbs()), *WORDS_FOR_PEOPLE]
        shown = [[_holds(truth, spoken) for truth in truths] for spoken in self._words]
        targets = np.array(shown, dtype=np.float64).reshape(len(self._words), len(truths))
        # An image whose captions speak of no place tells nothing about which it is: a bathroom goes without saying.
        is_place = np.array([truth in places for truth in truths])
        speaks_of_place = targets[:, is_place].sum(axis=1, keepdims=True) > 0.0
        known = ~is_place | speaks_of_place
        intercepts, weights = fit_logistic(rows.rows, targets, len(rows.names), known=known, progress=progress)
        n_shown = targets.sum(axis=0).astype(int).tolist()
        return RemarkTable(
            settings=settings,
            acts=acts,
            prepositions=_frequent(self._prepositions, MAX_SETTINGS),
            shown=dict(zip(truths, n_shown, strict=True)),
            n_captions=max(1, self._n_captions) / max(1, len(self._words)),
            evidence=Evidence.of(truths, rows.names, intercepts, weights),
        )

    def _verbs(self) -> set[str]:
        """The verbs that the captions of most images have."""
        counts = Counter(word for spoken in self._words for word in spoken & CAPTION_VERBS)
        return {
            verb
            for verb, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_VERBS]
            if n >= MIN_VERB
        }


@lru_cache(maxsize=1 << 16)
def _spoken(text: str) -> set[str]:
    """The words of a caption, as singulars and base forms, and the places of two words.

    A building is a noun, whatever it is a form of: words are taken as both.
    """
    tokens = words(text)
    pairs = {f"{first} {second}" for first, second in pairwise(tokens)} & COMPOUNDS
    return {singular(token) for token in tokens} | {BASE_BY_FORM.get(token, token) for token in tokens} | pairs


def _holds(truth: str, spoken: frozenset[str]) -> bool:
    """Whether what is spoken of an image makes something true: of a word for people, that no other is used."""
    if truth in WORDS_FOR_PEOPLE:
        return truth in spoken and spoken.isdisjoint(_FOR_PEOPLE - {truth})
    return not spoken.isdisjoint(alike(truth))


def _name(mention: Mention, boxes: Mapping[str, Box]) -> Name | None:
    meant = [boxes[id] for id in mention.boxes if id in boxes]
    return name_of(meant[0].label, meant[0].types) if meant else None


# Words of which only one can hold of somebody.
_FOR_PEOPLE = frozenset({*WORDS_FOR_PEOPLE, "lady", "kid", "toddler", "female"})


def _frequent(counter: Counter[tuple[str, str]], most: int) -> dict[str, dict[str, int]]:
    """Counts by name, of the texts that are frequent for things of any name (""), in a stable order."""
    in_all = sorted(
        ((text, n) for (name, text), n in counter.items() if not name), key=lambda item: (-item[1], item[0])
    )
    frequent = {text for text, n in in_all[:most] if n >= MIN_COUNT}
    nested: dict[str, dict[str, int]] = {"": {}}
    for (name, text), n in sorted(counter.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        if text in frequent:
            nested.setdefault(name, {})[text] = n
    return nested
