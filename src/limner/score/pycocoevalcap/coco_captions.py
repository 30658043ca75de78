"""COCO's files of captions and their evaluation, as programs written for pycocotools and pycocoevalcap call them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from limner.corpus.json_stream import stream_items
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.score.pycocoevalcap.coco_scorers import Bleu, Cider, Meteor, PTBTokenizer, Rouge, Spice

# The scorer of each metric and the names of its values; without a name, the scorer says what it is.
METRICS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "Bleu": (Bleu, ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4")),
    "METEOR": (Meteor, ("METEOR",)),
    "ROUGE_L": (Rouge, ("ROUGE_L",)),
    "CIDEr": (Cider, ("CIDEr",)),
    "SPICE": (Spice, ()),
}


Record = dict[str, Any]

# Of an image or an annotation.
ID = int | str


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


class Captions(Protocol):
    """Captions by image, as pycocotools' COCO and ours have them."""

    @property
    def imgToAnns(self) -> Mapping[Any, Sequence[Mapping[str, Any]]]: ...

    def getImgIds(self) -> Iterable[Any]: ...


class COCOEvalCap:
    """Results, from `loadRes`, against the captions they were loaded beside.

    `evaluate()` fills `eval`, the values of all images by name; `imgToEval`,
    each image's own by its id; and `evalImgs`, a list of these. The images
    are those of `params["image_id"]`. `metrics` may be fewer than all. SPICE
    by another parser than the original's is another measure, named `SPICE*`.
    """

    def __init__(self, coco: Captions, cocoRes: Captions, metrics: Iterable[str] = tuple(METRICS)) -> None:
        self.coco = coco
        self.cocoRes = cocoRes
        self.metrics = tuple(metrics)
        self.params: dict[str, Any] = {"image_id": list(coco.getImgIds())}
        self.eval: dict[str, float] = {}
        self.imgToEval: dict[Any, dict[str, Any]] = {}
        self.evalImgs: list[dict[str, Any]] = []
        for name in self.metrics:
            if name not in METRICS:
                raise unknown("metric", name, METRICS)

    def evaluate(self) -> None:
        """Score the results; nothing is printed."""
        wanted = list(dict.fromkeys(self.params["image_id"]))
        # Every scorer then has the images in one order, those too that sort them.
        ids = _sorted(wanted)
        tokenise = PTBTokenizer().tokenize
        gts = tokenise({id: self._said(self.coco, id, "reference") for id in ids})
        res = tokenise({id: self._said(self.cocoRes, id, "result") for id in ids})
        self.imgToEval = {id: {"image_id": id} for id in wanted}
        for name in self.metrics:
            kind, columns = METRICS[name]
            scorer = kind()
            value, values = scorer.compute_score(gts, res)
            for column, of_all, of_images in _columns(columns or (scorer.method(),), value, values):
                self.setEval(of_all, column)
                self.setImgToEvalImgs(of_images, ids, column)
        self.setEvalImgs()

    def setEval(self, score: float, method: str) -> None:
        self.eval[method] = score

    def setImgToEvalImgs(self, scores: Iterable[Any], imgIds: Iterable[Any], method: str) -> None:
        for id, score in zip(imgIds, scores, strict=True):
            self.imgToEval.setdefault(id, {"image_id": id})[method] = score

    def setEvalImgs(self) -> None:
        self.evalImgs = list(self.imgToEval.values())

    def _said(self, captions: Captions, id: object, what: str) -> Sequence[Mapping[str, Any]]:
        records = captions.imgToAnns.get(id, ())
        if not records:
            remedy = "set params['image_id'] to the images that have both"
            raise LimnerError(f"image {shown(id)} has no {what}; {remedy}")
        return records


def _columns(names: tuple[str, ...], value: Any, values: Any) -> Iterable[tuple[str, float, Iterable[Any]]]:
    """Name, value and the images' values of each: a scorer of several answers with lists of them."""
    return zip(names, value, values, strict=True) if len(names) > 1 else [(names[0], value, values)]


def _sorted(ids: list[Any]) -> list[Any]:
    try:
        return sorted(ids)
    except TypeError:
        return ids


def _read(path: Path) -> dict[str, Any]:
    """What the file holds by key; a list that is the whole file has the key ""."""
    by_key: dict[str, Any] = {}
    for key, position, value in stream_items(path):
        if position < 0:
            if key in ("images", "annotations"):
                raise BadInput(f"{path}: {key}", f"{shown(value)} is not a list", "this is a list in COCO")
            by_key[key] = value
        else:
            by_key.setdefault(key, []).append(value)
    return by_key


def _check_id(record: object, key: str, place: str) -> None:
    if not isinstance(record, Mapping):
        raise BadInput(place, f"{shown(record)} is not an object", "this is a list of objects in COCO")
    id = record.get(key)
    if isinstance(id, bool) or not isinstance(id, int | str):
        raise BadInput(place, f"{key} is {shown(id)}", "give a whole number or a text")


def _several(ids: ID | Sequence[ID]) -> Sequence[ID]:
    return [ids] if isinstance(ids, int | str) else ids
