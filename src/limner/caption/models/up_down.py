"""Up-Down: two LSTMs, the first of which says where to look, the second what to say (Anderson et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from limner.caption.captioner_config import UpDownSettings
from limner.caption.models.caption_model import CaptionModel, LstmMemory, WordGrounds, begin_gates, lstm, sayable_scores
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.word_inputs import State, WordInputs


class _Seen(NamedTuple):
    """What is computed once for an image: vectors and attention keys of its regions, and what its mean adds to gates.

    `mask` is 0 for regions that are there and -inf for padding.
    """

    values: Tensor
    keys: Tensor
    mask: Tensor
    gates: Tensor

    def take(self, rows: Tensor) -> _Seen:
        return _Seen(*(part[rows] for part in self))


class UpDown(CaptionModel):
    """The decoder: at each word, attention over regions from what was said, and the next word from both.

    With region vectors v, their mean m and the word vector x, the first LSTM
    reads [h2, m, x] and gives h1; weights a are the softmax of
    w·tanh(W v + U h1); the second LSTM reads [Σ a v, h1] and gives h2, from
    which `words` scores the next word.
    """

    def __init__(self, words: WordInputs, n_features: int, n_labels: int, settings: UpDownSettings) -> None:
        super().__init__(n_features, settings.word_dropout)
        self.settings = settings
        self.words = words
        n_hidden = settings.hidden
        self.labels = nn.Embedding(n_labels, settings.label) if settings.label else None
        n_raw = n_features + settings.label
        self.project = nn.Linear(n_raw, settings.region) if settings.region else None
        n_region = settings.region or n_raw
        self.key = nn.Linear(n_region, settings.attention)
        self.query = nn.Linear(n_hidden, settings.attention, bias=False)
        self.weigh = nn.Linear(settings.attention, 1, bias=False)
        # The first LSTM's input in three parts, of which two do not wait for the word before.
        self.mean_gates = nn.Linear(n_region, 4 * n_hidden)
        self.word_gates = nn.Linear(words.n_dims, 4 * n_hidden, bias=False)
        self.top_gates = nn.Linear(2 * n_hidden, 4 * n_hidden, bias=False)
        self.next_gates = nn.Linear(n_region + 2 * n_hidden, 4 * n_hidden)
        self.dropout = nn.Dropout(settings.dropout)
        layers = [self.mean_gates, self.word_gates, self.top_gates, self.next_gates]
        begin_gates(layers, [self.top_gates, self.next_gates], n_hidden)

    def forward(self, regions: RegionBatch, tokens: Tensor) -> Tensor:
        hidden, _ = self._run(regions, tokens)
        return self.words.scores(self.dropout(hidden))

    def log_probs(self, regions: RegionBatch, tokens: Tensor, lacking: Tensor | None = None) -> Tensor:
        by_word = None if lacking is None else lacking.unsqueeze(1)
        return sayable_scores(self(regions, tokens), tokens, by_word).log_softmax(dim=-1)

    def grounds(self, regions: RegionBatch, tokens: Tensor, said: Tensor, lacking: Tensor | None = None) -> WordGrounds:
        """Where the model looked; nothing comes from slots."""
        attention = self.attention(regions, tokens)
        return WordGrounds(attention, torch.zeros_like(attention))

    def attention(self, regions: RegionBatch, tokens: Tensor) -> Tensor:
        """Where the model looks as it says what follows each word, `[images, words, regions]`; sums are 1."""
        return self._run(regions, tokens)[1]

    def _run(self, regions: RegionBatch, tokens: Tensor) -> tuple[Tensor, Tensor]:
        seen = self._see(regions)
        gates = self._word_gates(self.words.vectors(self._dropped(tokens)))
        memory = LstmMemory.empty(len(tokens), self.settings.hidden, seen.values)
        hidden, weights = [], []
        for at in range(tokens.shape[1]):
            memory, weight = self._next(seen, gates[:, at], memory)
            hidden.append(memory.word_hidden)
            weights.append(weight)
        return torch.stack(hidden, dim=1), torch.stack(weights, dim=1)

    def decoder(self, regions: RegionBatch, lacking: Tensor | None = None) -> UpDownDecoder:
        return UpDownDecoder(self, self._see(regions), lacking)

    def _see(self, regions: RegionBatch) -> _Seen:
        values = self._standardised(regions.features)
        if self.labels is not None:
            values = torch.cat([values, self.labels(regions.labels)], dim=-1)
        if self.project is not None:
            values = self.dropout(torch.relu(self.project(values)))
        mask = regions.mask.unsqueeze(-1)
        values = values * mask
        mean = values.sum(dim=1) / mask.sum(dim=1)
        away = torch.zeros_like(regions.mask, dtype=values.dtype).masked_fill(~regions.mask, -float("inf"))
        return _Seen(values, self.key(values), away, self.mean_gates(mean))

    def _word_gates(self, vectors: Tensor) -> Tensor:
        gates: Tensor = self.word_gates(self.dropout(vectors))
        return gates

    def _next(self, seen: _Seen, word_gates: Tensor, memory: LstmMemory) -> tuple[LstmMemory, Tensor]:
        """The memory behind the next word, and the weights of regions, `[sentences, regions]`."""
        recurrent = self.top_gates(torch.cat([memory.word_hidden, memory.top_hidden], dim=1))
        top_hidden, top_cell = lstm(seen.gates + word_gates + recurrent, memory.top_cell)
        scores = self.weigh(torch.tanh(seen.keys + self.query(top_hidden).unsqueeze(1))).squeeze(-1)
        weights = torch.softmax(scores + seen.mask, dim=1)
        looked = torch.bmm(weights.unsqueeze(1), seen.values).squeeze(1)
        gates = self.next_gates(torch.cat([looked, top_hidden, memory.word_hidden], dim=1))
        word_hidden, word_cell = lstm(gates, memory.word_cell)
        return LstmMemory(top_hidden, top_cell, word_hidden, word_cell), weights


class UpDownDecoder:
    """An Up-Down model about to describe some images: `state` has a row for each, and `step` goes on by a word.

    The state holds the number of the image rather than its regions: a search
    that keeps many sentences of an image does not copy them.
    """

    def __init__(self, model: UpDown, seen: _Seen, lacking: Tensor | None = None) -> None:
        self._model = model
        self._lacking = lacking
        self._seen = seen
        n, device = len(seen.values), seen.values.device
        memory = LstmMemory.empty(n, model.settings.hidden, seen.values)
        self.state: State = {
            "image": torch.arange(n, device=device),
            **memory._asdict(),
            **model.words.start(n, device),
        }

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        model = self._model
        vectors, word_state = model.words.step(tokens, state)
        memory = LstmMemory.of(state)
        memory, _ = model._next(self._seen.take(state["image"]), model._word_gates(vectors), memory)
        scores = model.words.scores(model.dropout(memory.word_hidden))
        lacking = None if self._lacking is None else self._lacking[state["image"]]
        log_probs = sayable_scores(scores, tokens, lacking).log_softmax(dim=-1)
        return log_probs, {"image": state["image"], **memory._asdict(), **word_state}
