"""Judged captions beside references, so that any metric can be run on them and compared with people.

Which references a judged caption may have, and what is correlated with what,
is a protocol. Here are those of Flickr8k (Hodosh et al. 2013), as published
tables of metrics use them, and one for judgements of any corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.files import read_lines
from limner.score.judgement.correlation import Kind
from limner.score.judgement.judgement_files import read_judgements
from limner.score.judgement.judgements import EXPERT, Judgements
from limner.score.pairing import listed
from limner.score.run import Run, Tokeniser

EXPERT_FILE = "ExpertAnnotations.txt"
CROWD_FILE = "CrowdFlowerAnnotations.txt"
CAPTIONS_FILE = "Flickr8k.token.txt"

# For each image its captions: text by id.
Captions = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Pairs of image and caption that people judged, with the words a metric needs.

    `captions[i]` and `references[i]` are the texts of the pair
    `judgements.pairs[i]`. `kind` is the correlation that tables give, computed
    over single ratings (`by_rating`) or over each pair's mean. `left_out`
    counts the judged pairs that were left out, by reason. `n_dropped` counts
    the captions that are no references because they were judged with their
    image, as their ids tell; `n_equal` the references that read like a caption
    judged with their image and are another one. `is_flickr8k` says that
    published tables are of these judgements. `single_words` are captions
    without a space that are nobody's id, and were taken for texts.
    """

    name: str
    judgements: Judgements
    captions: Sequence[str]
    references: Sequence[Sequence[str]]
    kind: Kind
    by_rating: bool
    left_out: Mapping[str, int] = field(default_factory=dict)
    n_dropped: int = 0
    n_equal: int = 0
    is_flickr8k: bool = False
    single_words: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.judgements.pairs:
            raise LimnerError(f"no judged pair of {shown(self.name)} is left to be scored; see that captions fit it")

    def check_words(self) -> list[str]:
        """Warnings about captions that may be no texts; an error if some must be ids, of which no metric has words."""
        ids = [caption for caption in self.single_words if _ID.fullmatch(caption)]
        if ids:
            problem = f"{listed(ids)} judged captions look like ids, and no caption of the references has them"
            raise BadInput(self.name, problem, "give the corpus that has these captions too, or their texts")
        if self.single_words:
            n = listed(self.single_words)
            return [f"{self.name}: {n} judged captions are one word and nobody's id; they are scored as texts"]
        return []

    def run(self, tokeniser: Tokeniser | None = None, tokeniser_name: str = "none") -> Run:
        """The pairs as a run: each is scored as if it were an image of its own.

        This holds for CIDEr's document frequencies too: an image that was
        judged with ten captions counts ten times, as in published tables.
        """
        ids = [f"{i} {image} {caption}" for i, (image, caption) in enumerate(self.judgements.pairs)]
        return Run(ids, self.captions, self.references, tokeniser and each_once(tokeniser), tokeniser_name)


def each_once(tokeniser: Tokeniser) -> Tokeniser:
    """The same tokeniser, called once for each distinct sentence: pairs repeat their references."""

    def tokenise(sentences: Sequence[str]) -> Sequence[str]:
        distinct = list(dict.fromkeys(sentences))
        tokens = dict(zip(distinct, tokeniser(distinct), strict=True))
        return [tokens[sentence] for sentence in sentences]

    return tokenise


def flickr8k(folder: Path, reading: Reading | None = None) -> list[JudgedSet]:
    """Flickr8k's two sets, expert and crowd, from the folder of its text files."""
    reading = reading or Reading()
    expert = read_judgements(folder / EXPERT_FILE, reading, scale=EXPERT.name)
    crowd = read_judgements(folder / CROWD_FILE, reading)
    captions = read_flickr8k_captions(folder / CAPTIONS_FILE, reading)
    return [
        expert_set(_with_words(expert, captions, str(folder / EXPERT_FILE), reading), captions),
        crowd_set(_with_words(crowd, captions, str(folder / CROWD_FILE), reading), captions),
    ]


def expert_set(judgements: Judgements, captions: Captions) -> JudgedSet:
    """Ratings from 1 to 4: τ-c over every rating, without the pairs whose caption is one of the image's references."""
    is_foreign = np.array([caption not in captions[image] for image, caption in judgements.pairs], dtype=np.bool_)
    foreign = judgements.select(is_foreign)
    texts = _texts(foreign, captions)
    return JudgedSet(
        "expert",
        foreign,
        texts,
        [tuple(captions[image].values()) for image, _ in foreign.pairs],
        "tau_c",
        by_rating=True,
        left_out={"caption is a reference of the image": int((~is_foreign).sum())},
        n_equal=_n_equal(foreign, texts, {image: list(captions[image].values()) for image in foreign.images}),
        is_flickr8k=True,
    )


def crowd_set(judgements: Judgements, captions: Captions) -> JudgedSet:
    """Shares of yes: τ-b over the pairs.

    A caption that was judged with an image is not a reference of that image,
    in any of its pairs.
    """
    crowd = _without_judged("crowd", judgements, _texts(judgements, captions), captions)
    return replace(crowd, is_flickr8k=True)


def judged_set(judgements: Judgements, images: Iterable[Image], name: str = "judgements") -> JudgedSet:
    """Judgements beside the gold captions of a corpus: τ-b over the pairs' mean judgements.

    A judged caption is given by its id, of a gold caption or a system's, or by
    its text. An id is looked up in its image, then in all images: people may
    judge captions of other images. A gold caption that was judged by its id is not a reference in
    any of the image's pairs. One that only reads like a judged caption is
    another caption and stays: leaving it out would punish a system for saying
    what people say. Pairs without a reference are left out and counted.
    """
    # Only captions of judged images are kept, and those that were judged: the corpus may be much larger.
    wanted = set(judgements.images)
    asked = {caption for _, caption in judgements.pairs}
    captions: dict[str, dict[str, str]] = {}
    words: dict[str, dict[str, str]] = {}
    elsewhere: dict[str, dict[str, str]] = {}
    for image in images:
        if image.id in wanted:
            words[image.id] = {caption.id: caption.text for caption in image.captions}
            gold = (caption for caption in image.captions if caption.source == "gold")
            captions[image.id] = {caption.id: caption.text for caption in gold}
        for caption in image.captions:
            if caption.id in asked:
                elsewhere.setdefault(caption.id, {})[caption.text] = image.id
    missing = [image for image in judgements.images if image not in captions]
    if missing:
        examples = ", ".join(shown(image) for image in missing[:3])
        raise LimnerError(f"{len(missing):,} judged images ({examples}) are not in the references; give their corpus")
    texts = [
        words[image][caption] if caption in words[image] else _text_elsewhere(caption, elsewhere, name)
        for image, caption in judgements.pairs
    ]
    unknown = dict.fromkeys(
        caption for image, caption in judgements.pairs if caption not in words[image] and caption not in elsewhere
    )
    single_words = [caption for caption in unknown if _WORD.fullmatch(caption)]
    return replace(_without_judged(name, judgements, texts, captions), single_words=single_words)


# A sentence in another script may have no space: only what is ASCII is taken for a single word.
_WORD = re.compile(r"[!-~]+")

# Ids have a digit or a mark that joins parts: 38, 12.jpg#2, a_b.
_ID = re.compile(r"[!-~]*[0-9#_][!-~]*")


def _text_elsewhere(caption: str, elsewhere: Mapping[str, Mapping[str, str]], name: str) -> str:
    """The text of the caption of another image that has this id; what is nobody's id is a text itself."""
    image_by_text = elsewhere.get(caption, {caption: ""})
    if len(image_by_text) > 1:
        problem = f"caption {shown(caption)} is judged, and several images have one of that id: "
        examples = ", ".join(shown(image) for image in list(image_by_text.values())[:3])
        raise BadInput(name, problem + examples, "give each caption an id of its own, or its text")
    return next(iter(image_by_text))


def read_flickr8k_captions(path: Path, reading: Reading) -> dict[str, dict[str, str]]:
    """The captions of `Flickr8k.token.txt`, by image and id: `IMAGE#NUMBER`, a tab, the text."""
    captions: dict[str, dict[str, str]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        id, tab, text = line.partition("\t")
        image, mark, _ = id.rpartition("#")
        if not (tab and mark and image):
            fault = BadInput(f"{path}:{number}", "invalid caption", "a line is IMAGE#NUMBER, a tab, the caption")
            reading.skip("invalid caption", fault)
        elif id in captions.setdefault(image, {}):
            fault = BadInput(f"{path}:{number}", f"caption {shown(id)} is there twice", "give each its own number")
            reading.skip("repeated caption id", fault)
        else:
            captions[image][id] = text
    return captions


def _with_words(judgements: Judgements, captions: Captions, source: str, reading: Reading) -> Judgements:
    """The judgements of pairs whose caption and references are known; others raise an error, or are counted."""
    by_id = {id for of_image in captions.values() for id in of_image}
    is_known = np.ones(len(judgements.pairs), dtype=np.bool_)
    for i, (image, caption) in enumerate(judgements.pairs):
        if not captions.get(image) or caption not in by_id:
            what = f"caption {shown(caption)}" if captions.get(image) else f"caption of image {shown(image)}"
            fault = BadInput(source, f"there is no {what} in {CAPTIONS_FILE}", "give the captions of all")
            reading.skip("pair without its captions", fault)
            is_known[i] = False
    return judgements.select(is_known)


def _texts(judgements: Judgements, captions: Captions) -> list[str]:
    by_id = {id: text for of_image in captions.values() for id, text in of_image.items()}
    return [by_id[caption] for _, caption in judgements.pairs]


def _without_judged(name: str, judgements: Judgements, texts: Sequence[str], captions: Captions) -> JudgedSet:
    """The set in which no reference of an image was judged with it."""
    judged: dict[str, set[str]] = {}
    for image, caption in judgements.pairs:
        judged.setdefault(image, set()).add(caption)
    references = {
        image: [text for id, text in captions[image].items() if id not in ids] for image, ids in judged.items()
    }
    has_reference = np.array([bool(references[image]) for image, _ in judgements.pairs], dtype=np.bool_)
    remaining = judgements.select(has_reference)
    return JudgedSet(
        name,
        remaining,
        [text for text, is_kept in zip(texts, has_reference.tolist(), strict=True) if is_kept],
        [references[image] for image, _ in remaining.pairs],
        "tau_b",
        by_rating=False,
        left_out={"no reference is left": int((~has_reference).sum())},
        n_dropped=sum(len(captions[image]) - len(texts_left) for image, texts_left in references.items()),
        n_equal=_n_equal(judgements, texts, references),
    )


def _n_equal(judgements: Judgements, texts: Sequence[str], references: Mapping[str, Sequence[str]]) -> int:
    """How many references have the very text of a caption that was judged with their image."""
    judged: dict[str, set[str]] = {}
    for (image, _), text in zip(judgements.pairs, texts, strict=True):
        judged.setdefault(image, set()).add(text)
    return sum(text in judged[image] for image, of_image in references.items() for text in of_image)
