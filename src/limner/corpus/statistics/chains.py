"""Counting mentions and chains."""

from __future__ import annotations

from collections import Counter

from limner.corpus.caption import Mention
from limner.corpus.image import Chain, Image
from limner.corpus.statistics.figures import Chains, Mentions, TypeFigures, ratio
from limner.corpus.statistics.wording import Wording
from limner.text.words import words


class Spoken:
    """What the captions of one image speak of.

    A mention that names no box refers to the boxes of its chain. An
    expression is a mention with a chain or a box: what has neither is an
    annotation that a phrase stands for nothing to be seen.
    """

    def __init__(self, image: Image) -> None:
        self.chain_by_id = image.chain_by_id()
        self.n_mentions = 0
        self.n_captions_without_box = 0
        self.expressions: list[tuple[Mention, str, tuple[str, ...]]] = []
        for caption in image.captions:
            refers = False
            for mention in caption.mentions:
                boxes = mention.boxes or self._boxes_of(mention.chain)
                refers = refers or bool(boxes)
                if boxes or mention.chain is not None:
                    self.expressions.append((mention, caption.phrase(mention), boxes))
            self.n_mentions += len(caption.mentions)
            self.n_captions_without_box += not refers

    def _boxes_of(self, chain: str | None) -> tuple[str, ...]:
        return self.chain_by_id[chain].boxes if chain is not None else ()


class MentionTally:
    """Counts mentions over images."""

    def __init__(self, tagger: str) -> None:
        self.wording = Wording(tagger)
        self.n = 0
        self.n_expressions = 0
        self._n_with_box = 0
        self._n_words = 0

    def add(self, spoken: Spoken) -> None:
        self.n += spoken.n_mentions
        self.n_expressions += len(spoken.expressions)
        self._n_with_box += sum(1 for _, _, boxes in spoken.expressions if boxes)
        self._n_words += sum(len(words(phrase)) for _, phrase, _ in spoken.expressions)
        self.wording.add([(phrase, boxes) for _, phrase, boxes in spoken.expressions])

    def figures(self, n_images: int, n_captions: int) -> Mentions:
        spoken = self.n > 0
        return Mentions(
            count=self.n,
            expressions=self.n_expressions,
            not_visual=self.n - self.n_expressions,
            with_box=self._n_with_box,
            per_image=ratio(self.n_expressions, n_images) if spoken else None,
            per_caption=ratio(self.n_expressions, n_captions) if spoken else None,
            words=ratio(self._n_words, self.n_expressions),
            noun_phrases=self.wording.noun_phrases(),
        )


class ChainTally:
    """Counts chains over images, altogether and by type."""

    def __init__(self) -> None:
        self._n = 0
        self._n_unmentioned = 0
        self._n_mentions = 0
        self._n_boxes = 0
        self._several_mentions = 0
        self._of_boxes = {"none": 0, "one": 0, "several": 0}
        self._images_with_several = 0
        self._by_type: dict[str, Counter[str]] = {}

    def add(self, image: Image, spoken: Spoken) -> None:
        mentions: Counter[str] = Counter()
        types: dict[str, dict[str, None]] = {}
        for mention, _, _ in spoken.expressions:
            if mention.chain is not None:
                mentions[mention.chain] += 1
                types.setdefault(mention.chain, {}).update(dict.fromkeys(mention.types))
        before = self._of_boxes["several"]
        mentioned_types: set[str] = set()
        for chain in image.chains:
            n = mentions[chain.id]
            if not n:
                self._n_unmentioned += 1
                continue
            self._count(chain, n)
            for type in chain.types or types[chain.id] or (UNTYPED,):
                mentioned_types.add(type)
                self._by_type.setdefault(type, Counter()).update(chains=1, mentions=n, boxes=len(chain.boxes))
        self._n_boxes += len({box for chain in image.chains if mentions[chain.id] for box in chain.boxes})
        self._images_with_several += self._of_boxes["several"] > before
        for type in mentioned_types:
            self._by_type[type]["images"] += 1

    def _count(self, chain: Chain, n_mentions: int) -> None:
        self._n += 1
        self._n_mentions += n_mentions
        self._several_mentions += n_mentions > 1
        n_boxes = len(chain.boxes)
        self._of_boxes["none" if n_boxes == 0 else "one" if n_boxes == 1 else "several"] += 1

    def figures(self, n_images: int) -> Chains:
        n = self._n
        return Chains(
            count=n,
            unmentioned=self._n_unmentioned,
            mentions=self._n_mentions,
            boxes=self._n_boxes,
            per_image=ratio(n, n_images) if n else None,
            mentions_per_chain=ratio(self._n_mentions, n),
            boxes_per_chain=ratio(self._n_boxes, n),
            several_mentions=ratio(self._several_mentions, n),
            one_box=ratio(self._of_boxes["one"], n),
            several_boxes=ratio(self._of_boxes["several"], n),
            no_box=ratio(self._of_boxes["none"], n),
            images_with_several_boxes=ratio(self._images_with_several, n_images) if n else None,
            types=tuple(
                _type_figures(type, counts, n_images)
                for type, counts in sorted(self._by_type.items(), key=lambda item: (-item[1]["chains"], item[0]))
            ),
        )


UNTYPED = "(no type)"


def _type_figures(type: str, counts: Counter[str], n_images: int) -> TypeFigures:
    return TypeFigures(
        type=type,
        chains=counts["chains"],
        mentions=counts["mentions"],
        boxes=counts["boxes"],
        mentions_per_chain=ratio(counts["mentions"], counts["chains"]),
        boxes_per_chain=ratio(counts["boxes"], counts["chains"]),
        images=ratio(counts["images"], n_images),
    )
