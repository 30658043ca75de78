"""Some classes as images show them and captions name them, by every word that Limner knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from limner.corpus.classes.class_mentions import ClassMentions
from limner.corpus.classes.class_names import term_key
from limner.corpus.classes.class_words import Terms, built_in_synonyms, name_terms
from limner.corpus.image import Image

# A word for more classes than these is the name of a kind, such as "animal", and names none of them.
MOST_MEANT = 2

# Texts whose classes are remembered: references are asked for once for every system that is scored.
REMEMBERED = 1 << 17


class NamedClasses:
    """Which of some classes the boxes of an image show, and which a text names.

    Words are those that Limner knows for COCO's classes, and the names of the
    classes themselves, in both numbers and any case. A word that may mean two
    classes names both ("bike"), one for more classes none of them ("animal"). A
    label means one class. With `widely`, words and labels name whatever they
    may mean, for those who must be sure that a class is not met.
    """

    def __init__(self, classes: Sequence[str], *, widely: bool = False) -> None:
        self.classes = tuple(classes)
        synonyms = built_in_synonyms().terms
        names = name_terms(self.classes)
        # Terms of other classes are looked for too, and name nothing: a hot dog is no dog.
        self._terms = {**_of_classes(classes, synonyms, len(synonyms) if widely else MOST_MEANT), **names}
        self._labels = self._terms if widely else {**_of_classes(classes, synonyms, 1), **names}
        self._mentions = ClassMentions(self._terms)
        self._named = lru_cache(maxsize=REMEMBERED)(self._look_up)

    def shown(self, image: Image) -> set[str]:
        """The classes that the image has a box of, by its label."""
        terms = (self._labels.get(term_key(box.label)) for box in image.boxes)
        return {name for term in terms if term for name in term.classes}

    def named(self, text: str) -> frozenset[str]:
        """The classes that a text names by any of their words."""
        return self._named(text)

    def named_by_any(self, texts: Iterable[str]) -> set[str]:
        """The classes that one of some texts names at least."""
        return {name for text in texts for name in self.named(text)}

    def spans(self, text: str) -> list[tuple[int, int, tuple[str, ...]]]:
        """Where a text names classes, from left to right: a half-open span of characters, and the classes."""
        occurrences = self._mentions.occurrences(text)
        return [(start, end, term.classes) for start, end, term in occurrences if term.classes]

    def _look_up(self, text: str) -> frozenset[str]:
        return frozenset(name for _, _, classes in self.spans(text) for name in classes)


def _of_classes(classes: Sequence[str], terms: Terms, most: int) -> Terms:
    """The terms, which mean these classes alone, and nothing if they may mean more than so many classes."""
    class_by_key = {name.casefold(): name for name in classes}
    return {
        key: term._replace(
            classes=tuple(class_by_key[name.casefold()] for name in term.classes if name.casefold() in class_by_key)
            if len(term.classes) <= most
            else ()
        )
        for key, term in terms.items()
    }
