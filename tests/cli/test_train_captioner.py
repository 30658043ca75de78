"""`limner train captioner`, mostly in this process; a run that is killed has one of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from captioner_runs import CONFIG, KILLED, SELF_CRITICAL, losses, train_captioner, trained
from command_line import limner
from limner import lazy
from limner.caption.captioner_config import CONFIGS, read_captioner_config
from limner.cli import train_captioner as command
from limner.corpus import Caption, Image, open_corpus, write_corpus
from limner.errors import MissingLibrary
from limner.learn.torch import training_stage
from limner.playground import World, playground, write_world
from process_pairs import HAS_LOOPBACK, torchrun

# Settings by which a small model learns to say a little, so that the second stage has something to learn from;
# the last epoch of each stage is kept.
LEARNING = (
    CONFIG.replace("hidden = 16", "hidden = 24")
    .replace("epochs = 2", "epochs = 8")
    .replace("learning_rate = 0.02", "learning_rate = 0.01")
    .replace("checkpoint_steps = 4", "checkpoint_steps = 100")
    + SELF_CRITICAL
).replace('best_by = "CIDEr"\n', "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes without pictures, settings of a small captioner, and what was trained with them."""
    folder = tmp_path_factory.mktemp("train-captioner")
    write_corpus(playground(40), folder / "world.jsonl")
    write_corpus(playground(6, seed=1), folder / "others.jsonl")
    write_corpus([Image("a", 9, 9)], folder / "bare.jsonl")
    (folder / "tiny.toml").write_text(LEARNING)
    done = train_captioner(folder, "model")
    assert done.returncode == 0, done.stderr
    (folder / "said.txt").write_text(done.stdout + done.stderr)
    return folder


@pytest.mark.skipif(not HAS_LOOPBACK, reason="loopback has another name elsewhere")
def test_two_processes_train_the_captioner_of_one(folder: Path) -> None:
    (folder / "steady.toml").write_text(LEARNING.replace("dropout = 0.1", "dropout = 0"))
    options = ("--config", folder / "steady.toml", "--threads", 1)
    one = limner("train", "captioner", folder / "world.jsonl", "--out", folder / "of-one", *options)
    assert one.returncode == 0, one.stderr
    two = torchrun("-m", "limner", "train", "captioner", folder / "world.jsonl", "--out", folder / "of-two", *options)
    assert two.returncode == 0, two.stderr
    # Only the first process speaks.
    assert two.stderr.count("words epoch 1:") == 1
    assert losses(folder, "of-one", "cider")[0] < 0
    # Not the weights: Adam turns the last bits of a small gradient into steps of full size.
    for stage in ("words", "cider"):
        assert losses(folder, "of-two", stage) == pytest.approx(losses(folder, "of-one", stage), rel=1e-4, abs=1e-5)


def test_epochs_are_told_and_training_is_drawn(folder: Path) -> None:
    said = (folder / "said.txt").read_text()
    epochs = [line.split(": ")[1] for line in said.splitlines() if " epoch " in line][:9]
    assert epochs == [*(f"words epoch {number}" for number in range(1, 9)), "CIDEr epoch 1"]
    assert f"written to {folder / 'model'}" in said
    # Nothing that only training needed is left.
    names = {path.name for path in (folder / "model").iterdir()}
    assert names == {"captioner.json", "weights.safetensors", "training.svg"}
    facts = trained(folder, "model")
    assert (facts["n_images"], facts["n_held_out"]) == (36, 4)
    assert {stage: len(epochs) for stage, epochs in facts["history"].items()} == {"words": 8, "cider": 1}


@pytest.mark.parametrize(
    "n_checkpoints", [pytest.param(2, id="words", marks=pytest.mark.slow), pytest.param(10, id="CIDEr")]
)
def test_a_run_that_was_killed_ends_with_the_same_weights(folder: Path, tmp_path: Path, n_checkpoints: int) -> None:
    arguments = [
        "train",
        "captioner",
        folder / "world.jsonl",
        "--config",
        folder / "tiny.toml",
        "--out",
        tmp_path / "m",
    ]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(n_checkpoints), *map(str, arguments), "--threads", "1"],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    # The second stage has something to learn: captions that are worth more than others.
    assert losses(folder, "model", "cider")[0] < 0
    refused = limner("caption", folder / "others.jsonl", "--model", tmp_path / "m", "-o", tmp_path / "x.jsonl")
    assert (refused.returncode, refused.stderr.count("\n"), "--resume" in refused.stderr) == (1, 1, True)
    again = limner(*arguments)
    assert (again.returncode, "--resume" in again.stderr) == (1, True)
    assert limner(*arguments, "--resume", "--threads", 1).returncode == 0
    assert (tmp_path / "m" / "weights.safetensors").read_bytes() == (
        folder / "model" / "weights.safetensors"
    ).read_bytes()


def test_a_run_that_is_interrupted_says_how_it_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = training_stage.write_checkpoint

    def interrupted(*arguments: Any) -> None:
        write(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(training_stage, "write_checkpoint", interrupted)
    done = train_captioner(folder, "interrupted")
    assert done.returncode == 130
    assert f"the run in {folder / 'interrupted'} goes on with --resume" in done.stderr


def test_captions_with_nothing_in_common_with_peoples_are_warned_of(folder: Path) -> None:
    # Two epochs are not enough: captions have one word.
    (folder / "silent.toml").write_text(CONFIG)
    done = train_captioner(folder, "silent", "--config", folder / "silent.toml")
    assert (done.returncode, "its captions have nothing in common with people's" in done.stderr) == (0, True)


def test_a_run_that_has_ended_is_not_run_again(folder: Path) -> None:
    before = (folder / "model" / "weights.safetensors").read_bytes()
    done = train_captioner(folder, "model", "--resume")
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / "model" / "weights.safetensors").read_bytes() == before
    other = train_captioner(folder, "model", "--resume", "--seed", 3)
    assert (other.returncode, "of another run: its seed is not the same; name another folder" in other.stderr) == (
        1,
        True,
    )


def test_classes_that_are_left_out_are_in_no_training_caption(folder: Path) -> None:
    done = train_captioner(folder, "without", "--without", "dog,tree", "--seed", 1)
    assert done.returncode == 0
    assert "left out: " in done.stderr
    record = json.loads((folder / "without" / "captioner.json").read_text())
    assert record["trained"]["without"] == ["dog", "tree"]
    assert not {"dog", "dogs", "tree", "trees"} & set(record["vocabulary"])
    assert {"dog", "tree"} & {word for image in open_corpus(folder / "world.jsonl") for word in words(image)}


def test_a_single_image_is_told_in_the_singular(folder: Path) -> None:
    zebra = Image("z", 9, 9, captions=(Caption("0", "A zebra stands."),))
    write_corpus([*open_corpus(folder / "world.jsonl"), zebra], folder / "zebra.jsonl")
    done = train_captioner(folder, "single", "--without", "zebra", corpus="zebra.jsonl")
    assert done.returncode == 0, done.stderr
    assert "left out: 1 image that shows or mentions zebra\n" in done.stderr


def test_a_single_image_cannot_choose_the_epoch(folder: Path) -> None:
    write_corpus(playground(1, seed=1), folder / "single.jsonl")
    done = train_captioner(folder, "alone", "--valid", folder / "single.jsonl")
    assert done.returncode == 1
    assert "single.jsonl: only 1 image to choose the epoch by; give at least 2 images with captions" in done.stderr


def test_a_class_that_is_nowhere_is_warned_of_and_a_missing_file_refused(folder: Path) -> None:
    done = train_captioner(folder, "nowhere", "--without", "dgo,tree")
    assert "warning: no image shows or mentions 'dgo'\n" in done.stderr
    refused = train_captioner(folder, "nofile", "--without", "nofile.txt")
    assert refused.returncode == 1
    assert "nofile.txt: there is no such file of classes" in refused.stderr


def words(image: Image) -> list[str]:
    return [word.strip(".,") for caption in image.captions for word in caption.text.split()]


def test_other_images_choose_the_epoch(folder: Path) -> None:
    done = train_captioner(folder, "valid", "--valid", folder / "others.jsonl")
    assert done.returncode == 0
    facts = trained(folder, "valid")
    assert (facts["n_images"], facts["n_held_out"], facts["tuned_on"]) == (40, 6, "others.jsonl")
    refused = train_captioner(folder, "x", "--valid", folder / "world.jsonl")
    assert (refused.returncode, "40 of 40 images are training images" in refused.stderr) == (1, True)


def test_a_descriptor_of_pictures_trains_and_is_remembered(folder: Path, tmp_path: Path) -> None:
    write_world(World(captions=(2, 2), size=(120, 120)), 14, str(tmp_path / "seen.jsonl"), pictures=True)
    (tmp_path / "tiny.toml").write_text(CONFIG)
    pictures = tmp_path / "seen_pictures"
    done = train_captioner(tmp_path, "model", "--features", "shape", "--pictures", pictures, corpus="seen.jsonl")
    assert done.returncode == 0, done.stderr
    # The store that was made on the way is not left there.
    assert not (tmp_path / "model" / "features").exists()
    refused = limner("caption", tmp_path / "seen.jsonl", "--model", tmp_path / "model", "-o", tmp_path / "a.jsonl")
    assert refused.returncode == 1
    assert refused.stderr.endswith("pass --pictures to name their folder\n")
    caption = ("caption", tmp_path / "seen.jsonl", "--model", tmp_path / "model", "-o")
    assert limner(*caption, tmp_path / "a.jsonl", "--pictures", pictures).returncode == 0
    # A captioner of a store says the same from the same features.
    made = ("features", tmp_path / "seen.jsonl", "--model", "shape", "--boxes", "mixed", "--pictures", pictures)
    assert limner(*made, "-o", tmp_path / "store").returncode == 0
    assert train_captioner(tmp_path, "stored", "--features", tmp_path / "store", corpus="seen.jsonl").returncode == 0
    by_store = ("caption", tmp_path / "seen.jsonl", "--model", tmp_path / "stored", "-o", tmp_path / "b.jsonl")
    assert limner(*by_store).returncode == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    (shard,) = (tmp_path / "store").glob("*.npy")
    rows = np.lib.format.open_memmap(shard, mode="r+")
    rows[3, 5] = np.nan
    rows.flush()
    refused = train_captioner(tmp_path, "bad", "--features", tmp_path / "store", corpus="seen.jsonl")
    assert refused.returncode == 1
    assert "are not finite numbers; make them anew with `limner features`" in refused.stderr


def test_training_does_without_plots_where_nothing_draws(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        if name == "limner.look.plots":
            raise MissingLibrary("matplotlib", "plots")
        return lazy.load(name)

    monkeypatch.setattr(command, "load", missing)
    done = train_captioner(folder, "undrawn")
    assert done.returncode == 0
    assert "training will not be drawn: this needs matplotlib" in done.stderr
    assert not (folder / "undrawn" / "training.svg").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "model"], "name another, or pass --resume to go on with the run in it"),
        (["--out", "world.jsonl"], "is a file; name a folder"),
        (["--out", "x", "--config", "lapptop"], "unknown config 'lapptop'; did you mean 'laptop'?"),
        (["--out", "x", "--config", "none.toml"], "none.toml: cannot read"),
        (["--out", "x", "--config", "odd.toml"], "odd.toml: unknown key in [model] 'hiden'; did you mean 'hidden'?"),
        (["--out", "x", "--features", "shape"], "pass --pictures to name their folder"),
        (["--out", "x", "--features", "none.tflite", "--pictures", "."], "none.tflite"),
        (["--out", "x", "--valid", "bare.jsonl"], "give at least 2 images with captions"),
    ],
)
def test_faults_are_one_line_with_a_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "odd.toml").write_text(CONFIG.replace("hidden", "hiden"))
    config = [] if "--config" in options else ["--config", "tiny.toml"]
    done = limner("train", "captioner", "world.jsonl", *config, *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_captions_without_words_are_refused_or_left_out(folder: Path) -> None:
    (first, *rest) = open_corpus(folder / "world.jsonl")
    empty = Image(
        first.id, first.width, first.height, first.boxes, captions=(Caption("0", "..."), Caption("1", "A dog."))
    )
    write_corpus([empty, *rest], folder / "empty.jsonl")
    refused = train_captioner(folder, "y", corpus="empty.jsonl")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "has no word; remove it, or pass --lenient to leave it out" in refused.stderr
    done = train_captioner(folder, "y", "--lenient", corpus="empty.jsonl")
    assert (done.returncode, "caption without a word" in done.stderr) == (0, True)
    bare = limner("train", "captioner", folder / "bare.jsonl", "--out", folder / "z", "--config", folder / "tiny.toml")
    assert (bare.returncode, "0 images have captions" in bare.stderr) == (1, True)


def test_a_checkpoint_of_another_run_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, numbers = training_stage.write_checkpoint, iter(range(3))

    def write_and_stop(*arguments: Any) -> None:
        write(*arguments)
        if next(numbers) == 2:
            raise KeyboardInterrupt

    model = tmp_path / "m"
    arguments = ["train", "captioner", folder / "world.jsonl", "--config", folder / "tiny.toml", "--out", model]
    with monkeypatch.context() as patch:
        patch.setattr(training_stage, "write_checkpoint", write_and_stop)
        assert limner(*arguments, "--threads", 1).returncode == 130
    checkpoint = model / "words.checkpoint.safetensors"
    (tmp_path / "other.toml").write_text((CONFIG + SELF_CRITICAL).replace("hidden = 16", "hidden = 20"))
    other = [tmp_path / "other.toml" if word == folder / "tiny.toml" else word for word in arguments]
    for changed, said in (
        (other, "is of another run"),
        ([*arguments, "--seed", 5], "is of another run"),
        ([*arguments, "--threads", 2], "is of another run: it took 1 threads, now 2; leave --threads out"),
    ):
        refused = limner(*changed, "--resume")
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-1].startswith(f"limner: {checkpoint}: ")
        assert said in refused.stderr
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    refused = limner(*arguments, "--resume")
    assert (refused.returncode, str(checkpoint) in refused.stderr) == (1, True)


def test_the_configs_of_limner_are_sound_and_the_papers_is_table_7() -> None:
    assert sorted(path.stem for path in CONFIGS.glob("*.toml")) == ["laptop", "paper", "small"]
    paper = read_captioner_config("paper")
    assert (paper.model.hidden, paper.model.attention, paper.training.batch) == (1200, 768, 150)
    assert (paper.training.optimiser, paper.training.learning_rate, paper.training.clip) == ("sgd", 0.015, 12.5)
    assert read_captioner_config("laptop").self_critical is not None
