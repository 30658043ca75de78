"""A captioner's training and its captions: how fast, beside plain PyTorch and beside plain beam search.

    python benchmarks/captioner.py [--part training|processes|captions] [--captioner DIR --corpus CORPUS] [--json]

`training`: words a second of Up-Down in Limner's batches, against a plain loop of the same model: sentences in random
order, padded to the longest, LSTM cells fed the whole input at every step, the usual Adam. Both take turns in one
run, with the same numbers of threads. `processes`: `torchrun` with two processes against one, each with one thread.
`captions`: up to 1,000 images of a corpus by a trained captioner, with a beam of 5 and three constraints from their
boxes, in both modes, against the same search without constraints; with the number of live sentences of an image, for
which the model is called. A model with random weights would not do: its sentences do not end.

Otherwise, sizes are those of the config `laptop`; regions and sentences are random, with the lengths of people's
captions (a mean of 11.8 words). Processor time is told beside the time by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace
from torch import Tensor, nn

from limner.caption import ConstraintChooser, Words, compile_constraints, constrained_search
from limner.caption.captioner_config import UpDownSettings, read_captioner_config
from limner.caption.constraints.vocabulary_adapter import VocabularyAdapter
from limner.caption.constraints.worded_constraints import compile_words
from limner.caption.models.captioner import Captioner
from limner.caption.models.region_batches import RegionBatch, region_batch
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_inputs import LearntWords
from limner.caption.region_inputs import ImageRegions
from limner.caption.region_streams import stream_regions
from limner.caption.training.caption_pairs import CaptionNumbers
from limner.caption.training.caption_tasks import WordTask
from limner.corpus import open_corpus
from limner.learn.length_batches import LengthBatches
from limner.learn.torch.training_stage import train_stage
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL

N_VOCAB, N_FEATURES, N_REGIONS, N_LABELS = 2_000, 1_288, 9, 62
N_IMAGES, CAPTIONS_EACH, N_CONSTRAINTS = 1_000, 5, 3
CONFIG = read_captioner_config("laptop")


def main() -> None:
    parts: dict[str, Callable[[], dict[str, Any]]] = {"training": training, "processes": processes}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*parts, "captions"], action="append", help="only this; all by default")
    parser.add_argument("--captioner", type=Path, help="a captioner that was trained on boxes, for captions")
    parser.add_argument("--corpus", type=Path, help="images with boxes, for captions")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        _worker(given.worker)
        return
    if given.captioner and given.corpus:
        parts["captions"] = lambda: captions(given.captioner, given.corpus)
    elif given.part and "captions" in given.part:
        parser.error("captions needs --captioner and --corpus")
    measured: dict[str, Any] = {}
    for name in given.part or parts:
        figures = parts[name]()
        measured |= figures
        if not given.json:
            print("\n".join(f"{key}: {value}" for key, value in figures.items()), flush=True)
    if given.json:
        print(json.dumps(measured))


class RandomRegions:
    """Regions of images that are there at once."""

    def __init__(self, n: int, seed: int = 0) -> None:
        draw = np.random.default_rng(seed)
        self._regions = [
            ImageRegions(
                draw.normal(size=(N_REGIONS, N_FEATURES)).astype(np.float32),
                draw.integers(0, N_LABELS, N_REGIONS),
                (None,) * N_REGIONS,
            )
            for _ in range(n)
        ]

    def batch(self, rows: Sequence[int]) -> RegionBatch:
        return region_batch([self._regions[at] for at in rows])


def sentences(seed: int = 0) -> CaptionNumbers:
    draw = np.random.default_rng(seed)
    n = N_IMAGES * CAPTIONS_EACH
    lengths = np.clip(draw.negative_binomial(12, 0.55, n) + 2, 3, 30)
    return CaptionNumbers(
        [draw.integers(N_SPECIAL, N_VOCAB, length).tolist() for length in lengths],
        np.repeat(np.arange(N_IMAGES), CAPTIONS_EACH),
    )


def make_model() -> UpDown:
    torch.manual_seed(0)
    words = LearntWords(N_VOCAB, CONFIG.words.size, CONFIG.model.hidden)
    return UpDown(words, N_FEATURES, N_LABELS, CONFIG.model)


class NoImages:
    def figures(self, model: UpDown) -> dict[str, float]:
        return {"CIDEr": 0.0}


def task(n_batch: int) -> WordTask:
    numbers = sentences()
    order = LengthBatches(numbers.lengths, n_batch, 0)
    return WordTask(make_model(), RandomRegions(N_IMAGES), numbers, NoImages(), order)  # type: ignore[arg-type]


class PlainUpDown(nn.Module):
    """The same model as most would write it: LSTM cells, and everything put together anew at every word."""

    def __init__(self, settings: UpDownSettings) -> None:
        super().__init__()
        n_hidden = settings.hidden
        self.words = nn.Embedding(N_VOCAB, CONFIG.words.size)
        self.labels = nn.Embedding(N_LABELS, settings.label)
        self.project = nn.Linear(N_FEATURES + settings.label, settings.region)
        self.key = nn.Linear(settings.region, settings.attention)
        self.query = nn.Linear(n_hidden, settings.attention)
        self.weigh = nn.Linear(settings.attention, 1)
        self.top = nn.LSTMCell(n_hidden + settings.region + CONFIG.words.size, n_hidden)
        self.next = nn.LSTMCell(settings.region + n_hidden, n_hidden)
        self.output = nn.Linear(n_hidden, N_VOCAB)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, regions: RegionBatch, tokens: Tensor) -> Tensor:
        values = torch.cat([regions.features, self.labels(regions.labels)], -1)
        values = self.dropout(torch.relu(self.project(values)))
        mean = values.mean(1)
        zeros = values.new_zeros(len(tokens), self.query.in_features)
        h1, c1, h2, c2 = zeros, zeros, zeros, zeros
        scores = []
        for at in range(tokens.shape[1]):
            word = self.dropout(self.words(tokens[:, at]))
            h1, c1 = self.top(torch.cat([h2, mean, word], 1), (h1, c1))
            attention = self.weigh(torch.tanh(self.key(values) + self.query(h1).unsqueeze(1))).softmax(1)
            h2, c2 = self.next(torch.cat([(attention * values).sum(1), h1], 1), (h2, c2))
            scores.append(self.output(self.dropout(h2)))
        return torch.stack(scores, 1)


def training() -> dict[str, Any]:
    """Words a second of both loops, step by step in turns."""
    torch.set_num_threads(1)
    n_batch, rounds = CONFIG.training.batch, 3
    ours = task(n_batch)
    plain = PlainUpDown(CONFIG.model)
    steps = {"limner": _limner_steps(ours), "plain": _plain_steps(plain, ours, n_batch)}
    speeds: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            started, n_words = time.process_time(), 0
            for _ in range(12):
                n_words += step()
            speeds[name].append(n_words / (time.process_time() - started))
    figures = {f"{name}_words_per_second": round(median(values)) for name, values in speeds.items()}
    ratios = [a / b for a, b in zip(speeds["limner"], speeds["plain"], strict=True)]
    return {**figures, "training_ratio": round(median(ratios), 2), "peak_mb": _peak(), "load": os.getloadavg()}


def _limner_steps(ours: WordTask) -> Callable[[], int]:
    ours.model.train()
    optimiser = torch.optim.Adam(ours.model.parameters(), lr=1e-3, fused=True)
    batches = iter(ours.batches(1))

    def step() -> int:
        batch = next(batches)
        total, n_items = ours.loss(batch, 0, 1)
        (total / n_items).backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=False)
        return n_items

    return step


def _plain_steps(model: PlainUpDown, ours: WordTask, n_batch: int) -> Callable[[], int]:
    model.train()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    order = np.random.default_rng(0).permutation(len(ours.captions.captions))
    at = 0

    def step() -> int:
        nonlocal at
        rows = order[at : at + n_batch]
        at += n_batch
        batch = ours.captions.batch(rows)
        scores = model(ours.regions.batch(ours.captions.images[rows]), batch.tokens)
        losses = nn.functional.cross_entropy(scores.flatten(0, 1), batch.targets.flatten(), reduction="none")
        n_words = int(batch.mask.sum())
        ((losses * batch.mask.flatten()).sum() / n_words).backward()
        optimiser.step()
        optimiser.zero_grad()
        return n_words

    return step


def processes() -> dict[str, Any]:
    """Words a second by the clock of one process and of two, each with one thread."""
    figures: dict[str, Any] = {}
    for n in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={n}"]
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            subprocess.run([*command, __file__, "--worker", folder], check=True, env=environment)
            figures[f"words_per_second_of_{n}"] = json.loads((Path(folder) / "speed.json").read_text())
    figures["processes_ratio"] = round(figures["words_per_second_of_2"] / figures["words_per_second_of_1"], 2)
    return {**figures, "load": os.getloadavg()}


def _worker(folder: Path) -> None:
    settings = replace(CONFIG.training, epochs=1, average=0.0, checkpoint_steps=10_000, best_by="", patience=0)
    ours = task(settings.batch)
    few = ours.batches(1)[:30]
    object.__setattr__(ours, "order", _Few(ours.order, few))
    result = train_stage(ours, settings, folder / "checkpoint.safetensors", seed=0, name="speed", threads=1)
    (folder / "speed.json").write_text(json.dumps(round(result.history[0].items_per_second)))


class _Few:
    """Some batches as an epoch."""

    def __init__(self, order: LengthBatches, batches: Sequence[Any]) -> None:
        self.lengths = order.lengths
        self._batches = batches

    def epoch(self, number: int) -> Sequence[Any]:
        return self._batches


def captions(folder: Path, corpus: Path) -> dict[str, Any]:
    """Seconds for 1,000 images without constraints and with, and how many sentences the model is called for."""
    torch.set_num_threads(1)
    captioner = Captioner.load(folder)
    chooser = ConstraintChooser()
    chosen = []
    for image, regions in stream_regions(open_corpus(corpus), captioner.record.regions, captioner.labels):
        words = [Words(tuple(captioner.sayable(c.phrases))) for c in chooser.choose(image).constraints]
        if sum(bool(word.phrases) for word in words) == N_CONSTRAINTS:
            chosen.append((regions, words))
        if len(chosen) == N_IMAGES:
            break
    adapter = VocabularyAdapter(captioner.vocabulary)
    asked = [compile_words(words, adapter) for _, words in chosen]
    free = [compile_constraints([], n_vocab=len(captioner.vocabulary))] * len(chosen)
    figures: dict[str, Any] = {"images": len(chosen)}
    ways = (("plain", free, "per_state"), ("banks", asked, "banks"), ("per_state", asked, "per_state"))
    for name, automata, mode in ways:
        seconds, n_live, n_met = _search(captioner.model, [regions for regions, _ in chosen], automata, mode)
        figures |= {f"{name}_seconds": round(seconds, 1), f"{name}_live_sentences": round(n_live, 1)}
        figures[f"{name}_met"] = n_met
    for name in ("banks", "per_state"):
        figures[f"{name}_overhead"] = round(figures[f"{name}_seconds"] / figures["plain_seconds"], 2)
    figures["half_of_live_over_beam"] = round(figures["per_state_live_sentences"] / CONFIG.decoding.beam / 2, 2)
    return {**figures, "peak_mb": _peak(), "load": os.getloadavg()}


def _search(
    model: UpDown, regions: Sequence[ImageRegions], automata: Sequence[Any], mode: Any
) -> tuple[float, float, int]:
    """Processor time, the sentences of an image that the model is called for at a step, and captions that say all."""
    n_batch, n_images_called, n_rows, n_met = 50, 0, 0, 0
    started = time.process_time()
    with torch.no_grad():
        for first in range(0, len(regions), n_batch):
            decoder = model.decoder(region_batch(regions[first : first + n_batch]))

            def step(tokens: Tensor, state: Any, decoder: Any = decoder) -> Any:
                nonlocal n_images_called, n_rows
                n_images_called += len(state["image"].unique())
                n_rows += len(tokens)
                return decoder.step(tokens, state)

            results = constrained_search(
                step,
                decoder.state,
                automata=automata[first : first + n_batch],
                beam=CONFIG.decoding.beam,
                max_len=CONFIG.decoding.max_len,
                mode=mode,
                bos=BOS,
                eos=EOS,
            )
            n_met += sum(result.met for result in results)
    return time.process_time() - started, n_rows / n_images_called, n_met


def _peak() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main()
