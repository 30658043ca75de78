"""The evaluation of a file of captions as programs written for pycocoevalcap call it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from limner.errors import LimnerError, shown, unknown

METRICS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "Bleu": ("bleu", "Bleu", ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4")),
    "METEOR": ("meteor", "Meteor", ("METEOR",)),
    "ROUGE_L": ("rouge", "Rouge", ("ROUGE_L",)),
    "CIDEr": ("cider", "Cider", ("CIDEr",)),
    "SPICE": ("spice", "Spice", ()),
}
"""The module, the class and the names of the values of each metric; without one, the scorer says what it is."""


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
        tokenise = _class("tokenizer", "PTBTokenizer")().tokenize
        gts = tokenise({id: self._said(self.coco, id, "reference") for id in ids})
        res = tokenise({id: self._said(self.cocoRes, id, "result") for id in ids})
        self.imgToEval = {id: {"image_id": id} for id in wanted}
        for name in self.metrics:
            module, kind, columns = METRICS[name]
            scorer = _class(module, kind)()
            value, values = scorer.compute_score(gts, res)
            for column, whole, own in _columns(columns or (scorer.method(),), value, values):
                self.setEval(whole, column)
                self.setImgToEvalImgs(own, ids, column)
        self.setEvalImgs()

    def setEval(self, score: float, method: str) -> None:
        self.eval[method] = score

    def setImgToEvalImgs(self, scores: Iterable[Any], imgIds: Iterable[Any], method: str) -> None:
        for id, score in zip(imgIds, scores, strict=True):
            self.imgToEval.setdefault(id, {"image_id": id})[method] = score

    def setEvalImgs(self) -> None:
        self.evalImgs = list(self.imgToEval.values())

    def _said(self, captions: Captions, id: object, what: str) -> Sequence[Mapping[str, Any]]:
        found = captions.imgToAnns.get(id, ())
        if not found:
            remedy = "set params['image_id'] to the images that have both"
            raise LimnerError(f"image {shown(id)} has no {what}; {remedy}")
        return found


def _class(module: str, name: str) -> Any:
    return getattr(import_module(f"limner.score.pycocoevalcap.{module}"), name)


def _columns(names: tuple[str, ...], value: Any, values: Any) -> Iterable[tuple[str, float, Iterable[Any]]]:
    """Name, value and the images' values of each: a scorer of several answers with lists of them."""
    return zip(names, value, values, strict=True) if len(names) > 1 else [(names[0], value, values)]


def _sorted(ids: list[Any]) -> list[Any]:
    try:
        return sorted(ids)
    except TypeError:
        return ids
