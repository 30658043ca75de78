"""`limner bench build`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from limner.bench.image_selection import SAMPLE
from limner.cli.bench_inputs import (
    CLASS_OPTIONS,
    OUTPUT_OPTIONS,
    Output,
    class_options,
    output_options,
    read_twice,
    tell,
)
from limner.cli.click_classes import SectionedCommand
from limner.cli.corpora import Source, from_option, lenient_option, tell_reading
from limner.cli.file_checks import check_sources
from limner.cli.terminal import progress
from limner.corpus import Corpus, Image, open_corpus
from limner.corpus.formats import split_source
from limner.lazy import lazy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.bench.benchmark import Benchmark
    from limner.bench.counted_classes import CountedClasses
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
@click.option(
    "--rotation",
    type=click.Choice(["zero", "any"]),
    default="zero",
    show_default=True,
    help="Only images that are known to be upright, or all.",
)
@class_options
@output_options
@click.option("--against", metavar="CORPUS", multiple=True, type=Source(), help="Draw it beside; repeatable.")
@from_option
@lenient_option
def build(
    sources: tuple[str, ...],
    size: int,
    sample: int,
    seed: int,
    rotation: Any,
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
    others = [open_corpus(other, lenient=lenient) for other in against]
    made: list[Benchmark] = []

    def images(corpus: Corpus) -> Iterator[Image]:
        from limner.bench.benchmark import build as choose
        from limner.bench.candidate_images import gather

        contents = gather(progress(corpus, "images looked at"), counted, rotation=rotation)
        made.append(choose(contents, size, sample=sample, seed=seed))
        yield from made[0].images(progress(corpus, "images read again"))

    with read_twice(sources, from_, lenient=lenient) as corpus:
        output.write(images(corpus))
    (benchmark,) = made
    if not counted.known:
        tell("note: every class counts, parts and super-categories too; pass --hierarchy to leave these out")
    if benchmark.overflows:
        tell("note: more images have over 6 classes than were asked for; there are no others among the chosen")
    if output.plots is not None:
        output.draw(_figures(benchmark, others, counted))
    output.print(benchmark.to_json(), _lines(benchmark))


def _lines(benchmark: Benchmark) -> Iterator[str]:
    from limner.look.tables import aligned, decimal, whole

    rows = [["", "images", "classes", "entropy", "joint entropy", "classes/image", "boxes/image"]]
    for name in ("chosen", "random", "candidates"):
        found = getattr(benchmark, name)
        numbers = [found.classes_per_image.n, len(found.images_by_class)]
        bits = [found.entropy, found.joint_entropy]
        means = [found.classes_per_image.mean, found.boxes_per_image.mean]
        rows.append([name, *map(whole, numbers), *(decimal(n, 3) for n in bits), *(decimal(n) for n in means)])
    yield from aligned(rows, "<>>>>>>")
    yield ""
    pools = [[name, whole(there), whole(taken)] for name, (there, taken) in benchmark.pools.items()]
    yield from aligned([["classes", "images", "taken"], *pools], "<>>")
    yield ""
    yield "dropped: " + (", ".join(f"{n:,} {reason}" for reason, n in benchmark.dropped.items() if n) or "nothing")


def _figures(benchmark: Benchmark, others: Iterable[Corpus], counted: CountedClasses) -> dict[str, Figure]:
    from limner.bench.candidate_images import per_image

    both = {"chosen": benchmark.chosen, "random": benchmark.random}
    corpora = {name: (one.classes_per_image, one.boxes_per_image) for name, one in both.items()}
    for other in others:
        corpora[split_source(other.name)[1].name] = per_image(progress(other, "images"), counted)
        tell_reading(other)
    counts = {name: one.images_by_class.values() for name, one in both.items()}
    return {"composition": bench_plots.composition_figure(corpora), "classes": bench_plots.evenness_figure(counts)}
