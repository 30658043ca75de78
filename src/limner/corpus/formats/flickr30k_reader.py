"""Reading Flickr30k Entities: an image from its XML of boxes and its bracketed sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from sys import intern

from limner.corpus.box import Box
from limner.corpus.formats.flickr30k_files import Member, members, recognise
from limner.corpus.formats.flickr30k_parsing import (
    NOT_VISUAL,
    Object,
    Sentence,
    parse_annotation,
    parse_sentences,
    shared,
)
from limner.corpus.formats.flickr30k_writer import write
from limner.corpus.formats.format import Codec
from limner.corpus.image import Chain, FrozenDict, Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.text.noun_forms import singular
from limner.text.phrases import thing_noun

UNNAMED = "object"
# The dataset has no classes: labels are the nouns that people used most.
PROVENANCE = FrozenDict({"labels": "captions"})


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a zip or folder, in the zip's order or by name."""
    for member in members(path, reading):
        if not reading.wants(member.id):
            continue
        try:
            image = _image(member, reading)
        except BadInput as error:
            reading.skip("image whose files are faulty", error)
            continue
        if image is not None:
            yield image


def _image(member: Member, reading: Reading) -> Image | None:
    size, file, objects = parse_annotation(member.annotation(), member.annotation_place, reading)
    sentences = parse_sentences(member.sentences(), member.sentences_place, reading)
    said = [sentence for sentence in sentences if sentence is not None]
    boxed = {name for obj in objects if obj.corners is not None for name in obj.names}
    types, heads = _said_of_chains(said, boxed)
    chains = _chains(objects, types)
    boxes_by_chain = {chain.id: chain.boxes for chain in chains}
    _refuse_unknown_chains(said, boxes_by_chain, member.annotation_place, reading)
    return reading.image(
        member.annotation_place,
        member.id,
        size,
        boxes=_boxes(objects, chains, heads, size, reading),
        captions=[
            reading.caption(sentence.place, str(i), sentence.text, sentence.mentions(boxes_by_chain))
            for i, sentence in enumerate(sentences)
            if sentence is not None
        ],
        chains=chains,
        file=file,
        provenance=PROVENANCE,
    )


def _said_of_chains(
    sentences: list[Sentence], boxed: set[str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, dict[str, int]]]:
    """Each chain's types, in the order of first mention, and the nouns used for those that have boxes, singular."""
    types: dict[str, tuple[str, ...]] = {}
    heads: dict[str, dict[str, int]] = {}
    for sentence in sentences:
        for start, end, chain, kinds in sentence.spans:
            if chain == NOT_VISUAL:
                continue
            before = types.setdefault(chain, kinds)
            if before is not kinds:
                types[chain] = shared(tuple(dict.fromkeys(before + kinds)))
            if chain in boxed:
                used = heads.setdefault(chain, {})
                head = _head(sentence.text[start:end])
                used[head] = used.get(head, 0) + 1
    return types, heads


# 160,000 captions use the same phrases over and over.
@lru_cache(maxsize=1 << 17)
def _head(phrase: str) -> str:
    return intern(singular(thing_noun(phrase))) or UNNAMED


def _chains(objects: list[Object], types: dict[str, tuple[str, ...]]) -> list[Chain]:
    """The objects' chains, in the order of first mention, then those nobody mentions by number.

    Numbers the objects' boxes by their corners on the way: the file's own order
    follows how often people mentioned them, which nobody who describes may see.
    """
    objects.sort(key=lambda obj: (obj.corners is None, obj.corners or (), obj.names))
    boxes: dict[str, tuple[str, ...]] = {}
    flags: dict[str, tuple[str, ...]] = {}
    for i, obj in enumerate(objects):
        obj.id = str(i)
        for name in dict.fromkeys(obj.names):
            if obj.corners is None:
                flags[name] = obj.flags
            else:
                boxes[name] = (*boxes.get(name, ()), obj.id)
    named = boxes.keys() | flags.keys()
    order = [name for name in types if name in named] + sorted(named - types.keys(), key=_numeric)
    return [Chain(name, boxes.get(name, ()), types.get(name, ()), flags.get(name, ())) for name in order]


def _boxes(
    objects: list[Object],
    chains: Sequence[Chain],
    heads: dict[str, dict[str, int]],
    size: tuple[int, int],
    reading: Reading,
) -> list[Box | None]:
    called = {chain.id: (_label(heads[chain.id]) if chain.id in heads else UNNAMED, chain.types) for chain in chains}
    rank = {chain.id: _rank(chain, heads.get(chain.id)) for chain in chains}
    made = []
    for obj in objects:
        if obj.corners is not None:
            label, types = called[obj.names[0] if len(obj.names) == 1 else min(obj.names, key=rank.__getitem__)]
            made.append(reading.box(obj.place, obj.id, obj.corners, size, label=label, types=types))
    return made


def _rank(chain: Chain, heads: dict[str, int] | None) -> tuple[object, ...]:
    """Chains that somebody mentioned first, the most specific of them: fewest boxes, most mentions, smallest id."""
    return heads is None, len(chain.boxes), -sum(heads.values()) if heads else 0, _numeric(chain.id)


def _label(heads: dict[str, int]) -> str:
    """The head noun that was used most; of equals the first in the alphabet."""
    if len(heads) == 1:
        return next(iter(heads))
    return min(heads, key=lambda head: (-heads[head], head))


def _numeric(chain: str) -> tuple[int, int, str]:
    """Chains in the order of their numbers."""
    return (0, len(chain), chain) if chain.isdecimal() else (1, 0, chain)


def _refuse_unknown_chains(
    sentences: list[Sentence], known: Mapping[str, object], annotation: str, reading: Reading
) -> None:
    for sentence in sentences:
        for _, _, chain, _ in sentence.spans:
            if chain != NOT_VISUAL and chain not in known:
                problem = f"chain {shown(chain)} is named by no object of {annotation}"
                error = BadInput(sentence.place, problem, "add the object to the XML")
                reading.skip("mention of a chain that no object names", error)


CODEC = Codec(recognise, read, write=write)
