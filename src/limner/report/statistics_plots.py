"""The figures of a corpus' statistics, or of two corpora's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from limner.corpus.statistics import Distribution, Statistics, WordFigures
from limner.errors import one_line
from limner.look import plots
from limner.look.tables import cut_left

# Letters of a corpus' name that a panel shows.
NAME = 32

# Types of chains that have bars of their own.
TYPES = 10


def draw(corpora: Sequence[Statistics], folder: Path) -> list[Path]:
    """Draw every figure that applies to one corpus at least; the files that were written."""
    return plots.save(dict(figures(corpora)), folder)


def figures(corpora: Sequence[Statistics]) -> Iterator[tuple[str, Figure]]:
    """Each figure that applies, with the name of its file.

    `types` is Figure 5 of the Flickr30k Entities paper, `nouns` and
    `adjectives` (or `modifiers`) Figure 6; `classes-per-image`,
    `boxes-per-image` and `caption-length` are Figure 2 of the nocaps paper,
    `ngrams` its Table 1.
    """
    typed = [s for s in corpora if s.chains.types]
    if typed:
        yield "types", _types(typed)
    tagged = any(s.words.tagger != "none" for s in corpora)
    for kind, name, choose in (
        ("nouns" if tagged else "head nouns", "nouns", _nouns),
        ("adjectives" if tagged else "modifiers", "adjectives" if tagged else "modifiers", _adjectives),
    ):
        worded = [s for s in corpora if choose(s)]
        if worded:
            yield name, _words(worded, choose, kind)
    for name, label, counted, distribution in _HISTOGRAMS:
        if any(distribution(s).total for s in corpora):
            yield name, _histogram(corpora, label, counted, distribution)
    if any(s.ngrams for s in corpora):
        yield "ngrams", _ngrams([s for s in corpora if s.ngrams])


_HISTOGRAMS: tuple[tuple[str, str, str, Callable[[Statistics], Distribution]], ...] = (
    ("classes-per-image", "classes per image", "images", lambda s: s.boxes.classes_per_image),
    ("boxes-per-image", "boxes per image", "images", lambda s: s.boxes.per_image),
    ("caption-length", "words per caption", "captions", lambda s: s.captions.words),
)


def _types(corpora: Sequence[Statistics]) -> Figure:
    with plots.figure(8, 3.4 * len(corpora), rows=len(corpora)) as (figure, panels):
        for panel, s in zip(panels, corpora, strict=True):
            rows = s.chains.types[:TYPES]
            series = {
                "chains": [float(row.chains) for row in rows],
                "mentions": [float(row.mentions) for row in rows],
                "boxes": [float(row.boxes) for row in rows],
            }
            plots.grouped_bars(panel, [one_line(row.type, 11) for row in rows], series, "number")
            panel.set_title(cut_left(s.name, 2 * NAME))
    return figure


def _words(corpora: Sequence[Statistics], choose: Callable[[Statistics], Sequence[WordFigures]], kind: str) -> Figure:
    with plots.figure(4.6 * len(corpora), 6, columns=len(corpora)) as (figure, panels):
        for panel, s in zip(panels, corpora, strict=True):
            words = choose(s)
            series = {"expressions": [100 * (w.occurrence_share or 0) for w in words]}
            if s.boxes.count:
                series = {"boxes": [100 * (w.box_share or 0) for w in words], **series}
            plots.ranked_bars(panel, [one_line(w.word, 18) for w in words], series, f"% with these {kind}")
            panel.set_title(cut_left(s.name, NAME))
        widest = max(panel.get_xlim()[1] for panel in panels)
        for panel in panels:
            panel.set_xlim(0, widest)
    return figure


def _nouns(s: Statistics) -> Sequence[WordFigures]:
    return s.words.nouns


def _adjectives(s: Statistics) -> Sequence[WordFigures]:
    return s.words.adjectives


def _histogram(
    corpora: Sequence[Statistics],
    label: str,
    counted: str,
    distribution: Callable[[Statistics], Distribution],
) -> Figure:
    with plots.figure(6, 3.4) as (figure, (panel,)):
        series = {cut_left(name, NAME): distribution(s).histogram for name, s in _named(corpora)}
        plots.histograms(panel, series, label, counted)
    return figure


def _ngrams(corpora: Sequence[Statistics]) -> Figure:
    with plots.figure(6, 3.4) as (figure, (panel,)):
        series = {
            cut_left(name, NAME): [float(n) for n in s.ngrams.distinct] for name, s in _named(corpora) if s.ngrams
        }
        plots.grouped_bars(panel, [f"{n}-grams" for n in range(1, 5)], series, "distinct n-grams")
        panel.legend(loc="upper left")
    return figure


def _named(corpora: Sequence[Statistics]) -> Iterator[tuple[str, Statistics]]:
    """The corpora with their names, the second's told apart where both are the same."""
    for i, s in enumerate(corpora):
        yield (f"{s.name} (2)" if i and s.name == corpora[0].name else s.name), s
