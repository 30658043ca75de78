"""A CLIP with random weights, small enough to be made in a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def make_clip(folder: Path) -> Path:
    """A CLIP of two layers in a folder, its words single letters."""
    import torch
    import transformers

    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.CLIPConfig(
        text_config={
            "vocab_size": 520,
            "max_position_embeddings": 40,
            "bos_token_id": 512,
            "eos_token_id": 513,
            **size,
        },
        vision_config={"image_size": 32, "patch_size": 8, **size},
        projection_dim=8,
    )
    with silence(transformers):
        transformers.CLIPModel(config).save_pretrained(folder)
    write_words(folder)
    (folder / "preprocessor_config.json").write_text(
        json.dumps(
            {
                "image_processor_type": "CLIPImageProcessor",
                "size": {"shortest_edge": 32},
                "crop_size": {"height": 32, "width": 32},
            }
        )
    )
    return folder


class silence:
    """The library without its bars."""

    def __init__(self, transformers: Any) -> None:
        self._logging = transformers.logging

    def __enter__(self) -> None:
        self._logging.disable_progress_bar()

    def __exit__(self, *_: object) -> None:
        self._logging.enable_progress_bar()


def write_words(folder: Path) -> None:
    """A vocabulary of bytes, as CLIP's tokeniser spells them, within words and at their ends."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in plain] + [chr(256 + i) for i in range(256 - len(plain))]
    words = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
