"""A whole evaluation, as programs written for pycocoevalcap run it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from limner.errors import LimnerError
from limner.score.pycocoevalcap import COCO, Bleu, Cider, COCOEvalCap, Rouge, coco_captions
from refusals import refusal

SAID = {9: "A dog runs", 3: "Two cats", 5: "A red bus"}
REFERENCES = {9: ["A dog runs fast", "a dog"], 3: ["Two cats sit", "cats"], 5: ["A bus", "the red bus"]}


class Tokenizer:
    """Stands in for the real one: words in lower case."""

    def tokenize(self, captions: dict[Any, list[dict[str, str]]]) -> dict[Any, list[str]]:
        return {id: [one["caption"].lower() for one in some] for id, some in captions.items()}


class Sorting:
    """A scorer that answers by sorted image ids, as the reference's SPICE does."""

    def compute_score(self, gts: dict[Any, list[str]], res: dict[Any, list[str]]) -> tuple[float, list[Any]]:
        return 0.5, [{"id": id} for id in sorted(gts)]

    def method(self) -> str:
        return "SPICE*"


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coco_captions, "PTBTokenizer", Tokenizer)
    monkeypatch.setitem(coco_captions.METRICS, "METEOR", (Sorting, ("METEOR",)))
    monkeypatch.setitem(coco_captions.METRICS, "SPICE", (Sorting, ()))


def loaded() -> tuple[COCO, COCO]:
    coco = COCO()
    coco.dataset = {
        "images": [{"id": id} for id in REFERENCES],
        "annotations": [
            {"id": 10 * id + i, "image_id": id, "caption": text}
            for id, some in REFERENCES.items()
            for i, text in enumerate(some)
        ],
    }
    coco.createIndex()
    return coco, coco.loadRes([{"image_id": id, "caption": text} for id, text in SAID.items()])


def test_values_are_the_scorers_and_images_have_their_own() -> None:
    evaluation = COCOEvalCap(*loaded())
    assert evaluation.params["image_id"] == [9, 3, 5]
    evaluation.evaluate()
    gts = {id: [text.lower() for text in some] for id, some in REFERENCES.items()}
    res = {id: [text.lower()] for id, text in SAID.items()}
    bleu, bleus = Bleu(4).compute_score(gts, res)
    rouge, rouges = Rouge().compute_score(gts, res)
    cider, ciders = Cider().compute_score(gts, res)
    names = ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "SPICE*"]
    assert list(evaluation.eval) == names
    assert list(evaluation.eval.values()) == pytest.approx([*bleu, 0.5, rouge, cider, 0.5])
    assert list(evaluation.imgToEval) == [9, 3, 5]
    for i, id in enumerate(gts):
        own = evaluation.imgToEval[id]
        assert own["image_id"] == id
        assert [own[f"Bleu_{n}"] for n in range(1, 5)] == pytest.approx([values[i] for values in bleus])
        assert (own["ROUGE_L"], own["CIDEr"]) == pytest.approx((rouges[i], ciders[i]))
        assert own["SPICE*"] == {"id": id}
    assert evaluation.evalImgs == list(evaluation.imgToEval.values())


def test_only_the_images_and_metrics_that_are_asked_for_are_scored() -> None:
    evaluation = COCOEvalCap(*loaded(), metrics=["ROUGE_L"])
    evaluation.params["image_id"] = [5, 3]
    evaluation.evaluate()
    assert list(evaluation.eval) == ["ROUGE_L"]
    assert [one["image_id"] for one in evaluation.evalImgs] == [5, 3]


def test_whatever_has_captions_by_image_will_do() -> None:
    coco = SimpleNamespace(imgToAnns={"x": [{"caption": "a"}], 1: [{"caption": "b"}]}, getImgIds=lambda: ["x", 1])
    evaluation = COCOEvalCap(coco, coco, metrics=["ROUGE_L"])
    evaluation.evaluate()
    assert evaluation.eval == {"ROUGE_L": 1.0}


def test_an_image_without_a_result_is_an_error_that_tells_what_to_do() -> None:
    coco, results = loaded()
    del results.imgToAnns[3]
    with refusal(LimnerError):
        COCOEvalCap(coco, results).evaluate()


def test_an_unknown_metric_is_an_error_at_once() -> None:
    with refusal(LimnerError):
        COCOEvalCap(*loaded(), metrics=["CIDer"])
