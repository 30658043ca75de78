"""Figures of published and of real captions, image by image."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limner.score.meteor import Meteor, Tables, meteor_alignment, meteor_sentences
from limner.score.meteor.meteor_metric import measures
from limner.score.run import Run
from limner.text.ptb import tokenise

# By pycocoevalcap 1.2 (meteor-1.5.jar, Java 17) over tokens of its own PTBTokenizer: compute_score of Meteor().
# coco: the first caption of each image of val2017 against its others. The other two are a published captioner's, whose
# own table, made with the same tools, prints .247 and .178. The score of all images; the mean of their own scores.
FIGURES = {
    "coco": (0.2420960375875178, 0.2477617784370215),
    "viecap_coco": (0.24719778300714526, 0.25748712388299316),
    "viecap_flickr30k": (0.1784343700110137, 0.18888517761573642),
}

Tokenised = Callable[[str], Run]


@pytest.fixture(scope="module")
def run_of(shared_data: Path) -> Tokenised:
    """The run of each file, of tokens between spaces."""

    @cache
    def tokenised(name: str) -> Run:
        images = coco(shared_data) if name == "coco" else published(shared_data, name)
        tokens = iter(tokenise([sentence for sentences in images for sentence in sentences]))
        said = [[next(tokens) for _ in sentences] for sentences in images]
        return Run([str(i) for i in range(len(said))], [one for one, *_ in said], [some for _, *some in said])

    return tokenised


def coco(folder: Path) -> list[list[str]]:
    said: dict[int, list[str]] = {}
    for annotation in json.loads((folder / "coco" / "captions_val2017.json").read_text())["annotations"]:
        said.setdefault(annotation["image_id"], []).append(annotation["caption"])
    return list(said.values())


def published(folder: Path, name: str) -> list[list[str]]:
    known = json.loads((folder / "caption_results" / f"{name}.json").read_text())
    return [[image["prediction"], *image["captions"]] for image in known]


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_of_a_file(name: str, run_of: Tokenised, real: Tables) -> None:
    found = Meteor(real).measure(run_of(name))
    assert (found.value()[0], found.per_image.mean()) == pytest.approx(FIGURES[name], abs=1e-9)


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_the_same_without_the_kernels(
    name: str, run_of: Tokenised, real: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    if meteor_alignment.KERNEL is None:
        pytest.skip("the kernels are not built")
    run = run_of(name).subset(np.arange(0, len(run_of(name)), 25))
    fast = Meteor(real).measure(run)
    monkeypatch.setattr(meteor_alignment, "KERNEL", None)
    monkeypatch.setattr(meteor_sentences, "KERNEL", None)
    assert Meteor(real).measure(run).rows.tolist() == fast.rows.tolist()


def test_every_image_scores_as_by_the_reference_tool(
    run_of: Tokenised, real: Tables, ask_jar: Callable[[Sequence[tuple[str, Sequence[str]]]], Any]
) -> None:
    # benchmarks/meteor.py compares all of them.
    runs = [run_of(name).subset(np.arange(3, len(run_of(name)), 25)) for name in FIGURES]
    rows = ask_jar([segment for run in runs for segment in zip(run.candidates, run.references, strict=True)])
    found = np.concatenate([Meteor(real).measure(run).per_image[:, 0] for run in runs])
    np.testing.assert_allclose(found, measures(rows).score, rtol=0, atol=1e-12)
