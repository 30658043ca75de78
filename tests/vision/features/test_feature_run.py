"""Features of a corpus' pictures: in order, resumable, cached, with faulty pictures left out if asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from limner.corpus import Box, Image, write_corpus
from limner.errors import BadInput, LimnerError
from limner.vision.features import FeatureRecipe, feature_jobs, make_features, open_features
from limner.vision.features.feature_cache import FeatureCache
from limner.vision.features.region_source import RegionSource
from limner.vision.pictures import read_pixels
from limner.vision.proposals import find_proposer
from refusals import refusal

COLOUR = FeatureRecipe("colour")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    generator = np.random.default_rng(0)
    for number in range(12):
        patches = generator.integers(0, 256, (4, 6, 3), dtype=np.uint8)
        Picture.fromarray(patches).resize((60, 40), Picture.Resampling.NEAREST).save(folder / f"{number}.png")
    return folder


@pytest.fixture
def images() -> list[Image]:
    return [Image(str(n), 60, 40, tuple(Box(str(k), k, k, 20 + 10 * k, 30) for k in range(n % 4))) for n in range(12)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_every_box_has_the_features_of_its_region(pictures: Path, images: list[Image], tmp_path: Path) -> None:
    steps: list[tuple[str, int, int | None]] = []
    run = make_features(
        images, pictures, tmp_path / "s", COLOUR, dtype="float32", progress=lambda *step: steps.append(step), total=12
    )
    assert (run.n_images, run.n_rows, run.left_out) == (12, 18, {})
    assert steps[-1] == ("pictures", 12, 12)
    store = open_features(tmp_path / "s")
    extractor = COLOUR.open()[0]
    assert store.signature == extractor.signature
    assert store.image_ids == [image.id for image in images]
    for image in images:
        corners = np.array([box.corners for box in image.boxes], dtype=np.float32).reshape(-1, 4)
        expected = extractor.extract(read_pixels(pictures / f"{image.id}.png"), corners)
        assert (store.features(image.id) == expected).all()
        assert store.boxes(image.id) == image.boxes


@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_changes_nothing(
    pictures: Path, images: list[Image], tmp_path: Path, workers: int
) -> None:
    make_features(images, pictures, tmp_path / "two", COLOUR, workers=2)
    make_features(images, pictures, tmp_path / "s", COLOUR, workers=workers)
    assert contents(tmp_path / "s") == contents(tmp_path / "two")


@pytest.mark.parametrize(
    ("source", "said", "ids"),
    [
        (RegionSource("whole"), "whole", ["whole"]),
        (RegionSource("grid", 2, 3), "grid 2x3", ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"]),
    ],
)
def test_pictures_without_boxes_have_a_grid_or_the_whole(
    pictures: Path, tmp_path: Path, source: RegionSource, said: str, ids: list[str]
) -> None:
    make_features([Image("3", file="3.png")], pictures, tmp_path / "s", COLOUR, regions=source, dtype="float32")
    store = open_features(tmp_path / "s")
    assert store.header.boxes == said
    assert [box.id for box in store.boxes("3")] == ids
    expected = COLOUR.open()[0].extract(read_pixels(pictures / "3.png"), [box.corners for box in store.boxes("3")])
    assert (store.features("3") == expected).all()


@pytest.mark.parametrize("kind", ["selective-search", "edge-boxes"])
def test_regions_may_be_proposed(pictures: Path, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    make_features([Image("3", file="3.png")], pictures, tmp_path / "s", COLOUR, regions=RegionSource(kind))
    store = open_features(tmp_path / "s")
    expected = find_proposer(kind).propose(Image("3", 60, 40), read_pixels(pictures / "3.png"))
    assert expected
    assert store.boxes("3") == expected
    assert store.header.boxes == find_proposer(kind).signature
    rows = COLOUR.open()[0].extract(read_pixels(pictures / "3.png"), [box.corners for box in expected])
    assert np.allclose(store.features("3"), rows, atol=1e-3)


def test_a_source_of_regions_that_is_not_known_is_named() -> None:
    with refusal(LimnerError):
        RegionSource("edge-box")


def test_boxes_of_a_corpus_of_another_size_are_scaled(pictures: Path, tmp_path: Path) -> None:
    small = Image("1", 30, 20, (Box("a", 5, 5, 15, 15),))
    large = Image("1", 60, 40, (Box("a", 10, 10, 30, 30),))
    make_features([small], pictures, tmp_path / "small", COLOUR)
    make_features([large], pictures, tmp_path / "large", COLOUR)
    small_store, large_store = open_features(tmp_path / "small"), open_features(tmp_path / "large")
    assert (small_store.features("1") == large_store.features("1")).all()
    assert small_store.boxes("1") == small.boxes


def test_pictures_are_turned_as_the_camera_says(tmp_path: Path) -> None:
    pixels = np.zeros((20, 40, 3), dtype=np.uint8)
    pixels[:, :20] = (255, 0, 0)
    exif = Picture.Exif()
    exif[0x0112] = 6
    Picture.fromarray(pixels).save(tmp_path / "a.png", exif=exif)
    # Upright it is 20 by 40, and what was left is above.
    image = Image("a", 20, 40, (Box("top", 0, 0, 20, 20), Box("bottom", 0, 20, 20, 40)))
    make_features([image], tmp_path, tmp_path / "s", COLOUR)
    shares = open_features(tmp_path / "s").features("a")[:, 70:]
    assert shares[0, 3] == 1.0  # red
    assert shares[1, 0] == 1.0  # black


@pytest.fixture
def turned(tmp_path: Path) -> Path:
    """A folder with a picture, red above blue, that EXIF turns upside down: its size does not tell."""
    pixels = np.zeros((40, 60, 3), dtype=np.uint8)
    pixels[:20], pixels[20:] = (255, 0, 0), (0, 0, 255)
    exif = Picture.Exif()
    exif[0x0112] = 3
    (tmp_path / "turned").mkdir()
    Picture.fromarray(pixels).save(tmp_path / "turned" / "a.png", exif=exif)
    return tmp_path / "turned"


@pytest.mark.parametrize("source", [None, RegionSource("grid", 2, 1)], ids=["corpus", "grid"])
def test_a_picture_as_stored_and_upright_are_not_mixed_up(
    turned: Path, tmp_path: Path, source: RegionSource | None
) -> None:
    """Neither in the cache, nor in the store, nor when a run is resumed."""
    boxes = (Box("top", 0, 0, 60, 20), Box("bottom", 0, 20, 60, 40))
    as_stored, upright = Image("a", 60, 40, boxes), Image("a", boxes=boxes)
    colours, lying = {}, {}
    for name, image in (("stored", as_stored), ("upright", upright)):
        make_features([image], turned, tmp_path / name, COLOUR, regions=source, cache=tmp_path / "cache")
        store = open_features(tmp_path / name)
        colours[name] = store.features("a")[:, 70:].argmax(1).tolist()
        lying[name] = dict(next(iter(store.corpus())).attributes)
    assert colours["stored"] == colours["upright"][::-1]
    assert lying == {"stored": {}, "upright": {"orientation": "upright"}}
    make_features([upright], turned, tmp_path / "upright", COLOUR, regions=source, resume=True)
    with refusal(BadInput):
        make_features([as_stored], turned, tmp_path / "upright", COLOUR, regions=source, resume=True)


def test_an_image_that_is_given_twice_is_named(pictures: Path, images: list[Image], tmp_path: Path) -> None:
    with refusal(BadInput):
        make_features([*images[:3], images[1]], pictures, tmp_path / "s", COLOUR)
    with refusal(BadInput):
        open_features(tmp_path / "s")
    # A run that is resumed knows those before.
    with refusal(BadInput):
        make_features([*images[:3], images[0]], pictures, tmp_path / "s", COLOUR, resume=True)
    make_features(images, pictures, tmp_path / "s", COLOUR, resume=True)
    assert len(open_features(tmp_path / "s")) == 12


class Stop(Exception):
    pass


@pytest.mark.parametrize("stopped_after", [1, 5, 11])
def test_a_run_that_was_stopped_goes_on(
    pictures: Path, images: list[Image], tmp_path: Path, stopped_after: int
) -> None:
    def stop(what: str, done: int, total: int | None, /) -> None:
        if done == stopped_after:
            raise Stop

    make_features(images, pictures, tmp_path / "whole", COLOUR)
    with pytest.raises(Stop):
        make_features(images, pictures, tmp_path / "s", COLOUR, progress=stop)
    steps: list[int | None] = []
    run = make_features(
        images, pictures, tmp_path / "s", COLOUR, resume=True, progress=lambda *step: steps.append(step[2]), total=12
    )
    assert run.n_before == stopped_after
    assert set(steps) == {12 - stopped_after}
    assert run.n_images == 12
    assert contents(tmp_path / "s") == contents(tmp_path / "whole")


def test_a_run_is_not_resumed_with_other_images(pictures: Path, images: list[Image], tmp_path: Path) -> None:
    make_features(images[:6], pictures, tmp_path / "s", COLOUR)
    for given in (
        [images[1], images[0]],
        images[:2],
        [images[0], Image("1", 60, 40, (Box("0", 1, 1, 5, 5),))],
        [images[0], Image("1", 120, 80, images[1].boxes)],
        [images[0], Image("1", 60, 40, images[1].boxes, attributes={"orientation": "upright"})],
    ):
        with refusal(BadInput):
            make_features(given, pictures, tmp_path / "s", COLOUR, resume=True)
        assert len(open_features(tmp_path / "s")) == 6
    with refusal(BadInput):
        make_features(images, pictures, tmp_path / "s", FeatureRecipe("shape"), resume=True)


def test_pictures_that_cannot_be_read_are_errors_or_left_out(
    pictures: Path, images: list[Image], tmp_path: Path
) -> None:
    (tmp_path / "p").mkdir()
    for number in (0, 1, 2, 5):
        (tmp_path / "p" / f"{number}.png").write_bytes((pictures / f"{number}.png").read_bytes())
    (tmp_path / "p" / "2.png").write_bytes((pictures / "2.png").read_bytes()[:60])
    (tmp_path / "p" / "3.png").write_text("no picture")
    given = images[:6]
    with refusal(BadInput):
        make_features(given, tmp_path / "p", tmp_path / "strict", COLOUR)
    run = make_features(given, tmp_path / "p", tmp_path / "s", COLOUR, lenient=True)
    assert run.n_images == 3
    assert list(run.left_out) == ["2", "3", "4"]
    assert "there is no picture of image '4'" in run.left_out["4"]
    assert open_features(tmp_path / "s").left_out == run.left_out
    again = make_features(given, tmp_path / "p", tmp_path / "s", COLOUR, lenient=True, resume=True)
    assert (again.n_before, again.left_out) == (6, run.left_out)


def test_what_was_computed_before_comes_from_the_cache(
    pictures: Path, images: list[Image], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_features(images, pictures, tmp_path / "first", COLOUR, cache=tmp_path / "cache", dtype="float32")
    calls: list[str] = []
    put = FeatureCache.put

    def counted(self: FeatureCache, key: str, rows: np.ndarray) -> None:
        calls.append(key)
        put(self, key, rows)

    monkeypatch.setattr(FeatureCache, "put", counted)
    make_features(images, pictures, tmp_path / "second", COLOUR, cache=tmp_path / "cache", dtype="float32")
    assert calls == []
    assert contents(tmp_path / "first") == contents(tmp_path / "second")
    # A file that is damaged is made again, and other boxes or features are something else.
    damaged = next((tmp_path / "cache").rglob("*.npy"))
    damaged.write_bytes(damaged.read_bytes()[:-3])
    make_features(images, pictures, tmp_path / "third", COLOUR, cache=tmp_path / "cache", dtype="float32")
    assert calls == [damaged.stem]
    assert contents(tmp_path / "third") == contents(tmp_path / "first")
    make_features(images[1:2], pictures, tmp_path / "shape", FeatureRecipe("shape"), cache=tmp_path / "cache")
    assert len(calls) == 2


def test_no_more_pictures_are_in_memory_than_are_worked_on(
    pictures: Path, images: list[Image], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    ended: list[int] = []

    def watched() -> Iterator[Image]:
        for image in images:
            begun.append(image.id)
            assert len(begun) - len(ended) <= feature_jobs.AHEAD * 2
            yield image

    make_features(
        watched(), pictures, tmp_path / "s", COLOUR, workers=2, progress=lambda _, done, __: ended.append(done)
    )
    assert len(ended) == 12


def test_large_pictures_are_begun_one_after_the_other(
    pictures: Path, images: list[Image], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_jobs, "MAX_PIXELS_AHEAD", 60 * 40)
    begun: list[str] = []
    ended: list[int] = []

    def watched() -> Iterator[Image]:
        for image in images:
            begun.append(image.id)
            assert len(begun) - len(ended) <= 2
            yield image

    make_features(
        watched(), pictures, tmp_path / "s", COLOUR, workers=4, progress=lambda _, done, __: ended.append(done)
    )
    assert len(ended) == 12


@pytest.mark.parametrize("recipe", ["nowhere.tflite", "colors"])
def test_a_model_that_is_not_there_is_named(tmp_path: Path, recipe: str) -> None:
    with refusal(LimnerError):
        make_features([], tmp_path, tmp_path / "s", FeatureRecipe(recipe))
    assert not (tmp_path / "s").exists()


def test_a_run_that_fails_before_it_begins_leaves_nothing(pictures: Path, images: list[Image], tmp_path: Path) -> None:
    with refusal(BadInput):
        make_features([Image("0"), Image("1")], pictures, tmp_path / "s", COLOUR)
    assert not (tmp_path / "s").exists()
    make_features(images, pictures, tmp_path / "s", COLOUR)


@pytest.mark.parametrize("options", [{"batch": 0}, {"size": 0}])
def test_impossible_settings_are_refused(options: dict[str, object]) -> None:
    with refusal(ValueError):
        replace(COLOUR, **options)  # type: ignore[arg-type]


def test_a_killed_run_resumes_to_the_same_bytes(pictures: Path, images: list[Image], tmp_path: Path) -> None:
    """A process that is killed once it has written some images, wherever in its work it is then."""
    write_corpus(images * 1, tmp_path / "corpus.jsonl")
    make_features(images, pictures, tmp_path / "whole", COLOUR)
    program = (
        "import sys; from pathlib import Path; from limner.corpus import open_corpus;"
        "from limner.vision.features import FeatureRecipe, make_features;"
        "make_features(open_corpus(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), FeatureRecipe('colour'),"
        "resume=True, progress=lambda what, done, total: print(done, flush=True))"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / "corpus.jsonl"), str(pictures), str(tmp_path / "s")]
    running = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    for line in running.stdout:
        if int(line) >= 4:
            running.send_signal(signal.SIGKILL)
            break
    running.communicate()
    if os.name == "posix" and running.returncode == -signal.SIGKILL:
        with refusal(BadInput):
            open_features(tmp_path / "s")
    make_features(images, pictures, tmp_path / "s", COLOUR, resume=True)
    assert contents(tmp_path / "s") == contents(tmp_path / "whole")
