"""The classes that a detector tells apart, and which of them a label means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from limner.corpus.classes.class_names import class_name, term_key
from limner.corpus.classes.class_tables import COCO_CLASSES
from limner.corpus.classes.class_words import Synonyms, label_synonyms
from limner.errors import BadInput, LimnerError
from limner.files import entries, read_lines

# A file with more than this is no list of classes.
MAX_CLASSES = 100_000


class MeantClass(NamedTuple):
    """The class that a label means; whether the label stands for several things of it, as "crowd" does."""

    name: str
    is_collective: bool


class DetectorClasses:
    """Names of classes, to which labels in other words are mapped.

    A label means the class of its name. Otherwise it means a class whose name
    is the same in lower case and in the singular, or for which `synonyms` list
    it ("man" is a person). A word that may mean several of the classes, as
    "bike" may, means none of them, nor does one that is said of much else, as
    "sign" is. `name` is what signatures call the classes.
    """

    def __init__(self, names: Iterable[str], name: str = "given", synonyms: Synonyms | None = None) -> None:
        self.names = tuple(dict.fromkeys(names))
        self.name = name
        if not self.names:
            raise LimnerError("there are no classes; give the names of the detector's")
        self._synonyms = label_synonyms() if synonyms is None else synonyms
        self._exact = frozenset(self.names)
        self._by_words: dict[str, str] = {}
        for listed in self.names:
            self._by_words.setdefault(class_name(listed), listed)
        self._meant: dict[str, MeantClass | None] = {}

    @classmethod
    def coco(cls) -> DetectorClasses:
        """COCO's 80 classes, with the words that captions have for them."""
        return cls(COCO_CLASSES, "coco")

    @classmethod
    def read(cls, path: Path) -> DetectorClasses:
        """The classes of a file, one a line; blank lines and those that start with # are skipped."""
        names = [entry for _, entry in entries(read_lines(path))]
        if not 0 < len(names) <= MAX_CLASSES:
            raise BadInput(str(path), f"it names {len(names):,} classes", "list the detector's classes, one a line")
        return cls(names, "file")

    def find(self, label: str) -> MeantClass | None:
        """The class that a label means, None if there is none."""
        if label not in self._meant:
            self._meant[label] = self._look_up(label)
        return self._meant[label]

    def fingerprint(self) -> str:
        """A short hash of the classes and of the words that mean them, for signatures of scores."""
        listed = "\n".join([*sorted(self.names), self._synonyms.fingerprint()])
        return sha256(listed.encode(errors="surrogatepass")).hexdigest()[:8]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._exact

    def _look_up(self, label: str) -> MeantClass | None:
        if label in self._exact:
            return MeantClass(label, False)
        if (name := self._by_words.get(class_name(label))) is not None:
            return MeantClass(name, False)
        terms = self._synonyms.terms
        term = terms.get(term_key(label)) or terms.get(term_key(class_name(label)))
        names = {self._by_words[name] for name in term.classes if name in self._by_words} if term else set()
        return MeantClass(names.pop(), term.is_collective) if term and len(names) == 1 else None
