"""Whether selectors rank alike with every linker."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from limner.cli.experiment_linkers import linkers
from limner.corpus import open_corpus, write_corpus
from limner.corpus.linking import link_corpus
from limner.errors import LimnerError
from limner.experiments.linker_rankings import agreement, linker_experiment
from limner.playground import playground
from limner.score.content import gold_sets, score_selection
from refusals import refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linkers")
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(30, seed=seed), folder / f"{name}.jsonl")
    sources = [str(folder / "train.jsonl"), str(folder / "test.jsonl")]
    done = CliRunner().invoke(linkers, [*sources, "--out", str(folder / "out"), "--samples", "200"])
    assert done.exit_code == 0, done.output
    assert "largest, box and random, box: τ " in done.stdout
    return folder


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "out" / name).read_text().splitlines()))


@pytest.mark.parametrize("linker", ["largest", "random", "all"])
def test_all_boxes_score_as_they_do_when_linked_by_hand(folder: Path, linker: str) -> None:
    images = list(link_corpus(open_corpus(folder / "test.jsonl"), linker=linker, replace=True))  # type: ignore[arg-type]
    pairs = [({box.id for box in image.boxes}, gold_sets(image)) for image in images]
    by_hand = np.mean([score_selection(boxes, gold).F for boxes, gold in pairs if gold])
    (row,) = [
        row
        for row in rows(folder, "table.csv")
        if (row["linker"], row["level"], row["system"]) == (linker, "box", "all")
    ]
    assert float(row["F"]) == pytest.approx(by_hand, abs=1e-6)


def test_every_linker_and_level_ranks_every_system_once(folder: Path) -> None:
    by_condition: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows(folder, "table.csv"):
        by_condition.setdefault((row["linker"], row["level"]), []).append(row)
    assert len(by_condition) == 6
    for ranked in by_condition.values():
        assert [int(row["rank"]) for row in ranked] == list(range(1, 12))
        values = [float(row["F"]) for row in ranked]
        assert values == sorted(values, reverse=True)
    assert len(rows(folder, "correlations.csv")) == 15


def test_agreement_is_kendalls_tau_and_flips_are_those_of_sure_orders() -> None:
    chance = np.random.default_rng(1)
    noise = chance.normal(0, 0.1, (200, 5))
    first, second = np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 2, 3, 5, 4])
    agreed = agreement(noise + first, noise + second, 300, 0)
    # Nine of ten pairs are in one order, the last is in the other, and so are the two on top.
    assert agreed.tau == pytest.approx((0.8, 0.8, 0.8))
    assert (agreed.same_best, agreed.n_flips) == (0.0, 1)
    # Where systems hardly differ, an order is chance and its reversal no flip.
    unsure = agreement(10 * noise + first / 1000, 10 * noise[::-1] - second / 1000, 300, 0)
    assert unsure.n_flips == 0
    assert unsure.tau.low is not None
    assert unsure.tau.low < unsure.tau.value


def test_unknown_linkers_and_images_that_were_trained_on_are_refused(folder: Path) -> None:
    source = str(folder / "test.jsonl")
    with refusal(LimnerError):
        linker_experiment(source, source, linkers=["nearest"])  # type: ignore[list-item]
    with refusal(LimnerError):
        linker_experiment(source, source)
