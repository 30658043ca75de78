"""How long detecting takes beside the model alone, and beside a plain loop over the same pictures.

    python benchmarks/detecting.py PICTURES MODEL.tflite [--json] [--pictures N] [--rounds N]

`model` runs the interpreter as often as there are pictures on one that is
decoded already: nothing can be faster. `loop` opens, resizes and runs one
picture after the other, with PIL and LiteRT alone. `limner` is
`detect_corpus`, which decodes ahead, checks pictures and makes boxes. All
take turns, in processor time and in time, on one thread of the model.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image as Picture

from limner.corpus import Image
from limner.vision import detect_corpus, list_pictures, open_detector


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    files = [picture.file for picture in list_pictures(given.folder)][: given.pictures]
    interpreter = Interpreter(model_path=str(given.model), num_threads=1)
    interpreter.allocate_tensors()
    (place,) = interpreter.get_input_details()
    size = tuple(place["shape"][1:3][::-1])

    def run(pixels: np.ndarray) -> None:
        interpreter.set_tensor(place["index"], pixels[None].astype(place["dtype"]))
        interpreter.invoke()

    def opened(file: str) -> np.ndarray:
        with Picture.open(given.folder / file) as picture:
            return np.asarray(picture.convert("RGB").resize(size, Picture.Resampling.BILINEAR))

    first = opened(files[0])
    detector = open_detector(given.model)
    ways: dict[str, Callable[[], object]] = {
        "model": lambda: [run(first) for _ in files],
        "loop": lambda: [run(opened(file)) for file in files],
        "limner": lambda: list(detect_corpus((Image(file, file=file) for file in files), given.folder, detector)),
    }
    rounds = [{name: timed(way) for name, way in ways.items()} for _ in range(given.rounds)]
    for name in ways:
        seconds, work = (median(turn[name][i] for turn in rounds) for i in (0, 1))
        ratio, work_ratio = (median(turn[name][i] / turn["loop"][i] for turn in rounds) for i in (0, 1))
        row = {
            "way": name,
            "pictures/s": round(len(files) / seconds, 1),
            "ms of a processor": round(1e3 * work / len(files), 1),
        }
        row |= {"time, of loop's": round(ratio, 2), "processor, of loop's": round(work_ratio, 2)}
        print(json.dumps(row) if given.json else "  ".join(f"{key}: {value}" for key, value in row.items()))


def timed(way: Callable[[], object]) -> tuple[float, float]:
    started, worked = time.perf_counter(), time.process_time()
    way()
    return time.perf_counter() - started, time.process_time() - worked


if __name__ == "__main__":
    main()
