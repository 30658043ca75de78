"""Boxes that were drawn twice, and chains that mean the same thing, made one.

This is the merging of Flickr30k Entities (Plummer et al. 2016, section
3.3.2), where people drew boxes chain by chain. Of two boxes of one type one
goes if their IoU is at least .8; if one of them is of type `other` alone, .9.
Boxes of different types, as clothing and the person in it, are never one.
Then chains with the same boxes become one chain.

The paper names the thresholds, and clothing and people as an example of types
that are kept apart; these rules are those that its data show. It leaves open
what stays. Here the pair that overlaps most is merged first, until no pair is
left. Of two boxes the one stays that more mentions refer to, or else the
larger, or else the one further left, then further up: nobody drew a mean of
both. Merging what is merged changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Candidate, Caption, Mention
from limner.corpus.corpus import Corpus
from limner.corpus.geometry import corners, iou
from limner.corpus.image import Chain, Image
from limner.errors import BadInput, shown
from limner.text.kinds import kind_of_noun

# From which IoU on two boxes of a type are one, and from which on if one of them is of the type of everything else.
SAME = 0.8
SAME_OTHER = 0.9
OTHER = "other"

# Boxes of one image that can be compared, every two: 130 MB.
MAX_BOXES = 4096


class DuplicateBoxes:
    """Merges the boxes and chains of images that pass, and counts them before and after."""

    def __init__(self) -> None:
        self.before: Counter[str] = Counter()
        self.after: Counter[str] = Counter()

    def merged(self, corpus: Corpus) -> Corpus:
        """The corpus with its duplicates merged."""
        return Corpus(corpus.name, lambda _: self.watch(corpus))

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        """The images as they come, merged."""
        self.before.clear()
        self.after.clear()
        for image in images:
            merged = merge_duplicates(image)
            for counts, counted in ((self.before, image), (self.after, merged)):
                counts["boxes"] += len(counted.boxes)
                counts["chains"] += len(counted.chains)
            yield merged

    def share(self, what: str) -> float:
        """The share of `boxes` or `chains` that were merged into others."""
        return 1 - self.after[what] / self.before[what] if self.before[what] else 0.0


def merge_duplicates(image: Image) -> Image:
    """The image with boxes that were drawn twice, and chains that have the same boxes, made one.

    Mentions, candidates and chains name the boxes that stay. A box that stays
    has the types, attributes and flags of all that were merged into it.
    """
    if len(image.boxes) > MAX_BOXES:
        problem = f"its {len(image.boxes):,} boxes are too many to compare every two"
        raise BadInput(f"image {shown(image.id)}", problem, f"leave some out, so that there are {MAX_BOXES:,}")
    boxes, new_id = _merged_boxes(image)
    if new_id:
        captions = tuple(_caption_of(caption, new_id, {}) for caption in image.captions)
        chains = tuple(replace(chain, boxes=_renamed(chain.boxes, new_id)) for chain in image.chains)
        image = replace(image, boxes=boxes, captions=captions, chains=chains)
    chains, new_chain = _merged_chains(image)
    if not new_chain:
        return image
    captions = tuple(_caption_of(caption, {}, new_chain) for caption in image.captions)
    return replace(image, captions=captions, chains=chains)


class _Group:
    """Boxes that are one: the one that stays, what all of them are, and which mentions refer to any of them."""

    def __init__(self, box: Box, kinds: set[str], mentions: set[int]) -> None:
        self.box = box
        self.key = box_key(box)
        self.kinds = kinds
        self.mentions = mentions

    def precedence(self) -> tuple[object, ...]:
        """Which of two groups keeps its box: the smaller."""
        return -len(self.mentions), -self.box.area, *self.key

    def may_join(self, other: _Group, overlap: float) -> bool:
        mine, theirs = self.kinds - {OTHER}, other.kinds - {OTHER}
        if mine & theirs:
            return overlap >= SAME
        return not (mine and theirs) and overlap >= SAME_OTHER

    def absorb(self, other: _Group) -> bool:
        """Take another group in; whether that made this one of more kinds."""
        grows = not other.kinds <= self.kinds
        self.kinds |= other.kinds
        self.mentions |= other.mentions
        self.box = replace(
            self.box,
            score=max(self.box.score, other.box.score),
            types=_union(self.box.types, other.box.types),
            attributes=_union(self.box.attributes, other.box.attributes),
            flags=_union(self.box.flags, other.box.flags),
        )
        return grows


def box_key(box: Box) -> tuple[object, ...]:
    """What decides between boxes that are alike: their place and content, and their ids only if all else is equal."""
    return box.corners, box.label, box.types, box.attributes, box.flags, box.score, box.id


def _merged_boxes(image: Image) -> tuple[tuple[Box, ...], dict[str, str]]:
    """The boxes that stay, in their order, and for each that goes the id of the one that it is."""
    groups = _groups(image)
    pairs = _pairs(image.boxes)
    stays = list(range(len(groups)))
    at = 0
    while at < len(pairs):
        i, j, overlap = pairs[at]
        at += 1
        if stays[i] != i or stays[j] != j or not groups[i].may_join(groups[j], overlap):
            continue
        keeper, goner = (i, j) if groups[i].precedence() <= groups[j].precedence() else (j, i)
        stays[goner] = keeper
        if groups[keeper].absorb(groups[goner]):
            # A pair that overlaps more may be of one kind now.
            at = 0
    kept = tuple(group.box for i, group in enumerate(groups) if stays[i] == i)
    return kept, {box.id: image.boxes[_last(stays, i)].id for i, box in enumerate(image.boxes) if stays[i] != i}


def _last(stays: Sequence[int], i: int) -> int:
    while stays[i] != i:
        i = stays[i]
    return i


def _groups(image: Image) -> list[_Group]:
    """Each box alone; it is of its own types and those of its chains, or else of the kind of its label."""
    kinds: dict[str, set[str]] = {box.id: set(box.types) for box in image.boxes}
    mentions: dict[str, set[int]] = {box.id: set() for box in image.boxes}
    for chain in image.chains:
        for id in chain.boxes:
            kinds[id].update(chain.types)
    for number, (_, mention) in enumerate(image.mentions()):
        for id in mention.boxes:
            mentions[id].add(number)
    return [_Group(box, kinds[box.id] or {kind_of_noun(box.label)}, mentions[box.id]) for box in image.boxes]


def _pairs(boxes: Sequence[Box]) -> list[tuple[int, int, float]]:
    """Pairs of boxes that may be one by their overlap, most overlap first."""
    if len(boxes) < 2:
        return []
    placed = corners(boxes)
    overlap = np.triu(iou(placed, placed), 1)
    rows, columns = np.nonzero(overlap >= SAME)
    if not len(rows):
        return []
    rank = {i: n for n, i in enumerate(sorted(range(len(boxes)), key=lambda i: box_key(boxes[i])))}
    pairs = zip(rows.tolist(), columns.tolist(), overlap[rows, columns].tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[2], *sorted((rank[pair[0]], rank[pair[1]]))))


def _merged_chains(image: Image) -> tuple[tuple[Chain, ...], dict[str, str]]:
    """The chains that stay, in their order, and for each that goes the id of the one that it is."""
    alike: dict[frozenset[str], list[Chain]] = {}
    for chain in image.chains:
        if chain.boxes:
            alike.setdefault(frozenset(chain.boxes), []).append(chain)
    if len(alike) == sum(bool(chain.boxes) for chain in image.chains):
        return image.chains, {}
    n_mentions = Counter(mention.chain for _, mention in image.mentions())
    merged: dict[str, Chain] = {}
    new_id: dict[str, str] = {}
    for chains in alike.values():
        first, *others = sorted(chains, key=lambda c: (-n_mentions[c.id], c.types, c.flags, c.id))
        for other in others:
            types, flags = _union(first.types, other.types), _union(first.flags, other.flags)
            first = replace(first, types=types, flags=flags)
            new_id[other.id] = first.id
        merged[first.id] = first
    return tuple(merged.get(chain.id, chain) for chain in image.chains if chain.id not in new_id), new_id


def _caption_of(caption: Caption, new_id: dict[str, str], new_chain: dict[str, str]) -> Caption:
    return replace(caption, mentions=tuple(_mention_of(mention, new_id, new_chain) for mention in caption.mentions))


def _mention_of(mention: Mention, new_id: dict[str, str], new_chain: dict[str, str]) -> Mention:
    best: dict[str, Candidate] = {}
    for candidate in mention.candidates:
        # Candidates stand best first: the first of several that are one box now has the score of all.
        box = new_id.get(candidate.box, candidate.box)
        best.setdefault(box, Candidate(box, candidate.score))
    chain = mention.chain if mention.chain is None else new_chain.get(mention.chain, mention.chain)
    return replace(mention, boxes=_renamed(mention.boxes, new_id), candidates=tuple(best.values()), chain=chain)


def _renamed(ids: Sequence[str], new_id: dict[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(new_id.get(id, id) for id in ids))


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
