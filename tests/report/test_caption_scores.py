from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from caption_evaluations import OURS, THEIRS, evaluation
from limner.look.tables import WIDTH
from limner.report.caption_scores import csv_of, per_image_csv, subset_warnings, table_of
from limner.score.caption_evaluation import Evaluation, compare_systems
from limner.score.metric import Statistics, means
from limner.score.paired import Comparison
from limner.score.run import Run


class Given:
    """A metric whose values are given."""

    def __init__(self, name: str, *values: float, warning: str = "") -> None:
        self.name = name
        self.columns = (name,)
        self.values = values
        self.warning = warning

    def measure(self, run: Run) -> Statistics:
        found = means(np.array(self.values[: len(run)]))
        return replace(found, warnings=(self.warning,) if self.warning else ())


def given(
    name: str, metrics: Sequence[Given], *, samples: int = 20, counts: dict[str, int] | None = None
) -> Evaluation:
    return evaluation(name, OURS, metrics=metrics, by=None, samples=samples, counts=counts)


@pytest.mark.usefixtures("intervals_of_few")
def test_a_table_of_one_system_reads_as_this() -> None:
    found = given("ours", [Given("first", 1, 0, 1, 0), Given("second", *[math.nan] * 4), Given("third", 1, 1, 1, 1)])
    data = found.run.fingerprint(with_boxes=True)
    assert table_of([found]) == [
        "images: 4",
        "",
        "          ours  95% interval",
        f"first   0.5000  {found.intervals['first'].low:.4f} to {found.intervals['first'].high:.4f}",
        "second       —  —",
        # No interval where nothing varies.
        "third   1.0000  —",
        "",
        f"metric:first|tok:none|refs:2-2|images:4|data:{data}|missing:error|limner:0.1.0",
        f"metric:second|tok:none|refs:2-2|images:4|data:{data}|missing:error|limner:0.1.0",
        f"metric:third|tok:none|refs:2-2|images:4|data:{data}|missing:error|limner:0.1.0",
    ]


def test_without_samples_there_are_no_intervals() -> None:
    found = given("ours", [Given("first", 0.25, 0.25, 0.25, 0.25)], samples=0)
    assert table_of([found])[2:4] == ["         ours", "first  0.2500"]


def test_what_was_counted_is_told_of_every_system_that_it_is_true_of() -> None:
    one = given("one", [Given("first", 0, 1, 0, 1)])
    other = given("other", [Given("first", 0, 1, 0, 1)], counts={"missing": 2, "extra": 0, "without_references": 1})
    assert table_of([other])[0] == "images: 4; 2 missing, 1 without references"
    boxed = given("boxed", [Given("first", 0, 1, 0, 1)], counts={"without_references": 0, "boxes_only": 3})
    assert table_of([boxed])[0] == "images: 4; 3 with boxes only"
    assert "3 with boxes only" in repr(boxed)
    assert table_of([one, other])[:2] == ["one, images: 4", "other, images: 4; 2 missing, 1 without references"]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("name", ["x", "a system of a name that is very much too long for a table"])
def test_values_and_parts_fit_on_a_page_and_none_is_left_out(n: int, name: str) -> None:
    systems = [evaluation(f"{i} {name}", OURS, metrics=None, samples=20) for i in range(n)]
    lines = table_of(systems)
    table = lines[: next(i for i, line in enumerate(lines) if line.startswith("metric:"))]
    assert max(map(len, table)) <= WIDTH
    heads = " ".join(line for line in table if "interval" in line)
    assert all(f"{i} {name}"[:20] in heads for i in range(n))
    for column in systems[0].scores:
        assert sum(column in line.split() for line in table if "images" in line) == n


def test_many_columns_of_parts_are_told_in_several_tables() -> None:
    metrics = [Given(f"a_rather_long_name_{i}", 0, 1, 0, 1) for i in range(9)]
    found = evaluation("ours", OURS, metrics=metrics, samples=0)
    lines = table_of([found])
    heads = [line for line in lines if line.startswith("domain ")]
    assert len(heads) > 1
    assert " ".join(" ".join(head.split()[2:]) for head in heads).split() == [metric.name for metric in metrics]
    assert max(len(line) for line in lines if not line.startswith("metric:")) <= WIDTH


def test_a_comparison_that_could_not_be_made_is_no_small_p() -> None:
    row = Comparison("vocabulary", "a", "b", 4, 8.0, *[math.nan] * 4, False)
    none = row._replace(column="other", difference=math.nan)
    some = row._replace(column="some", low=-0.00001, high=0.5, p=0.00001, p_adjusted=0.03, difference=-0.00001)
    systems = [given(name, [Given("first", 0, 1, 0, 1)]) for name in "ab"]
    *_, head, first, second, third, _, _ = table_of(systems, [row, none, some])
    assert head.split("  ")[0] == "difference"
    assert first.split() == ["a", "−", "b", "vocabulary", "+8.0000", "—", "—", "—"]
    assert second.split() == ["a", "−", "b", "other", "—", "—", "—", "—"]
    assert third.split() == ["a", "−", "b", "some", "0.0000", "0.0000", "to", "0.5000", "<0.0001", "0.0300"]


def test_signatures_of_all_systems_are_there_once() -> None:
    one, other = given("one", [Given("first", 0, 1, 0, 1)]), given("other", [Given("first", 0, 1, 0, 1)])
    assert sum(line.startswith("metric:") for line in table_of([one, other])) == 1
    other.statistics["first"] = replace(other.statistics["first"], choices={"model": "another"})
    assert sum(line.startswith("metric:") for line in table_of([one, other])) == 2


def test_what_is_to_be_said_of_parts_alone_is_said_once_with_their_names() -> None:
    found = evaluation("ours", OURS, metrics=[Given("first", 0, 1, 0, 1, warning="of all")], samples=0)
    for i, part in enumerate(found.by["domain"].values()):
        told = ["of all", "too few"] if i else ["of all"]
        part.statistics["first"] = replace(part.statistics["first"], warnings=told)
    assert subset_warnings([found, found]) == ["near, out (by domain): too few"]
    whole = dict(found.by["domain"])
    found.by["domain"] = {f"part {i}": whole["near"] for i in range(9)}
    assert subset_warnings([found]) == ["part 0, part 1, part 2 and 6 more (by domain): too few"]


def test_names_that_would_break_a_table_are_kept_on_one_line() -> None:
    found = evaluation("a\nb\tc\x1b[31m", OURS, samples=0)
    lines = table_of([found], compare_systems([found, evaluation("x", THEIRS, samples=0)]))
    assert all(line.isprintable() for line in lines)


def test_rows_for_spreadsheets_are_exact_and_quoted() -> None:
    found = evaluation('a "name", with a comma\nand a line', OURS, samples=20)
    rows = list(csv.DictReader(io.StringIO(csv_of([found]))))
    assert {row["system"] for row in rows} == {found.name}
    assert {row["metric"]: float(row["value"]) for row in rows if not row["by"]} == found.scores
    assert {row["part"] for row in rows if row["by"] == "domain"} == set(found.by["domain"])
    images = list(csv.DictReader(io.StringIO(per_image_csv([found]))))
    assert [row["image"] for row in images] == list(OURS)
    assert {row["image"]: float(row["bleu4"]) for row in images} == found.per_image("bleu4")


def test_few_images_have_a_dash_for_an_interval() -> None:
    found = given("ours", [Given("first", 1, 0, 1, 0)])
    assert "first  0.5000  —" in table_of([found])


@pytest.mark.usefixtures("intervals_of_few")
def test_subsets_have_intervals_and_tests() -> None:
    systems = [evaluation("ours", OURS), evaluation("theirs", THEIRS)]
    text = "\n".join(table_of(systems, compare_systems(systems, swaps=50, with_subsets=True)))
    (head,) = [line for line in text.splitlines() if line.startswith("domain, ours") and "bleu1" in line]
    assert "95% interval" in head
    bounds = systems[0].by["domain"]["in"].intervals["bleu1"]
    assert f"{bounds.low:.4f} to {bounds.high:.4f}" in text
    assert "difference by domain" in text
    assert sum(line.startswith("ours − theirs") and "  near  " in line for line in text.splitlines()) == len(
        systems[0].scores
    )


def test_a_table_says_on_how_many_images_systems_were_compared() -> None:
    first = Given("first", 1, 0, 1, 0)
    fewer = {id: caption for id, caption in OURS.items() if id != "d"}
    systems = [
        evaluation(name, captions, metrics=[first], by=None, samples=20)
        for name, captions in (("ours", OURS), ("theirs", fewer))
    ]
    assert "ours − theirs: on their 3 common images" in table_of(systems, compare_systems(systems))
    systems = [given(name, [first]) for name in ("ours", "theirs")]
    assert not any("common" in line for line in table_of(systems, compare_systems(systems)))


def test_a_table_says_on_how_many_images_both_systems_have_a_value() -> None:
    none = math.nan
    systems = [
        given("{ours}", [Given("every", 1, 0, 1, 0), Given("some", 1, 0, none, 1), Given("more", none, 0, 1, 1)]),
        given("theirs", [Given("every", 1, 1, 1, 0), Given("some", 1, none, 1, 0), Given("more", none, 1, none, 0)]),
    ]
    compared = compare_systems(systems)
    assert [comparison.n_images for comparison in compared] == [4, 2, 2]
    notes = [line for line in table_of(systems, compared) if "both have a value" in line]
    assert notes == ["{ours} − theirs, some, more: on the 2 images where both have a value"]
