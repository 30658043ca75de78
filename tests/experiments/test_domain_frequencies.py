"""CIDEr by domain, with document frequencies of the domain and of all images."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from limner.cli.experiment_frequencies import frequencies
from limner.corpus import Image, open_corpus, write_corpus
from limner.describe.describing import describe
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.selectors import Limited, Size
from limner.errors import BadInput
from limner.experiments.domain_frequencies import frequency_experiment
from limner.playground import playground
from limner.score import evaluate
from limner.score.document_frequencies import document_frequencies
from limner.score.leave_one_out import human_bound
from limner.score.metric import Settings
from refusals import refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frequencies")
    images = list(playground(75, seed=3))
    domains = ["near"] * 40 + ["out"] * 35
    marked = [replace(image, attributes={"domain": d}) for image, d in zip(images, domains, strict=True)]
    write_corpus(marked, folder / "refs.jsonl")
    write_corpus(describe(images, Limited(Size(), 2), FluentRealiser()), folder / "results.jsonl")
    return folder


def of_domain(folder: Path, domain: str) -> tuple[list[Image], list[Image]]:
    gold = [image for image in open_corpus(folder / "refs.jsonl") if image.attributes["domain"] == domain]
    ids = {image.id for image in gold}
    return [image for image in open_corpus(folder / "results.jsonl") if image.id in ids], gold


def test_own_frequencies_are_those_of_a_run_of_its_own_and_shared_ones_those_of_all(folder: Path) -> None:
    refs, results = str(folder / "refs.jsonl"), str(folder / "results.jsonl")
    report = frequency_experiment(refs, results, draws=3, samples=100)
    whole = evaluate(results, refs, metrics="cider", samples=0)
    counted = document_frequencies(whole.run)
    rows = {str(row[0]): row for row in report.rows}
    for domain, n in (("near", 40), ("out", 35)):
        _, n_images, own, shared, difference, _ = rows[domain]
        by_itself = evaluate(*of_domain(folder, domain), metrics="cider", samples=0).scores["cider"]
        with_all = evaluate(*of_domain(folder, domain), metrics="cider", settings=Settings(df=counted), samples=0)
        assert n_images == n
        assert own.value == pytest.approx(by_itself)  # type: ignore[union-attr]
        assert shared.value == pytest.approx(with_all.scores["cider"])  # type: ignore[union-attr]
        assert difference.value == pytest.approx(by_itself - with_all.scores["cider"])  # type: ignore[union-attr]
    assert rows["all images"][2].value == whole.scores["cider"]  # type: ignore[union-attr]
    # The smallest domain is drawn whole, so that its own value is that of equal size.
    assert rows["out"][5].value == pytest.approx(rows["out"][2].value)  # type: ignore[union-attr]
    assert "|df:corpus|" in report.signatures["near, shared"]
    assert "|df:run|" in report.signatures["near, own"]


def test_without_results_people_are_scored(folder: Path) -> None:
    report = frequency_experiment(str(folder / "refs.jsonl"), draws=2, samples=0)
    results, gold = of_domain(folder, "near")
    people = evaluate(results, gold, metrics=[human_bound("cider")], samples=0).scores["human_cider"]
    assert report.rows[0][2].value == pytest.approx(people)  # type: ignore[union-attr]


def test_single_references_leave_nobody_to_score(folder: Path, tmp_path: Path) -> None:
    images = [replace(image, captions=image.captions[:1]) for image in open_corpus(folder / "refs.jsonl")]
    write_corpus(images, tmp_path / "single.jsonl")
    with refusal(BadInput):
        frequency_experiment(str(tmp_path / "single.jsonl"))


def test_the_command_prints_every_subset(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        frequencies, [str(folder / "refs.jsonl"), "--out", str(tmp_path), "--by", "length", "--draws", "2"]
    )
    assert done.exit_code == 0, done.output
    assert "all images" in done.stdout
    assert "scored: people, one left out; 75 images" in done.stderr
