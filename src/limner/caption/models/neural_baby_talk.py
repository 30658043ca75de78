"""Neural Baby Talk: sentences with slots, which are tied to regions and say what a detector saw (Lu et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import torch
from torch import Tensor, nn

from limner.caption.captioner_config import UpDownSettings
from limner.caption.models.caption_model import CaptionModel, LstmMemory, WordGrounds, begin_gates, lstm, sayable_scores
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.slot_heads import (
    NEVER,
    Pointing,
    RegionKeys,
    SlotHeads,
    form_log_probs,
    mixed_log_probs,
    slot_probabilities,
)
from limner.caption.models.slot_memory import SlotMemory, named_by, proposal_shares
from limner.caption.models.slot_table import SlotChoices, SlotTable
from limner.caption.models.word_inputs import FixedWords, State
from limner.learn.vocabulary import BOS


class _Seen(NamedTuple):
    """What is computed once for an image: vectors and keys of all regions and of proposals, and what the mean adds.

    Masks are 0 for what is there and -inf for what is not. An image without
    proposals has none masked: their vectors are 0.
    """

    values: Tensor
    keys: Tensor
    mask: Tensor
    proposals: Tensor
    proposal_keys: Tensor
    proposal_mask: Tensor
    gates: Tensor

    def take(self, rows: Tensor) -> _Seen:
        return _Seen(*(part[rows] for part in self))


class _Said(NamedTuple):
    """What the LSTMs gave for words, `[…, n]` each: output, sentinel, attention over all regions."""

    hidden: Tensor
    sentinel: Tensor
    attention: Tensor


class PointedWords(NamedTuple):
    """Words of sentences, one after the other: the decoder's outputs `[n, hidden]`, and which regions they are tied to.

    `keys` and `memory` have a row for each word, `choices` is what slots can say.
    """

    hidden: Tensor
    pointing: Pointing
    keys: RegionKeys
    memory: SlotMemory
    choices: SlotChoices

    def take(self, rows: Tensor) -> PointedWords:
        """Some of the words."""
        pointing = Pointing(*(part[rows] for part in self.pointing))
        return PointedWords(self.hidden[rows], pointing, self.keys.take(rows), self.memory.take(rows), self.choices)


class NeuralBabyTalk(CaptionModel):
    """Two LSTMs as in Up-Down, and slots: each word comes from the text, or from a slot that is tied to a region.

    Regions are their features and the fixed vectors of their classes. The
    first LSTM reads [h2, m, x]; it looks at proposals and, by a second
    attention, at all regions; the second LSTM reads both and h1. Then

        P(word) = s · P_text(word) + Σ p(r) · P(word | r)

    where `SlotHeads` gives the pointer p and the sentinel s, whose sum is 1,
    and what slots say. The text has the first `n_text` words of the vocabulary.
    """

    words: FixedWords
    added_later = MappingProxyType({"heads.again": 0.0, "heads.repeated": 0.0})

    def __init__(
        self, words: FixedWords, n_features: int, n_text: int, table: SlotTable, settings: UpDownSettings
    ) -> None:
        super().__init__(n_features, settings.word_dropout)
        self.settings = settings
        self.words = words
        self.table = table
        self.n_text = n_text
        n_hidden, n_raw = settings.hidden, n_features + table.n_dims
        self.project = nn.Linear(n_raw, settings.region) if settings.region else None
        self.project_proposal = nn.Linear(n_raw, settings.region) if settings.region else None
        n_region = settings.region or n_raw
        self.key = nn.Linear(n_region, settings.attention)
        self.query = nn.Linear(n_hidden, settings.attention, bias=False)
        self.weigh = nn.Linear(settings.attention, 1, bias=False)
        self.proposal_key = nn.Linear(n_region, settings.attention)
        self.proposal_query = nn.Linear(n_hidden, settings.attention, bias=False)
        self.weigh_proposal = nn.Linear(settings.attention, 1, bias=False)
        self.mean_gates = nn.Linear(n_region, 4 * n_hidden)
        self.word_gates = nn.Linear(words.n_dims, 4 * n_hidden, bias=False)
        self.top_gates = nn.Linear(2 * n_hidden, 4 * n_hidden, bias=False)
        self.next_gates = nn.Linear(2 * n_region + 2 * n_hidden, 4 * n_hidden)
        self.sentinel_gates = nn.Linear(2 * n_region + 2 * n_hidden, n_hidden)
        self.heads = SlotHeads(n_region, n_hidden, settings.attention, table.n_dims)
        self.dropout = nn.Dropout(settings.dropout)
        layers = [self.mean_gates, self.word_gates, self.top_gates, self.next_gates]
        begin_gates(layers, [self.top_gates, self.next_gates], n_hidden)

    def forward(self, regions: RegionBatch, tokens: Tensor) -> Tensor:
        """The log-probabilities of what follows each word, which are scores too; "unknown" is a word of the text."""
        words, _ = self.run(regions, tokens)
        never = torch.arange(self.words.n_vocab, device=tokens.device) >= self.n_text
        never[BOS] = True
        text = self.words.scores(words.hidden).masked_fill(never, NEVER)
        return self._mixed(words, text).view(*tokens.shape, -1)

    def log_probs(self, regions: RegionBatch, tokens: Tensor, lacking: Tensor | None = None) -> Tensor:
        words, _ = self.run(regions, tokens)
        return self._sayable(words, tokens, lacking)

    def grounds(self, regions: RegionBatch, tokens: Tensor, said: Tensor, lacking: Tensor | None = None) -> WordGrounds:
        words, attention = self.run(regions, tokens)
        total = self._sayable(words, tokens, lacking).gather(-1, said.unsqueeze(-1)).view(-1, 1)
        log_probs, has_form = self.form_log_probs(words, said.flatten())
        shares = (words.pointing.regions + log_probs - total).exp().masked_fill(~has_form | total.isinf(), 0.0)
        return WordGrounds(attention, shares.view_as(attention))

    def attention(self, regions: RegionBatch, tokens: Tensor) -> Tensor:
        """Where the model looks among all regions as it says what follows each word, `[images, words, regions]`."""
        return self.run(regions, tokens)[1]

    def decoder(self, regions: RegionBatch, lacking: Tensor | None = None) -> NeuralBabyTalkDecoder:
        return NeuralBabyTalkDecoder(self, *self._see(regions), lacking)

    def run(self, regions: RegionBatch, tokens: Tensor) -> tuple[PointedWords, Tensor]:
        """What follows each word of sentences, row by row; attention over all regions, `[images, words, regions]`."""
        seen, keys, choices = self._see(regions)
        gates = self._word_gates(self.words.vectors(self._dropped(tokens)))
        memory = LstmMemory.empty(len(tokens), self.settings.hidden, seen.values)
        steps = []
        for at in range(tokens.shape[1]):
            memory, said = self._next(seen, gates[:, at], memory)
            steps.append(said)
        said = _Said(*(torch.stack(parts, dim=1) for parts in zip(*steps, strict=True)))
        rows = torch.arange(len(tokens), device=tokens.device).repeat_interleave(tokens.shape[1])
        flat = _Said(*(part.flatten(0, 1) for part in said))
        keys = keys.take(rows)
        named = named_by(tokens.flatten(), choices, keys.rows, keys.shares).cumulated(tokens.shape[1])
        return self._pointed(flat, keys, named, choices), said.attention

    def text_scores(self, words: PointedWords) -> Tensor:
        """The scores of the text's words, `[n, n_text]`."""
        return self.words.scores(words.hidden)[:, : self.n_text]

    def form_log_probs(self, words: PointedWords, forms: Tensor) -> tuple[Tensor, Tensor]:
        """The log-probability that slots of regions say `forms [n]`, and whether their classes have them."""
        filling = self.heads.filling(words.keys, words.hidden, words.choices, words.memory)
        return form_log_probs(filling, words.choices, words.keys.rows, forms)

    def _see(self, regions: RegionBatch) -> tuple[_Seen, RegionKeys, SlotChoices]:
        features = self._standardised(regions.features)
        vectors = self.table.class_vectors(regions.classes).to(features)
        raw = torch.cat([features, vectors], dim=-1)
        there = regions.mask.unsqueeze(-1)
        values = self._projected(raw, self.project) * there
        proposals = self._projected(raw, self.project_proposal) * regions.proposals.unsqueeze(-1)
        mean = values.sum(dim=1) / there.sum(dim=1)
        away, no_proposal = (_mask(part, values) for part in (regions.mask, regions.proposals))
        has_proposals = regions.proposals.any(dim=1, keepdim=True)
        seen = _Seen(
            values,
            self.key(values),
            away,
            proposals,
            self.proposal_key(proposals),
            no_proposal.masked_fill(~has_proposals, 0.0),
            self.mean_gates(mean),
        )
        choices = self.table.choices(regions.classes * regions.proposals, self.words.fixed.to(values))
        shares = proposal_shares(choices.rows, regions.proposals).to(values)
        return seen, self.heads.keys(proposals, vectors, choices.rows, shares, no_proposal), choices

    def _projected(self, raw: Tensor, project: nn.Linear | None) -> Tensor:
        return raw if project is None else self.dropout(torch.relu(project(raw)))

    def _word_gates(self, vectors: Tensor) -> Tensor:
        gates: Tensor = self.word_gates(self.dropout(vectors))
        return gates

    def _next(self, seen: _Seen, word_gates: Tensor, memory: LstmMemory) -> tuple[LstmMemory, _Said]:
        """The memory behind the next word, and what it says."""
        recurrent = self.top_gates(torch.cat([memory.word_hidden, memory.top_hidden], dim=1))
        top_hidden, top_cell = lstm(seen.gates + word_gates + recurrent, memory.top_cell)
        chosen, _ = _looked(
            self.weigh_proposal,
            seen.proposal_keys + self.proposal_query(top_hidden).unsqueeze(1),
            seen.proposal_mask,
            seen.proposals,
        )
        looked, weights = _looked(self.weigh, seen.keys + self.query(top_hidden).unsqueeze(1), seen.mask, seen.values)
        inputs = torch.cat([chosen, looked, top_hidden, memory.word_hidden], dim=1)
        word_hidden, word_cell = lstm(self.next_gates(inputs), memory.word_cell)
        sentinel = torch.sigmoid(self.sentinel_gates(inputs)) * torch.tanh(word_cell)
        return LstmMemory(top_hidden, top_cell, word_hidden, word_cell), _Said(word_hidden, sentinel, weights)

    def _pointed(self, said: _Said, keys: RegionKeys, named: SlotMemory, choices: SlotChoices) -> PointedWords:
        hidden = self.dropout(said.hidden)
        pointing = self.heads.pointing(keys, hidden, said.sentinel, named)
        return PointedWords(hidden, pointing, keys, named, choices)

    def _sayable(self, words: PointedWords, tokens: Tensor, lacking: Tensor | None) -> Tensor:
        """The log-probabilities of what can be said behind tokens `[images, …]`.

        What the text cannot say is out of its softmax, and the sentinel stays:
        another image's words change nothing.
        """
        if lacking is None:
            lacking = (torch.arange(self.words.n_vocab, device=tokens.device) >= self.n_text).unsqueeze(0)
        text = self.words.scores(words.hidden).view(*tokens.shape, -1)
        lacking = lacking.view(len(lacking), *[1] * (tokens.dim() - 1), -1)
        text = sayable_scores(text, tokens, lacking).flatten(0, -2)
        return self._mixed(words, text).view(*tokens.shape, -1)

    def _mixed(self, words: PointedWords, text: Tensor) -> Tensor:
        """The log-probabilities of words that come from the text, by its scores `[n, n_vocab]`, or from slots."""
        filling = self.heads.filling(words.keys, words.hidden, words.choices, words.memory)
        slots = slot_probabilities(words.pointing, filling, words.choices, self.words.n_vocab)
        return mixed_log_probs(text.log_softmax(dim=-1) + words.pointing.sentinel.unsqueeze(1), slots)


class NeuralBabyTalkDecoder:
    """A Neural Baby Talk model about to describe some images; the state holds the number of the image."""

    def __init__(
        self, model: NeuralBabyTalk, seen: _Seen, keys: RegionKeys, choices: SlotChoices, lacking: Tensor | None = None
    ) -> None:
        self._model = model
        self._seen, self._keys, self._choices = seen, keys, choices
        self._lacking = lacking
        n, device = len(seen.values), seen.values.device
        memory = LstmMemory.empty(n, model.settings.hidden, seen.values)
        self.state: State = {
            "image": torch.arange(n, device=device),
            **memory._asdict(),
            **SlotMemory.empty(n, choices, seen.values)._asdict(),
            **model.words.start(n, device),
        }

    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, State]:
        model, image = self._model, state["image"]
        vectors, word_state = model.words.step(tokens, state)
        memory = LstmMemory.of(state)
        memory, said = model._next(self._seen.take(image), model._word_gates(vectors), memory)
        keys = self._keys.take(image)
        named = SlotMemory.of(state).after(named_by(tokens, self._choices, keys.rows, keys.shares))
        words = model._pointed(said, keys, named, self._choices)
        lacking = None if self._lacking is None else self._lacking[image]
        following = {"image": image, **memory._asdict(), **named._asdict(), **word_state}
        return model._sayable(words, tokens, lacking), following


def _mask(is_there: Tensor, like: Tensor) -> Tensor:
    """0 for what is there, -inf for what is not."""
    return torch.zeros_like(is_there, dtype=like.dtype).masked_fill(~is_there, NEVER)


def _looked(weigh: nn.Linear, sums: Tensor, mask: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The values that were looked at, and the weights of each."""
    weights = torch.softmax(weigh(torch.tanh(sums)).squeeze(-1) + mask, dim=1)
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights
