"""Captions and references as they are given: paths, corpora, images in memory, mappings or plain lists."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from limner.corpus import open_corpus
from limner.corpus.caption import Caption
from limner.corpus.formats import FORMATS
from limner.corpus.image import Facts, Image
from limner.errors import BadInput, LimnerError, shown
from limner.score.run import refers_to_boxes

# A corpus by its path, or several that are joined.
Corpora = str | Path | Sequence[str | Path]


# Records of COCO's results or annotations: an `image_id` and a `caption` each.
Records = Sequence[Mapping[str, object]]

GivenCaptions = Corpora | Iterable[Image] | Mapping[str, str | Sequence[str]] | Sequence[str | Sequence[str]] | Records
GivenReferences = Corpora | Iterable[Image] | Mapping[str, Sequence[str]] | Sequence[Sequence[str]] | Records


Duplicate = Literal["error", "first"]


# What stands in for a caption that is missing, or whose image nobody asks about.
NO_CAPTION = Caption("0", "")


@dataclass(slots=True)
class References:
    """The references of each image, and the gold images if they are kept.

    `place` names them in errors. `n_without` images have no reference, and
    `n_boxes_only` more have none but boxes.
    `gold_ids` are the images for which captions are expected (default: those
    that have references). `provenance` is that of the images that have any.
    """

    place: str
    texts: dict[str, list[str]] = field(default_factory=dict)
    images: dict[str, Image] | None = None
    n_without: int = 0
    gold_ids: Collection[str] | None = None
    n_boxes_only: int = 0
    provenance: dict[str, Facts] = field(default_factory=dict)

    def add(self, image: Image, texts: list[str]) -> None:
        self.texts[image.id] = texts
        if image.provenance:
            self.provenance[image.id] = image.provenance

    def add_without(self, image: Image) -> None:
        """Count an image that has no reference."""
        if image.boxes and not image.captions:
            self.n_boxes_only += 1
        else:
            self.n_without += 1


@dataclass(slots=True)
class Captions:
    """One system's captions by image id; how many second captions of an image were passed over.

    `place` names them in errors. `provenance` is that of the results that have any.
    `images` are those result images that bring boxes to which their caption
    refers.
    """

    place: str
    name: str
    by_image: dict[str, Caption]
    n_duplicates: int = 0
    provenance: dict[str, Facts] = field(default_factory=dict)
    images: dict[str, Image] = field(default_factory=dict)

    def add(self, image: Image, caption: Caption) -> None:
        self.by_image[image.id] = caption
        if image.provenance:
            self.provenance[image.id] = image.provenance
        if image.boxes and refers_to_boxes(caption):
            self.images[image.id] = image


def read_references(
    images: GivenReferences,
    *,
    keep_images: bool = False,
    place: str | None = None,
) -> References:
    """The gold captions of every image that has any; if none is gold, the captions of the only source there is."""
    if (given := _given(images)) is not None:
        place = place or "references"
        by_id = {str(id): _texts(place, id, captions) for id, captions in given.items()}
        if not any(by_id.values()):
            raise BadInput(place, "there are no captions", "give references of one image at least")
        return References(place, {id: texts for id, texts in by_id.items() if texts})
    images, place = opened(cast("Corpora | Iterable[Image]", images), place, "references")
    references = References(place, images={} if keep_images else None)
    not_gold: dict[str, list[str]] = {}
    sources: set[str] = set()
    for image in images:
        if references.images is not None:
            references.images[image.id] = image
        gold = [caption.text for caption in image.captions if caption.source == "gold"]
        if gold:
            references.add(image, gold)
        elif image.captions:
            sources.update(caption.source for caption in image.captions)
            not_gold[image.id] = [caption.text for caption in image.captions]
        else:
            references.add_without(image)
    if not references.texts and len(sources) == 1:
        references.texts = not_gold
    elif not references.texts:
        problem = f"captions are by {', '.join(sorted(sources))}" if sources else "there are no captions"
        raise BadInput(place, problem, "give references: captions whose source is gold")
    else:
        references.n_without += len(not_gold)
    return references


def read_grounded_references(images: Corpora | Iterable[Image], *, place: str | None = None) -> References:
    """The gold captions that refer to a box, and every gold image: each of them is to have a caption."""
    images, place = opened(images, place, "gold")
    by_id = {image.id: image for image in images}
    references = References(place, images=by_id, gold_ids=by_id)
    for image in by_id.values():
        texts = [caption.text for caption in image.captions if caption.source == "gold" and refers_to_boxes(caption)]
        if texts:
            references.texts[image.id] = texts
        else:
            references.n_without += 1
    return references


def read_captions(
    images: GivenCaptions,
    *,
    source: str | None = None,
    duplicate: Duplicate = "error",
    place: str | None = None,
    name: str | None = None,
    known: Container[str] | None = None,
) -> Captions:
    """The captions of one source: the one that is named, or the only one that is not gold.

    A source without a colon is a system's name: `learned` for
    `system:learned`. With `known`, the ids of images that have references,
    captions of other images are kept without their words: there may be many.
    """
    if (given := _given(images)) is not None:
        return _given_captions(given, duplicate, place or "results", name)
    images, place = opened(cast("Corpora | Iterable[Image]", images), place, "results")
    wanted = None if source is None else _full(source)
    captions = Captions(place, name or "", {})
    sources: dict[str, None] = {}
    for image in images:
        for caption in image.captions:
            sources[caption.source] = None
            if wanted is None and caption.source != "gold":
                wanted = caption.source
            if caption.source != wanted:
                continue
            if image.id in captions.by_image and duplicate == "first":
                captions.n_duplicates += 1
            elif image.id in captions.by_image:
                problem = f"image {shown(image.id)} has two captions by {shown(wanted)}"
                remedy = "keep one of them, give each its own source, or allow second captions"
                raise BadInput(place, problem, remedy, code="second-caption")
            else:
                captions.add(image, caption if known is None or image.id in known else NO_CAPTION)
    captions.name = name or _chosen(place, source, wanted, list(sources))
    return captions


def distinct_names(sources: Iterable[str], places: Sequence[str]) -> list[str]:
    """Names that tell systems apart: those of their sources, or their files' if two have the same."""
    given = [source.removeprefix("system:") for source in sources]
    names = [place if given.count(name) > 1 else name for name, place in zip(given, places, strict=True)]
    if len(set(names)) < len(names):
        raise LimnerError("the same results are given twice; compare different ones", code="same-results")
    return names


def opened(corpora: Corpora | Iterable[Image], place: str | None, otherwise: str) -> tuple[Iterable[Image], str]:
    """The images, of a corpus if they are given as its path or paths, and what errors call them."""
    if isinstance(corpora, str | Path):
        corpora = open_corpus(corpora)
    elif isinstance(corpora, Sequence) and corpora and isinstance(corpora[0], str | Path):
        corpora = open_corpus([str(path) for path in corpora])
    name = place or str(getattr(corpora, "name", otherwise))
    if not isinstance(corpora, Iterable):
        raise BadInput(name, f"{shown(corpora)} is no corpus", "give a path, images, or captions by image id")
    return _checked(cast(Iterable[Image], corpora), name), name


def _checked(images: Iterable[Image], place: str) -> Iterator[Image]:
    for image in images:
        if not isinstance(image, Image):
            raise BadInput(place, f"{shown(image)} is no image", "give a path, images, or captions by image id")
        yield image


def _given(captions: object) -> Mapping[str, object] | None:
    """What a mapping or a list has for each image; None for images and paths."""
    if isinstance(captions, Mapping):
        return captions
    return captions_by_record(captions) or captions_by_position(captions)


def captions_by_record(given: object) -> dict[str, object] | None:
    """The captions of each image in records of COCO; None for what is no list of records."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        return None
    if not all(isinstance(item, Mapping) and item.keys() >= {"image_id", "caption"} for item in given):
        return None
    by_id: dict[str, list[object]] = {}
    for record in given:
        by_id.setdefault(str(record["image_id"]), []).append(record["caption"])
    return dict(by_id)


def _given_captions(texts: Mapping[str, object], duplicate: Duplicate, place: str, name: str | None) -> Captions:
    """Captions by image id: a text, or a list of one; of more, the first if the policy says so."""
    captions = Captions(place, name or place, {})
    if not texts:
        raise BadInput(place, "there are no captions", "give a system's results")
    for id, given in texts.items():
        is_list = isinstance(given, list | tuple) and (len(given) < 2 or duplicate == "first")
        listed = cast("Sequence[object]", given) if is_list else [given]
        captions.n_duplicates += max(0, len(listed) - 1)
        for text in listed[:1]:
            captions.by_image[str(id)] = _caption(place, id, text)
    return captions


def _caption(place: str, id: str, text: object) -> Caption:
    if not isinstance(text, str):
        problem = f"the caption of image {shown(id)} is {shown(text)}"
        raise BadInput(place, problem, "give one text for each image; results come first, then references")
    return Caption("0", text)


def _texts(place: str, id: str, captions: object) -> list[str]:
    if isinstance(captions, str):
        return [captions]
    texts = []
    for text in captions if isinstance(captions, Iterable) else [captions]:
        if not isinstance(text, str):
            raise BadInput(place, f"a reference of image {shown(id)} is {shown(text)}", "give texts for each image")
        texts.append(text)
    return texts


def _full(source: str) -> str:
    return source if ":" in source or source == "gold" else f"system:{source}"


def _chosen(place: str, named: str | None, wanted: str | None, sources: list[str]) -> str:
    """The source that was read; an error if it is not there or not the only one."""
    if not sources:
        raise BadInput(place, "there are no captions", "give a system's results")
    if named is not None and wanted is not None:
        if wanted not in sources:
            raise BadInput(place, f"no caption is by {shown(wanted)}", f"choose from: {', '.join(sorted(sources))}")
        return wanted
    if wanted is None:
        raise BadInput(
            place, "every caption is gold", "give a system's results, or name gold as the source", code="only-gold"
        )
    systems = sorted(source for source in sources if source != "gold")
    if len(systems) > 1:
        raise BadInput(
            place, f"captions are by {', '.join(systems)}", "name one of them as the source", code="several-sources"
        )
    return wanted


# What the names of corpora end in, whether they exist or not: a mistyped path must not be scored as a caption.
PATH_SUFFIXES = frozenset((".json", ".jsonl", ".gz", ".zst", ".zip", ".parquet", ".tsv", ".csv", ".txt"))


def captions_by_position(given: object) -> dict[str, object] | None:
    """What a list has for each image, by its position from 0; None for what is no list of captions."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        return None
    if all(isinstance(item, str) and not _is_path(item) for item in given) or all(map(_is_texts, given)):
        return {str(i): item for i, item in enumerate(given)}
    return None


def _is_texts(item: object) -> bool:
    return isinstance(item, list | tuple) and all(isinstance(text, str) for text in item)


def _is_path(text: str) -> bool:
    if os.path.exists(text) or Path(text).suffix.lower() in PATH_SUFFIXES or text.partition(":")[0] in FORMATS:
        return True
    return "/" in text and not any(c.isspace() for c in text)
