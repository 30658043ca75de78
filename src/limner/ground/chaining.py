"""Chains across the captions of an image: the mentions that are of the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

import numpy as np
from msgspec.structs import replace

from limner.arrays import Floats, Indices
from limner.corpus.caption import Mention
from limner.corpus.image import Chain, Image
from limner.errors import BadInput, LimnerError, shown
from limner.ground.chainer import Chainer, built_in_chainer
from limner.ground.mention_words import read_mentions
from limner.ground.noun_pairs import MENTION_TYPES

# The type of a phrase that refers to nothing one could see.
NOT_VISUAL = "notvisual"


def chain_corpus(images: Iterable[Image], model: Chainer | None = None, *, place: str = "corpus") -> Iterator[Image]:
    """The images, with chains as `add_chains` makes them; `place` names the corpus in errors."""
    for image in images:
        try:
            yield add_chains(image, model)
        except LimnerError as error:
            raise BadInput(place, f"image {shown(image.id)}: {error}") from error


def add_chains(image: Image, model: Chainer | None = None) -> Image:
    """The image with a chain for every mention: mentions of one chain are of the same thing.

    A chain never gets two mentions of one caption. Without a model, the
    built-in one decides. A mention that has a chain keeps it, and others may
    join that chain. A mention whose type is `notvisual` gets none. Other
    types have no influence on what is chained.

    New chains are numbered from 1, past ids that are taken, in the order of
    their first mentions. A new chain has the boxes of its mentions and one
    type: that of most of its mentions or, where none has any, the likeliest for their nouns.
    """
    model = model or built_in_chainer()
    # What is not visual is taken out before anything is compared: it must not be anybody's rival either.
    captions = [replace(c, mentions=tuple(m for m in c.mentions if not _is_left_out(m))) for c in image.captions]
    mentions = [mention for caption in captions for mention in caption.mentions]
    if all(mention.chain is not None for mention in mentions):
        return image
    words = read_mentions(captions)
    things = model.things(words, _given(mentions)).tolist()
    ids = _chain_ids(image, mentions, things)
    of_chain: dict[str, list[int]] = {}
    for number, thing in enumerate(things):
        of_chain.setdefault(ids[thing], []).append(number)
    known = {chain.id for chain in image.chains}
    shares = model.type_shares(words)
    new = [
        Chain(id, _boxes([mentions[i] for i in members]), (_type(mentions, shares, members),))
        for id, members in of_chain.items()
        if id not in known
    ]
    chosen = iter([ids[thing] for thing in things])
    return replace(
        image,
        captions=tuple(
            replace(c, mentions=tuple(m if _is_left_out(m) else replace(m, chain=next(chosen)) for m in c.mentions))
            for c in image.captions
        ),
        chains=(*image.chains, *new),
    )


def _is_left_out(mention: Mention) -> bool:
    return mention.chain is None and NOT_VISUAL in mention.types


def _given(mentions: Sequence[Mention]) -> Indices:
    """The number of each mention's chain, -1 for none."""
    numbers: dict[str, int] = {}
    return np.array(
        [-1 if m.chain is None else numbers.setdefault(m.chain, len(numbers)) for m in mentions], dtype=np.intp
    )


def _chain_ids(image: Image, mentions: Sequence[Mention], things: Sequence[int]) -> Mapping[int, str]:
    """The id of each thing's chain: the one that a mention of it has, or a new one."""
    ids = {thing: m.chain for m, thing in zip(mentions, things, strict=True) if m.chain is not None}
    taken = {chain.id for chain in image.chains}
    free = (id for id in map(str, count(1)) if id not in taken)
    for thing in things:
        if thing not in ids:
            ids[thing] = next(free)
    return ids


def _boxes(mentions: Iterable[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(box for mention in mentions for box in mention.boxes))


def _type(mentions: Sequence[Mention], shares: Floats, members: Sequence[int]) -> str:
    counts = Counter(name for i in members for name in mentions[i].types)
    if counts:
        return counts.most_common(1)[0][0]
    # The last type is that of what is not visual, which no chain has.
    return MENTION_TYPES[int(shares[members, :-1].sum(axis=0).argmax())]
