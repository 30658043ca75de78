"""A run: the captions of one system, each beside its image's references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from limner.arrays import Integers
from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.image import Facts, Image
from limner.corpus.provenance import ProvenanceTally, caveat_facts
from limner.errors import LimnerError, shown
from limner.score.box_matching import MATCH_IOU
from limner.score.data_fingerprint import box_and_kind_numbers, data_fingerprint, image_numbers
from limner.text.token_table import TokenTable, token_table

# From sentences to sentences whose tokens stand between single spaces.
Tokeniser = Callable[[Sequence[str]], Sequence[str]]

Reading = TypeVar("Reading")

# For each image what a reader makes of the system's caption, and of each gold caption that refers to a box.
Readings = list[tuple[Reading, list[Reading]]]


@dataclass(slots=True)
class Run:
    """Captions and references in one order of images.

    `references[i]` are the references of image `ids[i]`, `candidates[i]` its
    caption. Text is as people wrote it; `tokeniser` makes tokens of it, None
    if it has been made into tokens already. `images` are the gold images and
    `captions` the system's captions with their mentions, for metrics that look
    at boxes; None if the run was made without them. `gold` are the gold
    captions of each image with their mentions (default: those of `images`).
    `provenance` has for each image what the system was told, where results say so.
    `result_boxes` are the boxes that the results bring for each image, by the
    names that `captions` have for them, None if they bring none; they match
    gold's from an IoU of `match_iou` on. `is_scaled` says of each image whether
    these boxes were scaled to gold's picture, whose size then counts as data;
    None if none were.
    """

    ids: Sequence[str]
    candidates: Sequence[str]
    references: Sequence[Sequence[str]]
    tokeniser: Tokeniser | None = None
    tokeniser_name: str = "none"
    images: Sequence[Image] | None = None
    captions: Sequence[Caption] | None = None
    gold: Sequence[Sequence[Caption]] | None = None
    provenance: Sequence[Facts] | None = None
    _tokens: TokenTable | None = field(default=None, repr=False)
    result_boxes: Sequence[Mapping[str, Box]] | None = None
    match_iou: float = MATCH_IOU
    is_scaled: Sequence[bool] | None = None
    _pairs: list[tuple[list[Caption], Caption]] | None = field(default=None, repr=False, compare=False)
    # By whether boxes and mentions count, the images' numbers; see `numbers`.
    _numbers: dict[tuple[bool, bool], Integers] = field(default_factory=dict, repr=False, compare=False)
    _n_verbatim: int | None = field(default=None, repr=False, compare=False)
    _distinct_facts: list[tuple[Facts, int]] | None = field(default=None, repr=False, compare=False)
    _read: tuple[Callable[[Caption], Any], Readings[Any]] | None = field(default=None, repr=False, compare=False)
    _models: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not len(self.ids) == len(self.candidates) == len(self.references):
            raise ValueError(f"{len(self.ids)} ids, {len(self.candidates)} captions, {len(self.references)} references")
        for id, references in zip(self.ids, self.references, strict=True):
            if not references:
                raise LimnerError(f"image {shown(id)} has no reference; score images that have one")

    def __len__(self) -> int:
        return len(self.ids)

    def caveats(
        self, *, of_people: bool = False, with_mentions: bool = False, places: Iterable[int] | None = None
    ) -> ProvenanceTally:
        """What the system was told of the images at some places (default: all); people were told nothing.

        Their mentions may be linked all the same. How gold's mentions were
        made matters only `with_mentions`.
        """
        facts = self.provenance or ()
        if places is not None and facts:
            distinct = _distinct([facts[i] for i in places])
        else:
            # Every value of the run asks for them.
            distinct = self._distinct_facts = self._distinct_facts or _distinct(facts)
        tally = ProvenanceTally()
        for told, n in distinct:
            tally.add(caveat_facts(told, of_people, with_mentions), n)
        return tally

    @property
    def n_verbatim(self) -> int:
        """How many captions are word for word among their own references, whatever the case and the final stop."""
        if self._n_verbatim is None:
            self._n_verbatim = sum(map(_is_among, self.candidates, self.references))
        return self._n_verbatim

    @property
    def groups(self) -> Integers:
        """Where the sentences of each image begin in `tokens`, caption first, then references; `[images + 1]`."""
        sizes = np.fromiter((1 + len(texts) for texts in self.references), dtype=np.int64, count=len(self.references))
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])

    @property
    def tokens(self) -> TokenTable:
        """The tokens of every sentence, made when first asked for."""
        if self._tokens is None:
            sentences = list(self.sentences())
            self._tokens = token_table(self.tokeniser(sentences) if self.tokeniser else sentences)
        return self._tokens

    def numbers(self, *, with_boxes: bool = False, with_mentions: bool = False) -> Integers:
        """A number for each image that tells its id and references, and with boxes what gold has of those as well.

        With mentions, only gold captions that refer to a box are references.
        """
        key = with_boxes, with_mentions
        if key not in self._numbers:
            images, gold = (self.images, self._gold()) if with_boxes else (None, None)
            references = self.references
            if with_mentions and gold is not None:
                references = [[c.text for c in captions if refers_to_boxes(c)] for captions in gold]
            self._numbers[key] = image_numbers(self.ids, references, images, gold, with_size=self.is_scaled)
        return self._numbers[key]

    def box_and_kind_numbers(self) -> tuple[Integers, Integers]:
        """The numbers with boxes, and others that tell what tells subsets of boxes apart instead of mentions."""
        images, gold = self.images or (), self._gold() or ()
        return box_and_kind_numbers(self.ids, self.references, images, gold, self.is_scaled)

    def fingerprint(self, *, with_boxes: bool = False) -> str:
        """Eight letters that stand for the images and their references."""
        return data_fingerprint(self.numbers(with_boxes=with_boxes))

    def sentences(self) -> chain[str]:
        """Every sentence in the order of `tokens`: for each image its caption, then its references."""
        together = zip(self.candidates, self.references, strict=True)
        return chain.from_iterable((candidate, *references) for candidate, references in together)

    def grounded_pairs(self, metric: str) -> list[tuple[list[Caption], Caption]]:
        """For each image its gold captions that refer to a box, and the system's caption.

        An error that names the metric if the run was made without them.
        """
        if self._pairs is not None:
            return self._pairs
        gold = self._gold()
        if gold is None or self.captions is None:
            raise LimnerError(
                f"{metric} needs boxes and captions that refer to them; give both as Limner's own JSON Lines"
            )
        grounded = ([caption for caption in captions if refers_to_boxes(caption)] for captions in gold)
        self._pairs = list(zip(grounded, self.captions, strict=True))
        return self._pairs

    def readings(self, metric: str, read: Callable[[Caption], Reading]) -> Readings[Reading]:
        """What `read` makes of the captions that refer to boxes; an error that names the metric if there are none.

        People's score compares each caption many times, and reading one costs
        more than comparing it: readings are kept until another reader asks.
        """
        if self._read is None or self._read[0] != read:
            pairs = self.grounded_pairs(metric)
            self._read = read, [(read(caption), [read(written) for written in gold]) for gold, caption in pairs]
        return self._read[1]

    def model(self, metric: str, make: Callable[[], Reading]) -> Reading:
        """What a metric learns from the whole run, made when it first asks."""
        if metric not in self._models:
            self._models[metric] = make()
        model: Reading = self._models[metric]
        return model

    def captions_without_box(self, metric: str) -> list[int]:
        """For each image how many of its gold captions refer to no box; an error as for `grounded_pairs`."""
        grounded = self.grounded_pairs(metric)
        return [len(written) - len(kept) for written, (kept, _) in zip(self._gold() or (), grounded, strict=True)]

    def _gold(self) -> Sequence[Sequence[Caption]] | None:
        if self.gold is not None or self.images is None:
            return self.gold
        return [[caption for caption in image.captions if caption.source == "gold"] for image in self.images]

    def boxes_at(self, places: Sequence[int]) -> Sequence[Mapping[str, Box]] | None:
        """The boxes that results bring for the images at these places."""
        return None if self.result_boxes is None else [self.result_boxes[i] for i in places]

    def subset(self, places: Sequence[int] | Integers) -> Run:
        """The run of the images at these places alone."""
        wanted = np.asarray(places, dtype=np.int64)
        groups = self.groups
        sentences = np.concatenate([np.arange(groups[i], groups[i + 1]) for i in wanted] or [np.zeros(0, np.int64)])
        return Run(
            [self.ids[i] for i in wanted],
            [self.candidates[i] for i in wanted],
            [self.references[i] for i in wanted],
            self.tokeniser,
            self.tokeniser_name,
            None if self.images is None else [self.images[i] for i in wanted],
            None if self.captions is None else [self.captions[i] for i in wanted],
            None if self.gold is None else [self.gold[i] for i in wanted],
            None if self.provenance is None else [self.provenance[i] for i in wanted],
            # A run without its words has no tokens; its subset is refused those only when it is asked for them.
            None if self._tokens is None else self._tokens.select(sentences),
            result_boxes=self.boxes_at(wanted.tolist()),
            match_iou=self.match_iou,
            is_scaled=None if self.is_scaled is None else [self.is_scaled[i] for i in wanted],
            _numbers={key: numbers[wanted] for key, numbers in self._numbers.items()},
        )


def _distinct(facts: Sequence[Facts]) -> list[tuple[Facts, int]]:
    """The facts that differ and how many images have them: most images of a run share one object."""
    facts_by_key = dict(zip(map(id, facts), facts, strict=True))
    return [(facts_by_key[key], n) for key, n in Counter(map(id, facts)).items()]


def _is_among(candidate: str, references: Sequence[str]) -> bool:
    """Whether a caption with words has the words of a reference."""
    words = _words(candidate)
    # Letter for letter is quickly seen.
    return bool(words) and (candidate in references or any(words == _words(text) for text in references))


def _words(text: str) -> list[str]:
    return text.casefold().rstrip(". ").split()


def refers_to_boxes(caption: Caption) -> bool:
    """Whether some mention of the caption refers to a box."""
    return any(mention.boxes for mention in caption.mentions)


def tokenised_run(references: Mapping[str, Sequence[str]], candidates: Mapping[str, Sequence[str]]) -> Run:
    """A run of what pycocoevalcap's scorers are given: tokens between spaces, by image, one caption each."""
    if candidates.keys() != references.keys():
        raise LimnerError("captions and references are of different images; give both for each")
    for id, captions in candidates.items():
        if len(captions) != 1:
            raise LimnerError(f"image {shown(id)} has {len(captions)} captions to be scored; give one")
    ids = list(references)
    return Run(ids, [candidates[id][0] for id in ids], [references[id] for id in ids])
