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
from limner.corpus.provenance import PREDICTED
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.ground.chainer import Chainer, built_in_chainer
from limner.ground.mention_words import read_mentions
from limner.ground.noun_pairs import MENTION_TYPES
from limner.ground.phrase_model import NOT_VISUAL


def chain_corpus(
    images: Iterable[Image],
    model: Chainer | None = None,
    *,
    again: bool = False,
    place: str = "corpus",
    reading: Reading | None = None,
) -> Iterator[Image]:
    """The images, with chains as `add_chains` makes them; `place` names the corpus in errors.

    An image with too many mentions is an error. If `reading` is lenient, it
    gets no chains and is counted there.
    """
    known = model or built_in_chainer()
    noted = reading or Reading()
    for image in images:
        try:
            chained = add_chains(image, known, again=again)
        except LimnerError as error:
            advice = "give fewer captions" if len(image.captions) > 1 else "split the caption"
            problem = f"image {shown(image.id)}: {error}"
            refusal = BadInput(place, problem, advice, code="too-many-mentions", advice=advice)
            noted.skip("chains of an image with too many mentions", refusal)
            chained = _unchained(image) if again else image
        yield chained


def add_chains(image: Image, model: Chainer | None = None, *, again: bool = False) -> Image:
    """The image with a chain for every mention: mentions of one chain are of the same thing.

    A chain never gets two mentions of one caption. Without a model, the
    built-in one decides. A mention that has a chain keeps it, and others may
    join that chain. A mention whose type is `notvisual` gets none. Which
    other types mentions have makes no difference. With `again`, all mentions are
    chained as if they had neither chains nor types, and earlier chains are
    dropped.

    New chains are numbered from 1, past ids that are taken, in the order of
    their first mentions. A new chain has the boxes of its mentions and one
    type: that of most of its mentions or, where none has any, the likeliest
    for their nouns. The image's provenance says `{"chains": "predicted"}`.
    """
    model = model or built_in_chainer()
    bare = _bare(image) if again else image
    # What is not visual is taken out before anything is compared: it must not be anybody's rival either.
    captions = [replace(c, mentions=tuple(m for m in c.mentions if _is_chained(m))) for c in bare.captions]
    mentions = [mention for caption in captions for mention in caption.mentions]
    if all(mention.chain is not None for mention in mentions):
        return bare
    words = read_mentions(captions)
    things = model.things(words, _given(mentions)).tolist()
    ids = _chain_ids(bare, mentions, things)
    chains = _new_chains(bare, mentions, [ids[thing] for thing in things], model.type_shares(words))
    chosen = iter([ids[thing] for thing in things])
    chained = tuple(
        replace(
            caption,
            mentions=tuple(
                replace(mention, chain=next(chosen)) if again or _is_chained(mention) else mention
                for mention in caption.mentions
            ),
        )
        for caption in image.captions
    )
    provenance = {**image.provenance, "chains": PREDICTED}
    return replace(image, captions=chained, chains=(*bare.chains, *chains), provenance=provenance)


def _unchained(image: Image) -> Image:
    captions = tuple(replace(c, mentions=tuple(replace(m, chain=None) for m in c.mentions)) for c in image.captions)
    return replace(image, captions=captions, chains=())


def _bare(image: Image) -> Image:
    """The image without chains, and mentions without chains and types."""
    captions = tuple(
        replace(c, mentions=tuple(replace(m, chain=None, types=()) for m in c.mentions)) for c in image.captions
    )
    return replace(image, captions=captions, chains=())


def _is_chained(mention: Mention) -> bool:
    return mention.chain is not None or NOT_VISUAL not in mention.types


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


def _new_chains(image: Image, mentions: Sequence[Mention], ids: Sequence[str], shares: Floats) -> Iterator[Chain]:
    """The chains that the image does not have yet, in the order of their first mentions."""
    of_chain: dict[str, list[int]] = {}
    for number, id in enumerate(ids):
        of_chain.setdefault(id, []).append(number)
    known = {chain.id for chain in image.chains}
    for id, members in of_chain.items():
        if id not in known:
            boxes = dict.fromkeys(box for i in members for box in mentions[i].boxes)
            yield Chain(id, tuple(boxes), (_type(mentions, shares, members),))


def _type(mentions: Sequence[Mention], shares: Floats, members: Sequence[int]) -> str:
    counts = Counter(name for i in members for name in mentions[i].types)
    if counts:
        return counts.most_common(1)[0][0]
    # The last type is that of what is not visual, which no chain has.
    return MENTION_TYPES[int(shares[members, :-1].sum(axis=0).argmax())]
