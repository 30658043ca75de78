"""An index of pictures: what is found in it, and what becomes of files that are damaged or hostile."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus import Caption, Image
from limner.errors import BadInput, LimnerError
from limner.ground.dual_encoders import Mixture
from limner.ground.encoders import Encoder, open_encoders
from limner.ground.index_writing import IndexSettings, write_index
from limner.ground.phrase_distances import By
from limner.ground.retrieval_index import ASPECTS, RetrievalIndex
from limner.ground.retriever import RETRIEVER_KIND, RetrieverRecord
from limner.learn.array_files import read_arrays, write_arrays
from limner.learn.model_files import file_fingerprint
from limner.score.retrieval.retrieval_evaluation import evaluate_retrieval
from limner.vision.image_pixels import read_image
from refusals import refusal
from retrieval_world import make_world, train
from tiny_clip import make_clip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("world")


@pytest.fixture(scope="module")
def images(folder: Path) -> list[Image]:
    return make_world(folder, 14)


@pytest.fixture(scope="module")
def encoder(images: list[Image], folder: Path) -> Encoder:
    train(images, folder).save(folder / "mine.model")
    (opened,) = open_encoders(folder / "mine.model")
    # Whatever this small world prefers, both halves must count here.
    return Encoder(opened.whole, opened.regions, Mixture(0.5, 1.5), opened.source, opened.path, opened.fingerprint)


@pytest.fixture(scope="module")
def made(images: list[Image], folder: Path, encoder: Encoder) -> Path:
    write_index(images, folder, [encoder], folder / "index", IndexSettings(regions=True))
    return folder / "index"


@pytest.fixture
def index(made: Path) -> RetrievalIndex:
    return RetrievalIndex(made)


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copied"))


@pytest.mark.parametrize("by", ASPECTS)
def test_images_are_found_in_the_order_of_the_equations(
    index: RetrievalIndex, images: list[Image], folder: Path, encoder: Encoder, by: By
) -> None:
    query = "a dog and a woman in the snow"
    alpha = {"whole": 1.0, "phrases": 0.0, "mixture": 0.5}[by]
    text = encoder.whole.text_vectors([query])[0]
    assert encoder.regions is not None
    phrases = encoder.regions.phrase_vectors(["a dog", "a woman", "the snow"])
    expected = {}
    for image in images:
        seen = read_image(image, folder)
        whole = 1 - float(encoder.whole.image_vectors([seen])[0] @ text)
        cosines = encoder.regions.regions(seen).vectors @ phrases.T
        expected[image.id] = 1 - alpha * whole - (1 - alpha) * float((1 - cosines.max(axis=0)).sum()) / 3**1.5
    found = index.search(query, 5, by)
    assert [hit.image.id for hit in found] == sorted(expected, key=lambda id: -expected[id])[:5]
    # Vectors of regions are kept as halves.
    assert [hit.score for hit in found] == pytest.approx(sorted(expected.values(), reverse=True)[:5], abs=2e-3)
    spans = [query[phrase.start : phrase.end] for phrase in found[0].phrases]
    assert spans == ([] if by == "whole" else ["a dog", "a woman", "the snow"])


@pytest.mark.parametrize("by", ASPECTS)
def test_captions_are_found_as_scores_rank_them(
    index: RetrievalIndex, images: list[Image], folder: Path, by: By
) -> None:
    found = index.search_captions(read_image(images[2], folder), 6, by)
    system = index.system(by)
    scores = system.scores.block(slice(0, len(images)), slice(0, index.header.n_texts))[2]
    best = np.argsort(-scores, kind="stable")[:6]
    captions = [(image.id, caption.text) for image in images for caption in image.captions]
    assert [hit.score for hit in found] == pytest.approx(scores[best].tolist(), abs=2e-3)
    assert [(hit.image.id, hit.caption.text) for hit in found] == [captions[i] for i in best]


def test_an_index_is_scored(index: RetrievalIndex, images: list[Image]) -> None:
    scores = evaluate_retrieval([index.system(by) for by in ASPECTS], samples=0)
    assert [system.counts["n_texts"] for system in scores.systems] == [5 * len(images)] * 3
    assert scores.systems[0].values["text_to_image R@5"] > 0.6
    assert "alpha:0.5|gamma:1.5" in scores.systems[2].signature
    assert len({system.signature for system in scores.systems}) == 3


def test_the_order_of_workers_changes_nothing(
    images: list[Image], folder: Path, encoder: Encoder, made: Path, tmp_path: Path
) -> None:
    write_index(images, folder, [encoder] * 3, tmp_path / "again", IndexSettings(regions=True))
    for path in sorted(made.iterdir()):
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_sentences_of_unknown_words_are_an_error(index: RetrievalIndex) -> None:
    with refusal(LimnerError):
        index.search("xyzzy plugh")
    with refusal(LimnerError):
        index.search("  ")


def test_captions_and_regions_may_be_left_out(
    images: list[Image], folder: Path, encoder: Encoder, tmp_path: Path
) -> None:
    header = write_index(images, folder, [encoder], tmp_path / "bare", IndexSettings(captions=False, regions=False))
    assert (header.n_texts, header.n_regions) == (0, 0)
    index = RetrievalIndex(tmp_path / "bare")
    assert index.search("a dog", 3)[0].phrases == ()
    with refusal(BadInput):
        index.search_captions(read_image(images[0], folder))
    with refusal(BadInput):
        index.system()
    with refusal(BadInput):
        index.search("a dog", 3, "phrases")


def test_empty_captions_are_left_out(images: list[Image], folder: Path, encoder: Encoder, tmp_path: Path) -> None:
    empty = replace(images[0], captions=(Caption("e", "  "), Caption("f", "a dog")))
    header = write_index([empty], folder, [encoder], tmp_path / "index")
    assert header.n_texts == 1


def test_many_sentences_are_searched_exactly_or_by_lists(
    images: list[Image], folder: Path, encoder: Encoder, tmp_path: Path, index: RetrievalIndex
) -> None:
    pytest.importorskip("faiss")
    write_index(images, folder, [encoder], tmp_path / "listed", IndexSettings(approximate=True))
    listed = RetrievalIndex(tmp_path / "listed")
    assert listed.header.n_lists
    queries = ["a dog in the snow", "a woman"]
    items, scores = listed.search_many(queries, 4, exact=True)
    assert [index.image(i).id for i in items[0]] == [hit.image.id for hit in index.search(queries[0], 4, "whole")]
    near, near_scores = listed.search_many(queries, 4)
    assert near.shape == items.shape
    vectors = encoder.whole.text_vectors(queries) @ np.asarray(listed.images).T
    for row, (numbers, values) in enumerate(zip(near.tolist(), near_scores.tolist(), strict=True)):
        found = [i for i in numbers if i >= 0]
        assert 1 <= len(found) == len(set(found))
        # What is found has its exact score, and the best come first.
        assert values[: len(found)] == pytest.approx(vectors[row, found].tolist(), abs=1e-5)
        assert values[: len(found)] == sorted(values[: len(found)], reverse=True)
    assert (near_scores[:, 0] <= scores[:, 0] + 1e-5).all()


def test_an_index_is_not_replaced_unless_it_is_asked_for(
    images: list[Image], folder: Path, encoder: Encoder, copied: Path
) -> None:
    with refusal(BadInput):
        write_index(images, folder, [encoder], copied)
    write_index(images[:3], folder, [encoder], copied, IndexSettings(force=True))
    assert len(RetrievalIndex(copied)) == 3
    (copied / "diary.txt").write_text("mine")
    with refusal(BadInput):
        write_index(images, folder, [encoder], copied, IndexSettings(force=True))


def test_a_failed_run_leaves_nothing(images: list[Image], folder: Path, encoder: Encoder, tmp_path: Path) -> None:
    lost = [*images[:3], replace(images[0], id="lost", file="lost.png")]
    with refusal(BadInput):
        write_index(lost, folder, [encoder], tmp_path / "index")
    with refusal(LimnerError):
        write_index([images[0], images[0]], folder, [encoder], tmp_path / "index")
    with refusal(BadInput):
        write_index([], folder, [encoder], tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_clip_s_folder_makes_an_index_too(images: list[Image], folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    clip = make_clip(tmp_path / "clip")
    encoders = open_encoders(clip)
    write_index(images[:4], folder, encoders, tmp_path / "index")
    index = RetrievalIndex(tmp_path / "index")
    found = index.search("a dog", 4)
    expected = (
        encoders[0].whole.image_vectors([read_image(image, folder) for image in images[:4]])
        @ (encoders[0].whole.text_vectors(["a dog"])[0])
    )
    assert [hit.score for hit in found] == pytest.approx(sorted(expected.tolist(), reverse=True), abs=1e-5)
    assert len(index.search_captions(read_image(images[1], folder), 3)) == 3
    with refusal(LimnerError):
        index.search("")
    with refusal(BadInput):
        write_index(images[:4], folder, encoders, tmp_path / "other", IndexSettings(regions=True))
    (clip / "config.json").write_text((clip / "config.json").read_text() + " ")
    with refusal(BadInput):
        RetrievalIndex(tmp_path / "index").search("a dog")


@pytest.mark.parametrize("content", [b"", b"PK", b'{"limner_model": "selector"}'])
def test_what_is_no_encoder_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.model").write_bytes(content)
    with refusal(BadInput):
        open_encoders(tmp_path / "odd.model")
    with refusal(BadInput):
        open_encoders(tmp_path / "absent.model")


def header(**changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        known = json.loads((folder / "index.json").read_text())
        (folder / "index.json").write_text(json.dumps({**known, **changes}))

    return change


def content(name: str, raw: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(raw) and None


def array(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def save(folder: Path) -> None:
        values = change(np.load(folder / name))
        np.save(folder / name, values)

    return save


def set_at(place: int, value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(values: np.ndarray) -> np.ndarray:
        values.flat[place] = value
        return values

    return change


def head(text: str) -> bytes:
    """The beginning of a file of numpy."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def typed(descr: str) -> Callable[[Path], None]:
    return content("images.npy", head(f"{{'descr': {descr}, 'fortran_order': False, 'shape': (24, 9), }}"))


def pipe(name: str) -> Callable[[Path], None]:
    def put(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return put


def guessed(folder: Path) -> None:
    raw = (folder / "images.npy").read_bytes()
    (folder / "images.npy").write_bytes(re.sub(rb"'shape': \(\d+,", b"'shape': (-1,", raw))


def longer(folder: Path) -> None:
    with (folder / "images.npy").open("ab") as handle:
        handle.write(bytes(64))


HOSTILE: dict[str, Callable[[Path], None]] = {
    "a header that is no JSON": content("index.json", b"{"),
    "a header of nested lists": content("index.json", b"[" * 100_000),
    "a header without end": content("index.json", b" " * (2 << 20)),
    "another version": header(limner_index=9),
    "unknown fields": header(evil=1),
    "a negative count": header(n_images=-1),
    "too many images": header(n_images=10**12),
    "too many texts": header(n_texts=10**15),
    "too many numbers": header(n_dims=10**9),
    "an alpha above 1": header(alpha=2.0),
    "another fingerprint": header(fingerprint="0" * 12),
    "a source that is none": header(source="pickle"),
    "too many regions": header(n_regions=10**12),
    "too many phrases": header(n_phrases=10**12),
    "objects of Python": array("images.npy", lambda v: np.array([{}], dtype=object)),
    "vectors of text": array("images.npy", lambda v: np.full(v.shape, "a")),
    "vectors of doubles": array("images.npy", lambda v: v.astype(np.float64)),
    "vectors that are not numbers": array("images.npy", set_at(0, np.nan)),
    "infinite vectors": array("images.npy", set_at(0, np.inf)),
    "vectors cut short": lambda folder: (
        (folder / "images.npy").write_bytes((folder / "images.npy").read_bytes()[:500]) and None
    ),
    "a head of numpy that is code": content("images.npy", b"\x93NUMPY\x01\x00\x20\x00__import__('os').abort()      \n"),
    "a head that is a broken zip": content("images.npy", b"PK\x03\x04 nothing"),
    "a head of no type": typed("()"),
    "a head of half a type": typed("('<f4',)"),
    "a head that nests": typed("-" * 9000 + "1"),
    "a pipe for vectors": pipe("images.npy"),
    "a pipe for images": pipe("images.jsonl"),
    "more numbers than the head says": longer,
    "a shape to be guessed": guessed,
    "vectors in Fortran's order": array("images.npy", np.asfortranarray),
    "vectors beyond all bounds": array("images.npy", lambda v: np.full_like(v, 3e38)),
    "lines that go back": array("lines.npy", set_at(1, 10**9)),
    "lines before the file": array("lines.npy", set_at(0, -5)),
    "images that are no images": lambda folder: (
        (folder / "images.jsonl").write_bytes(b"x" * (folder / "images.jsonl").stat().st_size) and None
    ),
    "no images": lambda folder: (folder / "images.jsonl").unlink(),
    "captions of images that are not there": array("text_images.npy", set_at(-1, 10**6)),
    "captions out of order": array("text_images.npy", set_at(-1, 0)),
    "regions out of order": array("region_starts.npy", set_at(1, 10**9)),
    "phrases that are not there": array("phrase_numbers.npy", set_at(0, 10**9)),
    "phrases before the first": array("phrase_numbers.npy", set_at(0, -1)),
    "phrases out of order": array("phrase_starts.npy", set_at(1, 10**9)),
    "regions that are not numbers": array("regions.npy", lambda v: np.full_like(v, np.nan)),
    "another model": content("model.limner", b"PK nothing"),
    "no model": lambda folder: (folder / "model.limner").unlink(),
}


def use(folder: Path) -> None:
    """Read all that an index has."""
    index = RetrievalIndex(folder)
    index.search("a dog in the snow", 3, "mixture")
    evaluate_retrieval([index.system("mixture")], samples=0)


def test_a_sound_copy_is_used(copied: Path) -> None:
    use(copied)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_told_in_one_line(copied: Path, kind: str) -> None:
    HOSTILE[kind](copied)
    with pytest.raises(LimnerError) as raised:
        use(copied)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("by", ["whole", "phrases"])
def test_a_model_of_other_vectors_than_the_index_s_is_told(copied: Path, by: By) -> None:
    record, arrays = read_arrays(copied / "model.limner", RETRIEVER_KIND, RetrieverRecord)
    part = "whole" if by == "whole" else "regions"
    for name in ("x_weights", "y_weights", "correlations"):
        arrays[f"{part}.{name}"] = arrays[f"{part}.{name}"][..., :-1]
    write_arrays(copied / "model.limner", record, arrays)
    header(fingerprint=file_fingerprint(copied / "model.limner"))(copied)
    with refusal(LimnerError):
        RetrievalIndex(copied).search("a dog in the snow", 3, by)


@pytest.mark.parametrize("name", ["images", "texts", "regions", "phrases"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 6e4])
def test_vectors_that_are_none_are_not_scored(copied: Path, name: str, value: float) -> None:
    array(f"{name}.npy", set_at(-1, value))(copied)
    with refusal(LimnerError):
        RetrievalIndex(copied).system("mixture")


def test_a_folder_that_is_no_index_is_told(tmp_path: Path) -> None:
    with refusal(BadInput):
        RetrievalIndex(tmp_path)
    with refusal(BadInput):
        RetrievalIndex(tmp_path / "absent")


def test_an_index_says_which_images_its_model_was_trained_on(
    images: list[Image], folder: Path, encoder: Encoder, index: RetrievalIndex, tmp_path: Path
) -> None:
    others = [replace(image, id=f"new{n}", captions=(Caption("0", f"{n} dogs"),), boxes=(), chains=())
              for n, image in enumerate(images[:2])]  # fmt: skip
    header = write_index([*images[:3], *others], folder, open_encoders(encoder.path), tmp_path / "index")
    assert header.training == "3 seen of 5 images"
    assert "training:3 seen of 5 images" in RetrievalIndex(tmp_path / "index").system("whole").signature
    # The fixture's encoder does not tell.
    assert "training:unknown" in index.system("whole").signature


class Absent:
    """A library that is not installed."""

    def __getattr__(self, name: str) -> object:
        raise LimnerError("faiss is not installed")


def test_without_faiss_lists_are_refused_at_once_or_left_out(
    images: list[Image], folder: Path, encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("limner.ground.index_writing.approximate_search", Absent())
    monkeypatch.setattr("limner.ground.index_writing.find_spec", lambda name: None)
    monkeypatch.setattr("limner.ground.index_writing.APPROXIMATE_FROM", 2)
    with refusal(LimnerError):
        write_index(images, tmp_path / "no pictures", [encoder], tmp_path / "index", IndexSettings(approximate=True))
    header = write_index(images[:3], folder, [encoder], tmp_path / "index", IndexSettings(regions=False))
    assert header.n_lists == 0
