"""`limner bench build`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from limner.bench.benchmark import Benchmark, write_benchmark
from limner.bench.candidate_images import Rotation, per_image
from limner.bench.counted_classes import CountedClasses
from limner.bench.image_selection import SAMPLE
from limner.cli.bench_inputs import CLASS_OPTIONS, OUTPUT_OPTIONS, Output, bench_options, read_twice
from limner.cli.click_classes import SectionedCommand, choice_option
from limner.cli.corpora import Source, check_sources, tell_reading
from limner.cli.terminal import progress, tell, terminal_progress
from limner.corpus import Corpus, open_corpus
from limner.corpus.formats import split_source
from limner.lazy import lazy
from limner.look.tables import aligned, decimal, whole
from limner.written import outlast_readers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.report import bench_plots
else:
    bench_plots = lazy("limner.report.bench_plots")

SECTIONS = {
    "What is chosen": ["size", "sample", "seed", "rotation"],
    "Which classes count": CLASS_OPTIONS,
    "What comes out": [*OUTPUT_OPTIONS, "against"],
}


@click.command(
    cls=SectionedCommand,
    sections=SECTIONS,
    options_metavar="--size N -o OUT [OPTIONS]",
    short_help="Choose images of many classes that occur evenly.",
)
@click.argument("sources", metavar="CORPUS...", nargs=-1, required=True, type=Source())
@click.option("--size", metavar="N", required=True, type=click.IntRange(1), help="How many images to choose.")
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(1),
    default=SAMPLE,
    show_default=True,
    help="Images drawn for each that is taken.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="For what is random.")
@choice_option("--rotation", "zero", "any", help="Only images that are known to be upright, or all.")
@click.option("--against", metavar="CORPUS", multiple=True, type=Source(), help="Draw it beside; repeatable.")
@bench_options
def build(
    sources: tuple[str, ...],
    size: int,
    sample: int,
    seed: int,
    rotation: Rotation,
    counted: CountedClasses,
    output: Output,
    against: tuple[str, ...],
    from_: str | None,
    lenient: bool,
) -> None:
    """Choose images with many classes, and classes that occur evenly, as nocaps does.

    Single-class images and those not known to be upright are dropped, all with
    more than 6 classes kept; of the rest, one is taken from each of five pools
    (2 to 6 classes) in turn: of those drawn, the one that makes the entropy of
    classes highest.
    """
    check_sources([*sources, *against])
    output.check([*sources, *against])
    if against and output.plots is None:
        raise click.UsageError("--against is drawn; pass --plots DIR too")
    compared = [open_corpus(source, lenient=lenient) for source in against]
    with outlast_readers(output.plots), read_twice(sources, from_, lenient=lenient) as corpus:
        benchmark, n_written = write_benchmark(
            corpus,
            output.out,
            size,
            counted,
            rotation=rotation,
            sample=sample,
            seed=seed,
            format=output.to,
            replace=output.force,
            progress=terminal_progress,
        )
        output.tell_written(n_written)
    if not counted.known:
        tell("note: every class counts, parts and super-categories too; pass --hierarchy to leave these out")
    if benchmark.overflows:
        tell("note: more images than asked for have over 6 classes; only such images were chosen")
    output.draw(lambda: _figures(benchmark, compared, counted))
    output.print(benchmark.to_json(), _lines(benchmark))


def _lines(benchmark: Benchmark) -> Iterator[str]:
    rows = [["", "images", "classes", "entropy", "joint entropy", "classes/image", "boxes/image"]]
    for name in ("chosen", "random", "candidates"):
        composition = getattr(benchmark, name)
        numbers = [composition.classes_per_image.n, len(composition.images_by_class)]
        bits = [composition.entropy, composition.joint_entropy]
        means = [composition.classes_per_image.mean, composition.boxes_per_image.mean]
        rows.append([name, *map(whole, numbers), *(decimal(n, 3) for n in bits), *(decimal(n) for n in means)])
    yield from aligned(rows, "<>>>>>>")
    yield ""
    pools = [[name, whole(available), whole(taken)] for name, (available, taken) in benchmark.pools.items()]
    yield from aligned([["classes", "images", "taken"], *pools], "<>>")
    yield ""
    yield "dropped: " + (", ".join(f"{n:,} {reason}" for reason, n in benchmark.dropped.items() if n) or "nothing")


def _figures(benchmark: Benchmark, compared: Iterable[Corpus], counted: CountedClasses) -> dict[str, Figure]:
    compositions = {"chosen": benchmark.chosen, "random": benchmark.random}
    corpora = {name: (made.classes_per_image, made.boxes_per_image) for name, made in compositions.items()}
    for corpus in compared:
        corpora[split_source(corpus.name)[1].name] = per_image(progress(corpus, "images"), counted)
        tell_reading(corpus)
    counts = {name: composition.images_by_class.values() for name, composition in compositions.items()}
    return {"composition": bench_plots.composition_figure(corpora), "classes": bench_plots.evenness_figure(counts)}
