"""Grounded text of vision-language models, scored from the command line as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from limner.cli import limner
from limner.cli.remedies import worded
from limner.corpus import Box, Caption, Image, write_corpus
from limner.errors import LimnerError
from limner.playground import playground

N_IMAGES = 12


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Image]]:
    """A playground with gold captions, and its path."""
    images = [image for image in playground(N_IMAGES, seed=3) if image.captions[0].mentions]
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    write_corpus(images, path)
    return path, images


def florence(image: Image, caption: Caption) -> dict[str, Any]:
    """The caption's phrases, each with its boxes in thousandths: what phrase grounding writes."""
    box_by_id = image.box_by_id()
    pieces = [
        caption.phrase(mention) + "".join(map(str, (loc for id in mention.boxes for loc in locs(image, box_by_id[id]))))
        for mention in caption.mentions
        if mention.boxes
    ]
    return {"image_id": image.id, "width": image.width, "height": image.height, "text": f"</s><s>{''.join(pieces)}</s>"}


def locs(image: Image, box: Box) -> list[str]:
    return [f"<loc_{min(999, number)}>" for number in thousandths(image, box)]


def qwen(image: Image, caption: Caption) -> dict[str, Any]:
    """The caption with its phrases and boxes in tags."""
    box_by_id = image.box_by_id()
    text, reached = "", 0
    for mention in caption.mentions:
        if mention.boxes:
            boxes = "".join(
                "<box>({},{}),({},{})</box>".format(*thousandths(image, box_by_id[id])) for id in mention.boxes
            )
            phrase = f"<ref>{caption.text[mention.start : mention.end]}</ref>{boxes}"
            text, reached = text + caption.text[reached : mention.start] + phrase, mention.end
    return {
        "image_id": image.id,
        "width": image.width,
        "height": image.height,
        "text": text + caption.text[reached:],
    }


def thousandths(image: Image, box: Box) -> list[int]:
    assert image.width
    assert image.height
    sides = (image.width, image.height) * 2
    return [min(1000, round(1000 * corner / side)) for corner, side in zip(box.corners, sides, strict=True)]


def run(*arguments: object) -> Any:
    done = CliRunner().invoke(limner, ["score", *map(str, arguments), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("model", [florence, qwen])
def test_a_model_s_boxes_count_as_the_gold_boxes_they_match(
    gold: tuple[Path, list[Image]], tmp_path: Path, model: Any
) -> None:
    path, images = gold
    outputs, named = tmp_path / "outputs.jsonl", tmp_path / "named.jsonl"
    outputs.write_text("".join(json.dumps(model(image, image.captions[0])) + "\n" for image in images))
    said = [
        Image(image.id, captions=(replace(image.captions[0], source="system:named"),), chains=image.chains)
        for image in images
    ]
    write_corpus(said, named)
    drawn, by_name = (run("content", results, "--gold", path, "--match-iou", 0.5) for results in (outputs, named))
    assert drawn["n_images"] == len(images)
    assert drawn["result_boxes"]["matched"] == drawn["result_boxes"]["boxes"] > len(images)
    assert by_name["result_boxes"] is None
    for measure in ("P", "R", "F", "ordering", "lexicalisation"):
        assert drawn[measure] == by_name[measure], measure
    metrics = ("--metrics", "grounded_words,content,coverage", "--samples", 0)
    drawn, by_name = (run("captions", results, "--refs", path, *metrics)["scores"] for results in (outputs, named))
    for column in ("f1_all", "f1_loc", "content_p", "content_r", "content_f"):
        assert drawn[column] == pytest.approx(by_name[column]), column
    assert drawn["coverage_boxes"] >= by_name["coverage_boxes"]


def test_boxes_elsewhere_match_nothing(gold: tuple[Path, list[Image]], tmp_path: Path) -> None:
    path, images = gold
    outputs = tmp_path / "outputs.jsonl"
    nowhere = "A man<loc_0><loc_0><loc_1><loc_1>"
    lines = [{"image_id": image.id, "width": image.width, "height": image.height, "text": nowhere} for image in images]
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores = run("content", outputs, "--gold", path)
    assert (scores["P"], scores["R"], scores["F"]) == (0, 0, 0)
    assert scores["result_boxes"] == {"boxes": len(images), "matched": 0, "match_iou": 0.5}
    counts = run("captions", outputs, "--refs", path, "--metrics", "content", "--samples", 0)["counts"]
    assert counts["unmatched_boxes"] == len(images)
    printed = CliRunner().invoke(limner, ["score", "content", str(outputs), "--gold", str(path)]).stdout.splitlines()
    assert printed[1] == f"boxes of the results: {len(images)}; matched to gold's: 0"


def test_gold_captions_that_refer_to_no_box_are_to_be_linked_first(
    gold: tuple[Path, list[Image]], tmp_path: Path
) -> None:
    _, images = gold
    outputs, plain = tmp_path / "outputs.jsonl", tmp_path / "plain.jsonl"
    outputs.write_text("".join(json.dumps(qwen(image, image.captions[0])) + "\n" for image in images))
    write_corpus([Image(image.id, captions=(Caption("0", "A man ."),)) for image in images], plain)
    done = CliRunner().invoke(limner, ["score", "content", str(outputs), "--gold", str(plain)])
    assert done.exit_code == 1
    assert isinstance(done.exception, LimnerError)
    expected = f"{plain}: no gold caption refers to a box; tie captions to boxes with `limner link`"
    assert worded(done.exception) == expected


@pytest.mark.parametrize("iou", ["0", "1.01", "-1", "half"])
def test_an_iou_that_is_none_is_wrong_usage(gold: tuple[Path, list[Image]], iou: str) -> None:
    for command in (["content", str(gold[0]), "--gold"], ["captions", str(gold[0]), "--refs"]):
        done = CliRunner().invoke(limner, ["score", *command, str(gold[0]), "--match-iou", iou])
        assert done.exit_code == 2
        assert "--match-iou" in done.output
