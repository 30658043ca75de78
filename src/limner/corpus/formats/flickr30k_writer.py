"""Writing Flickr30k Entities, for the dataset's other users."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.formats.flickr30k_parsing import MARK, NOT_VISUAL, is_number
from limner.corpus.image import Chain, Image
from limner.errors import LimnerError, shown
from limner.files import write_bytes, write_texts
from limner.outputs import write_folder

UNTYPED = "other"


def write(images: Iterable[Image], path: Path, replace_folder: bool = False) -> int:
    """Write images as a zip, if so named, or as folders; what the format cannot say is an error.

    Mentions of boxes that belong to no chain get one, those of the same boxes the same.
    """
    if path.suffix == ".zip":
        with write_bytes(path) as handle, zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as archive:
            return _write_all(images, lambda name, text: archive.writestr(_entry(name), text.encode()))
    names = ("Annotations/*.xml", "Sentences/*.txt")
    with write_folder(path, names=names, replace=replace_folder) as folder:
        (folder / "Annotations").mkdir()
        (folder / "Sentences").mkdir()
        return _write_all(images, lambda name, text: write_texts({name: text}, folder))


def _write_all(images: Iterable[Image], put: Callable[[str, str], object]) -> int:
    written = 0
    for image in images:
        if "/" in image.id or image.id in (".", ".."):
            raise _cannot(image, f"its id {shown(image.id)} is not a file name")
        image = _with_chains(image)
        names = _chain_names(image)
        put(f"Annotations/{image.id}.xml", _annotation(image, names))
        put(f"Sentences/{image.id}.txt", "".join(_sentence(image, caption, names) + "\n" for caption in image.captions))
        written += 1
    return written


def _entry(name: str) -> zipfile.ZipInfo:
    # Without a time stamp, so that the same corpus gives the same bytes.
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _cannot(image: Image, problem: str) -> LimnerError:
    return LimnerError(f"image {shown(image.id)} cannot be written as flickr30k-entities: {problem}")


def _with_chains(image: Image) -> Image:
    """The image with a chain for every mention of boxes: mentions of the same boxes are of one thing."""
    if all(mention.chain is not None or not mention.boxes for _, mention in image.mentions()):
        return image
    chain_by_boxes = {frozenset(chain.boxes): chain for chain in reversed(image.chains) if chain.boxes}
    free = _free_numbers(chain.id for chain in image.chains)
    made: list[Chain] = []

    def chained(mention: Mention) -> Mention:
        if mention.chain is not None or not mention.boxes:
            return mention
        boxes = frozenset(mention.boxes)
        if boxes not in chain_by_boxes:
            ordered = [box for box in image.boxes if box.id in boxes]
            types = mention.types or tuple(dict.fromkeys(type for box in ordered for type in box.types))
            chain_by_boxes[boxes] = Chain(next(free), tuple(box.id for box in ordered), types)
            made.append(chain_by_boxes[boxes])
        chain = chain_by_boxes[boxes]
        return replace(mention, boxes=chain.boxes, chain=chain.id, types=mention.types or chain.types)

    captions = tuple(replace(c, mentions=tuple(map(chained, c.mentions))) for c in image.captions)
    return replace(image, captions=captions, chains=(*image.chains, *made))


def _chain_names(image: Image) -> dict[str, str]:
    """Each chain's number: its own id where that is one, otherwise a free number."""
    names = {chain.id: chain.id for chain in image.chains if is_number(chain.id) and chain.id != NOT_VISUAL}
    free = _free_numbers(names.values())
    return {chain.id: names.get(chain.id) or next(free) for chain in image.chains}


def _free_numbers(taken: Iterable[str]) -> Iterator[str]:
    used = set(taken)
    return (str(n) for n in count(1) if str(n) not in used)


def _annotation(image: Image, names: dict[str, str]) -> str:
    if image.width is None or image.height is None:
        raise _cannot(image, "its size is not known")
    free = _free_numbers(names.values())
    objects = [_boxed(image, box, names, free) for box in image.boxes]
    objects += [_unboxed(chain, names) for chain in image.chains if not chain.boxes]
    file = escape(image.file or f"{image.id}.jpg", quote=False)
    return (
        f"<annotation>\n\t<filename>{file}</filename>\n\t<size>\n\t\t<width>{image.width}</width>\n"
        f"\t\t<height>{image.height}</height>\n\t\t<depth>3</depth>\n\t</size>\n{''.join(objects)}</annotation>\n"
    )


def _boxed(image: Image, box: Box, names: dict[str, str], free: Iterator[str]) -> str:
    # A box in no chain gets one of its own that nobody mentions: there a box has no other name.
    chains = [names[chain.id] for chain in image.chains if box.id in chain.boxes] or [next(free)]
    if any(edge != int(edge) for edge in box.corners) or box.area == 0:
        raise _cannot(image, f"box {shown(box.id)} {shown(box.corners)} is not made of whole pixels")
    edges = zip(("xmin", "ymin", "xmax", "ymax"), (box.x0 + 1, box.y0 + 1, box.x1, box.y1), strict=True)
    corners = "".join(f"\t\t\t<{name}>{int(value)}</{name}>\n" for name, value in edges)
    return f"\t<object>\n{_names(chains)}\t\t<bndbox>\n{corners}\t\t</bndbox>\n\t</object>\n"


def _unboxed(chain: Chain, names: dict[str, str]) -> str:
    scene, nobox = int("scene" in chain.flags), int("nobox" in chain.flags or "scene" not in chain.flags)
    return (
        f"\t<object>\n{_names([names[chain.id]])}\t\t<scene>{scene}</scene>\n"
        f"\t\t<nobndbox>{nobox}</nobndbox>\n\t</object>\n"
    )


def _names(chains: list[str]) -> str:
    return "".join(f"\t\t<name>{chain}</name>\n" for chain in chains)


def _sentence(image: Image, caption: Caption, names: dict[str, str]) -> str:
    if "\n" in caption.text or MARK in caption.text:
        raise _cannot(image, f"caption {shown(caption.id)} holds a line break or the mark of a mention")
    chain_by_id = image.chain_by_id()
    pieces: list[str] = []
    reached = 0
    for mention in caption.mentions:
        pieces += (caption.text[reached : mention.start], _mention(image, caption, mention, chain_by_id, names))
        reached = mention.end
    return "".join(pieces) + caption.text[reached:]


def _mention(
    image: Image, caption: Caption, mention: Mention, chain_by_id: dict[str, Chain], names: dict[str, str]
) -> str:
    phrase = caption.phrase(mention)
    if "]" in phrase:
        raise _cannot(image, f"the mention {shown(phrase)} holds a closing bracket")
    boxes = chain_by_id[mention.chain].boxes if mention.chain is not None else ()
    if boxes != mention.boxes:
        raise _cannot(image, f"the mention {shown(phrase)} refers to other boxes than its chain")
    chain = names[mention.chain] if mention.chain is not None else NOT_VISUAL
    types = "/".join(mention.types) or (UNTYPED if mention.chain is not None else "notvisual")
    if " " in types or "]" in types:
        raise _cannot(image, f"the types {shown(types)} hold a space or a bracket")
    return f"{MARK}{chain}/{types} {phrase}]"
