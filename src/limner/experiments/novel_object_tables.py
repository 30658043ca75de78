"""The tables of the novel-object experiment: rows by domain, novel mentions, constraints' cost, filters, deciles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from limner.corpus.image import Image
from limner.experiments.experiment_files import Cell, Estimate, Table
from limner.experiments.image_distances import N_DECILES, Deciles
from limner.experiments.novel_object_images import NovelObjectImages
from limner.experiments.novel_object_rows import RowSpec
from limner.experiments.novel_object_scores import (
    COLUMNS,
    ORDER,
    OVERALL,
    WITH_NOVEL,
    WITHOUT_NOVEL,
    Figure,
    RowFigures,
    TableFigures,
    TestFigures,
)
from limner.score.novel_mentions import MEAN, POOLED, TRUTHS, VALUES, mention_column

TEST_COLUMNS = ("figure", "images", "first", "second", "n_images", "difference", "p", "p_adjusted")
NOVEL_COLUMNS = ("row", "truth", "images", "class", *VALUES)
MENTION_VALUES = ("precision", "recall", "f1")
MENTION_COLUMNS = (
    "row",
    *(f"{value}_by_{truth}" for truth in TRUTHS for value in MENTION_VALUES),
    "precision_with_novel",
    "f1_with_novel",
    "f1_where_shown",
)
PANEL_COLUMNS = (
    "row",
    "without_constraints",
    "n_images",
    "CIDEr_without",
    "CIDEr",
    "difference",
    "lost_share",
    "p",
    "p_adjusted",
)


class NovelObjectRun(NamedTuple):
    """What the experiment made: images, rows with their results and figures, the words of rows with embeddings.

    `signatures` are those of the rows' captions: images, boxes, captioner and
    constraints. `lacking` are metrics that cannot be measured here, with the
    reason. `filters` are rows by their constraints' filters, each after its name
    without them, with their figures; `deciles` those of the test images, with
    the figures of some rows. Both are None unless they were asked for.
    """

    images: NovelObjectImages
    rows: Sequence[RowSpec]
    results: Mapping[str, Sequence[Image]]
    figures: TableFigures
    embeddings: str
    features: str
    seed: int
    signatures: Mapping[str, str] = {}
    lacking: Mapping[str, str] = {}
    warnings: Sequence[str] = ()
    filters: tuple[Sequence[tuple[str, RowSpec]], TableFigures] | None = None
    deciles: tuple[Deciles, TableFigures] | None = None
    pages: Mapping[str, str] = {}


def measured_columns(figures: TableFigures) -> list[str]:
    """The columns that were measured, in the table's order."""
    known = figures.rows[0].subsets[OVERALL].figures
    return [column for column in COLUMNS if column in known]


def table_columns(columns: Sequence[str]) -> tuple[str, ...]:
    of_metrics = (f"{subset}_{COLUMNS[column]}" for column in columns for subset in ORDER)
    return "row", "words", "boxes", "n_images", *of_metrics, "novel_precision", "novel_recall", "novel_F1"


def shown_columns_of(columns: Sequence[str]) -> list[str]:
    """Table 2's: CIDEr by domain, and other metrics of all images."""
    by_domain = [f"{subset}_{COLUMNS[column]}" for column in columns if column == "cider" for subset in ORDER]
    left_out = ("cider", "bleu1", "rouge_l", "chair_s")
    overall = [f"{OVERALL}_{COLUMNS[column]}" for column in columns if column not in left_out]
    return ["row", "boxes", *by_domain, *overall, "novel_precision", "novel_recall", "novel_F1"]


def table_row(run: NovelObjectRun, row: RowSpec, columns: Sequence[str]) -> tuple[Cell, ...]:
    figures = run.figures.row(row.name)
    scores = [estimate(figures.figure(subset, column)) for column in columns for subset in ORDER]
    n_images = figures.subsets[OVERALL].n_images
    novel = [
        estimate(figures.figure(OVERALL, mention_column(run.images.truth, MEAN, value))) for value in MENTION_VALUES
    ]
    return row.name, words_of(run, row), row.boxes_used, n_images, *scores, *novel


def words_of(run: NovelObjectRun, row: RowSpec) -> str | None:
    """What words are to the captioner of a row."""
    if row.captioner is None:
        return None
    return run.embeddings if row.captioner.words == "embeddings" else row.captioner.words


def estimate(figure: Figure | None) -> Estimate | None:
    """A figure as tables have it."""
    return None if figure is None or figure.value is None else Estimate(figure.value, figure.low, figure.high)


def test_rows(tests: Sequence[TestFigures]) -> Iterator[tuple[Cell, ...]]:
    for test in tests:
        difference = None if test.difference is None else Estimate(test.difference, test.low, test.high)
        name = COLUMNS.get(test.column, test.column)
        yield name, test.subset, test.first, test.second, test.n_images, difference, test.p, test.p_adjusted


def novel_rows(run: NovelObjectRun) -> Iterator[tuple[Cell, ...]]:
    for row in run.figures.rows:
        for truth in TRUTHS:
            for subset in (WITH_NOVEL, OVERALL):
                for name in (*run.images.novel, MEAN, POOLED):
                    values = [estimate(row.figure(subset, mention_column(truth, name, value))) for value in VALUES]
                    yield row.name, truth, subset, name, *values


def mention_rows(run: NovelObjectRun) -> Iterator[tuple[Cell, ...]]:
    for row in run.figures.rows:
        means = [
            estimate(row.figure(OVERALL, mention_column(truth, MEAN, value)))
            for truth in TRUTHS
            for value in MENTION_VALUES
        ]
        where_shown = estimate(row.figure(OVERALL, mention_column("boxes", MEAN, "f1_where_shown")))
        with_novel = [
            estimate(row.figure(WITH_NOVEL, mention_column("boxes", MEAN, value))) for value in ("precision", "f1")
        ]
        yield row.name, *means, *with_novel, where_shown


def panel_rows(run: NovelObjectRun) -> Iterator[tuple[Cell, ...]]:
    """The paper's panel of COCO: CIDEr on images without novel objects, with and without constraints."""
    for row in run.rows:
        if not row.free:
            continue
        free, asked = (run.figures.row(name).figure(WITHOUT_NOVEL, "cider") for name in (row.free, row.name))
        test = run.figures.test("cider", WITHOUT_NOVEL, row.name, row.free)
        if free is None or asked is None or free.value is None or asked.value is None:
            continue
        difference = Estimate(asked.value - free.value)
        if test is not None and test.difference is not None:
            difference = Estimate(test.difference, test.low, test.high)
        lost = (free.value - asked.value) / free.value if free.value else None
        n_images = run.figures.row(row.name).subsets[WITHOUT_NOVEL].n_images
        p = (None, None) if test is None else (test.p, test.p_adjusted)
        yield row.name, row.free, n_images, estimate(free), estimate(asked), difference, lost, *p


def domain_table(run: NovelObjectRun) -> Table:
    """CIDEr by domain with the document frequencies of all test images, so that domains can be compared."""
    rows = [(row.name, *(estimate(row.common_cider.get(subset)) for subset in ORDER)) for row in run.figures.rows]
    title = "CIDEr by domain, with document frequencies of all test images"
    return Table("domains", ("row", *(f"{subset}_CIDEr" for subset in ORDER)), rows, title)


def filter_table(run: NovelObjectRun) -> Table:
    assert run.filters is not None
    rows, figures = run.filters
    columns = [column for column in ("cider", "spice*") if column in measured_columns(figures)]
    heads = ("row", "filters", *(f"{subset}_{COLUMNS[column]}" for column in columns for subset in ORDER))
    cells = [
        (
            name,
            row.filters.described,
            *(estimate(figures.row(row.name).figure(subset, column)) for column in columns for subset in ORDER),
        )
        for name, row in rows
    ]
    return Table("filters", heads, cells, "Filters of constraints (Table 6)")


def decile_table(run: NovelObjectRun) -> Table:
    assert run.deciles is not None
    groups, figures = run.deciles
    heads = ("row", *(f"decile_{number}" for number in range(1, N_DECILES + 1)), OVERALL)
    distances: tuple[Cell, ...] = ("mean cosine distance", *map(Estimate, groups.mean_distances), None)
    return Table(
        "deciles",
        heads,
        [distances, *map(_decile_row, figures.rows)],
        f"CIDEr by distance (Table 4): {groups.compared}",
    )


def _decile_row(row: RowFigures) -> tuple[Cell, ...]:
    names = [decile_name(number) for number in range(1, N_DECILES + 1)]
    return row.name, *(estimate(row.figure(name, "cider")) for name in (*names, OVERALL))


def decile_name(number: int) -> str:
    """The name of the subset of a decile."""
    return f"decile {number:02}"
