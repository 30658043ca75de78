"""Captioners with slots, trained and used by the command line in this process; a killed run has one of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs

from captioner_runs import CONFIG, KILLED, SELF_CRITICAL, losses, train_captioner
from command_line import limner
from limner.corpus import Image, open_corpus, write_corpus
from limner.playground import World, playground, write_world
from limner.text.word_vectors import open_word_vectors
from process_pairs import HAS_LOOPBACK, torchrun

NBT = ("--model", "nbt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes without pictures, word vectors of their words, and a captioner with slots that was trained on them."""
    folder = tmp_path_factory.mktemp("slots")
    write_corpus(playground(40), folder / "world.jsonl")
    write_corpus(playground(8, seed=1), folder / "others.jsonl")
    write_vectors(folder / "vectors.txt")
    words = f'size = 16\nvectors = "{folder / "vectors.txt"}"'
    longer = (CONFIG + SELF_CRITICAL).replace("epochs = 2", "epochs = 6")
    (folder / "tiny.toml").write_text(longer.replace("size = 16", words))
    (folder / "short.toml").write_text(CONFIG.replace("size = 16", words))
    done = train_captioner(folder, "model", *NBT)
    assert done.returncode == 0, done.stderr
    (folder / "said.txt").write_text(done.stderr)
    return folder


def write_vectors(path: Path) -> None:
    """A file of those of the installed vectors that the playground's captions and labels need."""
    images = [*playground(60), *playground(20, seed=1)]
    words = {
        word.strip(".,").lower() for image in images for caption in image.captions for word in caption.text.split()
    }
    words |= {part for image in images for box in image.boxes for part in box.label.lower().split()}
    installed = open_word_vectors()
    lines = [f"{word} {' '.join(f'{n:.5g}' for n in installed[word])}" for word in sorted(words) if word in installed]
    path.write_text("\n".join(lines) + "\n")


def caption(folder: Path, model: str, out: str, *options: object, corpus: str = "others.jsonl") -> list[Image]:
    done = limner("caption", folder / corpus, "--model", folder / model, "-o", folder / out, *options)
    assert done.returncode == 0, done.stderr
    return list(open_corpus(folder / out))


@pytest.mark.slow
@pytest.mark.skipif(not HAS_LOOPBACK, reason="loopback has another name elsewhere")
def test_two_processes_train_the_captioner_of_one(folder: Path) -> None:
    (folder / "steady.toml").write_text((folder / "short.toml").read_text().replace("dropout = 0.1", "dropout = 0"))
    options = ("--config", folder / "steady.toml", "--threads", 1, *NBT)
    one = limner("train", "captioner", folder / "world.jsonl", "--out", folder / "of-one", *options)
    assert one.returncode == 0, one.stderr
    two = torchrun("-m", "limner", "train", "captioner", folder / "world.jsonl", "--out", folder / "of-two", *options)
    assert two.returncode == 0, two.stderr
    # Not the weights: Adam turns the last bits of a small gradient into steps of full size.
    assert losses(folder, "of-two", "words") == pytest.approx(losses(folder, "of-one", "words"), rel=1e-4, abs=1e-5)


def test_both_stages_are_told_and_remembered(folder: Path) -> None:
    said = (folder / "said.txt").read_text()
    assert "of the captions' words are slots" in said
    assert "CIDEr epoch 1" in said
    record = json.loads((folder / "model" / "captioner.json").read_text())
    assert record["model"] == "nbt"
    assert record["config"]["words"]["kind"] == "glove"
    assert any(" " in word for word in record["slots"])
    assert not any(" " in word for word in record["vocabulary"])
    assert {path.name for path in (folder / "model").iterdir()} == {
        "captioner.json",
        "weights.safetensors",
        "training.svg",
    }


@pytest.mark.slow
@pytest.mark.parametrize("n_checkpoints", [2, 28], ids=["words", "CIDEr"])
def test_a_run_that_was_killed_ends_with_the_same_weights(folder: Path, tmp_path: Path, n_checkpoints: int) -> None:
    arguments = ["train", "captioner", folder / "world.jsonl", *NBT, "--config", folder / "tiny.toml"]
    arguments += ["--out", tmp_path / "m", "--threads", 1]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(n_checkpoints), *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    # The other model, or other slots, are of another run.
    assert "of another run" in limner(*arguments[:3], *arguments[5:], "--resume").stderr
    (tmp_path / "slots.toml").write_text((folder / "tiny.toml").read_text() + "[slots]\nscore = 0.7\n")
    other = [tmp_path / "slots.toml" if word == folder / "tiny.toml" else word for word in arguments]
    assert "of another run" in limner(*other, "--resume").stderr
    done = limner(*arguments, "--resume")
    assert done.returncode == 0, done.stderr
    ours, theirs = (path / "weights.safetensors" for path in (folder / "model", tmp_path / "m"))
    assert ours.read_bytes() == theirs.read_bytes()


def test_captions_have_words_of_slots_and_do_not_depend_on_the_batch(folder: Path) -> None:
    images = caption(folder, "model", "a.jsonl")
    origins = {mention.origin for image in images for mention in image.captions[0].mentions}
    assert "slot" in origins
    assert {image.captions[0].source for image in images} == {"system:nbt"}
    caption(folder, "model", "b.jsonl", "--batch", 3)
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()


def test_constraints_are_met_and_slots_explained(folder: Path) -> None:
    done = limner(
        *("caption", folder / "others.jsonl", "--model", folder / "model", "-o", folder / "c.jsonl"),
        *("--constrain", "boxes", "--explain", "--lenient"),
    )
    assert done.returncode == 0, done.stderr
    assert "captions that meet enough constraints: 8 of 8" in done.stderr
    assert "constraint" in {m.origin for image in open_corpus(folder / "c.jsonl") for m in image.captions[0].mentions}
    free = limner(
        *("caption", folder / "others.jsonl", "--model", folder / "model", "-o", folder / "d.jsonl"),
        *("--explain", "--json"),
    )
    words = [word for line in free.stdout.splitlines() for word in json.loads(line)["words"]]
    tied = [word for word in words if "slots" in word]
    assert tied
    assert all(0.5 < sum(part["share"] for part in word["slots"]) <= 1.0001 for word in tied if len(word["slots"]) < 3)
    said = limner(
        "caption", folder / "others.jsonl", "--model", folder / "model", "-o", folder / "d.jsonl", "--explain"
    )
    assert " slot of " in said.stdout


def test_words_may_be_learnt(folder: Path) -> None:
    text = (folder / "short.toml").read_text().replace("size = 16", 'kind = "learnt"\nsize = 16')
    (folder / "learnt.toml").write_text(text)
    assert train_captioner(folder, "learnt", *NBT, "--config", folder / "learnt.toml").returncode == 0
    assert len(caption(folder, "learnt", "e.jsonl")) == 8
    # The vectors of slots may be moved.
    (folder / "moved.txt").write_bytes((folder / "vectors.txt").read_bytes())
    caption(folder, "learnt", "f.jsonl", "--words-from", folder / "moved.txt")
    assert (folder / "e.jsonl").read_bytes() == (folder / "f.jsonl").read_bytes()


def test_features_of_pictures_have_slots_too(folder: Path, tmp_path: Path) -> None:
    write_world(World(captions=(2, 2), size=(120, 120)), 14, str(tmp_path / "seen.jsonl"), pictures=True)
    pictures, config = tmp_path / "seen_pictures", folder / "short.toml"
    made = ("features", tmp_path / "seen.jsonl", "--model", "shape", "--boxes", "mixed", "--pictures", pictures)
    assert limner(*made, "-o", tmp_path / "store").returncode == 0
    stored = (*NBT, "--config", config, "--features", tmp_path / "store")
    done = train_captioner(tmp_path, "stored", *stored, corpus="seen.jsonl")
    assert done.returncode == 0, done.stderr
    viewed = (*NBT, "--config", config, "--features", "shape", "--pictures", pictures)
    assert train_captioner(tmp_path, "viewed", *viewed, corpus="seen.jsonl").returncode == 0
    by_store = caption(tmp_path, "stored", "a.jsonl", corpus="seen.jsonl")
    by_model = caption(tmp_path, "viewed", "b.jsonl", "--pictures", pictures, corpus="seen.jsonl")
    assert [image.captions for image in by_store] == [image.captions for image in by_model]


def test_images_without_boxes_are_described_by_the_text(folder: Path) -> None:
    write_corpus([Image("bare", 90, 90), Image("unsized")], folder / "bare.jsonl")
    images = caption(folder, "model", "g.jsonl", corpus="bare.jsonl")
    assert [len(image.captions) for image in images] == [1, 1]
    assert not [m for image in images for m in image.captions[0].mentions if m.origin == "slot"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[slots]\nscore = 2.0\n", "score must be 0 to 1"),
        ("[slots]\nscroe = 0.5\n", "unknown key in [slots] 'scroe'; did you mean 'score'?"),
    ],
)
def test_faulty_slots_are_one_line(folder: Path, text: str, said: str) -> None:
    (folder / "odd.toml").write_text(CONFIG + text)
    done = train_captioner(folder, "x", *NBT, "--config", folder / "odd.toml")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert said in done.stderr


def test_a_language_model_is_refused(folder: Path) -> None:
    words = 'kind = "language-model"\nlanguage_model = "lm"\nsize = 16'
    (folder / "lm.toml").write_text(CONFIG.replace("size = 16", words))
    done = train_captioner(folder, "x", *NBT, "--config", folder / "lm.toml")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "words.kind: Neural Baby Talk knows what slots say by word vectors" in done.stderr


def test_vectors_that_are_missing_are_told_with_the_option(folder: Path, tmp_path: Path) -> None:
    text = (folder / "short.toml").read_text()
    (tmp_path / "own.txt").write_bytes((folder / "vectors.txt").read_bytes())
    (folder / "own.toml").write_text(text.replace(str(folder / "vectors.txt"), str(tmp_path / "own.txt")))
    assert train_captioner(folder, "own", *NBT, "--config", folder / "own.toml").returncode == 0
    (tmp_path / "own.txt").unlink()
    (first, *rest) = open_corpus(folder / "others.jsonl")
    novel = Image(
        first.id, first.width, first.height, tuple(structs.replace(box, label="quokka") for box in first.boxes)
    )
    write_corpus([novel, *rest], folder / "novel.jsonl")
    done = limner("caption", folder / "novel.jsonl", "--model", folder / "own", "-o", folder / "h.jsonl")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "--words-from" in done.stderr
