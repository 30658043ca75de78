"""A picture and what is known about it: boxes, captions, chains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn

from msgspec import Struct
from msgspec.structs import force_setattr

from limner.corpus.box import Box, settle
from limner.corpus.caption import Caption, Mention
from limner.errors import shown
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus import image_view
else:
    image_view = lazy("limner.corpus.image_view")

Scalar = str | int | float | bool

# The version of the schema, which every line of the native format begins with.
VERSION = 2

# The oldest version that is still read: it has no image labels, candidates and origins.
FIRST_VERSION = 1

# Pixels. No picture is larger; a file that says so is wrong, or hostile.
MAX_SIDE = 10_000_000

# Boxes, captions, chains or labels. More than detectors propose, and few enough that all can be compared.
MAX_PARTS = 200_000
TOO_MANY = f"more than {MAX_PARTS:,}"

# How far, in pixels, a box may reach past the picture: what rounding of sizes explains.
EDGE = 1.0


# Images are hashed and shared between threads, so that their facts must not change either.
class FrozenDict(dict[str, Scalar]):
    """A small mapping that cannot be changed once made."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping cannot be changed; build a new one")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Scalar]]]:
        return FrozenDict, (dict(self),)


Facts = Mapping[str, Scalar]

NOTHING: Facts = FrozenDict()


class Chain(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A thing that captions speak of: its boxes; its mentions are those that carry its id.

    `flags` are the annotation's remarks: `scene` for a place as a whole,
    `nobox` where people decided that no box can be drawn.
    """

    id: str
    boxes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if type(self.boxes) is not tuple:
            settle(self, texts=("id",), words=("boxes", "types", "flags"))
        if not self.id:
            raise ValueError("a chain needs an id")


class ImageLabel(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A class that is, or is not, somewhere in the picture.

    `confidence` is 1 where people saw it, 0 where they looked and it is
    absent, and between them where a machine guessed. `source` names who says so.
    """

    label: str
    confidence: int | float = 1.0
    source: str = ""

    def __post_init__(self) -> None:
        if not type(self.label) is type(self.source) is str:
            settle(self, texts=("label", "source"))
        if isinstance(self.confidence, bool) or not isinstance(self.confidence, int | float):
            raise ValueError(f"image label {shown(self.label)} has confidence {shown(self.confidence)}; give a number")
        if not self.label:
            raise ValueError("an image label must not be empty")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"image label {shown(self.label)} has confidence {shown(self.confidence)}, outside 0 to 1")


# What an image has, by the field that holds it.
_PARTS = {"boxes": Box, "captions": Caption, "chains": Chain, "labels": ImageLabel}


class Image(
    Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, tag_field="limner", tag=VERSION
):
    """A picture's boxes, captions and chains, consistent with each other.

    Every box id that a mention or chain names is one of the image's boxes. An
    image that carries no boxes at all may name boxes that another file holds:
    that is how a system's results refer to gold they never touch.

    `file` is the picture's name or path relative to the corpus. `attributes`
    are facts about the picture (domain, split); `provenance` tells how its
    annotation came about where that is not plain annotation, as in
    `{"labels": "captions"}`. `labels` are said of the picture as a whole, each
    once by each source.
    """

    id: str
    width: int | None = None
    height: int | None = None
    boxes: tuple[Box, ...] = ()
    captions: tuple[Caption, ...] = ()
    chains: tuple[Chain, ...] = ()
    file: str = ""
    attributes: Facts = NOTHING
    provenance: Facts = NOTHING
    labels: tuple[ImageLabel, ...] = ()

    def __post_init__(self) -> None:
        if not type(self.id) is type(self.file) is str:
            settle(self, texts=("id", "file"))
        for parts in (self.boxes, self.captions, self.chains, self.labels):
            if type(parts) is not tuple:
                settle(self, tuples=tuple(_PARTS))
        if not self.id:
            raise ValueError("an image needs an id")
        for name in ("attributes", "provenance"):
            mapping = getattr(self, name)
            if not isinstance(mapping, FrozenDict):
                # A decoder gives plain dictionaries, and a frozen struct can be completed only this way.
                force_setattr(self, name, FrozenDict(mapping) if mapping else NOTHING)
        try:
            self._check_parts()
        except AttributeError:
            # Looking for the culprit beforehand would cost every image something.
            raise self._wrong_part() from None

    def _check_parts(self) -> None:
        if max(len(self.boxes), len(self.captions), len(self.chains), len(self.labels)) > MAX_PARTS:
            name = next(name for name in _PARTS if len(getattr(self, name)) > MAX_PARTS)
            raise ValueError(f"image {shown(self.id)} has {TOO_MANY} {name}")
        self._check_size()
        box_ids = _unique("box", [box.id for box in self.boxes], self.id)
        chain_ids = _unique("chain", [chain.id for chain in self.chains], self.id)
        _unique("caption", [caption.id for caption in self.captions], self.id)
        # Nearly all images have no labels: they should not pay for a set.
        if self.labels and len({(label.label, label.source) for label in self.labels}) < len(self.labels):
            raise ValueError(f"image {shown(self.id)} has the same label twice from one source")
        self._check_references(box_ids, chain_ids)

    def _wrong_part(self) -> ValueError:
        name, part = next((n, p) for n, kind in _PARTS.items() for p in getattr(self, n) if not isinstance(p, kind))
        kind = _PARTS[name].__name__
        return ValueError(f"image {shown(self.id)} has {shown(part)} among its {name}; give objects of class {kind}")

    def _check_size(self) -> None:
        if self.width is None and self.height is None:
            return
        if self.width is not None and self.height is not None and not type(self.width) is type(self.height) is int:
            settle(self, wholes=("width", "height"))
        if not (self.width and self.height and 1 <= self.width <= MAX_SIDE and 1 <= self.height <= MAX_SIDE):
            raise ValueError(f"image {shown(self.id)} cannot measure {shown(self.width)} by {shown(self.height)}")
        for box in self.boxes:
            if not inside(box, self.width, self.height):
                raise ValueError(
                    f"box {shown(box.id)} {shown(box.corners)} reaches out of the image, {self.width} by {self.height}"
                )

    def _check_references(self, box_ids: set[str], chain_ids: set[str]) -> None:
        for chain in self.chains:
            if box_ids and not box_ids.issuperset(chain.boxes):
                raise ValueError(f"chain {shown(chain.id)} names a box that image {shown(self.id)} does not have")
        for caption in self.captions:
            for mention in caption.mentions:
                if box_ids and mention.boxes and not box_ids.issuperset(mention.boxes):
                    missing = next(b for b in mention.boxes if b not in box_ids)
                    raise ValueError(
                        f"caption {shown(caption.id)} mentions box {shown(missing)}, "
                        f"which image {shown(self.id)} does not have"
                    )
                if box_ids and mention.candidates:
                    self._check_candidates(caption, mention, box_ids)
                if mention.chain is not None and mention.chain not in chain_ids:
                    raise ValueError(
                        f"caption {shown(caption.id)} mentions chain {shown(mention.chain)}, "
                        f"which image {shown(self.id)} does not have"
                    )

    def _check_candidates(self, caption: Caption, mention: Mention, box_ids: set[str]) -> None:
        named = [candidate.box for candidate in mention.candidates]
        if not box_ids.issuperset(named):
            missing = next(id for id in named if id not in box_ids)
            raise ValueError(
                f"caption {shown(caption.id)} has candidate {shown(missing)}, "
                f"which image {shown(self.id)} does not have"
            )

    def box_by_id(self) -> dict[str, Box]:
        return {box.id: box for box in self.boxes}

    def chain_by_id(self) -> dict[str, Chain]:
        return {chain.id: chain for chain in self.chains}

    def __repr__(self) -> str:
        size = "" if self.width is None else f", {self.width}×{self.height}"
        parts = {"box": self.boxes, "caption": self.captions, "chain": self.chains, "label": self.labels}
        counts = "".join(f", {_counted(name, len(items))}" for name, items in parts.items() if items)
        return f"<Image {shown(self.id)}{size}{counts}>"

    def _repr_html_(self) -> str:
        return image_view.image_html(self)

    def mentions(self) -> Iterator[tuple[Caption, Mention]]:
        """Every mention with its caption, in the order of the captions and their text."""
        for caption in self.captions:
            for mention in caption.mentions:
                yield caption, mention


class FirstImage(Image, frozen=True, tag=FIRST_VERSION):
    """An image as version 1 of the schema wrote it."""

    def upgraded(self) -> Image:
        return Image(*(getattr(self, name) for name in Image.__struct_fields__))


def inside(box: Box, width: float, height: float) -> bool:
    """Whether a box lies within a picture, up to what rounding of its size explains."""
    return box.x0 >= -EDGE and box.y0 >= -EDGE and box.x1 <= width + EDGE and box.y1 <= height + EDGE


def _counted(name: str, n: int) -> str:
    return f"{n} {name}" if n == 1 else f"{n} {'boxes' if name == 'box' else name + 's'}"


def _unique(kind: str, ids: list[str], image: str) -> set[str]:
    distinct = set(ids)
    if len(distinct) < len(ids):
        twice = next(id for id, n in Counter(ids).items() if n > 1)
        raise ValueError(f"image {shown(image)} has the {kind} id {shown(twice)} twice")
    return distinct
