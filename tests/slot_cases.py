"""Small models with slots, and regions to look at."""

from __future__ import annotations

import torch

from limner.caption.captioner_config import UpDownSettings
from limner.caption.models.neural_baby_talk import NeuralBabyTalk
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.slot_table import SlotTable, TokenPair
from limner.caption.models.word_inputs import AnchoredWords, FixedWords, FrozenWords
from limner.caption.training.caption_pairs import sentence_batch
from limner.caption.training.slot_targets import SlotBatch
from limner.learn.vocabulary import N_SPECIAL

# Numbers below N_TEXT are words of the text; those after them slots alone say.
N_TEXT, N_VOCAB, N_FEATURES, N_DIMS = 8, 12, 5, 4
SETTINGS = UpDownSettings(hidden=6, attention=3, region=7, label=2, dropout=0.0)

# The words of four classes, from number 1 on: a word may be of two, have one form, or be said by the text too.
WORDS = [
    [TokenPair(3, 4), TokenPair(8, 0)],
    [TokenPair(5, 9)],
    [TokenPair(3, 4), TokenPair(10, 11), TokenPair(6, 0)],
    [TokenPair(7, 0)],
]


def slot_model(kind: str = "frozen", settings: UpDownSettings = SETTINGS, seed: int = 0) -> NeuralBabyTalk:
    """A model of random weights."""
    torch.manual_seed(seed)
    vectors = torch.randn(N_VOCAB - N_SPECIAL, N_DIMS)
    words: FixedWords = FrozenWords(vectors, settings.hidden, N_SPECIAL, has_biases=True)
    if kind == "learnt":
        words = AnchoredWords(N_TEXT, vectors, 3, settings.hidden, N_SPECIAL)
    table = SlotTable(torch.randn(len(WORDS), N_DIMS), WORDS)
    model = NeuralBabyTalk(words, N_FEATURES, N_TEXT, table, settings).eval()
    model.standardise(torch.randn(N_FEATURES), torch.rand(N_FEATURES) + 0.5)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.6)
    return model


def slot_regions(n: int = 3, n_regions: int = 5, seed: int = 1) -> RegionBatch:
    """Regions of random classes, of which some are proposals; the last image has none."""
    draw = torch.Generator().manual_seed(seed)
    shape = (n, n_regions)
    mask = torch.ones(shape, dtype=torch.bool)
    mask[0, -1] = False
    classes = torch.randint(0, len(WORDS) + 1, shape, generator=draw) * mask
    proposals = (torch.rand(shape, generator=draw) < 0.7) & (classes > 0)
    proposals[-1] = False
    features = torch.randn(*shape, N_FEATURES, generator=draw)
    return RegionBatch(features, torch.zeros_like(classes), mask, classes, proposals)


def slot_batch(numbers: list[list[int]], slots: list[tuple[int, int, list[int]]], n_regions: int) -> SlotBatch:
    """Sentences with slots as (row, position, regions)."""
    batch = sentence_batch(numbers)
    n_words = batch.tokens.shape[1]
    at = torch.tensor([row * n_words + position for row, position, _ in slots], dtype=torch.long)
    tied = torch.zeros(len(slots), n_regions, dtype=torch.bool)
    for number, (_, _, regions) in enumerate(slots):
        tied[number, regions] = True
    batch.mask.view(-1)[at] = 0.0
    return SlotBatch(batch, at, tied)
