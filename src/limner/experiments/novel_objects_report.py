"""What the novel-object experiment says: the tables of nocaps, findings in sentences, how it was measured, figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from limner.corpus.reading import Reading
from limner.experiments.experiment_files import Cell, Estimate, ExperimentReport, Table
from limner.experiments.novel_object_rows import RowSpec
from limner.experiments.novel_object_scores import COLUMNS, DOMAIN_NAMES, OVERALL, WITH_NOVEL
from limner.experiments.novel_object_tables import (
    MENTION_COLUMNS,
    NOVEL_COLUMNS,
    PANEL_COLUMNS,
    TEST_COLUMNS,
    NovelObjectRun,
    decile_table,
    domain_table,
    filter_table,
    measured_columns,
    mention_rows,
    novel_rows,
    panel_rows,
    shown_columns_of,
    table_columns,
    table_row,
    test_rows,
)
from limner.experiments.novel_objects_figures import domain_figure, more_figures
from limner.experiments.novel_objects_published import PUBLISHED, PUBLISHED_COLUMNS
from limner.score.novel_mentions import MEAN, mention_column

# The largest p, adjusted, that is called significant.
SIGNIFICANT = 0.05

TITLE = "Captions of novel objects"
PANEL_TITLE = "What constraints cost on images without novel objects: CIDEr"
QUESTION = "Who names objects that no training caption named, and what does it cost where there are none?"


def novel_objects_report(run: NovelObjectRun, readings: Sequence[Reading]) -> ExperimentReport:
    """The report of a run."""
    columns = measured_columns(run.figures)
    panel = list(panel_rows(run))
    mentions = list(mention_rows(run))
    others = [
        *([domain_table(run)] if "cider" in columns else []),
        Table("mentions", MENTION_COLUMNS, mentions, "Naming novel classes: means over the classes"),
        Table("captioned", PANEL_COLUMNS, panel, PANEL_TITLE if panel else ""),
        Table("tests", TEST_COLUMNS, list(test_rows(run.figures.tests))),
        Table("novel", NOVEL_COLUMNS, list(novel_rows(run))),
        *([filter_table(run)] if run.filters else []),
        *([decile_table(run)] if run.deciles else []),
        Table("paper", PUBLISHED_COLUMNS, PUBLISHED, "The paper: nocaps val and COCO val2017 (Table 3), per cent"),
    ]
    return ExperimentReport(
        "novel-objects",
        TITLE,
        QUESTION,
        table_columns(columns),
        [table_row(run, row, columns) for row in run.rows],
        list(_findings(run)),
        list(_notes(run)),
        _signatures(run),
        lambda: domain_figure(run, columns),
        warnings=_warnings(run),
        readings=readings,
        others=others,
        figures=more_figures(run, columns, panel),
        links={f"Every row's caption of some test images ({name})": name for name in run.pages},
        pages=run.pages,
        prints_intervals=False,
        shown_columns=shown_columns_of(columns),
        absent=[
            *(["domains"] if "cider" not in columns else []),
            *(["captioned"] if not panel else []),
            *(["filters"] if run.filters is None else []),
            *(["deciles"] if run.deciles is None else []),
        ],
    )


def _signatures(run: NovelObjectRun) -> dict[str, str]:
    """Every metric's of the first row, which are those of all systems; of the others CIDEr's."""
    images = run.images
    facts = f"novel:{','.join(images.novel)}|boxes:{images.boxes_signature}|seed:{run.seed}"
    first = run.figures.rows[0]
    return {
        f"{row.name}, {COLUMNS[column]}": f"{signature}|captions:{run.signatures.get(row.name, 'gold')}|{facts}"
        for row in run.figures.rows
        for column, signature in row.signatures.items()
        if row is first or column == "cider"
    }


def _findings(run: NovelObjectRun) -> Iterator[str]:
    for row in run.rows:
        if not row.free:
            continue
        gains = [_gain(run, row, subset) for subset in DOMAIN_NAMES.values()]
        named = _gain(run, row, OVERALL, mention_column(run.images.truth, MEAN, "f1"), "F1 of novel classes")
        if parts := [part for part in (*gains, named) if part]:
            yield f"{row.name} against {row.free}: {'; '.join(parts)}"
    for name, free, n_images, before, after, difference, lost, _, adjusted in panel_rows(run):
        if isinstance(difference, Estimate) and isinstance(before, Estimate) and isinstance(after, Estimate):
            share = f", {-lost:+.1%}" if isinstance(lost, float) else ""
            yield (
                f"{name} on the {n_images:,} images without novel objects: CIDEr {after.value:.3f} against "
                f"{before.value:.3f} of {free} ({difference.value:+.3f}{share}){_verdict(adjusted)}"
            )


def _gain(run: NovelObjectRun, row: RowSpec, subset: str, column: str = "cider", called: str = "") -> str:
    test = run.figures.test(column, subset, row.name, row.free)
    if test is None or test.difference is None:
        return ""
    interval = "" if test.low is None or test.high is None else f" ({test.low:+.3f} to {test.high:+.3f})"
    return f"{called or f'CIDEr {subset}'} {test.difference:+.3f}{interval}{_verdict(test.p_adjusted)}"


def _verdict(p_adjusted: Cell) -> str:
    if not isinstance(p_adjusted, float):
        return ", not tested"
    return "" if p_adjusted <= SIGNIFICANT else ", not significant"


def _notes(run: NovelObjectRun) -> Iterator[str]:
    images = run.images
    subsets = run.figures.rows[0].subsets
    n_by_domain = [f"{subsets[name].n_images:,} {name}" for name in DOMAIN_NAMES.values() if name in subsets]
    n_novel = subsets[WITH_NOVEL].n_images if WITH_NOVEL in subsets else 0
    yield f"novel classes: {', '.join(images.novel)}"
    yield (
        f"{len(images.training):,} training images; {images.n_left_out:,} others show a novel class or name one, and "
        f"were left out; {len(images.tests):,} test images ({', '.join(n_by_domain)}), {n_novel:,} with novel objects"
    )
    yield (
        f"domains: {images.domains_from}. In the main table CIDEr of a domain has the document frequencies of its own "
        "images, as in the paper: it does not compare with that of another domain. In domains.csv it does"
    )
    yield f"boxes that captioners see: {images.boxes_from}; features: {run.features}; embeddings: {run.embeddings}"
    if not images.has_gold:
        yield (
            "no gold boxes: rows with them are left out. CHAIR, domains and figures by boxes are by the detector's "
            "own, so they tell what captions make of detections, not what is there"
        )
    truth = "gold boxes show" if images.has_gold else "references name"
    yield (
        "novel precision, recall and F1 of the main table: captions that name a class by any word that Limner knows "
        f"for it, against what {truth}; means over classes"
    )
    yield (
        "significance: Holm-adjusted p of at most 0.05, within each metric and each set of images, over all rows; "
        "intervals are not adjusted. No test and no interval where fewer than 30 images count, or all are alike"
    )
    if {"bleu4", "rouge_l", "meteor"}.intersection(measured_columns(run.figures)):
        yield (
            "each caption of people is scored against one reference fewer than systems are, "
            "which lowers BLEU, ROUGE-L and METEOR of people"
        )
    for name, reason in run.lacking.items():
        yield f"not measured: {name} ({reason})"


def _warnings(run: NovelObjectRun) -> list[str]:
    of_rows = (warning for row in run.figures.rows for warning in row.warnings)
    return list(dict.fromkeys([*run.images.warnings, *run.warnings, *of_rows]))
