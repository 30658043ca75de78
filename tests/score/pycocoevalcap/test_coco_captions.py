"""Files of captions, as pycocotools reads them."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from limner.errors import BadInput, LimnerError
from limner.score.pycocoevalcap import COCO
from published import COCO_CAPTIONS, COCO_INSTANCES
from refusals import refusal

RESULTS = [{"image_id": 285, "caption": "a bear"}, {"image_id": 139, "caption": "a room"}]


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    path = tmp_path / "captions.json"
    path.write_text(json.dumps(COCO_CAPTIONS))
    return path


def test_what_it_reads_is_what_pycocotools_reads(captions: Path, tmp_path: Path) -> None:
    theirs = pytest.importorskip("pycocotools.coco", reason="pycocotools is not installed")
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS))
    ours = COCO(captions)
    with contextlib.redirect_stdout(io.StringIO()):
        reference = theirs.COCO(captions)
        pairs = [(ours, reference), *((ours.loadRes(one), reference.loadRes(one)) for one in (str(results), RESULTS))]
    for mine, its in pairs:
        assert mine.imgToAnns == its.imgToAnns
        assert (mine.imgs, mine.anns) == (its.imgs, its.anns)
        assert mine.getImgIds() == its.getImgIds()
        assert mine.getAnnIds() == its.getAnnIds()
        assert mine.getAnnIds(imgIds=[285, 139]) == its.getAnnIds(imgIds=[285, 139])
        assert mine.getAnnIds(285) == its.getAnnIds(285)
        assert mine.loadAnns(mine.getAnnIds()) == its.loadAnns(its.getAnnIds())
        assert mine.loadImgs([139]) == its.loadImgs([139])
        assert mine.loadImgs(139) == its.loadImgs(139)
        assert mine.dataset["images"] == its.dataset["images"]


def test_results_are_not_altered(captions: Path) -> None:
    said = [dict(result) for result in RESULTS]
    loaded = COCO(captions).loadRes(said)
    assert said == RESULTS
    assert [annotation["id"] for annotation in loaded.dataset["annotations"]] == [1, 2]


def changed(**change: Any) -> dict[str, Any]:
    return {**COCO_CAPTIONS, **change}


@pytest.mark.parametrize(
    "content",
    [
        COCO_INSTANCES,
        changed(annotations=[{"id": 1, "caption": "a"}]),
        changed(annotations=[{"id": 1, "image_id": [], "caption": "a"}]),
        changed(annotations=[{"image_id": 1, "caption": "a"}]),
        changed(annotations=[7]),
        changed(annotations="all"),
        changed(images=[{"id": True}]),
        {"images": []},
        RESULTS,
        "",
    ],
)
def test_a_file_that_is_none_is_refused_with_its_place(content: object, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    with refusal(BadInput):
        COCO(path)


@pytest.mark.parametrize(
    "results",
    [
        [{"image_id": 7, "caption": "a"}],
        [{"image_id": 285}],
        [{"image_id": 285, "caption": 7}],
        [],
    ],
)
def test_results_that_do_not_fit_are_refused(results: list[dict[str, Any]], captions: Path) -> None:
    with refusal(LimnerError):
        COCO(captions).loadRes(results)


def test_a_file_of_references_is_no_file_of_results(captions: Path) -> None:
    with refusal(BadInput):
        COCO(captions).loadRes(captions)
