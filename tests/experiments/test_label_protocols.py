"""Labels from all captions, and from some that are no longer gold."""

from __future__ import annotations

import csv
import json
from html import escape
from pathlib import Path

import pytest
from msgspec.structs import replace

from limner.corpus import open_corpus, write_corpus
from limner.corpus.caption import Caption
from limner.corpus.held_out_labels import hold_out
from limner.describe.describing import describe
from limner.describe.learned import train_selector
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.realise.phrasebook_learning import learn_phrasebook
from limner.errors import BadInput
from limner.experiments.content_selection import content_selection_experiment
from limner.experiments.label_protocols import COLUMNS, LabelExperiment, label_experiment
from limner.experiments.label_protocols_report import image_counts, leak_lines, write_label_report
from limner.playground import playground
from limner.score import evaluate
from limner.score.paired import holm
from refusals import refusal


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
    held_out = [
        [image for image in (hold_out(image, 2, 3, with_attributes=False) for image in images) if image]
        for images in (train, test)
    ]
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
    assert [path.name for path in written] == [
        "labels.html",
        "labels.json",
        "labels.png",
        "labels.svg",
        "table.csv",
        "tests.csv",
    ]
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert len(rows) == 3 * len(COLUMNS)
    page = (tmp_path / "labels.html").read_text()
    assert "<svg" in page
    assert f"{experiment.hidden_share:.1%} of gold's mentions" in page
    assert len(list(leak_lines(experiment))) == len(COLUMNS)


def test_every_number_has_a_signature_of_its_own_data_and_training(experiment: LabelExperiment, tmp_path: Path) -> None:
    write_label_report(experiment, tmp_path)
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    protocols = json.loads((tmp_path / "labels.json").read_text())["protocols"]
    page = (tmp_path / "labels.html").read_text()
    by_protocol: dict[str, set[str]] = {}
    for row in rows:
        signature = row["signature"]
        assert "|images:50|" in signature
        assert signature.endswith("|seed:3|too_few:0 training images and 0 test images")
        assert escape(signature, quote=False) in page
        scores = next(protocol["scores"] for protocol in protocols if protocol["name"] == row["protocol"])
        assert scores[row["metric"]]["signature"] == signature
        assert scores[row["metric"]]["value"] == pytest.approx(float(row["value"]), abs=1e-6)
        for choice in ("data", "training_data"):
            by_protocol.setdefault(f"{row['protocol']} {choice}", set()).add(choice_of(signature, choice))
    # BLEU does not look at boxes, content does: two fingerprints of the test images in each protocol.
    assert {len(values) for name, values in by_protocol.items() if name.endswith(" data")} == {2}
    assert len(set.union(*(values for name, values in by_protocol.items() if name.endswith("training_data")))) == 3


def choice_of(signature: str, name: str) -> str:
    return dict(choice.split(":", 1) for choice in signature.split("|"))[name]


@pytest.fixture(scope="module")
def leaking(folder: Path) -> LabelExperiment:
    """The same experiment with labels that are nouns of captions, and with images that have few of these."""
    told = {"labels": "captions", "mentions": "linked"}
    for name, n_short in (("train", 4), ("test", 3)):
        images = [replace(image, provenance=told) for image in open_corpus(folder / f"{name}.jsonl")]
        short = [replace(image, captions=image.captions[:2]) for image in images[:n_short]]
        write_corpus([*short, *images[n_short:]], folder / f"leaking-{name}.jsonl")
    sources = str(folder / "leaking-train.jsonl"), str(folder / "leaking-test.jsonl")
    return label_experiment(*sources, labels_from=2, samples=0)


def test_labels_are_called_captions_or_classes_as_they_are(
    experiment: LabelExperiment, leaking: LabelExperiment, tmp_path: Path
) -> None:
    classes = "classes of the corpus"
    assert [protocol.labels for protocol in experiment.scores] == [classes, classes, "2 captions"]
    assert [protocol.labels for protocol in leaking.scores] == ["all captions", "all captions", "2 captions"]
    pages = []
    for number, shown in enumerate((experiment, leaking)):
        write_label_report(shown, tmp_path / str(number))
        pages.append((tmp_path / str(number) / "labels.html").read_text())
    assert "<h1>Class labels against nouns of captions</h1>" in pages[0]
    assert "with classes, " in next(leak_lines(experiment))
    assert "with nouns of 2 held-out captions" in next(leak_lines(experiment))
    assert "reference writers" not in pages[0]
    assert "labels from all captions" not in pages[0]
    assert "<h1>What labels from the reference writers are worth</h1>" in pages[1]
    assert "with labels from all captions, " in next(leak_lines(leaking))
    assert experiment.warnings == []
    assert "<b>Warning:</b> mentions were linked by the names of classes" in pages[1]


def test_old_labels_do_not_pass_for_held_out_ones(leaking: LabelExperiment) -> None:
    labels = {
        protocol.name: {choice_of(signature, "labels") for signature in signatures.values()}
        for protocol, signatures in leaking.signatures.items()
    }
    held_out = "2 held-out captions, seed 0"
    assert labels == {"as published": {"captions"}, "fewer references": {"captions"}, "held out": {held_out}}


def test_images_with_too_few_captions_are_counted_for_each_corpus(leaking: LabelExperiment, tmp_path: Path) -> None:
    assert leaking.too_few == (4, 3)
    assert leaking.n_images == 47
    signatures = [signature for of_protocol in leaking.signatures.values() for signature in of_protocol.values()]
    assert {choice_of(signature, "too_few") for signature in signatures} == {"4 training images and 3 test images"}
    write_label_report(leaking, tmp_path)
    assert "Left out: 4 training images and 3 test images without" in (tmp_path / "labels.html").read_text()
    assert json.loads((tmp_path / "labels.json").read_text())["too_few"] == {"training": 4, "test": 3}


@pytest.fixture(scope="module")
def sparse(folder: Path) -> LabelExperiment:
    """The experiment on test images of which four have no mention at all, and others a caption without any."""
    linked = {"mentions": "linked"}
    images = [replace(image, provenance=linked) for image in open_corpus(folder / "test.jsonl")]
    without = [replace(image, captions=tuple(map(unlinked, image.captions)), provenance={}) for image in images[:4]]
    some = [replace(image, captions=(unlinked(image.captions[0]), *image.captions[1:])) for image in images[4:9]]
    write_corpus([*without, *some, *images[9:]], folder / "sparse.jsonl")
    return label_experiment(str(folder / "train.jsonl"), str(folder / "sparse.jsonl"), samples=50, seed=3)


def unlinked(caption: Caption) -> Caption:
    return replace(caption, mentions=())


def test_every_number_says_how_many_images_are_behind_it(sparse: LabelExperiment, tmp_path: Path) -> None:
    write_label_report(sparse, tmp_path)
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    expected = {column: 46 if column == "content_f" else 50 for column in COLUMNS}
    for row in rows:
        assert int(row["n_images"]) == expected[row["metric"]]
        assert 0 < int(row["n_human"]) <= expected[row["metric"]]
    for protocol in json.loads((tmp_path / "labels.json").read_text())["protocols"]:
        assert {column: score["n_images"] for column, score in protocol["scores"].items()} == expected
    (sentence,) = image_counts(sparse)
    assert sentence.startswith("content selection, F: of the 50 test images, so many have a value: 46 as published, 46")
    page = (tmp_path / "labels.html").read_text()
    assert sentence in page
    assert "<small>46 images</small>" in page


def test_data_and_provenance_are_of_the_images_that_are_scored(folder: Path, sparse: LabelExperiment) -> None:
    sources = str(folder / "train.jsonl"), str(folder / "sparse.jsonl")
    selection = content_selection_experiment(*sources, labels_from=2, seed=3)
    held_out = list(sparse.signatures.values())[-1]["content_f"]
    assert "|images:50|scored:46 images|" in held_out
    for choice in ("data", "mentions"):
        assert choice_of(held_out, choice) == choice_of(selection.signatures["box"], choice)
    assert choice_of(held_out, "mentions") == "linked"
    assert selection.provenance.to_json()["mentions"] == "linked"


def test_the_last_two_protocols_are_compared_image_by_image(sparse: LabelExperiment, tmp_path: Path) -> None:
    _, fewer, held_out = sparse.scores.values()
    assert [test.column for test in sparse.differences] == list(COLUMNS)
    assert [test.p_adjusted for test in sparse.differences] == holm([test.p for test in sparse.differences])
    for test in sparse.differences:
        assert (test.first, test.second) == ("held out", "fewer references")
        assert test.n_images == held_out[test.column].n_images
        assert test.difference == pytest.approx(held_out[test.column].value - fewer[test.column].value)
        assert test.low <= test.difference <= test.high
    write_label_report(sparse, tmp_path)
    assert json.loads((tmp_path / "labels.json").read_text())["differences"] == [
        test.to_json() for test in sparse.differences
    ]
    rows = list(csv.DictReader((tmp_path / "tests.csv").read_text().splitlines()))
    assert [row["metric"] for row in rows] == list(COLUMNS)
    page = (tmp_path / "labels.html").read_text()
    for row, test, line in zip(rows, sparse.differences, leak_lines(sparse), strict=True):
        assert float(row["p_adjusted"]) == pytest.approx(test.p_adjusted, abs=1e-6)
        assert f"{test.difference:+.3f}; 95% interval {test.low:+.3f} to {test.high:+.3f}; p " in line
        assert line in page


def test_without_samples_nothing_is_tested(leaking: LabelExperiment) -> None:
    assert leaking.differences == []
    assert all("interval" not in line for line in leak_lines(leaking))


def test_training_images_are_refused(folder: Path) -> None:
    with refusal(BadInput):
        label_experiment(str(folder / "train.jsonl"), str(folder / "train.jsonl"))
