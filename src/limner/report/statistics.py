"""The statistics of one corpus, or of two side by side, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from limner.corpus.statistics import Statistics, Summary, WordFigures
from limner.errors import one_line
from limner.look.tables import NOTHING, aligned, beside, cut_left, decimal, indented, percent, whole

# A value and a note to its right, as its share in brackets.
Cell = tuple[str, str]

# A label and the value of each corpus, None where it has none.
Row = tuple[str, list[Cell | None]]

# Columns of characters: two corpora side by side fit 100.
LABEL, VALUE, NOTE = 40, 19, 9
# Values of an attribute, or sources of captions, that are listed one by one.
MOST_VALUES = 12


def text_of(corpora: Sequence[Statistics]) -> str:
    """The statistics in tables that fit 100 columns; what applies to no corpus is left out."""
    parts = [_facts(corpora), *_tables(corpora)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _facts(corpora: Sequence[Statistics]) -> list[str]:
    names = [_column(cut_left(s.name, VALUE), "") for s in corpora]
    lines = [(" " * LABEL + "".join(names)).rstrip()]
    for title, rows in _sections(corpora):
        answered = [(label, cells) for label, cells in rows if any(cell is not None for cell in cells)]
        if answered:
            lines += ["", title]
        for label, cells in answered:
            line = "  " + one_line(label, LABEL - 3).ljust(LABEL - 2)
            lines.append((line + "".join(_column(*(cell or (NOTHING, ""))) for cell in cells)).rstrip())
    return lines


def _column(value: str, note: str) -> str:
    return value.rjust(VALUE) + (" " + note).ljust(NOTE + 1) + " "


def _sections(corpora: Sequence[Statistics]) -> Iterator[tuple[str, list[Row]]]:
    yield "Corpus", _overview(corpora)
    yield "Pictures", _pictures(corpora)
    yield "Captions", _captions(corpora)
    yield "Boxes", _boxes(corpora)
    yield "Mentions", _mentions(corpora)
    yield "Chains", _chains(corpora)
    yield "Distinct n-grams", _ngrams(corpora)


def _overview(corpora: Sequence[Statistics]) -> list[Row]:
    return [
        _row("images", corpora, lambda s: _count(s.images)),
        _row("objects per image", corpora, lambda s: _mean(s.boxes.per_image.mean)),
        _row("object categories", corpora, _categories),
        _row("objects per category", corpora, lambda s: _mean(s.objects_per_category)),
        _row("sentences per image", corpora, lambda s: _mean(s.captions.per_image.mean) if s.captions.count else None),
        _row("expressions per image", corpora, lambda s: _mean(s.mentions.per_image)),
    ]


def _categories(s: Statistics) -> Cell | None:
    return None if s.object_categories is None else (whole(s.object_categories), f"({s.categories_from})")


def _pictures(corpora: Sequence[Statistics]) -> list[Row]:
    return [
        _row("of known size", corpora, lambda s: _share_of(s.pictures.sized, s.images) if s.pictures.sized else None),
        _row("width: lowest, median, highest", corpora, lambda s: _span(s.pictures.width)),
        _row("height: lowest, median, highest", corpora, lambda s: _span(s.pictures.height)),
        *_kinds(corpora, lambda s: s.pictures.attributes),
        *_kinds(corpora, lambda s: s.pictures.provenance),
        _row_if_any("image labels", corpora, lambda s: s.pictures.labels),
        _row_if_any("labels of what is absent", corpora, lambda s: s.pictures.absent_labels),
        _row_if_any("images with labels", corpora, lambda s: s.pictures.labelled),
    ]


def _kinds(
    corpora: Sequence[Statistics], of: Callable[[Statistics], Mapping[str, Mapping[str, int] | None]]
) -> list[Row]:
    rows: list[Row] = []
    for name in sorted({name for s in corpora for name in of(s)}):
        counts = [of(s).get(name, {}) for s in corpora]
        values = _most_frequent([c for c in counts if c])
        rows += [
            (
                f"{name}: {value}",
                [
                    _share_of(c[value], s.images) if c and value in c else None
                    for c, s in zip(counts, corpora, strict=True)
                ],
            )
            for value in values[:MOST_VALUES]
        ]
        if len(values) > MOST_VALUES:
            rows.append(
                (
                    f"{name}: other values",
                    [_count(len(c) - MOST_VALUES) if c and len(c) > MOST_VALUES else None for c in counts],
                )
            )
        rows.append((name, [("many values", "") if c is None else None for c in counts]))
    return rows


def _captions(corpora: Sequence[Statistics]) -> list[Row]:
    known = [s if s.captions.count else None for s in corpora]
    return [
        _row("captions", known, lambda s: _count(s.captions.count)),
        *_sources(corpora),
        _row_if_any("images without a caption", known, lambda s: s.captions.per_image.number(lambda n: n == 0)),
        _row("words per caption", known, lambda s: _mean(s.captions.words.mean)),
        _row("words: lowest, median, highest", known, lambda s: _span(s.captions.words.summary())),
        _row("captions that refer to no box", known, lambda s: _share_of(s.captions.without_box, s.captions.count)),
    ]


def _sources(corpora: Sequence[Statistics]) -> list[Row]:
    """Captions by source; people together, systems one by one."""
    if all(set(s.captions.sources) <= {"gold"} for s in corpora):
        return []
    grouped = [_people_together(s.captions.sources) for s in corpora]
    values = _most_frequent(grouped)
    rows: list[Row] = [
        (f"of {value}", [_count(counts[value]) if value in counts else None for counts in grouped])
        for value in values[:MOST_VALUES]
    ]
    if len(values) > MOST_VALUES:
        rows.append(("other sources", [_count(max(0, len(counts) - MOST_VALUES)) for counts in grouped]))
    return rows


def _people_together(sources: Mapping[str, int]) -> dict[str, int]:
    grouped: dict[str, int] = {}
    for source, count in sources.items():
        kind = "people" if source.startswith("person:") else source
        grouped[kind] = grouped.get(kind, 0) + count
    return grouped


def _boxes(corpora: Sequence[Statistics]) -> list[Row]:
    known = [s if s.boxes.count else None for s in corpora]
    return [
        _row("boxes", known, lambda s: _count(s.boxes.count)),
        _row("labels", known, lambda s: _count(s.boxes.labels)),
        _row_if_any("images without a box", known, lambda s: s.boxes.per_image.number(lambda n: n == 0)),
        _row("boxes per image", known, lambda s: _mean(s.boxes.per_image.mean)),
        _row("classes per image", known, lambda s: _mean(s.boxes.classes_per_image.mean)),
        _row("images with a single class", known, lambda s: _rate(s.boxes.one_class)),
        _row("images with more than 6 classes", known, lambda s: _rate(s.boxes.many_classes)),
        _row("mean of the largest IoU with another", known, lambda s: _mean(s.boxes.best_iou)),
        _row("boxes wholly inside another", known, lambda s: _rate(s.boxes.enclosed)),
        _row_if_any("boxes without area", known, lambda s: s.boxes.without_area),
        _row("boxes nobody mentions", known, lambda s: _share_of(s.boxes.unmentioned, s.boxes.count)),
        *[_flag(flag, known) for flag in _most_frequent([s.boxes.flags for s in corpora])[:MOST_VALUES]],
    ]


def _flag(flag: str, corpora: Sequence[Statistics | None]) -> Row:
    return _row_if_any(f"flagged {flag}", corpora, lambda s: s.boxes.flags.get(flag, 0))


def _mentions(corpora: Sequence[Statistics]) -> list[Row]:
    known = [s if s.mentions.count else None for s in corpora]
    return [
        _row("mentions", known, lambda s: _count(s.mentions.count)),
        _row("of nothing to be seen", known, lambda s: _share_of(s.mentions.not_visual, s.mentions.count)),
        _row("expressions (all others)", known, lambda s: _share_of(s.mentions.expressions, s.mentions.count)),
        _row("expressions with a box", known, lambda s: _share_of(s.mentions.with_box, s.mentions.expressions)),
        _row("expressions per caption", known, lambda s: _mean(s.mentions.per_caption)),
        _row("words per expression", known, lambda s: _mean(s.mentions.words)),
        _row("distinct noun phrases", known, lambda s: _count(s.mentions.noun_phrases)),
    ]


def _chains(corpora: Sequence[Statistics]) -> list[Row]:
    known = [s if s.chains.count else None for s in corpora]
    any_unmentioned = any(s.chains.unmentioned for s in corpora)
    return [
        _row("chains", known, lambda s: _count(s.chains.count)),
        _row_if_any("chains nobody mentions", known, lambda s: s.chains.unmentioned),
        (
            "chains, with those nobody mentions",
            [_count(s.chains.with_unmentioned) if s and any_unmentioned else None for s in known],
        ),
        _row("chains per image", known, lambda s: _mean(s.chains.per_image)),
        _row("chains with several mentions", known, lambda s: _rate(s.chains.several_mentions)),
        _row("chains with one box", known, lambda s: _rate(s.chains.one_box)),
        _row("chains with several boxes", known, lambda s: _rate(s.chains.several_boxes)),
        _row("chains with no box", known, lambda s: _rate(s.chains.no_box)),
        _row("images with a chain of several boxes", known, lambda s: _rate(s.chains.images_with_several_boxes)),
    ]


def _ngrams(corpora: Sequence[Statistics]) -> list[Row]:
    rows = [
        _row("in images", corpora, lambda s: _count(s.ngrams.images) if s.ngrams else None),
        _row("in captions", corpora, lambda s: _count(s.ngrams.captions) if s.ngrams else None),
    ]
    for n in range(4):
        cells = [_count(s.ngrams.distinct[n]) if s.ngrams else None for s in corpora]
        rows.append((f"{n + 1}-grams", cells))
    return rows


def _tables(corpora: Sequence[Statistics]) -> Iterator[list[str]]:
    typed = [s for s in corpora if s.chains.types]
    yield _side_by_side("Chains by type", [(s.name, _types(s, compact=len(typed) > 1)) for s in typed], len(corpora))
    labelled = [s for s in corpora if s.boxes.top_labels]
    yield _side_by_side("Most frequent labels", [(s.name, _labels(s)) for s in labelled], len(corpora))
    worded = [s for s in corpora if s.words.nouns or s.words.adjectives]
    tagged = any(s.words.tagger != "none" for s in worded)
    noun, adjective = ("noun", "adjective") if tagged else ("head noun", "modifier")
    blocks = [[_words(noun, s.words.nouns), _words(adjective, s.words.adjectives)] for s in worded]
    if len(worded) == 1:
        both = beside([block for block in blocks[0] if block])
        yield _side_by_side(f"Most frequent {noun}s and {adjective}s", [(worded[0].name, both)], len(corpora))
        return
    for i, kind in enumerate((noun, adjective)):
        named_blocks = [(s.name, block[i]) for s, block in zip(worded, blocks, strict=True)]
        yield _side_by_side(f"Most frequent {kind}s", named_blocks, len(corpora))


def _side_by_side(title: str, blocks: Sequence[tuple[str, list[str]]], n_corpora: int) -> list[str]:
    """Blocks next to each other under a title; of several corpora each has its name."""
    if not blocks:
        return []
    if len(blocks) == 1:
        ((name, block),) = blocks
        return [title if n_corpora == 1 else f"{title}: {cut_left(name, 60)}", *indented(block)]
    named = [[cut_left(name, 44), *(block or [NOTHING])] for name, block in blocks]
    return [title, *indented(beside(named))]


def _types(s: Statistics, *, compact: bool) -> list[str]:
    if not s.chains.types:
        return []
    header = ("type", "chains", "mentions", "boxes", "mentions/chain", "boxes/chain", "in images")
    rows = [
        (
            one_line(t.type, 12 if compact else 20),
            whole(t.chains),
            whole(t.mentions),
            whole(t.boxes),
            decimal(t.mentions_per_chain),
            decimal(t.boxes_per_chain),
            percent(t.images),
        )
        for t in s.chains.types
    ]
    together = (s.chains.mentions_per_chain, s.chains.boxes_per_chain)
    counts = (s.chains.count, s.chains.mentions, s.chains.boxes)
    total = ("total", *map(whole, counts), *map(decimal, together), "")
    if not compact:
        return aligned([header, *rows, total], "<>>>>>>")
    short = ("type", "chains", "ment.", "boxes", "images")
    return aligned([short, *((row[0], row[1], *row[4:]) for row in (*rows, total))], "<>>>>")


def _labels(s: Statistics) -> list[str]:
    if not s.boxes.top_labels:
        return []
    rows = [(one_line(label, 24), whole(n), percent(n / s.boxes.count)) for label, n in s.boxes.top_labels]
    return aligned([("label", "boxes", ""), *rows], "<>>")


def _words(kind: str, words: Sequence[WordFigures]) -> list[str]:
    if not words:
        return []
    rows = [(one_line(w.word, 20), percent(w.box_share), percent(w.occurrence_share)) for w in words]
    return aligned([(kind, "boxes", "expressions"), *rows], "<>>")


def _row(label: str, corpora: Sequence[Statistics | None], answer: Callable[[Statistics], Cell | None]) -> Row:
    return label, [answer(s) if s is not None else None for s in corpora]


def _row_if_any(label: str, corpora: Sequence[Statistics | None], number: Callable[[Statistics], int]) -> Row:
    """A row that is left out where every corpus has none."""
    numbers = [number(s) if s is not None else None for s in corpora]
    return label, [_count(n) if any(numbers) else None for n in numbers]


def _count(number: int | None) -> Cell | None:
    return None if number is None else (whole(number), "")


def _mean(number: float | None) -> Cell | None:
    return None if number is None else (decimal(number), "")


def _rate(share: float | None) -> Cell | None:
    return None if share is None else (percent(share), "")


def _share_of(number: int | None, of: int) -> Cell | None:
    if number is None:
        return None
    return whole(number), f"({percent(number / of)})" if of else ""


def _span(summary: Summary) -> Cell | None:
    if summary.median is None:
        return None
    return f"{whole(summary.lowest)}–{summary.median:,.0f}–{whole(summary.highest)}", ""


def _most_frequent(counts: Sequence[Mapping[str, int]]) -> list[str]:
    """The names in all the counts, the most frequent first, of equals by the alphabet."""
    total: dict[str, int] = {}
    for corpus_counts in counts:
        for name, n in corpus_counts.items():
            total[name] = total.get(name, 0) + n
    return sorted(total, key=lambda name: (-total[name], name))
