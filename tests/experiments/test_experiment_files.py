"""The files that small experiments share."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

from limner.experiments.experiment_files import Estimate, ExperimentReport, write_experiment
from limner.report.estimate_plots import dots_figure


def report() -> ExperimentReport:
    rows = [("a|b <c>", 1200, Estimate(0.5, 0.25, 0.75), float("nan")), ("d", None, None, 0.125)]
    return ExperimentReport(
        "things",
        "Things & others",
        "Which?",
        ("thing", "n", "share", "mean_p"),
        rows,
        ["a is more"],
        ["by hand"],
        {"a": "metric:a|seed:0"},
        lambda: dots_figure({"share": {"": {"a": (0.5, 0.25, 0.75), "d": (0.1, None, None)}}}, "share"),
        ["few"],
    )


def test_an_estimate_is_three_columns_and_no_value_is_empty(tmp_path: Path) -> None:
    write_experiment(report(), tmp_path)
    first, second = csv.DictReader((tmp_path / "table.csv").read_text().splitlines())
    assert first == {
        "thing": "a|b <c>",
        "n": "1200",
        "share": "0.500000",
        "share_low": "0.250000",
        "share_high": "0.750000",
        "mean_p": "",
    }
    assert list(second.values()) == ["d", "", "", "", "", "0.125000"]


def test_every_file_has_the_numbers_and_signatures(tmp_path: Path) -> None:
    names = [path.name for path in write_experiment(report(), tmp_path)]
    assert names == ["table.csv", "table.md", "things.html", "things.json", "things.png", "things.svg"]
    rows = json.loads((tmp_path / "things.json").read_text())["rows"]
    assert rows[0]["share"] == {"value": 0.5, "low": 0.25, "high": 0.75}
    assert rows[0]["mean_p"] is None
    page, table = ((tmp_path / name).read_text() for name in ("things.html", "table.md"))
    assert "<h1>Things &amp; others</h1>" in page
    assert "a|b &lt;c&gt;" in page
    assert "| a\\|b <c> | 1,200 | 0.500 (0.250 to 0.750) | — |" in table
    for text in (page, table):
        assert "metric:a|seed:0" in text
        assert "mean p" in text
        assert "few" in text


def test_pages_are_written_and_a_terminal_may_be_spared_intervals(tmp_path: Path) -> None:
    short = replace(report(), pages={"more.html": "<p>more</p>"}, prints_intervals=False)
    assert tmp_path / "more.html" in write_experiment(short, tmp_path)
    assert (tmp_path / "more.html").read_text() == "<p>more</p>"
    assert "(0.250 to 0.750)" in "\n".join(report().lines())
    assert "(0.250 to 0.750)" not in "\n".join(short.lines())
    assert "0.500 (0.250 to 0.750)" in (tmp_path / "table.md").read_text()
