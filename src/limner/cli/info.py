"""`limner info`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import (
    Source,
    check_sources,
    from_option,
    is_stdio,
    lenient_option,
    tell_reading,
    write_alone_in,
)
from limner.cli.terminal import progress, say, say_json, tell, terminal_progress
from limner.corpus import Corpus, open_corpus
from limner.corpus.formats import split_source
from limner.corpus.statistics import compare, statistics
from limner.files import STDIO
from limner.lazy import lazy, load
from limner.report.statistics import text_of

if TYPE_CHECKING:
    from limner.report import statistics_plots
else:
    statistics_plots = lazy("limner.report.statistics_plots")


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.argument("other", metavar="[OTHER]", required=False, type=Source())
@from_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--plots", metavar="DIR", type=PATH, help="Draw the figures, as SVG and PNG, in this folder.")
@click.option("--sample", metavar="IMAGES", type=click.IntRange(1), help="Count n-grams in so many random images.")
@click.option("--captions-each", metavar="K", type=click.IntRange(1), help="Take so many captions of each image.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which random sample.")
@choice_option("--tagger", "none", "spacy", help="How nouns and adjectives are found.")
@lenient_option
def command(
    corpus: str,
    other: str | None,
    from_: str | None,
    as_json: bool,
    plots: Path | None,
    sample: int | None,
    captions_each: int | None,
    seed: int,
    tagger: str,
    lenient: bool,
) -> None:
    """Print the statistics of a corpus, or of two side by side.

    They are those that papers report: sizes and averages, chains by type, the
    most frequent words, overlap of boxes, distinct n-grams. Two corpora have
    their n-grams counted in random samples of one size.
    """
    sources = [corpus] if other is None else [corpus, other]
    check_sources(sources)
    names = _names(sources)
    if plots is not None:
        # A missing library should be reported before the corpora are read.
        load("limner.look.plots")
        write_alone_in(plots)
    opened = [open_corpus(source, from_, lenient=lenient) for source in sources]
    if len(opened) == 1 and sample is None and captions_each is None:
        results = [statistics(progress(opened[0], "images"), name=names[0], tagger=tagger)]
    else:
        # A sample takes a second pass, and standard input gives only one.
        corpora = [
            Corpus.of(progress(c, "images"), c.name) if is_stdio(s) else c for c, s in zip(opened, sources, strict=True)
        ]
        results = compare(
            corpora,
            names,
            images=sample,
            captions_each=captions_each,
            seed=seed,
            tagger=tagger,
            progress=terminal_progress,
        )
        terminal_progress.clear()
    tell_reading(*opened)
    if plots is not None:
        drawn = statistics_plots.draw(results, plots)
        tell(f"{len(drawn) // 2} figures drawn in {plots}")
    if as_json:
        say_json({"corpora": [s.to_json() for s in results]}, indent=2)
    else:
        say(text_of(results), nl=False)


def _names(sources: list[str]) -> list[str]:
    """What the corpora are called: their files' names, with folders where two have the same."""
    paths = [split_source(source)[1] for source in sources]
    names = ["standard input" if path == STDIO else path.name or str(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]
