"""Files that somebody made to hurt: small ones that unpack to gigabytes, endless ones, words chosen to take long."""

from __future__ import annotations

import gzip
import io
import json
import os
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from PIL import Image as Picture

from attacks.hostile_arrays import ARRAY_TRAPS

MEGABYTE = 1 << 20

# Makes hostile files in a folder, and returns the arguments of the command that is to suffer from them.
Trap = Callable[[Path], list[str]]

QUICK = ["--metrics", "bleu,rouge_l,cider", "--samples", "5"]
ALL_WORDS = ["--metrics", "bleu,rouge_l,cider,meteor,diversity", "--samples", "5"]

# Texts that cost more than their length, repeated: each has hurt a tokeniser or a matcher somewhere.
REPEATED = [
    *[
        "=www.",
        "a",
        "a ",
        "a-",
        "-",
        "'",
        "''",
        ".",
        "…",
        "1,",
        "1.",
        "1/",
        "&amp;",
        "<a ",
        "<!--",
        "http://",
        "@",
        "#",
    ],
    *["a.b.", "A.", "Mr.", "$", "%", "(", ":)", "\u200b", "🐕\u200d", "e\u0301", "\u00ad", "1 1/2 ", "don't"],
    *["n't", "a.m.", "www.", "=", "_", "\\", "\t", "\u3000", "x@y.", "//", "0.0.0.", "the dog ", "b's", "--", "&", "é"],
]


def _packed(path: Path, pieces: Iterable[bytes]) -> str:
    """Write pieces to a compressed file, by its suffix; its name."""
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) as packer:
                packer.writelines(pieces)
        else:
            with zstandard.ZstdCompressor(level=1).stream_writer(raw, closefd=False) as writer:
                for piece in pieces:
                    writer.write(piece)
    return path.name


def _endless(start: bytes, piece: bytes, n: int = 1500) -> Iterator[bytes]:
    yield start
    for _ in range(n):
        yield piece


def _bomb(name: str, start: bytes, piece: bytes) -> Trap:
    def set_up(folder: Path) -> list[str]:
        return ["info", _packed(folder / name, _endless(start, piece))]

    return set_up


def _results(name: str, start: bytes, piece: bytes) -> Trap:
    def set_up(folder: Path) -> list[str]:
        return ["score", "captions", _packed(folder / name, _endless(start, piece)), "--refs", "refs.json", *QUICK]

    return set_up


def _word(text: str, n_bytes: int = 20_000) -> Trap:
    """One caption of a repeated text, as result and as reference."""

    def set_up(folder: Path) -> list[str]:
        caption = text * (n_bytes // len(text.encode()))
        said = [{"image_id": 1, "caption": caption}]
        notes = [{"id": 1, **said[0]}, {"id": 2, "image_id": 1, "caption": "a dog"}]
        known = {"images": [{"id": 1}], "annotations": notes}
        for name, content in (("mine.json", said), ("refs.json", known)):
            (folder / name).write_text(json.dumps(content))
        return ["score", "captions", "mine.json", "--refs", "refs.json", "--empty", "score", *ALL_WORDS]

    return set_up


def _keys(folder: Path) -> list[str]:
    """A JSON object of two million keys."""
    pieces = (b",".join(b'"k%d":0' % i for i in range(at, at + 10_000)) + b"," for at in range(0, 2_000_000, 10_000))
    name = _packed(folder / "keys.json.gz", [b"{", *pieces, b'"annotations":[]}'])
    return ["info", f"coco:{name}"]


def _boxes(folder: Path) -> list[str]:
    """An image of as many boxes as a line can hold."""
    box = {"id": "{}", "x0": 0, "y0": 0, "x1": 9, "y1": 9, "label": "a{}"}
    boxes = ",".join(json.dumps(box).replace("{}", str(i)) for i in range(200_000))
    (folder / "boxes.jsonl").write_text(f'{{"limner":2,"id":"1","width":9,"height":9,"boxes":[{boxes}]}}\n')
    return ["info", "boxes.jsonl"]


def _labels(command: list[str], n: int = 50_000) -> Trap:
    """An image of very many labels, all mentioned by its caption."""

    def set_up(folder: Path) -> list[str]:
        boxes = [{"id": str(i), "x0": 0, "y0": 0, "x1": 9, "y1": 9, "label": f"a{i}"} for i in range(n)]
        mention = {"start": 0, "end": 5, "boxes": [str(i) for i in range(n)]}
        captions = [{"id": str(i), "text": "A dog .", "mentions": [mention]} for i in range(2)]
        image = {"limner": 2, "id": "1", "width": 9, "height": 9, "boxes": boxes, "captions": captions}
        (folder / "labels.jsonl").write_text(json.dumps(image) + "\n")
        return command

    return set_up


def _zip_of_zeros(folder: Path) -> list[str]:
    """An archive of a megabyte whose member has a gigabyte."""
    with zipfile.ZipFile(folder / "zeros.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("Annotations/1.xml", "Sentences/1.txt"):
            with archive.open(name, "w", force_zip64=True) as member:
                for _ in range(1024):
                    member.write(b"\0" * MEGABYTE)
    return ["info", "flickr30k-entities:zeros.zip"]


def _wide_hdf5(folder: Path) -> list[str]:
    """A small file of features whose ids have a megabyte each."""
    with h5py.File(folder / "wide.h5", "w") as file:
        file.create_dataset("image_id", (2000,), f"S{MEGABYTE}", chunks=(1,))
        file["features"] = np.ones((2000, 1, 2))
    return ["features", "wide.h5", "-o", "store"]


def _zip_of_many(folder: Path) -> list[str]:
    """An archive of very many empty members."""
    with zipfile.ZipFile(folder / "many.zip", "w") as archive:
        for i in range(60_000):
            archive.writestr(f"Annotations/{i}.xml", "")
    return ["info", "flickr30k-entities:many.zip"]


def _zip_of_millions(folder: Path) -> list[str]:
    """An archive that lists a member a million times."""
    path = folder / "millions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Annotations/1.xml", "")
    raw = path.read_bytes()
    start, end = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06")
    directory = raw[start:end] * 1_000_000
    path.write_bytes(
        raw[:start] + directory + raw[end : end + 12] + len(directory).to_bytes(4, "little") + raw[end + 16 :]
    )
    return ["info", "flickr30k-entities:millions.zip"]


def _prefixes(folder: Path) -> list[str]:
    """A table of 500 texts of a megabyte, each being what the one before it is."""
    table = pa.table({"limner": [2] * 500, "id": ["x" * MEGABYTE] * 500})
    encoding = {"id": "DELTA_BYTE_ARRAY"}
    pq.write_table(
        table, folder / "prefixes.parquet", compression="zstd", use_dictionary=False, column_encoding=encoding
    )
    return ["info", "parquet:prefixes.parquet"]


def _twice(folder: Path) -> list[str]:
    """A member whose name stands twice in its archive."""
    with zipfile.ZipFile(folder / "twice.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in ("[/EN#1/people A man] .", "[/EN#1/people A dog] ."):
            archive.writestr("Annotations/1.xml", "<annotation><filename>1.jpg</filename></annotation>")
            archive.writestr("Sentences/1.txt", text)
    return ["info", "flickr30k-entities:twice.zip"]


def _nested(folder: Path) -> list[str]:
    (folder / "nested.json").write_bytes(b'{"annotations":' + b"[" * 5_000_000)
    return ["info", "coco:nested.json"]


def _fifo_in_folder(folder: Path) -> list[str]:
    """A named pipe among the files of a corpus, which nobody writes to."""
    for name in ("Annotations", "Sentences"):
        (folder / "corpus" / name).mkdir(parents=True)
        os.mkfifo(folder / "corpus" / name / ("1.xml" if name == "Annotations" else "1.txt"))
    return ["info", "flickr30k-entities:corpus"]


def _link_to_itself(folder: Path) -> list[str]:
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    return ["info", "loop.jsonl"]


def _scans(folder: Path) -> list[str]:
    """A picture that is painted 15,000 times."""
    buffer = io.BytesIO()
    Picture.new("L", (4000, 4000), 128).save(buffer, "JPEG", progressive=True)
    content = buffer.getvalue()
    (folder / "a.jpg").write_bytes(content[:-2] + content[content.rindex(b"\xff\xda") : -2] * 15_000)
    (folder / "a.jsonl").write_text('{"limner":2,"id":"a"}\n')
    return ["show", "a.jsonl", "--pictures", ".", "-o", "page.html"]


def _device(path: str, format: str) -> Trap:
    return lambda folder: ["info", f"{format}:{path}"]


TRAPS: dict[str, Trap] = {
    "a gzip of newlines": _bomb("lines.jsonl.gz", b"\n", b"\n" * MEGABYTE),
    "a zstd of newlines": _bomb("lines.jsonl.zst", b"\n", b"\n" * MEGABYTE),
    "a gzip of one line": _bomb("line.jsonl.gz", b'{"limner":2,"id":"', b"a" * MEGABYTE),
    "a gzip of one JSON text": _bomb("text.json.gz", b'{"annotations":[{"caption":"', b"a" * MEGABYTE),
    "a gzip of one JSON list": _bomb("list.json.gz", b'{"images":[],"annotations":[', b"[]," * (MEGABYTE // 3)),
    "a gzip of spaces": _bomb("spaces.json.gz", b"[", b" " * MEGABYTE),
    "a zstd of TSV": _bomb("rows.tsv.zst", b"a\t", b"b\t" * (MEGABYTE // 2)),
    "results of one caption": _results("one.json.gz", b'[{"image_id":1,"caption":"', b"a " * (MEGABYTE // 2)),
    "results of empty lines": _results("empty.txt.gz", b"a\n", b"\n" * MEGABYTE),
    "results of unknown images": _results(
        "unknown.json.gz", b'[{"image_id":0,"caption":"a"}', b',{"image_id":7,"caption":"a"}' * 1000
    ),
    "millions of keys": _keys,
    "200,000 boxes": _boxes,
    "50,000 labels to count": _labels(["info", "labels.jsonl"]),
    "50,000 labels to describe": _labels(["describe", "labels.jsonl", "-o", "said.jsonl"]),
    "50,000 labels to learn from": _labels(["train", "selector", "labels.jsonl", "--out", "model.json"]),
    "50,000 labels to put into words": _labels(["train", "phrasebook", "labels.jsonl", "--out", "book.json"]),
    "50,000 labels to score": _labels(["score", "content", "labels.jsonl", "--gold", "labels.jsonl"]),
    "50,000 labels to show": _labels(["show", "labels.jsonl", "-o", "page.html"]),
    "50,000 labels to ask for": _labels(["constraints", "labels.jsonl"]),
    "a zip of zeros": _zip_of_zeros,
    "features with wide ids": _wide_hdf5,
    "a zip of 60,000 members": _zip_of_many,
    "a zip of a million members": _zip_of_millions,
    "a zip with a member twice": _twice,
    "a table of prefixes": _prefixes,
    "a deep JSON": _nested,
    "a pipe in a folder": _fifo_in_folder,
    "a picture of 15,000 scans": _scans,
    "a link to itself": _link_to_itself,
    "an endless device": _device("/dev/zero", "jsonl"),
    "an endless device of JSON": _device("/dev/zero", "coco"),
    "noise without end": _device("/dev/urandom", "jsonl"),
    **ARRAY_TRAPS,
    **{f"{text!r} again and again": _word(text) for text in REPEATED},
}
