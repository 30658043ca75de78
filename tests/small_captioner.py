"""A caption model with everything that the next ones will have: a class over `nn.Module`, in full types.

`make check` runs mypy on this file, so that subclassing PyTorch's modules stays possible under strict checks.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

State = dict[str, Tensor]


class SmallCaptioner(nn.Module):
    """An LSTM with random weights that begins with an image's features."""

    def __init__(self, n_vocab: int, size: int = 8, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.words = nn.Embedding(n_vocab, size)
        self.cell = nn.LSTMCell(size, size)
        self.scores = nn.Linear(size, n_vocab)

    def start(self, features: Tensor) -> State:
        """The state before the first token: a row for each image."""
        return {"hidden": features, "memory": torch.zeros_like(features)}

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """The log-probabilities [n, V] of what follows the tokens [n], and the new state."""
        hidden, memory = self.cell(self.words(tokens), (state["hidden"], state["memory"]))
        return self(hidden), {"hidden": hidden, "memory": memory}

    def forward(self, hidden: Tensor) -> Tensor:
        log_probs: Tensor = self.scores(hidden).log_softmax(dim=1)
        return log_probs
