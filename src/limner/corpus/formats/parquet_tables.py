"""The tables of Parquet shards, read without trusting them and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec.structs import asdict
from pyarrow import types

from limner.corpus.caption import Mention
from limner.corpus.formats.jsonl import image_from_record
from limner.corpus.formats.parquet import SUFFIX
from limner.corpus.formats.parquet_pages import MAX_ROW_VALUES, rows_at_once
from limner.corpus.image import VERSION, Image, Scalar
from limner.corpus.json_stream import parse
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, cannot, shown, unknown
from limner.files import STDIO, open_file, write_bytes
from limner.outputs import write_folder

# Shards for one worker each, groups that engines can skip, batches that bound memory.
ROWS_A_SHARD = 10_000
ROWS_A_GROUP = 1_000
ROWS_AT_ONCE = 100
VALUES_AT_ONCE = 1 << 20

# Bytes of text that rows may unfold to together.
MAX_TEXT_AT_ONCE = 1 << 27


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of one file, or of a folder's shards in the order of their names, a row each."""
    for shard in _shards(path):
        for number, row in enumerate(_rows(shard)):
            if not reading.wants(row.get("id", "")):
                continue
            location = f"{shard}: row {number}"
            try:
                image = image_from_record(_record(row, location), location, reading)
            except BadInput as error:
                reading.skip("invalid row", error)
                continue
            if image is not None:
                yield image


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write the images and return their number: one file where `path` ends in .parquet, else a folder of shards."""
    if path == STDIO:
        raise LimnerError("parquet cannot be written to a pipe; name a file or a folder")
    if path.suffix == SUFFIX:
        with write_bytes(path) as handle:
            return _write_shard(images, handle)
    written = 0
    with write_folder(path, names=(f"part-*{SUFFIX}",), replace=replace) as folder:
        rest = iter(images)
        number = 0
        for first in rest:
            shard = chain([first], islice(rest, ROWS_A_SHARD - 1))
            written += _write_part(shard, folder, number)
            number += 1
        if number == 0:
            _write_part((), folder, 0)
    return written


def _shards(path: Path) -> list[Path]:
    if path == STDIO:
        raise BadInput("-", "parquet cannot be read from a pipe", "name a file or a folder")
    if not path.is_dir():
        return [path]
    try:
        shards = sorted(entry for entry in path.iterdir() if entry.name.endswith(SUFFIX))
    except OSError as error:
        raise cannot("read", path, error) from error
    if not shards:
        raise BadInput(str(path), "the folder holds no .parquet file", "name the folder of the shards")
    return shards


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The file's rows as plain values, a few at a time."""
    try:
        with open_file(path) as raw:
            n_rows = rows_at_once(path, raw, ROWS_AT_ONCE)
        with pa.OSFile(str(path)) as handle:
            metadata = pq.read_metadata(handle)
            _check_columns(metadata.schema.to_arrow_schema(), path)
            columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
            # Text stays a dictionary until it has been weighed: one word may stand for a million.
            text = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
            handle.seek(0)
            with pq.ParquetFile(
                handle, metadata=metadata, read_dictionary=text, pre_buffer=False, buffer_size=1 << 20
            ) as file:
                for batch in file.iter_batches(batch_size=n_rows, use_threads=False):
                    for part in _small_parts(batch, path):
                        yield from _dicts(part.schema.names, part.columns)
    except OSError as error:
        if error.errno:
            raise cannot("read", path, error) from error
        raise _unreadable(path, error) from error
    except (pa.ArrowException, ValueError, TypeError, LookupError, OverflowError, MemoryError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> BadInput:
    said = str(error).partition("\n")[0] or type(error).__name__
    return BadInput(str(path), f"cannot be read as Parquet ({said})", "is the file complete?")


def _check_columns(schema: Any, path: Path) -> None:
    wanted = _schema()
    for name in ("limner", "id"):
        if name not in schema.names:
            raise BadInput(str(path), f"there is no column {name}", "these are not the columns of a Limner corpus")
    for field in schema:
        if field.name not in wanted.names:
            raise BadInput(str(path), str(unknown("column", field.name, wanted.names)))
        kind = wanted.field(field.name).type
        if not _fits(field.type, kind):
            raise BadInput(f"{path}: column {field.name}", f"it is {field.type}", f"it must be {kind}")


def _fits(actual: Any, wanted: Any) -> bool:
    """Whether values of one Arrow type can stand where those of another are wanted."""
    if types.is_dictionary(actual):
        actual = actual.value_type
    if types.is_null(actual):
        return True
    if types.is_list(wanted):
        nested = types.is_list(actual) or types.is_large_list(actual) or types.is_fixed_size_list(actual)
        return nested and _fits(actual.value_type, wanted.value_type)
    if types.is_struct(wanted):
        names = [field.name for field in wanted]
        return types.is_struct(actual) and all(
            field.name in names and _fits(field.type, wanted.field(field.name).type) for field in actual
        )
    if types.is_string(wanted):
        return bool(types.is_string(actual) or types.is_large_string(actual))
    return bool(types.is_integer(actual) or (types.is_floating(wanted) and types.is_floating(actual)))


def _small_parts(batch: Any, path: Path) -> Iterator[Any]:
    """The batch, or slices of it that can become Python's values, which take far more room than Arrow's."""
    leaves = list(_leaves(batch.columns))
    n_values = sum(map(len, leaves))
    if n_values > VALUES_AT_ONCE and batch.num_rows > 1:
        half = batch.num_rows // 2
        yield from _small_parts(batch.slice(0, half), path)
        yield from _small_parts(batch.slice(half), path)
        return
    if n_values > MAX_ROW_VALUES:
        problem = f"a row has {n_values:,} values, more than the {MAX_ROW_VALUES:,} that are read"
        raise BadInput(str(path), problem, "is this a corpus?")
    weight = sum(map(_text_weight, leaves))
    if weight > MAX_TEXT_AT_ONCE:
        raise BadInput(str(path), f"{batch.num_rows} rows hold {weight >> 20} MB of text", "is this a corpus?")
    yield batch


def _text_weight(leaf: Any) -> int:
    """The bytes of text that a dictionary's indices unfold to."""
    if not types.is_dictionary(leaf.type) or not len(leaf):
        return 0
    # The sum has 64 bits, whatever the lengths have.
    weight: int | None = pc.sum(pc.binary_length(leaf.dictionary).take(leaf.indices)).as_py()
    return weight or 0


def _leaves(arrays: Iterable[Any]) -> Iterator[Any]:
    """The arrays that nested arrays are made of, without what slicing left out."""
    for array in arrays:
        if types.is_struct(array.type):
            yield from _leaves(array.field(i) for i in range(array.type.num_fields))
        elif hasattr(array, "flatten") and types.is_nested(array.type):
            yield from _leaves([array.flatten()])
        else:
            yield array


def _dicts(names: list[str], columns: list[Any]) -> list[dict[str, Any]]:
    """The rows of some columns as dictionaries; a field that is null is as good as absent, and is."""
    rows = zip(*map(_values, columns), strict=True)
    if any(column.null_count for column in columns):
        return [{name: value for name, value in zip(names, row, strict=True) if value is not None} for row in rows]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _values(array: Any) -> list[Any]:
    """An array's values. Unlike pyarrow's own way, text that is there many times becomes one string."""
    if types.is_dictionary(array.type):
        words = array.dictionary.to_pylist()
        return [None if index is None else words[index] for index in _values(array.indices)]
    if types.is_struct(array.type):
        fields = [array.type.field(i).name for i in range(array.type.num_fields)]
        rows = _dicts(fields, array.flatten()) if fields else [{} for _ in range(len(array))]
        return [row if valid else None for row, valid in zip(rows, _valid(array), strict=True)]
    if types.is_nested(array.type):
        items = _values(array.flatten())
        lengths = _values(array.value_lengths())
        ends = list(accumulate(length or 0 for length in lengths))
        return [
            None if length is None else items[end - length : end] if length else ()
            for length, end in zip(lengths, ends, strict=True)
        ]
    if array.null_count or not types.is_primitive(array.type):
        plain: list[Any] = array.to_pylist()
        return plain
    numbers: list[Any] = array.to_numpy().tolist()
    return numbers


def _valid(array: Any) -> list[bool]:
    valid: list[bool] = array.is_valid().to_pylist() if array.null_count else [True] * len(array)
    return valid


def _record(row: dict[str, Any], location: str) -> dict[str, Any]:
    """The row as the native format's line would say it."""
    if "limner" not in row:
        raise BadInput(location, "the row has no schema version", f"give column limner the value {VERSION}")
    for name in ("attributes", "provenance"):
        if name in row:
            row[name] = parse(row[name], f"{location}: {name}")
    return row


def _write_part(images: Iterable[Image], folder: Path, number: int) -> int:
    with write_bytes(folder / f"part-{number:05d}{SUFFIX}") as handle:
        return _write_shard(images, handle)


def _write_shard(images: Iterable[Image], handle: IO[bytes]) -> int:
    written = 0
    rest = iter(images)
    with pq.ParquetWriter(handle, _schema(), compression="zstd") as writer:
        while group := list(islice(rest, ROWS_A_GROUP)):
            writer.write_batch(_batch(group))
            written += len(group)
    return written


def _batch(images: list[Image]) -> Any:
    try:
        return pa.RecordBatch.from_pylist([_row(image) for image in images], schema=_schema())
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        # Arrow does not say which row it refuses: one by one, the image can be named.
        if len(images) > 1:
            for image in images:
                _batch([image])
        said = str(error).partition("\n")[0]
        raise LimnerError(f"image {shown(images[0].id)} cannot be written as Parquet ({said})") from error


def _row(image: Image) -> dict[str, Any]:
    """The image with every field, so that those who read the table need not know the defaults."""
    return {
        **asdict(image),
        "limner": VERSION,
        "attributes": _json(image.attributes),
        "provenance": _json(image.provenance),
        "labels": [asdict(label) for label in image.labels],
        "boxes": [asdict(box) for box in image.boxes],
        "chains": [asdict(chain) for chain in image.chains],
        "captions": [
            {**asdict(caption), "mentions": [_mention(mention) for mention in caption.mentions]}
            for caption in image.captions
        ],
    }


def _mention(mention: Mention) -> dict[str, Any]:
    return {**asdict(mention), "candidates": [asdict(candidate) for candidate in mention.candidates]}


def _json(facts: Mapping[str, Scalar]) -> str:
    return json.dumps(dict(facts), ensure_ascii=False, allow_nan=False)


def _schema() -> Any:
    """The columns. Facts about an image are JSON text, which keeps their types and which every engine can query."""
    text, number, strings, position = pa.string(), pa.float64(), pa.list_(pa.string()), pa.int32()

    def records(**fields: Any) -> Any:
        return pa.list_(pa.struct(fields))

    corners = dict.fromkeys(("x0", "y0", "x1", "y1"), number)
    said = {"origin": text, "probability": number, "candidates": records(box=text, score=number)}
    mentions = records(start=position, end=position, boxes=strings, chain=text, types=strings, **said)
    columns = {
        "limner": pa.int32(),
        "id": text,
        "width": pa.int64(),
        "height": pa.int64(),
        "file": text,
        "attributes": text,
        "provenance": text,
        "labels": records(label=text, confidence=number, source=text),
        "boxes": records(
            id=text, **corners, label=text, score=number, types=strings, attributes=strings, flags=strings
        ),
        "chains": records(id=text, boxes=strings, types=strings, flags=strings),
        "captions": records(id=text, text=text, source=text, mentions=mentions),
    }
    return pa.schema(columns, metadata={"limner": str(VERSION)})
