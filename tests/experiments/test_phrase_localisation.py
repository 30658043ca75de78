"""The localisation experiment on the playground: its rows are what `localise` and `score localisation` give."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from limner.cli.experiment_localisation import localisation
from limner.corpus import Image, open_corpus
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.experiments.phrase_localisation import ExperimentSetting, LocalisationExperiment, score_systems
from limner.experiments.phrase_localisation_report import localisation_report, write_examples
from limner.ground.chunking import chunk_corpus
from limner.ground.grounder import Grounder
from limner.ground.grounder_training import train_grounder
from limner.ground.localising import LocaliseSettings, localise_corpus
from limner.ground.systems import SYSTEMS
from limner.learn.ranking_network import RankingSettings
from limner.playground import World, write_world
from limner.score.localisation.localisation_evaluation import evaluate_localisation
from refusals import refusal

N_TRAINING = 12

# Without a detector there is nothing that it adds.
SHOWN = [name for name in SYSTEMS if name not in ("detector", "cca-or-detector", "detector-and-colour")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    write_world(World(captions=(2, 2), size=(160, 120)), 16, str(folder / "world.jsonl"), pictures=True)
    lines = (folder / "world.jsonl").read_text(encoding="utf8").splitlines(keepends=True)
    (folder / "train.jsonl").write_text("".join(lines[:N_TRAINING]), encoding="utf8")
    (folder / "test.jsonl").write_text("".join(lines[N_TRAINING:]), encoding="utf8")
    return folder


@pytest.fixture(scope="module")
def images(world: Path) -> list[Image]:
    return list(open_corpus(world / "test.jsonl"))


@pytest.fixture(scope="module")
def grounder(world: Path) -> Grounder:
    training = list(open_corpus(world / "train.jsonl"))
    return train_grounder(training, world, settings=RankingSettings(n_hidden=16, n_passes=8))


@pytest.fixture(scope="module")
def experiment(grounder: Grounder, images: list[Image], world: Path) -> LocalisationExperiment:
    return score_systems(grounder, images, ExperimentSetting(world, samples=0, sweep=(5, 200, 300)))


@pytest.mark.parametrize("candidates", ["proposals", "gold"])
def test_every_row_is_what_localising_and_scoring_give(
    experiment: LocalisationExperiment, grounder: Grounder, images: list[Image], world: Path, candidates: str
) -> None:
    assert [system.name for system in experiment.proposals.systems] == SHOWN
    for name in SHOWN:
        settings = LocaliseSettings(candidates, name)  # type: ignore[arg-type]
        results = localise_corpus(images, world, grounder, settings)
        (alone,) = evaluate_localisation({name: results}, images, samples=0).systems
        row = experiment.system(name, candidates)  # type: ignore[arg-type]
        assert row.values == alone.values
        assert row.signature == alone.signature
    values = [tuple(system.values.values()) for system in experiment.proposals.systems]
    assert len(set(values)) > 3, "systems must differ"


def test_found_phrases_are_those_that_chunking_finds(
    experiment: LocalisationExperiment, grounder: Grounder, images: list[Image], world: Path
) -> None:
    results = localise_corpus(chunk_corpus(images, again=True), world, grounder)
    (alone,) = evaluate_localisation({"a": results}, images, samples=0).systems
    assert experiment.chunked.values == alone.values
    assert experiment.chunked.settings["phrases"] == "found"


def test_the_sweep_has_the_usual_number_among_others(experiment: LocalisationExperiment) -> None:
    assert experiment.sweep[200].values == experiment.system("joint").values
    bounds = [scores.values["bound"] for scores in experiment.sweep.values()]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def test_explanations_are_of_every_answer_and_add_up(
    experiment: LocalisationExperiment, grounder: Grounder, images: list[Image], world: Path
) -> None:
    spans = {
        (image.id, caption.id, mention.start, mention.end) for image in images for caption, mention in image.mentions()
    }
    assert spans == set(experiment.explanations)
    results = {image.id: image for image in localise_corpus(images, world, grounder)}
    for (image, caption, start, _), points in experiment.explanations.items():
        (mention,) = (m for c, m in results[image].mentions() if (c.id, m.start) == (caption, start))
        assert sum(points.values()) == pytest.approx(mention.candidates[0].score, abs=1e-5)


def test_tables_count_every_phrase_once(experiment: LocalisationExperiment) -> None:
    report = localisation_report(experiment)
    tables = {table.name: table for table in report.others}
    n = int(experiment.system("joint").is_scored.sum())
    assert sum(int(str(row[1])) for row in tables["met_in_training"].rows) == n
    assert all(sum(int(str(cell)) for cell in row[1:]) == n for row in tables["errors"].rows)
    # Nothing was counted here: all nouns are new.
    assert [row[0] for row in tables["met_in_training"].rows] == ["0"]
    met = replace(experiment, n_met={"man": 9, "woman": 10, "dog": 1000})
    bands = {
        str(row[0])
        for table in localisation_report(met).others
        if table.name == "met_in_training"
        for row in table.rows
    }
    assert bands <= {"0", "1-9", "10-99", "100+"}
    assert len(bands) > 1


def test_the_page_shows_each_phrase_and_what_cues_said(
    experiment: LocalisationExperiment, world: Path, tmp_path: Path
) -> None:
    reading = Reading()
    page = write_examples(experiment, tmp_path, world, reading).read_text(encoding="utf8")
    assert '"x":{"cca":' in page
    assert not reading.warnings, "every picture is there"


def test_the_command_trains_and_writes_tables_figures_and_pages(world: Path, tmp_path: Path) -> None:
    sources = [str(world / "train.jsonl"), str(world / "test.jsonl"), "--pictures", str(world)]
    options = ["--out", str(tmp_path / "out"), "--samples", "0", "--no-sweep", "--cache", str(tmp_path / "cache")]
    done = CliRunner().invoke(localisation, [*sources, *options])
    assert done.exit_code == 0, done.output
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"table.csv", "types.csv", "tests.csv", "localisation.html", "examples.html", "types.svg"} <= names
    assert "proposals.csv" not in names
    with (tmp_path / "out/table.csv").open(encoding="utf8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["system"] for row in rows] == [*SHOWN, "joint, found phrases", "bound"]
    report = json.loads((tmp_path / "out/localisation.json").read_text(encoding="utf8"))
    assert report["rows"][1]["paper_R@1"] == 0.4177
    assert "candidates:gold" in report["signatures"]["gold candidates"]
    assert any(row["times_met"] != "0" for row in report["met_in_training"])


def test_training_images_are_not_tested(world: Path, tmp_path: Path) -> None:
    source = str(world / "train.jsonl")
    done = CliRunner().invoke(localisation, [source, source, "--pictures", str(world), "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, BadInput)
    assert done.exception.code == "train-is-test"
    assert not (tmp_path / "out").exists()


def test_images_to_tune_on_are_not_tested(world: Path, tmp_path: Path) -> None:
    sources = [str(world / "train.jsonl"), str(world / "test.jsonl"), "--pictures", str(world)]
    done = CliRunner().invoke(localisation, [*sources, "--out", str(tmp_path), "--valid", str(world / "test.jsonl")])
    assert isinstance(done.exception, BadInput)
    assert done.exception.code == "train-is-test"


def test_few_pictures_are_not_tested(experiment: LocalisationExperiment) -> None:
    findings = localisation_report(experiment).findings
    assert any("not tested: fewer than 30 pictures" in finding for finding in findings)
    assert not any("nan" in finding for finding in findings)


def test_a_trained_model_has_no_images_to_tune_on(world: Path, tmp_path: Path) -> None:
    source = str(world / "train.jsonl")
    options = ["--pictures", str(world), "--out", str(tmp_path), "--model", source, "--valid", source]
    done = CliRunner().invoke(localisation, [source, source, *options])
    assert done.exit_code == 2
    assert "--valid is for training" in done.output


def test_pictures_that_are_missing_are_an_error_or_left_out(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    absent = [*images[1:], structs.replace(images[0], file="absent.png")]
    setting = ExperimentSetting(world, samples=0, sweep=())
    with refusal(BadInput):
        score_systems(grounder, absent, setting)
    reading = Reading(lenient=True)
    scored = score_systems(grounder, absent, setting, reading=reading)
    assert scored.system("joint").counts["n_images"] == len(images) - 1
    assert sum(reading.skipped.values()) == 1
