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
from heapq import heappop

import numpy as np
from msgspec.structs import replace

from limner.arrays import Floats, Integers
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

# Boxes of one image that can be compared, every two, and rows of these comparisons that are made at once. On a busy
# machine a process with 2,048 equal boxes took 1 s (9 s if each was of a type of its own) and 139 MB, with 4,096 boxes
# 11 s and 448 MB.
MAX_BOXES = 4096
ROWS = 256

# Pairs that are looked through at once for boxes that still stay.
BLOCK = 8192


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
    boxes, new_id = _merged_boxes(image) if len(image.boxes) > 1 else (image.boxes, {})
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
    stays = list(range(len(groups)))
    pairs = _Pairs(image.boxes)
    for i, j, overlap in pairs:
        if not groups[i].may_join(groups[j], overlap):
            continue
        keeper, goner = (i, j) if groups[i].precedence() <= groups[j].precedence() else (j, i)
        stays[goner] = keeper
        pairs.remove(goner)
        if groups[keeper].absorb(groups[goner]):
            pairs.reconsider(keeper)
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


class _Pairs:
    """Pairs of boxes that may be one by their overlap, most overlap first; some may be asked for again."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        rows, columns, overlaps = _overlapping(corners(boxes))
        rank = np.empty(len(boxes), dtype=np.int32)
        rank[sorted(range(len(boxes)), key=lambda i: box_key(boxes[i]))] = np.arange(len(boxes), dtype=np.int32)
        first, second = np.minimum(rank[rows], rank[columns]), np.maximum(rank[rows], rank[columns])
        order = np.lexsort([second, first, -overlaps])
        self._rows, self._columns, self._overlaps = rows[order], columns[order], overlaps[order]
        self._stays = np.ones(len(boxes), dtype=np.bool_)
        self._n_seen = 0
        self._again: list[int] = []

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        for start in range(0, len(self._rows), BLOCK):
            ahead = slice(start, start + BLOCK)
            stay = self._stays[self._rows[ahead]] & self._stays[self._columns[ahead]]
            for at in (start + np.flatnonzero(stay)).tolist():
                self._n_seen = at + 1
                yield from self._pair(at)
                # All that come again stand before those that were never asked for.
                while self._again:
                    yield from self._pair(heappop(self._again))

    def _pair(self, at: int) -> Iterator[tuple[int, int, float]]:
        i, j = int(self._rows[at]), int(self._columns[at])
        if self._stays[i] and self._stays[j]:
            yield i, j, float(self._overlaps[at])

    def remove(self, box: int) -> None:
        """Leave out the pairs of a box that has become another."""
        self._stays[box] = False

    def reconsider(self, box: int) -> None:
        """Bring back the earlier pairs of a box, which is of more kinds now."""
        is_its = (self._rows[: self._n_seen] == box) | (self._columns[: self._n_seen] == box)
        self._again = sorted({*self._again, *np.flatnonzero(is_its).tolist()})


def _overlapping(placed: Floats) -> tuple[Integers, Integers, Floats]:
    """The numbers of boxes, the smaller first, whose IoU makes them candidates, and the IoU; a few rows at a time."""
    parts = []
    for start in range(0, len(placed), ROWS):
        overlap = np.triu(iou(placed[start : start + ROWS], placed), start + 1)
        rows, columns = np.nonzero(overlap >= SAME)
        parts.append(((rows + start).astype(np.int32), columns.astype(np.int32), overlap[rows, columns]))
    rows, columns, overlaps = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return rows, columns, overlaps


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
