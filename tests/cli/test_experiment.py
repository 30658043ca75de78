"""`limner experiment content-selection` and `labels`, as people call them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from limner.cli.experiment_content_selection import content_selection
from limner.cli.experiment_labels import labels
from limner.corpus import write_corpus
from limner.playground import playground


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experiments")
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(40, seed=seed), folder / f"{name}.jsonl")
    return folder


def test_systems_are_printed_at_the_k_of_training_and_the_best_on_test_is_called_so(folder: Path) -> None:
    sources = [str(folder / "train.jsonl"), str(folder / "test.jsonl")]
    done = CliRunner().invoke(content_selection, [*sources, "--out", str(folder / "out"), "--labels-from", "2"])
    assert done.exit_code == 0, done.output
    assert "k is the one with the highest F on 40 training images" in done.stderr
    assert "left out: 0 training images and 0 test images without a caption besides" in done.stderr
    for level, part in zip(("", "-class"), done.stdout.split("class level\n"), strict=True):
        lines = [line for line in part.removeprefix("box level\n").splitlines() if line]
        assert lines[0].split() == ["system", "k", "P", "R", "F", "best", "on", "test"]
        assert "|training_data:" in lines[-1]
        tests = list(csv.DictReader((folder / f"out/tests{level}.csv").read_text().splitlines()))
        table = list(csv.DictReader((folder / f"out/table{level}.csv").read_text().splitlines()))
        printed = {line.split()[0]: line.split() for line in lines[1:-1]}
        tested = {(row["system"], row["k"]) for row in tests} | {(row["other"], row["other_k"]) for row in tests}
        for system, k in tested:
            scores = {row["k"]: float(row["F"]) for row in table if row["system"] == system}
            assert printed[system][: 2 if k else 1] == ([system, k] if k else [system])
            assert float(printed[system][4 if k else 3]) == pytest.approx(scores[k], abs=1e-4)
            if k:
                best = max(scores, key=lambda at: scores[at])
                assert printed[system][5:] == [f"{scores[best]:.4f}", "at", "k", "=", best]


def test_classes_are_not_called_labels_of_captions(folder: Path) -> None:
    sources = [str(folder / "train.jsonl"), str(folder / "test.jsonl")]
    done = CliRunner().invoke(labels, [*sources, "--out", str(folder / "labels"), "--samples", "0"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Class labels against nouns of captions, 40 test images\n")
    assert done.stdout.count("with nouns of 2 held-out captions") == 4
    assert "all captions" not in done.stdout
    assert "left out: 0 training images and 0 test images" in done.stderr
