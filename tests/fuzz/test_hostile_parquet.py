"""Parquet files of a few hundred bytes that say they hold a hundred million values."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from limner.corpus import Box, Image, open_corpus, write_corpus
from limner.corpus.formats import parquet_pages, parquet_tables
from limner.errors import BadInput
from memory import memory_below
from refusals import refusal

N = (1 << 20) + 100


def varint(n: int) -> bytes:
    groups = b""
    while n > 127:
        groups += bytes([n & 127 | 128])
        n >>= 7
    return groups + bytes([n])


def bomb(path: Path, n_boxes: int, page_version: str = "1.0") -> None:
    """A row with a million equal boxes, in which every number that says how many there are is then replaced.

    Twice the number is how the format writes it in headers, and how it says that a value repeats.
    """
    labels = pa.DictionaryArray.from_arrays(pa.array([0] * N, pa.int32()), pa.array(["x"]))
    boxes = pa.ListArray.from_arrays(pa.array([0, N], pa.int32()), pa.StructArray.from_arrays([labels], ["label"]))
    table = pa.table({"limner": pa.array([1], pa.int32()), "id": ["a"], "boxes": boxes})
    pq.write_table(
        table,
        path,
        compression="none",
        store_schema=False,
        write_statistics=False,
        data_page_version=page_version,
    )
    raw = path.read_bytes()
    # The levels of the first values are written one by one.
    for n_first in (0, 1, 8):
        raw = raw.replace(varint(2 * (N - n_first)), varint(2 * (n_boxes - n_first)))
    path.write_bytes(raw)


@pytest.mark.parametrize("n_boxes", [5_000_000, 100_000_000])
@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
def test_a_list_that_says_it_has_a_hundred_million_items_is_refused(
    tmp_path: Path, n_boxes: int, page_version: str
) -> None:
    bomb(tmp_path / "bomb.parquet", n_boxes, page_version)
    assert (tmp_path / "bomb.parquet").stat().st_size < 1000
    with memory_below(400 << 20), refusal(BadInput):
        list(open_corpus(tmp_path / "bomb.parquet"))


def test_a_page_that_says_it_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    text = "x" * N
    pq.write_table(pa.table({"limner": [1], "id": [text]}), path, compression="zstd", use_dictionary=False)
    raw = path.read_bytes()
    packed = raw.replace(varint(2 * (N + 10)), varint(2 * (1 << 26))).replace(
        varint(2 * (N + 4)), varint(2 * (1 << 26))
    )
    assert packed != raw
    path.write_bytes(packed)
    with memory_below(200 << 20), refusal(BadInput):
        list(open_corpus(path))


def test_a_group_with_very_many_values_is_read_in_fewer_rows_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes = tuple(Box(str(i), 0, 0, 5, 5, "dog", types=("a", "b")) for i in range(50))
    images = [Image(str(i), boxes=boxes[: 1 + i * 7 % 50]) for i in range(300)]
    write_corpus(images, tmp_path / "c.parquet")
    monkeypatch.setattr(parquet_pages, "MAX_VALUES_AT_ONCE", 2_000)
    monkeypatch.setattr(parquet_tables, "VALUES_AT_ONCE", 100)
    with (tmp_path / "c.parquet").open("rb") as handle:
        # A row has 50 boxes at most, with seven values each and two types; other lists are empty.
        n_values = 7 * 50 + 2 * 50 + 2 * 50 + 36 - 10
        assert 2_000 // (n_values + 50) <= parquet_pages.rows_at_once(tmp_path, handle, 100) <= 2_000 // (n_values - 50)
    assert list(open_corpus(tmp_path / "c.parquet")) == images


@pytest.mark.parametrize(
    ("levels", "width", "n", "longest"),
    [
        ([0, 0, 0], 1, 3, 1),
        ([0, 1, 1, 0, 1], 1, 5, 3),
        ([0, 1, 2, 2, 2, 0, 0], 2, 7, 5),
        ([1, 1, 1, 1], 1, 4, 4),
        ([0, 1], 1, 9, 9),
    ],
)
def test_rows_are_as_long_as_their_levels_say(levels: list[int], width: int, n: int, longest: int) -> None:
    packed = sum(level << (i * width) for i, level in enumerate(levels)).to_bytes(width, "little")
    # Padding of the group of eight is no value: only the last case has more values than levels.
    n_said = min(n, len(levels))
    n_longest = n_open = 0
    for run in parquet_pages._runs(bytes([3]) + packed, width, n_said):
        if run.n_before is None:
            n_open += run.n
        else:
            n_longest, n_open = max(n_longest, n_open + run.n_before, run.longest), run.n_after
    assert max(n_longest, n_open) == min(longest, n_said)
