"""COCO's files of captions as programs written for pycocotools read them, without pycocotools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from limner.corpus.json_stream import stream_items
from limner.errors import BadInput, LimnerError, shown

Record = dict[str, Any]

ID = int | str
"""Of an image or an annotation."""


class COCO:
    """The images of a file and what is said of them.

    `imgs` and `anns` are by id, `imgToAnns` has the annotations of each image.
    Everything is as the file has it; it is checked that annotations have an
    image and a caption.
    """

    def __init__(self, annotation_file: str | Path | None = None) -> None:
        self.dataset: dict[str, Any] = {}
        self.anns: dict[ID, Record] = {}
        self.imgs: dict[ID, Record] = {}
        self.imgToAnns: defaultdict[ID, list[Record]] = defaultdict(list)
        if annotation_file is not None:
            self.dataset = _read(Path(annotation_file))
            if "annotations" not in self.dataset or "images" not in self.dataset:
                raise BadInput(str(annotation_file), "there are no images or no annotations", "is this a COCO file?")
            self._check(str(annotation_file))
            self.createIndex()

    def createIndex(self) -> None:
        """Make the mappings anew from `dataset`."""
        self.imgs = {image["id"]: image for image in self.dataset.get("images", [])}
        self.anns = {}
        self.imgToAnns = defaultdict(list)
        for annotation in self.dataset.get("annotations", []):
            self.anns[annotation["id"]] = annotation
            self.imgToAnns[annotation["image_id"]].append(annotation)

    def getImgIds(self, imgIds: ID | Sequence[ID] = ()) -> list[ID]:
        """The images of these ids, or every one."""
        return list(dict.fromkeys(_several(imgIds))) if _several(imgIds) else list(self.imgs)

    def getAnnIds(self, imgIds: ID | Sequence[ID] = ()) -> list[ID]:
        """The annotations of these images, or every one."""
        wanted = _several(imgIds)
        if not wanted:
            return [annotation["id"] for annotation in self.dataset.get("annotations", [])]
        return [annotation["id"] for image in wanted for annotation in self.imgToAnns.get(image, ())]

    def loadAnns(self, ids: ID | Sequence[ID] = ()) -> list[Record]:
        return [self.anns[id] for id in _several(ids)]

    def loadImgs(self, ids: ID | Sequence[ID] = ()) -> list[Record]:
        return [self.imgs[id] for id in _several(ids)]

    def loadRes(self, resFile: str | Path | Iterable[Mapping[str, Any]]) -> COCO:
        """Results, of a file or a list: captions of some of these images, which get ids from 1."""
        place = str(resFile) if isinstance(resFile, str | Path) else "results"
        said = _read(Path(resFile)).get("", []) if isinstance(resFile, str | Path) else list(resFile)
        if not said:
            raise BadInput(place, "there is no list of results, or nothing in it", "is this a file of COCO results?")
        results = COCO()
        results.dataset = {"annotations": said}
        results._check(place)
        for annotation in said:
            if annotation["image_id"] not in self.imgs:
                image = shown(annotation["image_id"])
                raise LimnerError(f"{place}: image {image} is not among those of the references; leave it out")
        described = {annotation["image_id"] for annotation in said}
        results.dataset = {
            "info": self.dataset.get("info", {}),
            "images": [image for id, image in self.imgs.items() if id in described],
            "annotations": [{**annotation, "id": i} for i, annotation in enumerate(said, start=1)],
        }
        results.createIndex()
        return results

    def _check(self, place: str) -> None:
        for i, image in enumerate(self.dataset.get("images", [])):
            _check_id(image, "id", f"{place}: images[{i}]")
        is_result = "images" not in self.dataset
        for i, annotation in enumerate(self.dataset["annotations"]):
            at = f"{place}: [{i}]" if is_result else f"{place}: annotations[{i}]"
            _check_id(annotation, "image_id", at)
            if not is_result:
                _check_id(annotation, "id", at)
            if not isinstance(annotation.get("caption"), str):
                raise BadInput(at, "there is no caption", "give a COCO file of captions")


def _read(path: Path) -> dict[str, Any]:
    """What the file holds by key; a list that is the whole file has the key ""."""
    found: dict[str, Any] = {}
    for key, position, value in stream_items(path):
        if position < 0:
            if key in ("images", "annotations"):
                raise BadInput(f"{path}: {key}", f"{shown(value)} is no list", "this is a list in COCO")
            found[key] = value
        else:
            found.setdefault(key, []).append(value)
    return found


def _check_id(record: object, key: str, place: str) -> None:
    if not isinstance(record, Mapping):
        raise BadInput(place, f"{shown(record)} is no object", "this is a list of objects in COCO")
    id = record.get(key)
    if isinstance(id, bool) or not isinstance(id, int | str):
        raise BadInput(place, f"{key} is {shown(id)}", "give a whole number or a text")


def _several(ids: ID | Sequence[ID]) -> Sequence[ID]:
    return [ids] if isinstance(ids, int | str) else ids
