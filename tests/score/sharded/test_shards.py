"""Which files a corpus in shards has, and how their images are dealt out."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.corpus import Box, Caption, Image, Mention, write_corpus
from limner.errors import BadInput, LimnerError
from limner.score.sharded.shards import Block, Dealing, Notes, Shard, find_shards, partition_of, read_shard, size_of
from refusals import refusal

IMAGES = [
    Image(
        str(i),
        9,
        9,
        boxes=(Box("0", 0, 0, 1, 1, "dog"),),
        captions=(Caption("0", "a dog", (Mention(2, 5, ("0",)),)), Caption("1", "dogs", source="system:s")),
        attributes={"domain": "in"},
    )
    for i in range(20)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("mixed", "one", "both"):
        (tmp_path / name).mkdir()
    for name in ("b.jsonl.gz", "a.jsonl", "c.jsonl.zst"):
        write_corpus(IMAGES[:2], tmp_path / "mixed" / name)
    (tmp_path / "mixed" / "README.md").write_text("shards")
    write_corpus(IMAGES[:2], tmp_path / "one" / "0.parquet")
    write_corpus(IMAGES[:2], tmp_path / "both" / "0.parquet")
    write_corpus(IMAGES[:2], tmp_path / "both" / "1.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    ("sources", "shards"),
    [
        (["mixed"], [(0, "mixed/a.jsonl"), (0, "mixed/b.jsonl.gz"), (0, "mixed/c.jsonl.zst")]),
        (["jsonl:mixed"], [(0, "jsonl:mixed/a.jsonl"), (0, "jsonl:mixed/b.jsonl.gz"), (0, "jsonl:mixed/c.jsonl.zst")]),
        (["mixed/*.jsonl*"], [(0, "mixed/a.jsonl"), (0, "mixed/b.jsonl.gz"), (0, "mixed/c.jsonl.zst")]),
        (["mixed/[ab]*"], [(0, "mixed/a.jsonl"), (0, "mixed/b.jsonl.gz")]),
        (["mixed/b.jsonl.gz"], [(0, "mixed/b.jsonl.gz")]),
        (["mixed/b.jsonl.gz", "one"], [(0, "mixed/b.jsonl.gz"), (1, "one/0.parquet")]),
    ],
)
def test_shards_stand_in_the_order_of_their_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sources: list[str], shards: list[tuple[int, str]]
) -> None:
    monkeypatch.chdir(folder)
    assert find_shards(sources) == [Shard(i, place, (path,)) for i, (place, path) in enumerate(shards)]


def test_what_is_not_in_our_own_formats_is_one_shard(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("captions.json", "instances.json")]
    for file in files:
        Path(file).write_text("{}")
    assert find_shards(files) == [Shard(0, 0, tuple(files))]


@pytest.mark.parametrize("source", ["both", "none/*.jsonl", "none.jsonl", "-"])
def test_what_names_no_shards_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.chdir(folder)
    with refusal(LimnerError):
        find_shards([source])


def dealt(path: Path, n: int, number: int = 0, **asked: bool) -> tuple[Notes, list[Block]]:
    notes, *blocks = read_shard(Dealing(n, **asked), 1, Shard(number, 0, (str(path),)))
    assert isinstance(notes, Notes)
    return notes, [block for block in blocks if isinstance(block, Block)]


def test_every_image_is_in_the_partition_of_its_id_in_the_order_of_the_shard(tmp_path: Path) -> None:
    write_corpus(IMAGES, tmp_path / "a.jsonl")
    notes, blocks = dealt(tmp_path / "a.jsonl", 3, number=2)
    assert {partition_of(image.id, 3) for image in IMAGES} == {0, 1, 2}
    for partition, block in enumerate(blocks):
        assert [image for _, image in block.images] == [one for one in IMAGES if partition_of(one.id, 3) == partition]
        assert [order & 0xFFFF for order, _ in block.images] == [int(image.id) for _, image in block.images]
        assert all(order >> 40 == 2 for order, _ in block.images)
    assert (notes.kinds, notes.attributes) == ({("gold", "system:s"): None}, {"domain"})


def test_partitions_are_the_same_everywhere() -> None:
    # CRC-32 of the UTF-8: that of "0" is F4DBDF21, 4108050209.
    ids = ("0", "COCO_val2014_000000391895", "Bär", "\ud800")
    assert [partition_of(id, 1000) for id in ids] == [209, 918, 502, 600]


def test_where_only_text_is_needed_nothing_else_is_kept(tmp_path: Path) -> None:
    write_corpus(IMAGES[:1], tmp_path / "a.jsonl")
    _, (block,) = dealt(tmp_path / "a.jsonl", 1, is_lean=True)
    assert block.images == [(0, Image("0", captions=(Caption("0", "a dog"), Caption("1", "dogs", source="system:s"))))]


def test_faults_are_told_with_their_place_or_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"limner":1,"id":"x"}\n{"limner":1,"id":"x"}\n{"limner":1}\n')
    with refusal(BadInput):
        dealt(path, 2)
    notes, blocks = dealt(path, 2, lenient=True)
    assert sum(len(block.images) for block in blocks) == 1
    assert notes.reading.skipped.total() == 2


def test_the_size_of_packed_shards_is_what_they_hold(folder: Path) -> None:
    plain, packed = folder / "mixed" / "a.jsonl", folder / "mixed" / "b.jsonl.gz"
    assert size_of([Shard(0, 0, (str(plain),))]) == plain.stat().st_size
    assert size_of([Shard(0, 0, (f"jsonl:{packed}",))]) == 5 * packed.stat().st_size
