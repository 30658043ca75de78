"""The words that a captioner can read and say: those of its training captions, and those for object classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from limner.corpus.classes.class_names import class_phrases
from limner.corpus.classes.class_tables import COCO_CLASSES, EXCLUDED_CLASSES, OPEN_IMAGES_NAMES
from limner.corpus.classes.open_images_classes import read_class_names
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.learn.vocabulary import Vocabulary, ranked_words
from limner.text.ptb import tokenise

# COCO's classes, by the names that Open Images has for them too.
KNOWN_CLASSES = tuple(dict.fromkeys([*COCO_CLASSES, *OPEN_IMAGES_NAMES.values()]))

# What a config calls them.
COCO = "coco"

# Words of fewer captions are too rare to learn.
MIN_COUNT = 5


class CaptionVocabulary(NamedTuple):
    """A vocabulary, and what it leaves out of the captions and classes it was made from.

    `rare` are the words of captions that are too rare, `lacking` those that
    were left out since nothing is known of them; both in the order of the
    vocabulary. `n_unknown` of the `n_words` words in the captions have no
    number of their own.
    """

    vocabulary: Vocabulary
    rare: tuple[str, ...]
    lacking: tuple[str, ...]
    n_words: int
    n_unknown: int


def caption_words(texts: Sequence[str]) -> list[list[str]]:
    """The words of captions: lower case, without punctuation, by the tokeniser of the scores.

    So training counts what CIDEr counts. A number such as "2 1/2", one token
    to the scores, is two words here, which the scores join again.
    """
    return [tokens.split() for tokens in tokenise(texts)]


def vocabulary_classes(source: str) -> tuple[str, ...]:
    """The classes whose words a vocabulary is to have: none for "", those of COCO for "coco", or those of a file.

    The file is Open Images' own: ids and names, `class-descriptions-boxable.csv`.
    The 39 classes that no constraint asks for are left out.
    """
    if source in ("", COCO):
        return KNOWN_CLASSES if source else ()
    if not Path(source).is_file():
        remedy = f'write "{COCO}", or name the file of Open Images\' classes, class-descriptions-boxable.csv'
        raise BadInput(source, "there is no such file of classes for words.classes", remedy)
    name_by_id = read_class_names([Path(source)], Reading())
    # Some tables call an excluded class otherwise, but not by another id.
    excluded = {*EXCLUDED_CLASSES, *EXCLUDED_CLASSES.values()}
    return tuple(dict.fromkeys(name for id, name in name_by_id.items() if not {id, name} & excluded))


def class_words(labels: Iterable[str]) -> list[str]:
    """The words of the names of classes, in the singular and the plural, each once.

    They are the words of all phrases that a constraint may ask for: "fire", "hydrant" and "hydrants".
    """
    phrases = dict.fromkeys(phrase for label in labels for phrase in class_phrases(label))
    return list(dict.fromkeys(word for words in caption_words(list(phrases)) for word in words))


def caption_vocabulary(
    captions: Iterable[Sequence[str]],
    *,
    classes: Iterable[str] = KNOWN_CLASSES,
    min_count: int = MIN_COUNT,
    known: Container[str] | None = None,
) -> CaptionVocabulary:
    """The vocabulary of a captioner by the rule of nocaps (Agrawal et al. 2019, appendix).

    It has the words that occur at least `min_count` times in the captions, as
    `caption_words` gives them, and the words for `classes`. Of these, words that
    are not in `known` are left out: give the word vectors, or the words of the
    language model, that the captioner is to use.
    """
    if min_count < 1:
        raise ValueError(f"min_count is {min_count}; it must be at least 1")
    counts = Counter(word for caption in captions for word in caption)
    asked = dict.fromkeys([*ranked_words(counts, min_count), *class_words(classes)])
    vocabulary = Vocabulary([word for word in asked if known is None or word in known])
    return CaptionVocabulary(
        vocabulary,
        rare=tuple(word for word in ranked_words(counts) if word not in asked),
        lacking=tuple(word for word in asked if word not in vocabulary),
        n_words=counts.total(),
        n_unknown=sum(n for word, n in counts.items() if word not in vocabulary),
    )
