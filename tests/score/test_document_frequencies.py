from __future__ import annotations

import json
import os
import tracemalloc
from collections import Counter
from functools import reduce
from hashlib import sha256
from operator import add
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import ngram_definitions
from limner.errors import BadInput, LimnerError
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.run import Run
from ngram_definitions import run, runs, sound_sentences, use
from refusals import refusal

IMAGES = [("x", ["a dog runs", "a dog"]), ("y z", ["a dog", "22\xa03/4"]), ("", ["a cat"])]


@pytest.fixture(params=["compiled", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_every_n_gram_of_the_references_counts_once_an_image() -> None:
    df = document_frequencies(run(IMAGES))
    assert df.n_images == 3
    assert dict(df.counts) == {
        ("a",): 3,
        ("cat",): 1,
        ("dog",): 2,
        ("runs",): 1,
        ("22",): 1,
        ("3/4",): 1,
        ("a", "dog"): 2,
        ("a", "cat"): 1,
        ("dog", "runs"): 1,
        ("22", "3/4"): 1,
        ("a", "dog", "runs"): 1,
    }


@pytest.mark.usefixtures("way")
@given(runs())
def test_counts_are_what_a_plain_loop_counts(run: Run) -> None:
    expected = ngram_definitions.images_with(list(zip(run.candidates, run.references, strict=True)))
    counts = document_frequencies(run).counts
    assert Counter(dict(counts)) == expected
    assert len(counts) == len(expected)
    assert all(counts[gram] == n for gram, n in expected.items())


def test_what_is_not_there_is_not_there() -> None:
    counts = document_frequencies(run(IMAGES)).counts
    for missing in (
        ("bird",),
        ("zebra",),
        ("a", "runs"),
        ("dog", "a"),
        (),
        ("a", "dog", "runs", "x", "y"),
        "a",
        ("x",),
    ):
        assert missing not in counts


@pytest.mark.usefixtures("way")
@given(runs(sound_sentences, max_size=7), st.data())
def test_frequencies_of_shards_add_up_to_those_of_the_whole(run: Run, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(run)), max_size=3)))
    shards = [run.subset(range(a, b)) for a, b in zip([0, *cuts], [*cuts, len(run)], strict=True)]
    assert reduce(add, map(document_frequencies, shards)) == document_frequencies(run)


@given(runs())
def test_a_mapping_makes_the_same_frequencies(run: Run) -> None:
    df = document_frequencies(run)
    assert DocumentFrequencies(df.n_images, dict(df.counts)) == df


def test_a_mapping_need_not_have_the_beginnings_of_its_n_grams() -> None:
    df = DocumentFrequencies(5, {("a", "dog", "runs"): 2})
    assert dict(df.counts) == {("a", "dog", "runs"): 2}
    assert ("a", "dog") not in df.counts
    assert dict((df + DocumentFrequencies(1, {("a",): 1})).counts) == {("a", "dog", "runs"): 2, ("a",): 1}


@pytest.mark.parametrize("counts", [{("a",): 6}, {("a",): 0}, {(): 1}, {("a",) * 5: 1}, {("a dog",): 1}])
def test_counts_that_cannot_be_are_refused(counts: dict[tuple[str, ...], int]) -> None:
    with refusal(ValueError):
        DocumentFrequencies(5, counts)


@pytest.mark.parametrize("n_images", [-1, 1 << 32])
def test_numbers_of_images_that_no_file_can_hold_are_refused(n_images: int) -> None:
    with refusal(ValueError):
        DocumentFrequencies(n_images, {})


def test_words_of_two_tokenisers_do_not_add_up() -> None:
    with refusal(LimnerError):
        DocumentFrequencies(1, {}, "ptb") + DocumentFrequencies(1, {})


@given(runs())
def test_a_file_reads_back_as_it_was(run: Run) -> None:
    df = document_frequencies(run)
    path = Path("frequencies.df")
    df.save(path)
    again = DocumentFrequencies.load(path)
    assert again == df
    assert again.digest == df.digest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["x.df", "x.df.gz", "x.zst"])
def test_a_file_may_have_any_name(name: str) -> None:
    df = DocumentFrequencies(7, {("\ud800",): 1, ("日本", "é"): 7}, "ptb")
    df.save(name)
    assert DocumentFrequencies.load(name) == df
    assert os.listdir() == [name]


def test_equal_frequencies_make_equal_files_and_others_do_not() -> None:
    document_frequencies(run(IMAGES)).save("a.df")
    document_frequencies(run(IMAGES[::-1])).save("b.df")
    assert Path("a.df").read_bytes() == Path("b.df").read_bytes()
    assert DocumentFrequencies(3, {("a",): 1}).digest != DocumentFrequencies(4, {("a",): 1}).digest


def test_every_byte_of_a_file_is_checked() -> None:
    document_frequencies(run(IMAGES)).save("a.df")
    whole = Path("a.df").read_bytes()
    for damaged in [
        *(whole[:end] for end in range(len(whole))),
        *(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(len(whole))),
        whole + b"x",
        whole + whole,
    ]:
        Path("b.df").write_bytes(damaged)
        with pytest.raises(BadInput) as caught:
            DocumentFrequencies.load("b.df")
        assert caught.value.place == "b.df"


def forged(body: bytes, **changed: object) -> bytes:
    """A file whose sums are right, and its contents not."""
    header: dict[str, object] = {
        "format": "limner document frequencies",
        "version": 1,
        "n_images": 3,
        "tokeniser": "none",
        "n_grams": [2, 1],
        "n_bytes": len(body),
        **changed,
    }
    packed = zstandard.ZstdCompressor().compress(body)
    digest = sha256(b"%d\n%b\n%b" % (header["n_images"], str(header["tokeniser"]).encode(), body)).hexdigest()
    return json.dumps({"n_packed": len(packed), "sha256": digest, **header}).encode() + b"\n" + packed


def numbers(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "little") for value in values)


def test_a_file_may_be_made_by_others() -> None:
    Path("a.df").write_bytes(forged(b"a\nb\n" + numbers(2, 1) + numbers(0, 1, 1)))
    assert dict(DocumentFrequencies.load("a.df").counts) == {("a",): 2, ("b",): 1, ("a", "b"): 1}


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (b"b\na\n" + numbers(2, 1) + numbers(0, 1, 1), {}),
        (b"a\na\n" + numbers(2, 1) + numbers(0, 1, 1), {}),
        (b"a\nb\nc\n" + numbers(2, 1) + numbers(0, 1, 1), {}),
        (b"a\n\xff\n" + numbers(2, 1) + numbers(0, 1, 1), {}),
        (b"a\nb\n" + numbers(4, 1) + numbers(0, 1, 1), {}),
        (b"a\nb\n" + numbers(2, 1) + numbers(2, 1, 1), {}),
        (b"a\nb\n" + numbers(2, 1) + numbers(0, 2, 1), {}),
        (b"a\nb\n" + numbers(2, 1) + numbers(0, 0, 1, 1, 1, 1), {"n_grams": [2, 2]}),
        (b"a\nb\n" + numbers(2, 1), {}),
        (b"", {"n_grams": []}),
        (b"", {"n_grams": [-1]}),
        (b"", {"n_grams": [1 << 32]}),
        (b"", {"n_images": -1}),
        (b"", {"n_bytes": 1 << 40}),
        (b"", {"n_bytes": 5}),
        (b"", {"version": 2}),
        (b"", {"format": "pickle"}),
        (b"", {"n_images": "3"}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_forged_file_is_refused(body: bytes, changed: dict[str, object]) -> None:
    if changed == {"n_images": "3"}:
        Path("a.df").write_bytes(forged(body).replace(b'"n_images": 3', b'"n_images": "3"'))
    else:
        Path("a.df").write_bytes(forged(body, **changed))
    with refusal(BadInput):
        DocumentFrequencies.load("a.df")


@pytest.mark.parametrize("content", [b"", b"\n", b"\x80\x04K\x01.", b"[" * 100_000, b"{}", b"x" * 200_000])
def test_a_file_of_another_kind_is_refused(content: bytes) -> None:
    Path("a.df").write_bytes(content)
    with refusal(BadInput):
        DocumentFrequencies.load("a.df")


def test_a_file_that_is_not_there_is_an_error_that_names_it() -> None:
    with refusal(BadInput):
        DocumentFrequencies.load("none.df")


def test_a_file_that_unpacks_to_far_too_much_does_not_fill_the_memory() -> None:
    Path("a.df").write_bytes(forged(bytes(1 << 27), n_grams=[1 << 25]))
    tracemalloc.start()
    try:
        with refusal(BadInput):
            DocumentFrequencies.load("a.df")
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
