"""Learning a model of phrases from captions whose noun phrases are mentions, as in Flickr30k Entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.errors import BadInput
from limner.ground.phrase_features import neighbourhoods, phrase_words, type_features, word_features
from limner.ground.phrase_model import (
    BEGIN,
    BETWEEN_TYPES,
    INSIDE,
    NOT_VISUAL,
    OUTSIDE,
    TAGS,
    TYPES,
    PhraseModel,
    PhraseRecord,
    TrainedOn,
    token_spans,
)
from limner.learn.chain_training import train_chain
from limner.progress import Progress, silent
from limner.text.sentence_tokens import Token, sentence_tokens

# A phrase is a sequence of one item: several times as many make a step as of captions.
PHRASES_A_STEP = 2048

# Sets of several types that are learnt: those of at least so many phrases.
FEWEST_OF_SEVERAL = 50


def train_phrases(
    images: Iterable[Image], *, seed: int = 0, place: str = "corpus", progress: Progress = silent
) -> PhraseModel:
    """A model learnt from gold captions whose mentions are all their noun phrases, with types.

    Captions without a mention are left out: nobody may have looked for any.
    `place` names the corpus in errors. Memory grows by about 4 kB a caption.
    """
    captions = _Captions(images)
    if not captions.captions:
        raise BadInput(place, "no gold caption has mentions", "train on a corpus whose noun phrases are marked")
    labels = captions.labels()
    if not labels:
        remedy = f"train on phrases of the types {', '.join(TYPES)}"
        raise BadInput(place, "no mention has a known type", remedy)
    chunks = train_chain(
        map(_tagged_words, captions.captions),
        TAGS,
        forbidden=((OUTSIDE, INSIDE), (None, INSIDE)),
        seed=seed,
        progress=_named(progress, "epochs of phrases"),
    )
    types = train_chain(
        (item for caption in captions.captions for item in _labelled_phrases(caption, labels)),
        labels,
        batch_size=PHRASES_A_STEP,
        seed=seed,
        progress=_named(progress, "epochs of types"),
    )
    trained_on = TrainedOn(captions.n_images, len(captions.captions), captions.n_phrases, seed, captions.fingerprint())
    return PhraseModel(PhraseRecord(trained_on=trained_on, chunks=chunks, types=types))


class _Captions:
    """Gold captions with mentions, and how many images and phrases there are."""

    def __init__(self, images: Iterable[Image]) -> None:
        self.captions: list[Caption] = []
        self.n_images = self.n_phrases = 0
        for image in images:
            written = [caption for caption in image.captions if caption.source == "gold" and caption.mentions]
            self.captions += written
            self.n_images += bool(written)
            self.n_phrases += sum(len(caption.mentions) for caption in written)

    def labels(self) -> list[str]:
        """The sets of types that are learnt, in the order of `TYPES`; none if no phrase has a type."""
        counts = Counter(_label(mention.types) for caption in self.captions for mention in caption.mentions)
        known = [*TYPES, NOT_VISUAL]
        single = [name for name in known if counts[name]]
        several = [
            label
            for label, n in sorted(counts.items())
            if n >= FEWEST_OF_SEVERAL and BETWEEN_TYPES in label and set(label.split(BETWEEN_TYPES)) <= set(known)
        ]
        return single + several

    def fingerprint(self) -> str:
        digest = blake2b(digest_size=4)
        for caption in self.captions:
            digest.update(caption.text.encode(errors="surrogatepass"))
            for mention in caption.mentions:
                digest.update(f" {mention.start}-{mention.end}:{_label(mention.types)}".encode())
        return digest.hexdigest()


def _label(types: Sequence[str]) -> str:
    return BETWEEN_TYPES.join(types)


def _tagged_words(caption: Caption) -> list[tuple[tuple[str, ...], str]]:
    """The features and the tag of each word of a caption."""
    tokens = sentence_tokens(caption.text)
    tags = [OUTSIDE] * len(tokens)
    for first, last in _spans(caption, tokens):
        # Two mentions may share a token: the text of either ends inside a word.
        tags[first:last] = [BEGIN, *[INSIDE] * (last - first - 1)][: last - first]
    return [(word_features(*around), tag) for around, tag in zip(neighbourhoods(tokens), tags, strict=True)]


def _labelled_phrases(caption: Caption, labels: Sequence[str]) -> Iterator[list[tuple[tuple[str, ...], str]]]:
    """Each phrase of a caption as a sequence of one item: its features and its label."""
    tokens = sentence_tokens(caption.text)
    for (first, last), mention in zip(_spans(caption, tokens), caption.mentions, strict=True):
        label = _label(mention.types)
        if label not in labels and mention.types:
            label = mention.types[0]
        if label in labels and last > first:
            yield [(type_features(phrase_words(tokens[first:last])), label)]


def _spans(caption: Caption, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    return token_spans(tokens, [(mention.start, mention.end) for mention in caption.mentions])


def _named(progress: Progress, name: str) -> Progress:
    return lambda _, done, total: progress(name, done, total)
