"""Sentences parsed by spaCy (the `nlp` extra), each distinct one once, and kept on disk where asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from limner.errors import LimnerError
from limner.score.metric import Choices
from limner.score.spice.parse_store import ParseStore
from limner.score.spice.parse_tree import Parse
from limner.text.tagging import MODELS

BATCH = 256
LONG = 2_000
"""Characters from which a caption is parsed by itself."""

MAX_CHARACTERS = 100_000
"""How much of one caption is parsed; the longest that people wrote have a few hundred."""


class Parser:
    """Parses captions with one of spaCy's English models.

    `model` is the name of an installed one, otherwise the first of those that
    the `nlp` extra brings. `store` is a file in which parses are kept from run
    to run. With `n_process` more processes share the work.
    """

    def __init__(self, model: str | None = None, *, store: Path | None = None, n_process: int = 1) -> None:
        self._model = model
        self._n_process = n_process
        self._store = store

    @property
    def choices(self) -> Choices:
        """What of this the parses depend on."""
        meta = _pipeline(self._model).meta
        return {"parser": f"{meta['lang']}_{meta['name']}-{meta['version']}", "spacy": version("spacy")}

    def parse(self, captions: Sequence[str]) -> Iterator[Parse]:
        """The parse of each caption; the same caption is parsed once for each call."""
        plain = [plain_sentence(caption) for caption in captions]
        parses = self._found(dict.fromkeys(plain))
        return (parses[sentence] for sentence in plain)

    def _found(self, sentences: Iterable[str]) -> dict[str, Parse]:
        if self._store is None:
            return dict(self._parsed(list(sentences)))
        with ParseStore(self._store, str(self.choices)) as store:
            parses = store.read(sentences)
            missing = [sentence for sentence in sentences if sentence not in parses]
            for part in _portions(self._parsed(missing)):
                store.write(part)
                parses.update(part)
        return parses

    def _parsed(self, sentences: Sequence[str]) -> Iterator[tuple[str, Parse]]:
        pipeline = _pipeline(self._model)
        # A batch is parsed as a whole: of long ones it would take more memory than there is.
        short = [sentence for sentence in sentences if len(sentence) <= LONG]
        long = [sentence for sentence in sentences if len(sentence) > LONG]
        for group, batch, n_process in ((short, BATCH, self._n_process), (long, 1, 1)):
            documents = pipeline.pipe(group, batch_size=batch, n_process=n_process if len(group) > BATCH else 1)
            for sentence, document in zip(group, documents, strict=True):
                yield sentence, _parse(document)


def plain_sentence(caption: str) -> str:
    """A caption as it is parsed: lower case, single spaces, one full stop at its end.

    Captions come with and without capitals and full stops; their parses are
    to be the same. What is too long is cut.
    """
    # A lone surrogate, which JSON can hold, is no character that could be encoded.
    text = caption[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return _END.sub("", " ".join(text.lower().split())) + " ."


_END = re.compile(r"[\s.!?;,:]+$")


def _parse(document: Any) -> Parse:
    strings = document.vocab.strings
    rows = document.to_array(["TAG", "DEP", "HEAD"]).astype("int64")
    return Parse(
        tuple(token.text for token in document),
        tuple(strings[int(tag)] for tag in rows[:, 0].view("uint64")),
        tuple(strings[int(arc)] for arc in rows[:, 1].view("uint64")),
        tuple(token + int(offset) for token, offset in enumerate(rows[:, 2])),
    )


def _portions(parsed: Iterator[tuple[str, Parse]]) -> Iterator[list[tuple[str, Parse]]]:
    while part := list(islice(parsed, PORTION)):
        yield part


PORTION = 4096
"""Parses that are written to disk at a time."""


@cache
def _pipeline(model: str | None) -> Any:
    """A model of English without what parsing does not need."""
    try:
        import spacy
        from spacy.util import is_package
    except ImportError as error:
        raise LimnerError("SPICE* parses captions with spaCy; pip install 'limner[nlp]'") from error
    names = MODELS if model is None else (model,)
    for name in names:
        if is_package(name):
            pipeline = spacy.load(name, exclude=["ner", "lemmatizer", "attribute_ruler", "senter", "textcat"])
            pipeline.max_length = MAX_CHARACTERS + len(" .")
            return pipeline
    what = "a model of English for spaCy" if model is None else f"spaCy's model {model}, which is not installed"
    raise LimnerError(f"SPICE* needs {what}; pip install 'limner[nlp]'")
