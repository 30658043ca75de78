"""Chunking: the noun phrases of captions become mentions, where nobody has marked them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import structs

from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.corpus.provenance import CHUNKED
from limner.ground.phrase_model import Phrase, PhraseModel, built_in_phrases


def chunk(text: str, model: PhraseModel | None = None) -> list[Phrase]:
    """The noun phrases of a text with their types, from left to right, by a model or else the built-in one."""
    return (model or built_in_phrases()).phrases(text)


def chunk_corpus(images: Iterable[Image], model: PhraseModel | None = None, *, again: bool = False) -> Iterator[Image]:
    """The images, chunked as `chunk_image` does."""
    known = model or built_in_phrases()
    for image in images:
        yield chunk_image(image, known, again=again)


def chunk_image(image: Image, model: PhraseModel | None = None, *, again: bool = False) -> Image:
    """The image with the noun phrases of its captions as mentions, which have types and neither boxes nor chains.

    A caption that has mentions keeps these. With `again` they are replaced,
    and the image's chains are dropped.
    """
    known = model or built_in_phrases()
    is_new = [again or not caption.mentions for caption in image.captions]
    if not any(is_new):
        return image
    captions = tuple(
        chunk_caption(caption, known) if new else caption for caption, new in zip(image.captions, is_new, strict=True)
    )
    provenance = {**image.provenance, "mentions": CHUNKED if all(is_new) else f"{CHUNKED} in part"}
    return structs.replace(image, captions=captions, chains=() if again else image.chains, provenance=provenance)


def chunk_caption(caption: Caption, model: PhraseModel | None = None) -> Caption:
    """The caption with its noun phrases as mentions; earlier ones are replaced."""
    phrases = (model or built_in_phrases()).phrases(caption.text)
    mentions = tuple(Mention(phrase.start, phrase.end, types=phrase.types) for phrase in phrases)
    return structs.replace(caption, mentions=mentions)


def retype_image(image: Image, model: PhraseModel | None = None) -> Image:
    """The image with other types for the mentions that it has, which stay as they are otherwise."""
    known = model or built_in_phrases()
    return structs.replace(image, captions=tuple(_retyped(caption, known) for caption in image.captions))


def _retyped(caption: Caption, model: PhraseModel) -> Caption:
    types = model.types(caption.text, [(mention.start, mention.end) for mention in caption.mentions])
    mentions = tuple(
        structs.replace(mention, types=of_mention) for mention, of_mention in zip(caption.mentions, types, strict=True)
    )
    return structs.replace(caption, mentions=mentions)
