"""Captions tied to boxes by the names of the boxes' classes, where nobody has tied them by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.classes.class_mentions import Named, Vocabulary
from limner.corpus.classes.synonyms import Synonyms, Term, built_in_synonyms, class_name
from limner.corpus.image import Chain, Image
from limner.errors import BadInput, shown

LINKED = {"mentions": "linked"}
"""What the provenance of a linked image says."""


def link_corpus(
    images: Iterable[Image], synonyms: Synonyms | None = None, *, replace: bool = False, place: str = "corpus"
) -> Iterator[Image]:
    """The images, their captions tied to their boxes.

    An image that has mentions already is an error that names the `place`,
    unless they are to be replaced.
    """
    known = synonyms or built_in_synonyms()
    for image in images:
        if not replace and (image.chains or any(caption.mentions for caption in image.captions)):
            raise BadInput(place, f"image {shown(image.id)} has mentions already", "pass --force to replace them")
        yield link(image, known)


def link(image: Image, synonyms: Synonyms | None = None) -> Image:
    """The image with mentions wherever a caption names the class of a box; mentions it had are replaced.

    A singular noun refers to the largest box of its class that no other
    singular noun of the caption has taken, a plural or counted one to all
    boxes of the class. A noun that finds no box is no mention. An image
    without boxes or captions is returned as it is.
    """
    if not image.boxes or not image.captions:
        return image
    things = _Things(image, synonyms or built_in_synonyms())
    captions = tuple(Caption(c.id, c.text, things.mentions(c.text), c.source) for c in image.captions)
    return Image(
        image.id,
        image.width,
        image.height,
        image.boxes,
        captions,
        tuple(things.chains.values()),
        image.file,
        image.attributes,
        {**image.provenance, **LINKED},
    )


class _Things:
    """An image's boxes by what they are called, and the chains that mentions have made so far."""

    def __init__(self, image: Image, synonyms: Synonyms) -> None:
        self._synonyms = synonyms
        self._boxes_by_class: dict[str, list[Box]] = {}
        for box in image.boxes:
            self._boxes_by_class.setdefault(class_name(box.label), []).append(box)
        self._vocabulary = _vocabulary(synonyms, self._boxes_by_class)
        self._order = {box.id: n for n, box in enumerate(image.boxes)}
        self._pools: dict[Term, list[Box]] = {}
        self.chains: dict[frozenset[str], Chain] = {}

    def mentions(self, text: str) -> tuple[Mention, ...]:
        taken: set[str] = set()
        mentions: list[Mention] = []
        for named in self._vocabulary.named(text):
            boxes = self._referents(named, taken)
            if boxes:
                chain = self._chain(boxes)
                mentions.append(Mention(named.start, named.end, chain.boxes, chain.id, chain.types))
        return tuple(mentions)

    def _referents(self, named: Named, taken: set[str]) -> list[Box]:
        pool = self._pool(named.term)
        if named.several:
            return pool
        left = [box for box in pool if box.id not in taken]
        # A box around a whole crowd is nobody in particular while there are others.
        single = [box for box in left if "crowd" not in box.flags] or left
        if not single:
            return []
        largest = max(single, key=lambda box: box.area)
        taken.add(largest.id)
        return [largest]

    def _pool(self, term: Term) -> list[Box]:
        """The boxes that a term may mean, in the image's order.

        Those that are labelled with the very word come first: "man" means
        boxes labelled man where there are any, otherwise those labelled person.
        The class' own name means everything that is a kind of it.
        """
        if term not in self._pools:
            labels = [term.word] if term.word in self._boxes_by_class else list(term.classes)
            if term.word in self._synonyms.words_by_class:
                labels += self._synonyms.words_by_class[term.word] - set(labels) - self._synonyms.words_by_class.keys()
            found = [box for label in labels for box in self._boxes_by_class.get(label, ())]
            self._pools[term] = sorted(found, key=lambda box: self._order[box.id])
        return self._pools[term]

    def _chain(self, boxes: list[Box]) -> Chain:
        """The chain of these boxes: one for every distinct set of them.

        It is named after its box, or after the labels of all its boxes, so
        that the same boxes make the same chain whatever the captions are (but
        for odd ids that would clash with such a name).
        """
        ids = tuple(box.id for box in boxes)
        key = frozenset(ids)
        if key not in self.chains:
            name = ids[0] if len(ids) == 1 else "all " + " + ".join(dict.fromkeys(box.label for box in boxes))
            while any(name == chain.id for chain in self.chains.values()):
                name += "'"
            types = tuple(dict.fromkeys(kind for box in boxes for kind in box.types))
            self.chains[key] = Chain(name, ids, types)
        return self.chains[key]


_plain: WeakKeyDictionary[Synonyms, Vocabulary] = WeakKeyDictionary()


def _vocabulary(synonyms: Synonyms, labels: Iterable[str]) -> Vocabulary:
    """What can be named in an image; made once for images whose labels are all listed."""
    terms = synonyms.vocabulary(labels)
    if terms is not synonyms.terms:
        return Vocabulary(terms)
    if synonyms not in _plain:
        _plain[synonyms] = Vocabulary(terms)
    return _plain[synonyms]
