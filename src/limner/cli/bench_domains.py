"""`limner bench domains`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.bench.class_domains import (
    DOMAINS,
    IGNORED,
    IN,
    MENTIONS,
    CaptionedClass,
    Domains,
    coco_classes,
    read_captioned_classes,
    write_domains,
)
from limner.bench.counted_classes import CountedClasses
from limner.cli.bench_inputs import CLASS_OPTIONS, OUTPUT_OPTIONS, Output, bench_options, read_twice
from limner.cli.click_classes import PATH, SectionedCommand
from limner.cli.corpora import Source, check_outputs, check_sources, tell_reading
from limner.cli.terminal import tell, terminal_progress
from limner.corpus import open_corpus
from limner.files import write_bytes
from limner.lazy import lazy
from limner.look.tables import aligned, csv_text, percent, whole
from limner.written import outlast_readers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.report import bench_plots
else:
    bench_plots = lazy("limner.report.bench_plots")

SECTIONS = {
    "What is in-domain": ["captions", "own", "mentions"],
    "Which classes count": CLASS_OPTIONS,
    "What comes out": [*OUTPUT_OPTIONS, "classes"],
}
# Classes that a note names: it should stay one line.
MAX_NAMED = 5

COLUMNS = ("class", "mentions", "domain", "why")


@click.command(
    cls=SectionedCommand,
    sections=SECTIONS,
    options_metavar="--captions CAPTIONED -o OUT [OPTIONS]",
    short_help="Tell images in, near and out of a domain.",
)
@click.argument("sources", metavar="CORPUS...", nargs=-1, required=True, type=Source())
@click.option(
    "--captions",
    metavar="CAPTIONED",
    required=True,
    multiple=True,
    type=Source(),
    help="The corpus that systems learn captions from; repeatable.",
)
@click.option(
    "--own",
    "captioned_classes",
    metavar="coco|FILE",
    help="The classes of CAPTIONED; otherwise the labels of its boxes.",
)
@click.option(
    "--mentions",
    metavar="N",
    type=click.IntRange(0),
    default=MENTIONS,
    show_default=True,
    help="In-domain is what CAPTIONED mentions more often.",
)
@click.option("--classes", metavar="FILE", type=PATH, help="Every class with its domain and why, as CSV.")
@bench_options
def domains(
    sources: tuple[str, ...],
    captions: tuple[str, ...],
    captioned_classes: str | None,
    mentions: int,
    counted: CountedClasses,
    output: Output,
    classes: Path | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Tell which images are in, near and out of the domain of a captioned corpus, as nocaps does.

    A class is in-domain if CAPTIONED has boxes of it, or its captions mention
    it often. In-domain images have boxes of such classes alone, out-domain
    images of none, near-domain images of both.
    """
    check_sources([*sources, *captions])
    output.check([*sources, *captions])
    check_outputs({"--classes": classes}, [*sources, *captions, output.out])
    listed_classes = _listed_classes(captioned_classes)
    captioned = open_corpus(captions, lenient=lenient)
    with outlast_readers(classes, output.plots), read_twice(sources, from_, lenient=lenient) as corpus:
        result, n_written = write_domains(
            corpus,
            captioned,
            output.out,
            counted,
            captioned_classes=listed_classes,
            more_than=mentions,
            format=output.to,
            replace=output.force,
            progress=terminal_progress,
        )
        output.tell_written(n_written)
    tell_reading(captioned)
    for note in _notes(result):
        tell(f"note: {note}")
    if classes is not None:
        _write_classes(result, classes)
    output.draw(lambda: _figures(result, mentions))
    output.print(result.to_json(), _lines(result))


def _listed_classes(source: str | None) -> list[CaptionedClass] | None:
    if source is None:
        return None
    return coco_classes() if source == "coco" else read_captioned_classes(Path(source))


def _notes(result: Domains) -> Iterator[str]:
    if not result.n_captions:
        yield "CAPTIONED has no captions; no class is mentioned"
    if not result.shared.classes:
        yield "CAPTIONED has no class of the corpus; pass its classes with --own, or the files with its boxes"
    if missing := result.shared.missing:
        shown = ", ".join(missing[:MAX_NAMED]) + (", …" if len(missing) > MAX_NAMED else "")
        yield f"{len(missing):,} of CAPTIONED's classes are not in the corpus: {shown}; a file for --own can name them"
    if n := result.n_without:
        yield f"{n:,} image{'' if n == 1 else 's'} without a box of a class that counts: left unchanged"


def _lines(result: Domains) -> Iterator[str]:
    n_images = sum(result.n_images.values())
    rows = [["", "classes", "images", ""]]
    for domain in DOMAINS:
        n = result.n_images[domain]
        rows.append(
            [domain, whole(result.n_classes.get(domain)), whole(n), percent(n / n_images if n_images else None)]
        )
    ignored = result.n_classes["ignored"]
    yield from aligned(rows, "<>>>")
    yield ""
    yield f"captions: {result.n_captions:,}; classes ignored: {ignored:,}"


def _write_classes(result: Domains, path: Path) -> None:
    rows = ((name, str(mentions), domain, why) for name, mentions, domain, why in result.classes.values())
    with write_bytes(path) as handle:
        handle.write(csv_text(COLUMNS, rows).encode())
    tell(f"{len(result.classes):,} classes written to {path}")


def _figures(result: Domains, more_than: int) -> dict[str, Figure]:
    classes = [
        bench_plots.MentionCount(name, n, domain == IN)
        for name, n, domain, _ in result.classes.values()
        if domain != IGNORED
    ]
    return {
        "class-mentions": bench_plots.mentions_figure(classes, more_than),
        "mention-histogram": bench_plots.mention_histogram_figure(classes, more_than),
    }
