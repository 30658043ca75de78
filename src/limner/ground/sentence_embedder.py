"""Sentence embeddings by a model of Hugging Face's in a folder, such as all-MiniLM-L6-v2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
import transformers

from limner.arrays import Singles
from limner.errors import BadInput, one_line
from limner.files import open_file
from limner.learn.transformers_folders import check_folder, fingerprint, load_model, load_part, quiet_library
from limner.text.text_embedders import unit_rows
from limner.text.words import words

# Texts that the model reads at a time.
BATCH = 64

# Tokens of a text at most, where neither the model nor its tokeniser tells.
MAX_TOKENS = 512

MAX_CONFIG = 1 << 16


class SentenceEmbedder:
    """Vectors of length 1 of whole texts; what is longer than the model takes is cut.

    Tokens' vectors are averaged, or the first is taken, as the folder's
    `1_Pooling/config.json` says; without one they are averaged. A text without
    a word is a row of zeros. Texts of equal length are read together, without
    padding: what else is embedded changes a vector in its last digits alone.
    """

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        check_folder(folder)
        self._folder = folder
        self._takes_first = _pooling(folder)
        # Sums are always in one order.
        torch.set_num_threads(1)
        with quiet_library():
            model = load_model(folder, transformers.AutoModel)
            self._tokeniser = load_part(folder, transformers.AutoTokenizer)
        # Of models of pictures and words, the part that reads.
        self._model = getattr(model, "text_model", model).eval()
        config = getattr(model.config, "text_config", model.config)
        longest = getattr(config, "max_position_embeddings", None) or MAX_TOKENS
        self._longest = int(min(longest, self._tokeniser.model_max_length, MAX_TOKENS))
        self.n_dims = int(config.hidden_size)
        library = f"transformers:{transformers.__version__}|torch:{torch.__version__}"
        pooling = "first" if self._takes_first else "mean"
        self.signature = f"sentence|{library}|sha256:{fingerprint(folder)}|pooling:{pooling}|version:1"

    def embed(self, texts: Sequence[str]) -> Singles:
        row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        distinct = np.zeros((len(row_of), self.n_dims), dtype=np.float32)
        known = [text for text in row_of if self.knows(text)]
        if known:
            distinct[[row_of[text] for text in known]] = self._embedded(known)
        return distinct[[row_of[text] for text in texts]] if texts else distinct

    def knows(self, text: str) -> bool:
        return bool(words(text))

    def _embedded(self, texts: list[str]) -> Singles:
        tokens = self._tokeniser(texts, truncation=True, max_length=self._longest, verbose=False)["input_ids"]
        by_length: dict[int, list[int]] = {}
        for row, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(row)
        embedded = np.empty((len(texts), self.n_dims), dtype=np.float32)
        for rows in by_length.values():
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                embedded[batch] = self._pooled([tokens[row] for row in batch])
        return unit_rows(embedded)

    def _pooled(self, token_ids: list[list[int]]) -> Singles:
        given = torch.tensor(token_ids)
        try:
            with torch.inference_mode():
                hidden = self._model(input_ids=given, attention_mask=torch.ones_like(given)).last_hidden_state
        except (ValueError, RuntimeError, LookupError, TypeError, AttributeError) as error:
            problem = f"the model does not take texts ({one_line(str(error), 200)})"
            raise BadInput(str(self._folder), problem, "give a model of sentences") from error
        pooled = hidden[:, 0] if self._takes_first else hidden.mean(dim=1)
        return np.asarray(pooled.float().numpy())


def _pooling(folder: Path) -> bool:
    """Whether the first token stands for all, as the folder says."""
    path = folder / "1_Pooling" / "config.json"
    if not path.exists():
        return False
    with open_file(path) as handle:
        raw = handle.read(MAX_CONFIG)
    try:
        config = msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadInput(str(path), "is not JSON", "is the model complete?") from error
    modes = {name for name, value in config.items() if name.startswith("pooling_mode_") and value is True}
    if modes == {"pooling_mode_cls_token"}:
        return True
    if modes <= {"pooling_mode_mean_tokens"}:
        return False
    remedy = "give a model that takes the mean or the first token"
    raise BadInput(str(path), f"{', '.join(sorted(modes))} is not supported", remedy)
