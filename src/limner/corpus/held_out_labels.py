"""Labels from captions that are then no longer gold.

Where a corpus has no classes, its boxes are labelled with nouns of its
captions. A system that describes these boxes is told words of the very
sentences it is scored on. Here some captions of each image give the boxes and
their labels, and the others stay gold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import LABEL_SOURCE, Caption, Mention
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.errors import BadInput, shown
from limner.text.lexicon import COLOURS, DETERMINERS, word_set
from limner.text.noun_forms import is_plural, singular
from limner.text.phrases import is_number, qualities, thing_noun

UNNAMED = "object"

# What a phrase refers to that says a colour and nothing else: what somebody "in red" wears, if it is clothing.
IN_COLOUR = "in a colour"
CLOTHING = "clothing"

# The flag of a box that no such caption mentions. Gold may mention it; nobody who describes may see it.
HIDDEN = "hidden"

# The flag of a box around what these captions call by a plural: trees, or swim trunks.
PLURAL = "plural"


# Heads of phrases that leave to others what the thing is: "the other", "one of the men", "some kind of uniform".
NAMELESS = word_set(
    "all another any anything both each either every everything few half it kind many most much nothing one ones other "
    "rest several some something sort stuff that thing this type whatever which whom"
) | {"these", "those", "them", "they"}
PEOPLE = word_set("anybody anyone everybody everyone nobody somebody someone")

# Colours that are nothing else: cream and limes are eaten, a blonde is a person.
BARE_COLOURS = COLOURS - word_set("blond blonde cream ivory lavender lime olive")


# A corpus uses the same phrases over and over.
@lru_cache(maxsize=1 << 17)
def thing_name(phrase: str) -> str:
    """The singular noun that says what a phrase refers to; `object` if it does not say, as "the other" does not.

    What is said after "of" counts where the head says nothing: "one of the
    men" is a man, "a body of water" water. A colour says nothing either: "red"
    is `in a colour`, and "one red" may be anything.
    """
    noun = thing_noun(phrase)
    # "an orange" is a fruit, as oranges are; "orange" alone is a colour.
    if noun in BARE_COLOURS and (_is_bare(phrase) or noun != "orange"):
        return IN_COLOUR if _is_bare(phrase) else UNNAMED
    name = singular(noun)
    if name in PEOPLE:
        return "person"
    of = _OF.search(phrase)
    if name in NAMELESS or is_number(name):
        return thing_name(phrase[of.end() :]) if of else UNNAMED
    if name == "body" and of and thing_name(phrase[of.end() :]) == "water":
        return "water"
    return intern(name) or UNNAMED


_OF = re.compile(r"\bof\s", re.IGNORECASE)


def _is_bare(phrase: str) -> bool:
    """Whether a phrase begins with no determiner or number: "red", "all black", but not "a blue" or "one white"."""
    first = phrase.split(maxsplit=1)[0].lower()
    return first == "all" or not (first in DETERMINERS or is_number(first))


def most_used(names: Mapping[str, int]) -> str:
    """The name that was used most, of those that say what the thing is; of equals the first in the alphabet."""
    if len(names) == 1:
        return next(iter(names))
    return min(names, key=lambda name: (name == UNNAMED, name == IN_COLOUR, -names[name], name))


def label_of(names: Mapping[str, int], types: Collection[str]) -> str:
    """What a thing is called: its most used name; if no name says what it is, its types may.

    People are at least persons, and what is only called by its colour is
    clothing if it is worn.
    """
    name = most_used(names) if names else UNNAMED
    if name == IN_COLOUR:
        name = CLOTHING if CLOTHING in types else UNNAMED
    return "person" if name == UNNAMED and "people" in types else name


class HeldOutLabels:
    """The images of a corpus, each labelled by some of its captions, with a count of what that leaves.

    `n_too_few` images have no caption besides those that label, and are left
    out. Of `n_mentions` in gold captions, `n_hidden` refer to hidden boxes
    only: a system cannot name these, and loses recall by them. Without
    attributes, boxes keep those that they had.
    """

    def __init__(
        self, images: Iterable[Image], n: int, seed: int = 0, *, place: str = "corpus", with_attributes: bool = True
    ) -> None:
        if n < 1:
            raise ValueError(f"labels cannot come from {n} captions; give at least 1")
        self.n, self.seed = n, seed
        self._images, self._place, self._with_attributes = images, place, with_attributes
        self.n_images = self.n_too_few = self.n_mentions = self.n_hidden = 0

    def __iter__(self) -> Iterator[Image]:
        self.n_images = self.n_too_few = self.n_mentions = self.n_hidden = 0
        most_captions = 0
        for image in self._images:
            if "labels_from" in image.provenance:
                problem = f"the labels of image {shown(image.id)} are from held-out captions already"
                raise BadInput(self._place, problem, "start from the corpus as it was", code="held-out-already")
            labelled = hold_out(image, self.n, self.seed, with_attributes=self._with_attributes)
            if labelled is None:
                self.n_too_few += 1
                most_captions = max(most_captions, sum(caption.source == "gold" for caption in image.captions))
                continue
            self._count(labelled)
            yield labelled
        if not self.n_images:
            captions = "one gold caption" if most_captions == 1 else f"{most_captions} gold captions"
            remedy = (
                "take labels from fewer captions" if most_captions > 1 else "name a corpus with several of each image"
            )
            raise BadInput(self._place, f"no image has more than {captions}", remedy)
        if not self.n_mentions:
            problem = "no gold caption refers to a box"
            raise BadInput(self._place, problem, "link the captions to the boxes first", code="no-mentions")

    @property
    def hidden_share(self) -> float:
        """The share of gold's mentions that refer to hidden boxes only."""
        return self.n_hidden / self.n_mentions if self.n_mentions else 0.0

    def _count(self, image: Image) -> None:
        self.n_images += 1
        hidden = _hidden(image)
        for caption, mention in image.mentions():
            if caption.source == "gold" and mention.boxes:
                self.n_mentions += 1
                self.n_hidden += hidden.issuperset(mention.boxes)


def hold_out(image: Image, n: int, seed: int = 0, *, with_attributes: bool = True) -> Image | None:
    """The image with its boxes labelled by n of its gold captions; None if it has no more than n.

    Boxes get attributes from these captions too, unless `with_attributes` is false: the
    words before the noun.

    Which captions depends on the seed and the image's id alone. They get the
    source `person:labels`; the other captions stay gold. A box that none of
    the n mentions is hidden: it keeps the label it had.
    """
    gold = [i for i, caption in enumerate(image.captions) if caption.source == "gold"]
    if len(gold) <= n:
        return None
    chosen = set(random_stream("labels", seed, image.id).sample(gold, n))
    captions = tuple(
        replace(caption, source=LABEL_SOURCE) if i in chosen else caption for i, caption in enumerate(image.captions)
    )
    called = _labels([image.captions[i] for i in sorted(chosen)])
    return replace(
        image,
        boxes=tuple(_labelled(box, called.get(box.id), with_attributes) for box in image.boxes),
        captions=captions,
        provenance={**image.provenance, "labels": "captions", "labels_from": n, "labels_seed": seed},
    )


def visible(image: Image) -> Image:
    """The image as one may see it who describes: without hidden boxes, nor a word that refers to them."""
    hidden = _hidden(image)
    if not hidden:
        return image
    return replace(
        image,
        boxes=tuple(box for box in image.boxes if box.id not in hidden),
        captions=tuple(
            replace(caption, mentions=tuple(_without(mention, hidden) for mention in caption.mentions))
            for caption in image.captions
        ),
        chains=tuple(replace(chain, boxes=_left(chain.boxes, hidden)) for chain in image.chains),
    )


def _hidden(image: Image) -> set[str]:
    return {box.id for box in image.boxes if HIDDEN in box.flags}


def _without(mention: Mention, hidden: set[str]) -> Mention:
    candidates = tuple(candidate for candidate in mention.candidates if candidate.box not in hidden)
    return replace(mention, boxes=_left(mention.boxes, hidden), candidates=candidates)


def _left(ids: tuple[str, ...], hidden: set[str]) -> tuple[str, ...]:
    return tuple(id for id in ids if id not in hidden)


class _Called(NamedTuple):
    """What captions call a box: its label, its types, the words before its noun, and whether that is a plural."""

    label: str
    types: tuple[str, ...]
    attributes: tuple[str, ...]
    is_plural: bool = False


def _labels(captions: Sequence[Caption]) -> dict[str, _Called]:
    """What these captions call each box that they mention.

    The captions may call a box several things: the one counts that says what
    it is, names the fewest boxes at once, then the one that is used most. All
    that they say of it counts: "a small dog" and "a brown dog" are one. But
    "a wooden ramp" does not make a park wooden: of anything but people, only
    what is said with the label's noun counts.
    """
    names: dict[tuple[str, ...], Counter[str]] = {}
    types: dict[tuple[str, ...], dict[str, None]] = {}
    attributes: dict[str, dict[tuple[str, str], None]] = {}
    plurals: Counter[tuple[tuple[str, ...], str]] = Counter()
    for caption in captions:
        for mention in caption.mentions:
            if mention.boxes:
                phrase = caption.phrase(mention)
                name = thing_name(phrase)
                names.setdefault(mention.boxes, Counter())[name] += 1
                plurals[mention.boxes, name] += _is_plural(phrase)
                types.setdefault(mention.boxes, {}).update(dict.fromkeys(mention.types))
                for box in mention.boxes:
                    attributes.setdefault(box, {}).update(dict.fromkeys((name, a) for a in _attributes(phrase)))
    called: dict[str, _Called] = {}
    label = {boxes: label_of(used, types[boxes]) for boxes, used in names.items()}
    for boxes in sorted(names, key=lambda boxes: (label[boxes] == UNNAMED, len(boxes), -names[boxes].total(), boxes)):
        noun = label[boxes]
        is_plural = len(boxes) == 1 and 2 * plurals[boxes, noun] > names[boxes][noun]
        is_anybody = "people" in types[boxes] or noun not in names[boxes]
        for box in boxes:
            words = dict.fromkeys(word for name, word in attributes[box] if is_anybody or name == noun)
            called.setdefault(box, _Called(noun, tuple(types[boxes]), tuple(words), is_plural))
    return called


@lru_cache(maxsize=1 << 17)
def _is_plural(phrase: str) -> bool:
    """Whether a phrase calls what it refers to by a plural noun: "swim trunks", "a row of trees", but not "a crowd"."""
    return is_plural(thing_noun(phrase))


@lru_cache(maxsize=1 << 17)
def _attributes(phrase: str) -> tuple[str, ...]:
    """The words before the noun for what can be seen: "young" of "a large group of young people"."""
    return tuple(intern(word) for word in qualities(phrase) if word.replace("-", "").isalpha())


def _labelled(box: Box, called: _Called | None, with_attributes: bool) -> Box:
    if called is None:
        return replace(box, flags=(*box.flags, HIDDEN))
    # Mentions that say no types leave those of the box's class.
    attributes = tuple(dict.fromkeys((*box.attributes, *(called.attributes if with_attributes else ()))))
    flags = (*box.flags, PLURAL) if called.is_plural else box.flags
    return replace(box, label=called.label, types=called.types or box.types, attributes=attributes, flags=flags)
