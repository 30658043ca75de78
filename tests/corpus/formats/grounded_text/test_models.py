"""What each model writes, and what it means in pixels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Corpus, Image, open_corpus
from limner.corpus.formats import recognise
from limner.errors import BadInput
from refusals import refusal

FIXTURES = Path(__file__).parent / "fixtures"
MODELS = ["kosmos-2", "florence-2", "paligemma", "qwen-vl", "box-2d"]

ODDITIES = {
    "kosmos-2": {"unparsable piece": 7},
    "florence-2": {"unparsable piece": 9},
    "paligemma": {"unparsable piece": 7, "segmentation mask that is not read": 2},
    "qwen-vl": {"unparsable piece": 10, "key of an object that is not read": 1},
    "box-2d": {"unparsable piece": 6, "key of an object that is not read": 1},
}


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_a_models_outputs_are_the_corpus_written_out_beside_them(model: str, lenient: bool) -> None:
    path = FIXTURES / f"{model}.jsonl"
    assert recognise(path).name == model
    corpus = open_corpus(path, lenient=lenient)
    assert list(corpus) == list(open_corpus(FIXTURES / f"{model}.expected.jsonl"))
    assert corpus.reading.warnings == ODDITIES[model]
    assert not corpus.reading.skipped


def one(tmp_path: Path, model: str, text: str, size: tuple[int, int] = (640, 480), **more: Any) -> tuple[Image, Corpus]:
    """The image that a single output of a model describes."""
    line = {"image_id": "a", "width": size[0], "height": size[1], "text": text, **more}
    (tmp_path / "out.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    corpus = open_corpus(tmp_path / "out.jsonl", model)
    (image,) = corpus
    return image, corpus


PATCHES = "<phrase>x</phrase><object><patch_index_{:04d}><patch_index_{:04d}></object>"
LOCS = "x<loc_{}><loc_{}><loc_{}><loc_{}>"
BOX = "<ref>x</ref><box>({},{}),({},{})</box>"


@pytest.mark.parametrize(
    ("model", "text", "size", "corners"),
    [
        # transformers' documentation of Kosmos-2 gives this box as (0.390625, 0.046875, 0.984375, 0.828125):
        # patch 44 is row 1, column 12, its middle (12.5/32, 1.5/32); patch 863 is row 26, column 31.
        ("kosmos-2", PATCHES.format(44, 863), (1000, 1000), (390.625, 46.875, 984.375, 828.125)),
        # One patch, one row, one column: the outer edges. Patch 33 is row 1, column 1 of 20 pixels by 10.
        ("kosmos-2", PATCHES.format(33, 33), (640, 320), (20, 10, 40, 20)),
        ("kosmos-2", PATCHES.format(33, 36), (640, 320), (20, 10, 100, 20)),
        ("kosmos-2", PATCHES.format(33, 97), (640, 320), (20, 10, 40, 40)),
        ("kosmos-2", PATCHES.format(0, 1023), (640, 320), (10, 5, 630, 315)),
        # transformers.js tests Florence-2 on this output and a picture of 640 by 480: [34.88, 158.64, 583.36, 374.64],
        # since 54.5 thousandths of 640 are 34.88 and 330.5 thousandths of 480 are 158.64.
        ("florence-2", LOCS.format(54, 330, 911, 780), (640, 480), (34.88, 158.64, 583.36, 374.64)),
        ("florence-2", LOCS.format(0, 0, 999, 999), (1000, 2000), (0.5, 1, 999.5, 1999)),
        # y first: 256 / 1024 of 512 is 128; 128 / 1024 of 1024 is 128; 768 / 1024 of 512 is 384.
        ("paligemma", "<loc0256><loc0128><loc0768><loc0512> x", (1024, 512), (128, 128, 512, 384)),
        # Qwen-VL's README has this box: 451 thousandths of 1000, 379 thousandths of 500.
        ("qwen-vl", BOX.format(451, 379, 731, 806), (1000, 500), (451, 189.5, 731, 403)),
        ("qwen-vl", BOX.format(0, 0, 1000, 1000), (640, 480), (0, 0, 640, 480)),
        ("qwen-vl", BOX.format(" 12.5", "0 ", 1000, 500), (640, 480), (8, 0, 640, 240)),
        # The example of Google's documentation: [y_min, x_min, y_max, x_max] in 0 to 1000.
        ("box-2d", '[{"box_2d": [36, 246, 380, 492], "label": "x"}]', (1000, 750), (246, 27, 492, 285)),
    ],
)
def test_a_box_is_where_the_model_says(
    tmp_path: Path, model: str, text: str, size: tuple[int, int], corners: tuple[float, ...]
) -> None:
    image, corpus = one(tmp_path, model, text, size)
    assert [box.corners for box in image.boxes] == [pytest.approx(corners, abs=1e-9)]
    assert image.captions[0].text == "x"
    assert image.captions[0].mentions[0].boxes == ("0",)
    assert not corpus.reading.warnings


def test_a_patch_beyond_the_grid_is_none_even_if_it_would_lie_at_the_edge_of_a_tiny_picture(tmp_path: Path) -> None:
    image, corpus = one(tmp_path, "kosmos-2", PATCHES.format(1024, 1030), (10, 10))
    assert image.boxes == ()
    assert corpus.reading.warnings == {"unparsable piece": 1}


@pytest.mark.parametrize(
    ("more", "corners"),
    [
        # Pixels of a picture resized to 320 by 960 are worth 2 and a half of the original's.
        ({"resized_width": 320, "resized_height": 960}, (20, 25, 200, 100)),
        ({"resized_width": 320, "resized_height": 960, "coordinates": "absolute"}, (20, 25, 200, 100)),
        ({"coordinates": "relative"}, (6.4, 24, 64, 96)),
        ({"coordinates": "relative", "resized_width": 320}, (6.4, 24, 64, 96)),
    ],
)
def test_qwens_json_is_scaled_as_its_line_says(tmp_path: Path, more: Any, corners: tuple[float, ...]) -> None:
    image, _ = one(tmp_path, "qwen-vl", '[{"bbox_2d": [10, 50, 100, 200], "label": "x"}]', **more)
    assert image.boxes[0].corners == pytest.approx(corners)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, 'give "resized_width" and "resized_height", or "coordinates": "relative"'),
        ({"resized_width": 320}, 'give "resized_width" and "resized_height"'),
        ({"coordinates": "absolute"}, "may mean pixels of the resized picture (Qwen2.5-VL) or thousandths (Qwen3-VL)"),
        ({"coordinates": "thousandths"}, '"coordinates": "relative"'),
        ({"resized_width": 0, "resized_height": 5}, "the resized picture measures 0 by 5"),
        ({"resized_width": "wide", "resized_height": 5}, "resized_width is 'wide'; give a number"),
    ],
)
def test_qwens_json_is_refused_where_its_line_does_not_say_how_it_is_meant(
    tmp_path: Path, more: Any, said: str
) -> None:
    text = '[{"bbox_2d": [10, 50, 100, 200], "label": "x"}]'
    with pytest.raises(BadInput) as caught:
        one(tmp_path, "qwen-vl", text, **more)
    assert str(caught.value).startswith(f"{tmp_path}/out.jsonl:1: ")
    assert said in str(caught.value)
    assert one(tmp_path, "qwen-vl", "no box here", **more)[0].captions[0].text == "no box here"


def test_a_florence_task_that_draws_outlines_is_refused(tmp_path: Path) -> None:
    for text, more in (("STOP", {"task": "<OCR_WITH_REGION>"}), ("</s><s><OCR_WITH_REGION>STOP", {})):
        with refusal(BadInput):
            one(tmp_path, "florence-2", text + "<loc_1>" * 8, **more)


@pytest.mark.parametrize(
    ("text", "labels", "clean"),
    [
        ("<OD>car<loc_1><loc_2><loc_3><loc_4>door<loc_1><loc_2><loc_3><loc_9></s>", ["car", "door"], "car, door"),
        ("</s><s><OD>car<loc_1><loc_2><loc_3><loc_4></OD>", ["car"], "car"),
        ("<CAPTION_TO_PHRASE_GROUNDING>A car<loc_1><loc_2><loc_3><loc_4> stops", ["A car"], "A car stops"),
        ("<REGION_PROPOSAL><loc_1><loc_2><loc_3><loc_4>", ["object"], ""),
    ],
)
def test_a_task_of_florence_is_no_label(tmp_path: Path, text: str, labels: list[str], clean: str) -> None:
    image, corpus = one(tmp_path, "florence-2", text)
    assert [box.label for box in image.boxes] == labels
    assert image.captions[0].text == clean
    assert not corpus.reading.warnings


@pytest.mark.parametrize(
    ("model", "text", "clean", "pieces"),
    [
        ("kosmos-2", "a <phrase>b c", "a b c", 1),
        ("kosmos-2", "a <phr", "a", 1),
        ("kosmos-2", "a < b", "a < b", 0),
        ("kosmos-2", "<phrase></phrase> a", "a", 0),
        ("kosmos-2", "a<object><patch_index_0001><patch_index_0000></object>", "a", 1),
        ("kosmos-2", PATCHES.format(64, 32), "x", 1),
        ("florence-2", "a b.", "a b.", 0),
        ("florence-2", "a<loc_1><loc_2><loc_3><loc_4", "a", 2),
        ("florence-2", "a<poly><loc_1><loc_2>", "a", 1),
        ("paligemma", "<seg001><seg002> a", "a", 1),
        ("paligemma", "a <location> b", "a <location> b", 0),
        ("qwen-vl", "<ref>a</ref> b<|box_start|>", "a b", 1),
        ("qwen-vl", "<|object_ref_start|>a<|object_ref_end|>(1,2),(3,4) b", "a(1,2),(3,4) b", 0),
        ("qwen-vl", "<box>(1,2),(3,4)", "", 1),
        ("qwen-vl", '{"point_2d": [1, 2], "label": "a"}', "a", 1),
        ("box-2d", "no objects were found", "no objects were found", 0),
        ("box-2d", '"box_2d": [1, 2, 3, 4]', "", 1),
        ("box-2d", '{"a": {"b": [{"box_2d": 1, "label": "c"}, {"box_2d": [], "label": "d"}]}}', "c, d", 2),
        ("box-2d", '[{"box_2d": [1, 2, 3], "label": "\\ud800"}]', "", 2),
        ("box-2d", '[{"box_2d": [1, 2, 1e999, 4], "label": "a"}]', "a", 1),
        ("box-2d", '{"a":' * 5000, "", 100),
        ("box-2d", '[{"box_2d": [' + "9" * 5000 + ', 0, 0, 0], "label": "a"}]', "", 1),
        ("box-2d", '[{"box_2d": [' + "9" * 400 + ', 0, 0, 0], "label": "a"}]', "a", 1),
    ],
)
def test_words_stay_and_what_cannot_be_parsed_is_counted(
    tmp_path: Path, model: str, text: str, clean: str, pieces: int
) -> None:
    image, corpus = one(tmp_path, model, text)
    assert image.captions[0].text == clean
    assert corpus.reading.warnings["unparsable piece"] == pieces
    assert image.boxes == ()
