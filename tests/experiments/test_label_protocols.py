"""Labels from all captions, and from some that are no longer gold."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from msgspec.structs import replace

from limner.corpus import open_corpus, write_corpus
from limner.corpus.held_out_labels import hold_out
from limner.describe.describing import describe
from limner.describe.learned import train_selector
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.describe.realise.realisers import FluentRealiser
from limner.errors import BadInput
from limner.experiments.label_protocols import COLUMNS, LabelExperiment, label_experiment
from limner.experiments.label_protocols_report import leak_lines, write_label_report
from limner.playground import playground
from limner.score import evaluate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(50, seed=seed), folder / f"{name}.jsonl")
    return folder


@pytest.fixture(scope="module")
def experiment(folder: Path) -> LabelExperiment:
    return label_experiment(str(folder / "train.jsonl"), str(folder / "test.jsonl"), labels_from=2, samples=50, seed=3)


def test_each_protocol_scores_as_its_steps_by_hand_do(folder: Path, experiment: LabelExperiment) -> None:
    train, test = (list(open_corpus(folder / f"{name}.jsonl")) for name in ("train", "test"))
    held_out = [[image for image in (hold_out(image, 2, 3) for image in images) if image] for images in (train, test)]
    by_hand = {"as published": (train, test), "held out": held_out}
    for protocol, scores in experiment.scores.items():
        if protocol.name in by_hand:
            training, testing = by_hand[protocol.name]
            realiser = FluentRealiser(learn_phrasebook(training), seed=3)
            results = list(describe(testing, train_selector(training, seed=3), realiser))
            values = evaluate(results, testing, metrics="bleu,rouge_l,cider,content", samples=0).scores
            assert {column: score.value for column, score in scores.items()} == {c: values[c] for c in COLUMNS}


def test_the_protocols_with_fewer_references_have_the_same_people_and_told_labels_score_more(
    experiment: LabelExperiment,
) -> None:
    published, fewer, held_out = experiment.scores.values()
    for column in COLUMNS:
        assert fewer[column].human == pytest.approx(held_out[column].human)
        assert fewer[column].human != pytest.approx(published[column].human)
    assert held_out["cider"].value < fewer["cider"].value


def test_the_report_has_the_table_the_page_and_the_figure(experiment: LabelExperiment, tmp_path: Path) -> None:
    written = write_label_report(experiment, tmp_path)
    assert [path.name for path in written] == ["labels.html", "labels.png", "labels.svg", "table.csv"]
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert len(rows) == 3 * len(COLUMNS)
    page = (tmp_path / "labels.html").read_text()
    assert "<svg" in page
    assert f"{experiment.hidden_share:.1%} of gold's mentions" in page
    assert len(list(leak_lines(experiment))) == len(COLUMNS)


def test_labels_of_the_corpus_are_called_captions_only_where_they_are(
    folder: Path, experiment: LabelExperiment
) -> None:
    assert [protocol.labels for protocol in experiment.scores] == ["the corpus", "the corpus", "2 captions"]
    assert "labels from the corpus" in next(leak_lines(experiment))
    leaking = [replace(image, provenance={"labels": "captions"}) for image in open_corpus(folder / "test.jsonl")]
    write_corpus(leaking, folder / "leaking.jsonl")
    again = label_experiment(str(folder / "train.jsonl"), str(folder / "leaking.jsonl"), samples=0)
    assert [protocol.labels for protocol in again.scores] == ["all captions", "all captions", "2 captions"]


def test_training_images_are_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="50 of 50 images are training images"):
        label_experiment(str(folder / "train.jsonl"), str(folder / "train.jsonl"))
