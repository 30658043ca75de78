"""`limner retrieve`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import check_outputs
from limner.cli.terminal import say, say_json, tell
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.files import entries, read_lines, write_bytes
from limner.ground.phrase_distances import By
from limner.ground.retrieval_index import ASPECTS, FoundCaption, FoundImage, RetrievalIndex
from limner.look.tables import aligned
from limner.report.pages.marked_pictures import MarkedRegion
from limner.report.pages.page_pictures import Pictures
from limner.report.pages.retrieval_page import PageResult, RetrievalPage
from limner.vision.image_pixels import read_image

# Pixels of the longer side of a page's pictures.
PICTURE_SIDE = 480

# Sentences of a file that are searched at a time, and scores that may be in memory: 256 MB.
BATCH = 256
MOST_SCORES = 1 << 26


@click.command()
@click.argument("arguments", metavar="[SENTENCE] INDEX", nargs=-1, required=True)
@click.option("--picture", metavar="FILE", type=PATH, help="Find captions for this picture instead.")
@click.option("--queries", metavar="FILE", type=PATH, help="Find pictures for each sentence of a file, one a line.")
@click.option("--k", metavar="N", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many.")
@click.option(
    "--by", type=click.Choice(ASPECTS), help="Whole pictures, phrases in regions, or both; default: as the model does."
)
@click.option("--exact", is_flag=True, help="Search exactly, though the index has lists for approximate search.")
@click.option("--html", "page", metavar="PAGE", type=PATH, help="Write a page with the pictures.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the page's pictures are; default: where they were indexed.",
)
@click.option("--features", metavar="M", help="Where the model of features is, if it has moved since training.")
@click.option("--vectors", metavar="FILE", help="Where the word vectors are, if they have moved since training.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --queries, one a line.")
def command(
    arguments: tuple[str, ...],
    picture: Path | None,
    queries: Path | None,
    k: int,
    by: By | None,
    exact: bool,
    page: Path | None,
    pictures: Path | None,
    features: str | None,
    vectors: str | None,
    as_json: bool,
) -> None:
    """Find the pictures of an index for a sentence, or its captions for a picture."""
    if picture is not None and queries is not None:
        raise click.UsageError("--picture and --queries are two ways to ask; give one")
    wanted = 1 if picture is not None or queries is not None else 2
    if len(arguments) != wanted:
        usage = "INDEX alone" if wanted == 1 else "a sentence, in quotation marks, and INDEX"
        raise click.UsageError(f"give {usage}; there are {len(arguments)} arguments")
    if exact and queries is None:
        raise click.UsageError("--exact is for --queries; one sentence is always searched exactly")
    if pictures is not None and page is None:
        raise click.UsageError("--pictures is for the page of --html")
    check_outputs({"--html": page}, [str(path) for path in (picture, queries) if path is not None])
    index = RetrievalIndex(arguments[-1], features=features, vectors=vectors)
    if queries is not None:
        if page or by not in (None, "whole"):
            raise click.UsageError("--queries has no page, and searches by whole pictures")
        _answer_file(index, queries, k, exact, as_json)
    elif picture is not None:
        _answer_picture(index, picture, k, by, page, pictures, as_json)
    else:
        _answer_sentence(index, arguments[0], k, by, page, pictures, as_json)


def _answer_sentence(
    index: RetrievalIndex, query: str, k: int, by: By | None, page: Path | None, pictures: Path | None, as_json: bool
) -> None:
    hits = index.search(query, k, by)
    aspect = by or index.usual
    if page is not None:
        results = [(hit.image, hit.score, _marked(hit, query), "") for hit in hits]
        _write_page(index, page, pictures, query, _pieces(query, hits), results, _notes(index, aspect))
    if as_json:
        results_json = [_image_json(rank, hit, query) for rank, hit in enumerate(hits, 1)]
        say_json({"query": query, "by": aspect, "results": results_json, "signature": index.header.signature})
        return
    rows = [["", "score", "image", "file", "a caption of it"]]
    for rank, hit in enumerate(hits, 1):
        caption = hit.image.captions[0].text if hit.image.captions else ""
        rows.append([str(rank), f"{hit.score:.4f}", hit.image.id, hit.image.file, caption])
    rows = _without_empty(rows)
    say("\n".join(aligned(rows, ">><<<"[: len(rows[0])])))


def _answer_picture(
    index: RetrievalIndex, file: Path, k: int, by: By | None, page: Path | None, pictures: Path | None, as_json: bool
) -> None:
    if not file.is_file():
        raise BadInput(str(file), "there is no such picture", "check the path")
    seen = read_image(Image(file.stem or "picture", file=file.name), file.parent)
    hits = index.search_captions(seen, k, by)
    aspect = by or index.usual
    if page is not None:
        nowhere: list[MarkedRegion] = []
        results = [(hit.image, hit.score, nowhere, hit.caption.text) for hit in hits]
        notes = _notes(index, aspect, of_captions=True)
        _write_page(index, page, pictures, file.name, [], results, notes, asked=file)
    if as_json:
        listed = [_caption_json(rank, hit) for rank, hit in enumerate(hits, 1)]
        say_json({"picture": str(file), "by": aspect, "results": listed, "signature": index.header.signature})
        return
    rows = [["", "score", "image", "caption"]]
    rows += [[str(rank), f"{hit.score:.4f}", hit.image.id, hit.caption.text] for rank, hit in enumerate(hits, 1)]
    say("\n".join(aligned(rows, ">><<")))


def _answer_file(index: RetrievalIndex, path: Path, k: int, exact: bool, as_json: bool) -> None:
    lines = list(entries(read_lines(path)))
    if not lines:
        raise BadInput(str(path), "there is no sentence in it", "write one a line")
    unknown = [number for number, line in lines if not index.knows(line)]
    queries = [line for number, line in lines if number not in set(unknown)]
    if not queries:
        raise BadInput(f"{path}:{unknown[0]}", "no word of any sentence is known", "use other words")
    if index.usual == "phrases":
        tell("warning: files of sentences are searched by whole pictures, of which a grounder has learnt nothing")
    elif index.usual != "whole":
        tell("warning: files of sentences are searched by whole pictures alone, single ones by phrases too")
    # A table of scores is in memory: few sentences at a time if there are many pictures.
    batch = max(1, min(BATCH, MOST_SCORES // len(index)))
    for start in range(0, len(queries), batch):
        _answer_queries(index, queries[start : start + batch], k, exact, as_json)
    if unknown:
        left_out = "1 sentence was" if len(unknown) == 1 else f"{len(unknown):,} sentences were"
        tell(f"{left_out} left out, of which no word is known, such as {path}:{unknown[0]}")


def _answer_queries(index: RetrievalIndex, queries: Sequence[str], k: int, exact: bool, as_json: bool) -> None:
    items, scores = index.search_many(queries, k, exact=exact)
    for query, numbers, values in zip(queries, items.tolist(), scores.tolist(), strict=True):
        hits = [(index.image(n).id, score) for n, score in zip(numbers, values, strict=True) if n >= 0]
        if as_json:
            results = [{"rank": i, "id": id, "score": score} for i, (id, score) in enumerate(hits, 1)]
            say_json({"query": query, "by": "whole", "results": results})
        else:
            say("\t".join([query, *(f"{id} {score:.4f}" for id, score in hits)]))


def _image_json(rank: int, hit: FoundImage, query: str) -> dict[str, Any]:
    phrases = [
        {"phrase": query[p.start : p.end], "start": p.start, "end": p.end, "box": list(p.corners), "cosine": p.cosine}
        for p in hit.phrases
    ]
    captions = [caption.text for caption in hit.image.captions]
    plain = {"rank": rank, "id": hit.image.id, "score": hit.score, "file": hit.image.file, "captions": captions}
    return {**plain, "phrases": phrases} if phrases else plain


def _caption_json(rank: int, hit: FoundCaption) -> dict[str, Any]:
    return {"rank": rank, "id": hit.image.id, "caption": hit.caption.text, "score": hit.score, "file": hit.image.file}


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    """The rows without the last columns that say nothing."""
    while len(rows[0]) > 3 and not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    return rows


def _notes(index: RetrievalIndex, aspect: By, *, of_captions: bool = False) -> list[str]:
    header = index.header
    counted = f"{header.n_texts:,} captions" if of_captions else f"{header.n_images:,} pictures"
    what = {
        "whole": "by whole pictures",
        "phrases": f"by phrases in regions, gamma {header.gamma:g}",
        "mixture": f"by whole pictures ({header.alpha:.0%}) and phrases in regions, gamma {header.gamma:g}",
    }
    return [f"The best of {counted} {what[aspect]}", f"Index: {index.folder}"]


def _phrase_numbers(hits: Sequence[FoundImage]) -> dict[tuple[int, int], int]:
    """The phrases of the query that were located anywhere, numbered from left to right."""
    spans = sorted({(phrase.start, phrase.end) for hit in hits for phrase in hit.phrases})
    return {span: number for number, span in enumerate(spans)}


def _pieces(query: str, hits: Sequence[FoundImage]) -> list[tuple[str, int | None]]:
    pieces: list[tuple[str, int | None]] = []
    reached = 0
    for (start, end), number in _phrase_numbers(hits).items():
        pieces += [(query[reached:start], None), (query[start:end], number)]
        reached = end
    return [*pieces, (query[reached:], None)]


def _marked(hit: FoundImage, query: str) -> list[MarkedRegion]:
    # Every hit has the same phrases: those of which the model knows a word.
    numbers = _phrase_numbers([hit])
    return [
        MarkedRegion(p.corners, numbers[p.start, p.end], f"{query[p.start : p.end]}: cosine {p.cosine:.2f}")
        for p in hit.phrases
    ]


def _write_page(
    index: RetrievalIndex,
    page: Path,
    pictures: Path | None,
    title: str,
    query: list[tuple[str, int | None]],
    results: Sequence[tuple[Image, float, list[MarkedRegion], str]],
    notes: list[str],
    asked: Path | None = None,
) -> None:
    folder = pictures or Path(index.header.pictures)
    reading = Reading(lenient=True)
    source = Pictures(folder, page, longest_side=PICTURE_SIDE)
    shown = [
        PageResult(image, source.show(image, reading), score, regions, text) for image, score, regions, text in results
    ]
    asked_picture = None
    if asked is not None:
        of_asked = Image(asked.stem or "picture", file=asked.name)
        asked_picture = Pictures(asked.parent, page, longest_side=PICTURE_SIDE).show(of_asked, reading)
    if lacking := sum(result.picture is None for result in shown):
        tell(f"warning: {lacking:,} of {len(shown):,} pictures are not in {folder}; name their folder with --pictures")
    written = RetrievalPage(title, query, shown, notes, index.header.signature, asked_picture)
    with write_bytes(page) as handle:
        handle.write(written.html().encode("utf-8", "backslashreplace"))
