"""Images with more boxes, labels or keys than any dataset has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Box, Image, open_corpus
from limner.corpus import image as image_module
from limner.corpus.formats import coco_annotations, open_images, records
from limner.corpus.image import MAX_PARTS
from limner.corpus.statistics import corpus_tally, statistics
from limner.describe.learned import mention_counts
from limner.describe.learned.box_layout import Layout
from limner.errors import BadInput, LimnerError
from limner.score.box_matching import match_boxes
from memory import memory_below
from refusals import refusal


def squares(n: int) -> Iterator[Box]:
    for i in range(n):
        yield Box(str(i), i % 500, i // 500 % 500, i % 500 + 9, i // 500 % 500 + 9, f"thing{i}")


def test_an_image_has_at_most_so_many_boxes() -> None:
    box = Box("0", 0, 0, 1, 1)
    with refusal(ValueError):
        Image("a", boxes=(box,) * (MAX_PARTS + 1))


def write_coco(path: Path, n_boxes: int) -> None:
    with path.open("w") as handle:
        handle.write('{"images":[{"id":1,"width":9,"height":9}],"categories":[{"id":1,"name":"dog"}],"annotations":[')
        for i in range(n_boxes):
            handle.write(f'{"," if i else ""}{{"id":{i},"image_id":1,"category_id":1,"bbox":[1,1,2,2]}}')
        handle.write("]}")


def test_a_million_boxes_of_one_image_are_refused_before_they_are_made(tmp_path: Path) -> None:
    write_coco(tmp_path / "a.json", 1_000_000)
    with (
        memory_below(150 << 20),
        refusal(BadInput),
    ):
        list(open_corpus(tmp_path / "a.json"))


@pytest.mark.parametrize("format", ["tsv", "open-images"])
def test_other_formats_stop_at_the_same_number(tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (image_module, coco_annotations, open_images, records):
        monkeypatch.setattr(module, "MAX_PARTS", 3)
    if format == "tsv":
        (tmp_path / "boxes.tsv").write_text(
            "image\tbox\tx0\ty0\tx1\ty1\tlabel\n" + "".join(f"a\t{i}\t1\t1\t2\t2\tdog\n" for i in range(9))
        )
        (tmp_path / "sentences.tsv").write_text("image\tsentence\n")
        (tmp_path / "images.tsv").write_text("image\twidth\theight\na\t9\t9\n")
    else:
        (tmp_path / "boxes.csv").write_text("ImageID,LabelName,XMin,XMax,YMin,YMax\n" + "a,/m/1,0.1,0.2,0.1,0.2\n" * 9)
        (tmp_path / "sizes.csv").write_text("ImageID,Width,Height\na,9,9\n")
    with refusal(BadInput):
        list(open_corpus(tmp_path, format))


def test_an_object_of_millions_of_keys_is_given_up_early(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("w") as handle:
        handle.write('{"images":[{"id":1}],' + ",".join(f'"k{i}":0' for i in range(2_000_000)) + "}")
    with memory_below(100 << 20), refusal(BadInput):
        list(open_corpus(tmp_path / "a.json", "coco"))


def test_statistics_of_very_many_boxes_are_those_of_some(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    corners = rng.integers(0, 400, size=(2_000, 2))
    boxes = tuple(
        Box(str(i), x, y, x + int(side), y + int(side))
        for i, ((x, y), side) in enumerate(zip(corners.tolist(), rng.integers(5, 100, 2_000), strict=True))
    )
    exact = statistics([Image("a", boxes=boxes)]).boxes
    monkeypatch.setattr(corpus_tally, "MAX_PAIRS", 1_000_000)
    compared: list[int] = []
    iou = corpus_tally.geometry.iou
    monkeypatch.setattr(corpus_tally.geometry, "iou", lambda a, b: compared.append(len(a) * len(b)) or iou(a, b))
    rough = statistics([Image("a", boxes=boxes)]).boxes
    assert sum(compared) <= 1_000_000
    assert exact.best_iou is not None
    assert exact.enclosed is not None
    assert rough.best_iou == pytest.approx(exact.best_iou, rel=0.05)
    assert rough.enclosed == pytest.approx(exact.enclosed, abs=0.05)


def test_pairs_of_labels_are_bounded() -> None:
    layout = Layout([Image("a", boxes=tuple(squares(20_000)))])
    worth = mention_counts.Worth(np.zeros(layout.n), np.zeros(layout.n))
    vocabulary = mention_counts.Vocabulary(
        {name: i for i, name in enumerate(layout.labels.names)}, {name: i for i, name in enumerate(layout.kinds.names)}
    )
    with memory_below(600 << 20):
        counts = mention_counts.tally(layout, worth, vocabulary)
    assert len(counts.pairs["company"].key) <= mention_counts.MAX_PAIRS


def test_the_pairs_that_are_remembered_are_the_most_frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mention_counts, "MAX_PAIRS", 2)
    values = np.array([[1.0, 0, 0, 9], [2, 1, 0, 9], [0, 0, 1, 9], [0, 2, 0, 9]])
    kept = mention_counts._frequent(mention_counts.Sums(np.arange(4), values))
    assert kept.key.tolist() == [1, 3]
    assert kept.values.tolist() == values[[1, 3]].tolist()


def test_boxes_that_are_too_many_to_match_are_refused() -> None:
    boxes = list(squares(5_000))
    with memory_below(100 << 20), refusal(LimnerError):
        match_boxes(boxes, boxes)
