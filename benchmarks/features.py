"""What features of regions cost: pictures and regions a second against plain loops, kills, ray, and memory.

    python benchmarks/features.py PICTURES MODEL.tflite [--only pictures,regions,descriptors,kills,ray,memory] [--json]

PICTURES is a folder of JPEG files; MODEL a TensorFlow Lite file. Loops and
Limner take turns in one run, and the median of the ratios is reported. Memory
writes --images images with 200 regions of 1,280 numbers, 16 GB for all of
Flickr30k, to the folder of temporary files, reads some of it, and removes it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Picture

from limner.corpus import Box, Image
from limner.vision.features import (
    ColourFeatures,
    FeatureRecipe,
    ShapeFeatures,
    make_features,
    open_features,
    write_store,
)
from limner.vision.features.feature_run import n_cores
from limner.vision.features.region_source import RegionSource
from limner.vision.pictures import read_pixels

TURNS = 3
"""How often loops and Limner take turns."""

REGIONS = 200
DIMS = 1280


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--only", default="pictures,regions,descriptors,kills,ray,memory")
    parser.add_argument("--count", type=int, default=60, help="pictures of a turn")
    parser.add_argument("--images", type=int, default=31_783, help="images of the simulated store")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    names = [path.name for path in sorted(given.pictures.glob("*.jpg"))[: given.count]]
    images = [Image(Path(name).stem, file=name) for name in names]
    if given.run:
        make_features(
            images, given.pictures, Path(given.run), FeatureRecipe(str(given.model)), regions=GRID, resume=True
        )
        return
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "pictures": lambda: pictures_a_second(given, images),
        "regions": lambda: regions_a_second(given, images),
        "descriptors": lambda: descriptors(given, images),
        "kills": lambda: killed(given, images),
        "ray": lambda: with_ray(given, images),
        "memory": lambda: memory(given.images),
    }
    for name in given.only.split(","):
        figures = parts[name]()
        print(json.dumps({name: figures}) if given.json else f"{name}: {rendered(figures)}", flush=True)


GRID = RegionSource("grid", 4, 4)


class PlainLoop:
    """The model as its library's examples use it: one picture after the other, one thread."""

    def __init__(self, model: Path) -> None:
        from ai_edge_litert.interpreter import Interpreter

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.interpreter = Interpreter(model_path=str(model), num_threads=1, experimental_preserve_all_tensors=True)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]
        maps = [
            detail
            for detail in self.interpreter.get_tensor_details()
            if len(detail["shape"]) == 4 and detail["shape"][0] == 1 and min(detail["shape"][1:3]) > 1
            and detail["shape"][3] > 3
        ]  # fmt: skip
        self.output = maps[-1]
        _, self.height, self.width, _ = self.input["shape"]

    def __call__(self, picture: Picture.Image, box: tuple[float, ...] | None = None) -> np.ndarray:
        resized = picture.resize((self.width, self.height), Picture.Resampling.BILINEAR, box=box)
        self.interpreter.set_tensor(self.input["index"], np.asarray(resized)[None])
        self.interpreter.invoke()
        scale, zero = self.output["quantization"]
        values = self.interpreter.get_tensor(self.output["index"]).astype(np.float32)
        return ((values - zero) * scale if scale else values)[0].mean(axis=(0, 1))


def pictures_a_second(given: argparse.Namespace, images: list[Image]) -> dict[str, Any]:
    """Whole pictures: a plain loop over the model against Limner with all cores."""
    loop = PlainLoop(given.model)
    ratios, loops, runs = [], [], []
    for _ in range(TURNS):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            rows = []
            for image in images:
                with Picture.open(given.pictures / image.file) as picture:
                    rows.append(loop(picture.convert("RGB")))
            np.save(Path(folder) / "rows.npy", np.stack(rows).astype(np.float16))
            plain = time.perf_counter() - began
            began = time.perf_counter()
            whole = RegionSource("whole")
            make_features(images, given.pictures, Path(folder) / "s", FeatureRecipe(str(given.model)), regions=whole)
            ours = time.perf_counter() - began
            store = open_features(Path(folder) / "s")
            stored = np.concatenate([store.features(image.id) for image in images])
            assert np.abs(stored - np.stack(rows)).max() < 0.05
        ratios.append(plain / ours)
        loops.append(len(images) / plain)
        runs.append(len(images) / ours)
    return {
        "cores": n_cores(),
        "pictures": len(images),
        "loop_per_second": statistics.median(loops),
        "limner_per_second": statistics.median(runs),
        "ratio": statistics.median(ratios),
    }


def regions_a_second(given: argparse.Namespace, images: list[Image]) -> dict[str, Any]:
    """Many regions of a picture: pooled from one map against one crop after the other."""
    loop = PlainLoop(given.model)
    pooled = FeatureRecipe(str(given.model), "pool").open()[0]
    draw = np.random.default_rng(0)
    ratios, loops, runs = [], [], []
    for image in images[:TURNS]:
        pixels = read_pixels(given.pictures / image.file)
        corners = some_regions(draw, pixels.shape[1], pixels.shape[0])
        began = time.perf_counter()
        picture = Picture.fromarray(pixels)
        for box in corners.tolist():
            loop(picture, tuple(box))
        plain = time.perf_counter() - began
        began = time.perf_counter()
        pooled.extract(pixels, corners)
        ours = time.perf_counter() - began
        ratios.append(plain / ours)
        loops.append(REGIONS / plain)
        runs.append(REGIONS / ours)
    return {
        "regions": REGIONS,
        "crops_per_second": statistics.median(loops),
        "pooled_per_second": statistics.median(runs),
        "ratio": statistics.median(ratios),
    }


def descriptors(given: argparse.Namespace, images: list[Image]) -> dict[str, Any]:
    """Descriptors without a model: all regions at once against one after the other."""
    draw = np.random.default_rng(0)
    figures: dict[str, Any] = {"regions": REGIONS}
    for extractor in (ColourFeatures(), ShapeFeatures()):
        name = extractor.signature.split("|")[0].partition(":")[2]
        extractor.extract(np.zeros((8, 8, 3), dtype=np.uint8), [[0, 0, 8, 8]])
        ratios, runs = [], []
        for image in images[:TURNS]:
            pixels = read_pixels(given.pictures / image.file)
            corners = some_regions(draw, pixels.shape[1], pixels.shape[0])
            began = time.perf_counter()
            extractor.extract(pixels, corners)
            ours = time.perf_counter() - began
            began = time.perf_counter()
            for box in corners[:20]:
                extractor.extract(pixels, box[None])
            ratios.append((time.perf_counter() - began) / 20 * REGIONS / ours)
            runs.append(REGIONS / ours)
        figures |= {f"{name}_per_second": statistics.median(runs), f"{name}_ratio": statistics.median(ratios)}
    return figures


def some_regions(draw: np.random.Generator, width: int, height: int) -> np.ndarray:
    """Regions of all sizes, at least a tenth of the picture's sides."""
    near = draw.uniform(0, 0.9, (REGIONS, 2))
    far = near + np.maximum(0.1, draw.uniform(0, 1, (REGIONS, 2)) * (1 - near))
    return np.concatenate([near, far], axis=1) * (width, height, width, height)


def killed(given: argparse.Namespace, images: list[Image]) -> dict[str, Any]:
    """A run that is killed again and again, whenever it has written some more, against one that never was."""
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        whole, stopped = Path(folder) / "whole", Path(folder) / "stopped"
        run_alone(given, whole).wait()
        kept: list[int] = []
        while (process := run_alone(given, stopped)).poll() is None:
            enough = n_written(stopped) + draw.randint(3, 20)
            while process.poll() is None and n_written(stopped) < enough:
                time.sleep(draw.uniform(0.0, 0.02))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                kept.append(n_written(stopped))
            else:
                break
        same = all(path.read_bytes() == (stopped / path.name).read_bytes() for path in whole.iterdir())
    assert kept == sorted(kept), "something was lost"
    return {"pictures": len(images), "kills": len(kept), "kept_after_each": kept, "same_bytes": same}


def run_alone(given: argparse.Namespace, store: Path) -> subprocess.Popen[bytes]:
    arguments = [str(given.pictures), str(given.model), "--count", str(given.count), "--run", str(store)]
    return subprocess.Popen([sys.executable, __file__, *arguments], stderr=subprocess.DEVNULL)


def n_written(store: Path) -> int:
    return sum(path.read_bytes().count(b'"type":"image"') for path in store.glob("*.index"))


def with_ray(given: argparse.Namespace, images: list[Image]) -> dict[str, Any]:
    """The same store with ray, started for it."""
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("threads", "ray"):
            began = time.perf_counter()
            recipe = FeatureRecipe(str(given.model))
            make_features(images, given.pictures, Path(folder) / engine, recipe, regions=GRID, engine=engine)  # type: ignore[arg-type]
            seconds[f"{engine}_seconds"] = time.perf_counter() - began
        files = list((Path(folder) / "threads").iterdir())
        same = all(path.read_bytes() == (Path(folder) / "ray" / path.name).read_bytes() for path in files)
    return {"pictures": len(images), **seconds, "same_bytes": same}


def memory(n_images: int) -> dict[str, Any]:
    """A store of random features: time, space, and memory as it grows."""
    folder = Path(tempfile.mkdtemp())
    try:
        draw = np.random.default_rng(0)
        rows = np.abs(draw.normal(size=(2 * REGIONS, DIMS))).astype(np.float32)
        boxes = tuple(Box(str(k), k, k, k + 50, k + 40) for k in range(REGIONS))
        # What one image takes is there before the first figure.
        marks, before = {}, 0.0
        began = time.perf_counter()
        with write_store(folder / "s", "simulated", DIMS) as writer:
            for number in range(n_images):
                start = number % REGIONS
                writer.append(Image(f"{number:08d}", 640, 480, boxes), rows[start : start + REGIONS])
                if number == 9:
                    before = resident()
                if (number + 1) % max(1, n_images // 4) == 0:
                    marks[number + 1] = resident() - before
        seconds = time.perf_counter() - began
        written = peak()
        size = sum(path.stat().st_size for path in (folder / "s").iterdir())
        unread, began = anonymous(), time.perf_counter()
        store = open_features(folder / "s")
        opened = time.perf_counter() - began
        chosen = draw.integers(0, n_images, 2000)
        began = time.perf_counter()
        for number in chosen.tolist():
            start = number % REGIONS
            picked = store.features(f"{number:08d}", ["7", "150"])
            assert (picked == rows[[start + 7, start + 150]].astype(np.float16)).all()
        lookups = len(chosen) / (time.perf_counter() - began)
        return {
            "images": n_images,
            "rows": store.header.n_rows,
            "gb": size / 1e9,
            "seconds": seconds,
            "mb_more_while_writing": {str(n): round(mb, 1) for n, mb in marks.items()},
            "peak_mb_while_writing": written,
            "open_seconds": opened,
            "mb_more_for_reading": anonymous() - unread,
            "lookups_per_second": lookups,
        }
    finally:
        shutil.rmtree(folder)


def resident() -> float:
    return status("VmRSS")


def anonymous() -> float:
    """Memory that is the process' own: pages of files that are mapped can be given back at any time."""
    return status("RssAnon")


def peak() -> float:
    return status("VmHWM")


def status(name: str) -> float:
    match = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(match[1]) / 1024 if match else float("nan")


def rendered(figures: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:,.2f}" if isinstance(value, float) else f"{name} {value}" for name, value in figures.items()
    )


if __name__ == "__main__":
    main()
