"""How many references it takes to tell two systems apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from limner.cli.experiment_references import references
from limner.corpus import open_corpus, write_corpus
from limner.corpus.random_streams import random_stream
from limner.describe.describing import describe
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.realise.realisers import PaperRealiser
from limner.describe.selectors import Limited, Size
from limner.errors import BadInput, LimnerError
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.experiments.reference_counts import reference_experiment, wilson
from limner.playground import playground
from limner.score import evaluate
from refusals import refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("references")
    images = list(playground(40, seed=2))
    write_corpus(images, folder / "refs.jsonl")
    for name, realiser in (("paper", PaperRealiser()), ("fluent", FluentRealiser())):
        results = describe(images, Limited(Size(), 2), realiser)
        named = [replace(image, captions=(replace(image.captions[0], source=f"system:{name}"),)) for image in results]
        write_corpus(named, folder / f"{name}.jsonl")
    return folder


def cells(report: ExperimentReport, metric: str) -> dict[int, tuple[Estimate, Estimate]]:
    return {row[1]: (row[3], row[5]) for row in report.rows if row[0] == metric}  # type: ignore[misc]


def values(folder: Path, name: str, draw: int, n: int) -> float:
    """A system's CIDEr against references that are drawn here, by hand."""
    chosen = {}
    for image in open_corpus(folder / "refs.jsonl"):
        order = list(range(len(image.captions)))
        random_stream("references", 3, f"{draw} {image.id}").shuffle(order)
        chosen[image.id] = [image.captions[at].text for at in order[:n]]
    said = {image.id: image.captions[0].text for image in open_corpus(folder / f"{name}.jsonl")}
    return evaluate(said, chosen, metrics="cider", samples=0).scores["cider"]


def test_a_difference_is_that_of_the_drawn_references_scored_by_hand(folder: Path) -> None:
    sources = [str(folder / f"{name}.jsonl") for name in ("paper", "fluent")]
    refs = [str(folder / "refs.jsonl")]
    report = reference_experiment(*sources, refs, metrics="cider", draws=3, swaps=200, seed=3)
    n_references = len(next(iter(open_corpus(refs[0]))).captions)
    found = cells(report, "cider")
    assert list(found) == list(range(1, n_references + 1))
    for n in (1, 2, n_references):
        by_hand = [values(folder, "paper", draw, n) - values(folder, "fluent", draw, n) for draw in range(3)]
        assert found[n][0].value == pytest.approx(sum(by_hand) / 3)
    # All references are drawn once: there is no other draw.
    assert [row[2] for row in report.rows] == [3] * (n_references - 1) + [1]


def test_people_are_scored_against_references_that_they_did_not_write(folder: Path) -> None:
    # A system that repeats the reference which stands for people does not differ from them.
    refs = [str(folder / "refs.jsonl")]
    echo = []
    for image in open_corpus(refs[0]):
        order = list(range(len(image.captions)))
        random_stream("references", 0, f"0 {image.id}").shuffle(order)
        text = image.captions[order[0]].text
        echo.append(
            replace(
                image,
                boxes=(),
                chains=(),
                captions=(replace(image.captions[0], text=text, mentions=(), source="system:echo"),),
            )
        )
    write_corpus(echo, folder / "echo.jsonl")
    report = reference_experiment(str(folder / "echo.jsonl"), None, refs, draws=1, swaps=100)
    for metric in ("bleu4", "rouge_l", "cider"):
        for difference, separated in cells(report, metric).values():
            assert difference.value == 0.0
            assert separated.value == 0.0
    other = reference_experiment(str(folder / "paper.jsonl"), None, refs, metrics="rouge_l", draws=2, swaps=100)
    assert all(separated.value == 1.0 for _, separated in cells(other, "rouge_l").values())


def test_the_interval_of_a_share_is_wilsons() -> None:
    # Newcombe (1998), table I: 15 of 148 and 0 of 20.
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)


def test_what_cannot_be_drawn_is_refused(folder: Path) -> None:
    sources, refs = [str(folder / "paper.jsonl"), str(folder / "fluent.jsonl")], [str(folder / "refs.jsonl")]
    with refusal(BadInput):
        reference_experiment(*sources, refs, most=99)
    with refusal(LimnerError):
        reference_experiment(*sources, refs, metrics="content")


def test_what_is_not_tested_has_no_share(folder: Path) -> None:
    # BLEU is not tested on fewer than 30 images, ROUGE-L is.
    sources, refs = [str(folder / "paper.jsonl"), str(folder / "fluent.jsonl")], [str(folder / "refs.jsonl")]
    report = reference_experiment(*sources, refs, metrics="bleu,rouge_l", n_images=20, most=1, draws=2, swaps=100)
    assert report.findings[0] == "bleu4: not tested, there are too few images"
    assert cells(report, "bleu4")[1][1] == pytest.approx((float("nan"), None, None), nan_ok=True)
    assert cells(report, "rouge_l")[1][1].value in (0.0, 0.5, 1.0)


def test_the_command_writes_its_files_and_says_when_systems_differ(folder: Path) -> None:
    arguments = [str(folder / "paper.jsonl"), str(folder / "fluent.jsonl"), "--refs", str(folder / "refs.jsonl")]
    options = ["--out", str(folder / "out"), "--draws", "3", "--images", "35", "--metrics", "rouge_l", "--most", "2"]
    done = CliRunner().invoke(references, [*arguments, *options])
    assert done.exit_code == 0, done.output
    assert "35 of 40 images in each draw" in done.stderr
    assert "rouge_l: " in done.stdout
    assert "|draws:3|" in (folder / "out" / "references.json").read_text()
