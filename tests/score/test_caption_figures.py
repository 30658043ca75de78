"""Figures of published and of real captions: corpus by corpus, and image by image against the reference scorers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limner.score.bleu import Bleu
from limner.score.cider import Cider, PlainCider
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.rouge_l import RougeL
from limner.score.run import Run
from limner.text.ptb import tokenise
from ngram_definitions import use

# By pycocoevalcap 1.2 over tokens of its own PTBTokenizer (Java 17): compute_score of Bleu(4), Rouge() and Cider().
# coco: the first caption of each image of val2017 against its others. The other two are a published captioner's, whose
# own tables (made with the same tools) print .690 .511 .371 .270 .511 .919 and .627 .418 .267 .169 .421 .381.
FIGURES = {
    "coco": [0.634471, 0.437380, 0.294129, 0.195539, 0.471758, 0.886544],
    "viecap_coco": [0.690079, 0.510572, 0.371154, 0.269735, 0.511258, 0.919060],
    "viecap_flickr30k": [0.627124, 0.418156, 0.267328, 0.169442, 0.421490, 0.381238],
}


@pytest.fixture(scope="module")
def run_of(shared_data: Path) -> Callable[[str], Run]:
    """The run of each file, of tokens between spaces."""

    @cache
    def tokenised(name: str) -> Run:
        images = coco(shared_data) if name == "coco" else published(shared_data, name)
        run = Run([id for id, _, _ in images], [one for _, one, _ in images], [some for _, _, some in images])
        tokens = iter(tokenise(list(run.sentences())))
        said = [[next(tokens) for _ in range(1 + len(some))] for some in run.references]
        return Run(run.ids, [one for one, *_ in said], [some for _, *some in said])

    return tokenised


def coco(folder: Path) -> list[tuple[str, str, list[str]]]:
    known = json.loads((folder / "coco" / "captions_val2017.json").read_text())
    said: dict[int, list[str]] = {image["id"]: [] for image in known["images"]}
    for annotation in known["annotations"]:
        said[annotation["image_id"]].append(annotation["caption"])
    return [(str(id), captions[0], captions[1:]) for id, captions in said.items()]


def published(folder: Path, name: str) -> list[tuple[str, str, list[str]]]:
    known = json.loads((folder / "caption_results" / f"{name}.json").read_text())
    return [(image["image_name"], image["prediction"], image["captions"]) for image in known]


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_of_a_file(name: str, run_of: Callable[[str], Run]) -> None:
    run = run_of(name)
    found = np.concatenate([metric.measure(run).value() for metric in (Bleu(), RougeL(), Cider())])
    assert found.tolist() == pytest.approx(FIGURES[name], abs=5e-7)


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_the_same_without_the_kernels(
    name: str, run_of: Callable[[str], Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(name).subset(np.arange(0, len(run_of(name)), 5))
    answers: list[list[Any]] = []
    for way in ("compiled", "python"):
        use(way, monkeypatch)
        answers.append([metric.measure(run).per_image for metric in (Bleu(), RougeL(), Cider(), PlainCider())])
    for fast, slow in zip(*answers, strict=True):
        np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", FIGURES)
def test_every_image_scores_as_it_does_by_pycocoevalcap(name: str, run_of: Callable[[str], Run]) -> None:
    bleu = pytest.importorskip("pycocoevalcap.bleu.bleu", reason="pycocoevalcap is not installed")
    from pycocoevalcap.cider import cider
    from pycocoevalcap.rouge import rouge

    whole = run_of(name)
    # benchmarks/ngram_metrics.py compares all of the 5,000; here are those that have a fraction, and every tenth.
    odd = [i for i, some in enumerate(whole.references) if any("\xa0" in one for one in some)]
    run = whole.subset(sorted({*odd, *range(0, len(whole), 10)}))
    gts = dict(zip(run.ids, map(list, run.references), strict=True))
    res = {id: [caption] for id, caption in zip(run.ids, run.candidates, strict=True)}
    _, bleus = bleu.Bleu(4).compute_score(gts, res, verbose=0)
    expected = np.stack([*bleus, rouge.Rouge().compute_score(gts, res)[1], cider.Cider().compute_score(gts, res)[1]])
    found = np.concatenate([metric.measure(run).per_image for metric in (Bleu(), RougeL(), Cider())], axis=1)
    np.testing.assert_allclose(found.T, expected, rtol=0, atol=1e-9)


def test_a_program_written_for_pycocoevalcap_has_the_same_figures(shared_data: Path) -> None:
    from limner.score.pycocoevalcap import COCO, COCOEvalCap

    captions = COCO(shared_data / "coco" / "captions_val2017.json")
    others, results = COCO(), []
    others.dataset = {"images": captions.dataset["images"], "annotations": []}
    for id in captions.getImgIds():
        first, *rest = captions.imgToAnns[id]
        results.append({"image_id": id, "caption": first["caption"]})
        others.dataset["annotations"] += rest
    others.createIndex()
    evaluation = COCOEvalCap(others, others.loadRes(results), metrics=["Bleu", "ROUGE_L", "CIDEr"])
    evaluation.evaluate()
    assert list(evaluation.eval) == ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "ROUGE_L", "CIDEr"]
    assert list(evaluation.eval.values()) == pytest.approx(FIGURES["coco"], abs=5e-7)
    assert len(evaluation.imgToEval) == 5_000


def test_frequencies_of_real_shards_add_up_and_keep(run_of: Callable[[str], Run], tmp_path: Path) -> None:
    run = run_of("viecap_flickr30k")
    whole = document_frequencies(run)
    shards = [document_frequencies(run.subset(range(i, len(run), 4))) for i in range(4)]
    assert shards[0] + shards[1] + shards[2] + shards[3] == whole
    whole.save(tmp_path / "flickr30k.df")
    kept = DocumentFrequencies.load(tmp_path / "flickr30k.df")
    expected = Cider().measure(run)
    np.testing.assert_allclose(Cider(kept).measure(run).per_image, expected.per_image, rtol=0, atol=1e-12)
    assert (tmp_path / "flickr30k.df").stat().st_size < 300_000
