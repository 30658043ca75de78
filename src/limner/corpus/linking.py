"""Linking: captions tied to boxes by the names of the boxes' classes, where nobody has tied them by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, get_args
from weakref import WeakKeyDictionary

from msgspec import structs

from limner.corpus.box import Box
from limner.corpus.caption import Mention
from limner.corpus.classes.class_mentions import ClassMentions, NounPhrase
from limner.corpus.classes.class_names import class_name
from limner.corpus.classes.class_words import Synonyms, Term, built_in_synonyms
from limner.corpus.image import Chain, Image
from limner.corpus.provenance import LINKED
from limner.corpus.random_streams import random_stream
from limner.errors import BadInput, shown, unknown

# Which box of its class a singular noun means: the largest that is left, a random one, or all of them.
Linker = Literal["largest", "random", "all"]

LINKERS: tuple[str, ...] = get_args(Linker)


def link_corpus(
    images: Iterable[Image],
    synonyms: Synonyms | None = None,
    *,
    linker: Linker = "largest",
    seed: int = 0,
    replace: bool = False,
    place: str = "corpus",
) -> Iterator[Image]:
    """The images, their captions tied to their boxes as `link` ties them.

    An image that already has mentions is an error, which names the `place`;
    with `replace` they are replaced.
    """
    known = synonyms or built_in_synonyms()
    for image in images:
        if not replace and (image.chains or any(caption.mentions for caption in image.captions)):
            problem = f"image {shown(image.id)} has mentions already"
            raise BadInput(place, problem, "allow them to be replaced", code="has-mentions")
        yield link(image, known, linker=linker, seed=seed)


def link(image: Image, synonyms: Synonyms | None = None, *, linker: Linker = "largest", seed: int = 0) -> Image:
    """The image with mentions wherever a caption names the class of a box; earlier mentions are replaced.

    A singular noun refers to the largest box of its class that no other
    singular noun of the caption has taken, a plural or counted one to all
    boxes of the class. With the linker `random`, boxes come in an order that
    depends on the seed and the image's id alone, rather than by size; with
    `all`, singular nouns refer to all boxes too. A noun without a box makes
    no mention. An image without boxes or captions is returned unchanged.
    """
    if linker not in LINKERS:
        raise unknown("linker", linker, LINKERS)
    if not image.boxes or not image.captions:
        return image
    things = _Things(image, synonyms or built_in_synonyms(), linker, seed)
    captions = tuple(structs.replace(caption, mentions=things.mentions(caption.text)) for caption in image.captions)
    chains = tuple(things.chains.values())
    provenance = {**image.provenance, "mentions": linked_by(linker, seed)}
    return structs.replace(image, captions=captions, chains=chains, provenance=provenance)


def linked_by(linker: Linker, seed: int = 0) -> str:
    """What the provenance of an image says of its mentions."""
    if linker == "largest":
        return LINKED
    return f"{LINKED}, random, seed {seed}" if linker == "random" else f"{LINKED}, {linker}"


class _Things:
    """An image's boxes by what they are called, and the chains that mentions have made so far."""

    def __init__(self, image: Image, synonyms: Synonyms, linker: Linker, seed: int) -> None:
        self._synonyms = synonyms
        self._all = linker == "all"
        self._boxes_by_class: dict[str, list[Box]] = {}
        for box in image.boxes:
            self._boxes_by_class.setdefault(class_name(box.label), []).append(box)
        self._class_mentions = _class_mentions(synonyms, self._boxes_by_class)
        self._order = {box.id: n for n, box in enumerate(image.boxes)}
        # One order for all captions: people who say the same mean the same box.
        self._worth = {box.id: float(box.area) for box in image.boxes}
        if linker == "random":
            chance = random_stream("linking", seed, image.id)
            self._worth = {box.id: chance.random() for box in image.boxes}
        self._pools: dict[Term, list[Box]] = {}
        self.chains: dict[frozenset[str], Chain] = {}

    def mentions(self, text: str) -> tuple[Mention, ...]:
        taken: set[str] = set()
        mentions: list[Mention] = []
        for phrase in self._class_mentions.noun_phrases(text):
            boxes = self._referents(phrase, taken)
            if boxes:
                chain = self._chain(boxes)
                mentions.append(Mention(phrase.start, phrase.end, chain.boxes, chain.id, chain.types, origin="linked"))
        return tuple(mentions)

    def _referents(self, phrase: NounPhrase, taken: set[str]) -> list[Box]:
        pool = self._pool(phrase.term)
        if phrase.several or self._all:
            return pool
        # Two singular nouns of one class mean two things: "a man beside a man".
        left = [box for box in pool if box.id not in taken]
        # A box around a whole crowd is nobody in particular while there are others.
        single = [box for box in left if "crowd" not in box.flags] or left
        if not single:
            return []
        first = max(single, key=lambda box: self._worth[box.id])
        taken.add(first.id)
        return [first]

    def _pool(self, term: Term) -> list[Box]:
        """The boxes that a term may mean, in the image's order.

        Boxes labelled with the very word come first: "man" means boxes
        labelled man if there are any, otherwise those labelled person. The
        class's own name means everything that is a kind of it.
        """
        if term not in self._pools:
            # A label may be a synonym itself, in corpora with finer labels than the list's classes.
            labels = [term.word] if term.word in self._boxes_by_class else list(term.classes)
            if term.word in self._synonyms.words_by_class:
                labels += self._synonyms.words_by_class[term.word] - set(labels) - self._synonyms.words_by_class.keys()
            boxes = [box for label in labels for box in self._boxes_by_class.get(label, ())]
            self._pools[term] = sorted(boxes, key=lambda box: self._order[box.id])
        return self._pools[term]

    def _chain(self, boxes: list[Box]) -> Chain:
        """The chain of these boxes: one for every distinct set of them.

        It is named after its box, or after the labels of all its boxes, so
        that the same boxes make the same chain whatever the captions are
        (unless an odd id clashes with such a name).
        """
        ids = tuple(box.id for box in boxes)
        key = frozenset(ids)
        if key not in self.chains:
            name = ids[0] if len(ids) == 1 else "all " + " + ".join(dict.fromkeys(box.label for box in boxes))
            # Box ids are free text, so a chain of several boxes may clash with one.
            while any(name == chain.id for chain in self.chains.values()):
                name += "'"
            types = tuple(dict.fromkeys(kind for box in boxes for kind in box.types))
            self.chains[key] = Chain(name, ids, types)
        return self.chains[key]


_listed_mentions: WeakKeyDictionary[Synonyms, ClassMentions] = WeakKeyDictionary()


def _class_mentions(synonyms: Synonyms, labels: Iterable[str]) -> ClassMentions:
    """What can be named in an image; made once for images whose labels are all listed."""
    terms = synonyms.vocabulary(labels)
    if terms is not synonyms.terms:
        return ClassMentions(terms)
    if synonyms not in _listed_mentions:
        _listed_mentions[synonyms] = ClassMentions(terms)
    return _listed_mentions[synonyms]
