"""The loss of the self-critical stage, against a loop over images and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from limner.caption.captioner_config import DecodingSettings, UpDownSettings
from limner.caption.models.region_batches import RegionBatch, region_batch
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_inputs import LearntWords
from limner.caption.region_inputs import ImageRegions
from limner.caption.training.caption_tasks import SelfCriticalTask
from limner.caption.training.free_search import search_freely
from limner.caption.training.self_critical import CiderReward
from limner.learn.length_batches import LengthBatches
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN, Vocabulary

WORDS = ["a", "dog", "cat", "runs", "sleeps"]
REFERENCES = [
    [["a", "dog", "runs"], ["dog", "runs"]],
    [["a", "cat", "sleeps"], ["a", "cat"]],
    [["cat", "runs"], ["a", "cat", "runs"]],
    [["dog", "sleeps"], ["a", "dog", "sleeps"]],
    [["a", "dog", "a", "cat"], ["a", "cat", "a", "dog"]],
]
# Sentences of at most three words: some of the candidates are cut off, others end.
DECODING = DecodingSettings(beam=2, max_len=3, length_penalty=0.7)
N_CANDIDATES = 4
BATCH = np.array([3, 0, 4, 1])


class FewRegions:
    """Two random regions of each image."""

    def __init__(self, n: int) -> None:
        draw = np.random.default_rng(0)
        self._regions = [
            ImageRegions(draw.normal(size=(2, 3)).astype(np.float32), draw.integers(0, 2, 2), (None, None))
            for _ in range(n)
        ]

    def batch(self, rows: Sequence[int]) -> RegionBatch:
        return region_batch([self._regions[at] for at in rows])


@pytest.fixture
def task() -> SelfCriticalTask:
    torch.manual_seed(1)
    words = LearntWords(len(WORDS) + N_SPECIAL, 6, 8)
    model = UpDown(words, 3, 2, UpDownSettings(8, 4, 5, 3, 0.3))
    with torch.no_grad():
        words.output.bias[EOS] += 0.5
        # Random weights make all words about as likely as each other: sharper ones tell sentences apart.
        for parameter in model.parameters():
            parameter.mul_(2.0)
    order = LengthBatches([1] * len(REFERENCES), 4, 0)
    regions, reward = FewRegions(len(REFERENCES)), CiderReward(REFERENCES)
    return SelfCriticalTask(
        model,
        regions,  # type: ignore[arg-type]
        reward,
        None,  # type: ignore[arg-type]
        order,
        Vocabulary(WORDS),
        N_CANDIDATES,
        DECODING,
    )


def plain_loss(task: SelfCriticalTask, batch: Sequence[int]) -> Tensor:
    """Minus the expected reward of each image's candidates, one image and one sentence after the other."""
    task.model.eval()
    total = torch.zeros(())
    for image in batch:
        regions = task.regions.batch([image])
        (best,) = search_freely(task.model, regions, len(task.vocabulary), DECODING, n_best=N_CANDIDATES)
        log_probs, rewards = [], []
        for result in (best, *best.others):
            log_prob = torch.zeros(())
            for at, token in enumerate(result.tokens):
                read = torch.tensor([[BOS, *result.tokens[:at]]])
                scores = task.model(regions, read)[0, -1].clone()
                scores[[BOS, UNKNOWN]] = -float("inf")
                log_prob = log_prob + scores.log_softmax(0)[token]
            log_probs.append(log_prob)
            ends = [result.tokens[-1] == EOS]
            rewards.append(float(task.reward.rewards([image], [task.vocabulary.text(result.tokens)], ends)[0]))
        probabilities = torch.stack(log_probs).exp()
        total = total - (probabilities * torch.tensor(rewards)).sum() / probabilities.sum()
    return total


def gradients(loss: Tensor, model: UpDown) -> dict[str, Tensor]:
    model.zero_grad()
    loss.backward()
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def test_loss_and_gradients_are_those_of_a_plain_loop(task: SelfCriticalTask) -> None:
    task.model.train()  # as the training loop leaves it: this stage has no dropout all the same
    loss = task.loss(BATCH, 0, 1)
    expected = plain_loss(task, BATCH.tolist())
    assert loss.n_items == len(BATCH)
    assert expected.item() < 0
    torch.testing.assert_close(loss.total, expected, atol=1e-5, rtol=1e-5)
    plain = gradients(expected, task.model)
    ours = gradients(loss.total, task.model)
    assert max(float(part.abs().max()) for part in plain.values()) > 1e-3
    for name, part in plain.items():
        torch.testing.assert_close(ours[name], part, atol=1e-5, rtol=1e-4, msg=name)


def test_candidates_are_cut_off_or_end(task: SelfCriticalTask) -> None:
    """The cases that the comparison above is about do occur."""
    task.model.eval()
    results = search_freely(task.model, task.regions.batch(BATCH.tolist()), 8, DECODING, n_best=N_CANDIDATES)
    sentences = [result.tokens for best in results for result in (best, *best.others)]
    assert {len(best.others) for best in results} == {N_CANDIDATES - 1}
    assert {tokens[-1] == EOS for tokens in sentences} == {True, False}


@pytest.mark.parametrize("n_ranks", [2, 3, 6])
def test_shares_of_processes_sum_to_the_whole(task: SelfCriticalTask, n_ranks: int) -> None:
    whole = task.loss(BATCH, 0, 1)
    shares = [task.loss(BATCH, rank, n_ranks) for rank in range(n_ranks)]
    assert {share.n_items for share in shares} == {whole.n_items}
    torch.testing.assert_close(torch.stack([share.total for share in shares]).sum(), whole.total)


def test_learning_from_its_own_captions_raises_their_reward(task: SelfCriticalTask) -> None:
    optimiser = torch.optim.Adam(task.model.parameters(), lr=0.01)
    rewards = []
    for _ in range(40):
        loss = task.loss(BATCH, 0, 1).total
        rewards.append(-loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert rewards[-1] > 1.5 * rewards[0] > 0
