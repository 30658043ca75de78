"""The heads of a model with slots: which region the next word is about, if any, and what such a thing is called."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from limner.caption.models.slot_memory import SlotMemory
from limner.caption.models.slot_table import SlotChoices

NEVER = -float("inf")

# Where training begins: people seldom name a thing twice. A single number learns slowly, by no more than the learning
# rate at a step, and would not get here from 0.
ONCE = -2.0


class RegionKeys(NamedTuple):
    """What the heads know of regions, computed once for an image: a row for each image, or each sentence.

    `pointer` and `filler` are keys, `vectors` those of classes, `rows` their
    classes among those of `SlotChoices`, `shares` as of `proposal_shares`;
    `mask` is 0 for proposals, -inf for others.
    """

    pointer: Tensor
    filler: Tensor
    vectors: Tensor
    rows: Tensor
    shares: Tensor
    mask: Tensor

    def take(self, rows: Tensor) -> RegionKeys:
        return RegionKeys(*(part[rows] for part in self))


class Pointing(NamedTuple):
    """Log-probabilities that a word is tied to each region, `[n, regions]`, and that it is to none, `[n]`."""

    regions: Tensor
    sentinel: Tensor


class Filling(NamedTuple):
    """What slots of regions would say: log-probabilities of words `[n, regions, u]`, and of the plural `[n, regions]`.

    `plural` is the sum at a sigmoid.
    """

    words: Tensor
    plural: Tensor


class SlotHeads(nn.Module):
    """Pointer, visual sentinel, fine-grained word and number.

    With the decoder's output h, proposals p with class vectors c, the
    sentinel's vector z, and what the sentence has said, of `SlotMemory`:

        [P(region), P(none)] = softmax of w·tanh(K p + Z h) + again · named and w·tanh(S z + Z h)
        t = tanh(F [p, c] + H h)
        P(word | region) = softmax over words g of its class, of scale · g·(c + T t) + repeated · said
        P(plural | region) = sigmoid(n·t)

    The class's own vector is added to what is learnt, so that a class that was
    never learnt is called by words like its name. That things are named once
    is learnt for all classes together, and holds for new ones too.
    """

    def __init__(self, n_proposal: int, n_hidden: int, n_units: int, n_dims: int) -> None:
        super().__init__()
        self.pointer_key = nn.Linear(n_proposal, n_units)
        self.pointer_query = nn.Linear(n_hidden, n_units, bias=False)
        self.sentinel_key = nn.Linear(n_hidden, n_units)
        self.point = nn.Linear(n_units, 1, bias=False)
        self.filler_key = nn.Linear(n_proposal + n_dims, n_units)
        self.filler_query = nn.Linear(n_hidden, n_units, bias=False)
        self.turn = nn.Linear(n_units, n_dims)
        self.number = nn.Linear(n_units, 1)
        self.scale = nn.Parameter(torch.tensor(5.0))
        self.again = nn.Parameter(torch.tensor(ONCE))
        self.repeated = nn.Parameter(torch.tensor(ONCE))

    def keys(self, proposals: Tensor, vectors: Tensor, rows: Tensor, shares: Tensor, mask: Tensor) -> RegionKeys:
        """The keys of regions, by vectors of proposals `[images, regions, n_proposal]` and of their classes."""
        filler = self.filler_key(torch.cat([proposals, vectors], dim=-1))
        return RegionKeys(self.pointer_key(proposals), filler, vectors, rows, shares, mask)

    def pointing(self, keys: RegionKeys, hidden: Tensor, sentinel: Tensor, memory: SlotMemory) -> Pointing:
        """Which region the next word is tied to, by outputs and sentinels `[n, hidden]`."""
        query = self.pointer_query(hidden)
        scores = self.point(torch.tanh(keys.pointer + query.unsqueeze(1))).squeeze(-1)
        regions = scores + self.again * memory.named + keys.mask
        nothing = self.point(torch.tanh(self.sentinel_key(sentinel) + query))
        log_probs = torch.cat([regions, nothing], dim=1).log_softmax(dim=1)
        return Pointing(log_probs[:, :-1], log_probs[:, -1])

    def filling(self, keys: RegionKeys, hidden: Tensor, choices: SlotChoices, memory: SlotMemory) -> Filling:
        """What slots of regions would say, by outputs `[n, hidden]`."""
        units = torch.tanh(keys.filler + self.filler_query(hidden).unsqueeze(1))
        scores = self.scale * (keys.vectors + self.turn(units)) @ choices.vectors.T
        scores = scores + self.repeated * memory.said.unsqueeze(1)
        # A region without a class is no proposal: whatever it would say is not said.
        fits = choices.fits | ~choices.fits.any(dim=1, keepdim=True)
        words = scores.masked_fill(~fits[keys.rows], NEVER).log_softmax(dim=-1)
        return Filling(words, self.number(units).squeeze(-1))


def slot_probabilities(pointing: Pointing, filling: Filling, choices: SlotChoices, n_vocab: int) -> Tensor:
    """The probability that each word of the vocabulary is said by a slot, `[n, n_vocab]`."""
    regions, words = pointing.regions.exp(), filling.words.exp()
    several = torch.sigmoid(filling.plural)
    # Shares of the words with one form, of singulars and of plurals, each [n, u].
    shares = torch.bmm(torch.stack([regions, regions * (1 - several), regions * several], dim=1), words)
    singular = torch.where(choices.has_both, shares[:, 1], shares[:, 0])
    plural = shares[:, 2] * choices.has_both
    empty = shares.new_zeros(len(shares), n_vocab)
    return empty.index_add(1, choices.singular, singular).index_add(1, choices.plural, plural)


def form_log_probs(filling: Filling, choices: SlotChoices, rows: Tensor, forms: Tensor) -> tuple[Tensor, Tensor]:
    """The log-probability that slots of regions say a form, and whether their classes have it, `[n, regions]` each.

    `forms [n]` are numbers of the vocabulary; log-probabilities are 0 where a class lacks the form.
    """
    is_plural = choices.plural == forms.unsqueeze(1)
    is_form = (choices.singular == forms.unsqueeze(1)) | is_plural
    if not is_form.shape[1]:
        nothing = filling.plural.new_zeros(filling.plural.shape)
        return nothing, nothing.bool()
    fits = is_form.unsqueeze(1) & choices.fits[rows]
    # A class has a form once.
    word = fits.to(torch.uint8).argmax(dim=-1)
    has_form = fits.any(dim=-1)
    log_probs = filling.words.gather(-1, word.unsqueeze(-1)).squeeze(-1)
    sign = torch.where(is_plural.gather(1, word), 1.0, -1.0).to(log_probs)
    number = nn.functional.logsigmoid(sign * filling.plural)
    log_probs = log_probs + number.masked_fill(~choices.has_both[word], 0.0)
    return log_probs.masked_fill(~has_form, 0.0), has_form


def mixed_log_probs(text: Tensor, slots: Tensor) -> Tensor:
    """log(exp(text) + slots), with gradients where either is nothing; -inf where both are."""
    has_slot, has_text = slots > 0, text > NEVER
    said = slots.masked_fill(~has_slot, 1.0).log().masked_fill(~has_slot, NEVER)
    # Where nothing has any probability, gradients would be no numbers.
    dead = ~(has_slot | has_text)
    mixed = torch.logaddexp(text.masked_fill(dead, 0.0), said.masked_fill(dead, 0.0))
    return mixed.masked_fill(dead, NEVER).clamp(max=0.0)
