"""Rewards and losses of self-critical training."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pycocoevalcap.cider.cider import Cider as ReferenceCider

from limner.caption.training.self_critical import END, CiderReward, advantages, reward_loss, sample_sentences
from limner.learn.vocabulary import EOS, N_SPECIAL, Vocabulary

REFERENCES = [
    [["a", "dog", "runs"], ["the", "dog", "runs", "fast"]],
    [["a", "cat", "sleeps", "on", "a", "mat"], ["a", "cat", "on", "a", "mat"]],
    [["two", "birds", "sing"], ["birds", "in", "a", "tree"]],
]


def test_rewards_are_those_of_the_reference_implementation() -> None:
    captions = [["a", "dog", "runs"], ["a", "cat", "on", "a"], ["birds", "sing"]]
    rewards = CiderReward(REFERENCES).rewards([0, 1, 2], captions)
    texts = {at: [" ".join([*words, END]) for words in image] for at, image in enumerate(REFERENCES)}
    _, expected = ReferenceCider().compute_score(texts, {at: [" ".join([*c, END])] for at, c in enumerate(captions)})
    np.testing.assert_allclose(rewards, expected, rtol=1e-6)


def test_a_caption_that_stops_in_the_middle_is_worth_less() -> None:
    reward = CiderReward(REFERENCES)
    whole, cut = reward.rewards([1, 1], [["a", "cat", "on", "a", "mat"], ["a", "cat", "on", "a"]])
    assert whole > cut


def test_rewards_do_not_depend_on_the_batch() -> None:
    reward = CiderReward(REFERENCES)
    captions = [["a", "dog"], ["a", "dog", "runs"]]
    together = reward.rewards([0, 0], captions)
    assert together.tolist() == [reward.rewards([0], [caption])[0] for caption in captions]


def test_a_caption_is_compared_with_the_others_of_its_image() -> None:
    values = advantages(torch.tensor([1.0, 2.0, 6.0, 5.0, 5.0, 5.0]), 3)
    assert values.tolist() == [-3.0, -1.5, 4.5, 0.0, 0.0, 0.0]


def test_the_gradient_of_the_loss_is_that_of_the_expected_reward() -> None:
    """With all captions of one word, weighed by their probability, REINFORCE's sum is the gradient itself."""
    logits = torch.tensor([0.3, -1.0, 0.5], dtype=torch.float64, requires_grad=True)
    rewards = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    (-(logits.softmax(0) * rewards).sum()).backward()
    expected = logits.grad.clone()  # type: ignore[union-attr]
    logits.grad = None
    log_probs = logits.log_softmax(0)
    reward_loss(log_probs.unsqueeze(1), torch.ones(3, 1), log_probs.exp().detach() * rewards).backward()
    torch.testing.assert_close(logits.grad, expected)


class Coin:
    """A model that says one of three words with probabilities of its own, once, and ends."""

    probabilities = torch.tensor([0.0, 0.0, 0.0, 0.5, 0.3, 0.2])

    class Decoder:
        def __init__(self, n: int) -> None:
            self.state = {"said": torch.zeros(n, dtype=torch.long)}

        def step(
            self, tokens: torch.Tensor, state: dict[str, torch.Tensor]
        ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
            ends = torch.zeros(6)
            ends[EOS] = 1.0
            rows = torch.where(state["said"][:, None] > 0, ends, Coin.probabilities)
            return rows.log(), {"said": state["said"] + 1}

    def decoder(self, regions: object) -> Coin.Decoder:
        return Coin.Decoder(2)


class Regions:
    mask = torch.ones(2, 1)


def test_sentences_are_drawn_by_their_probability() -> None:
    torch.manual_seed(0)
    n = 20_000
    sentences, ends = sample_sentences(Coin(), Regions(), n, 5)  # type: ignore[arg-type]
    assert all(ends)
    assert {len(sentence) for sentence in sentences} == {1}
    shares = np.bincount([sentence[0] for sentence in sentences], minlength=6)[N_SPECIAL:] / (2 * n)
    np.testing.assert_allclose(shares, [0.5, 0.3, 0.2], atol=5 * np.sqrt(0.25 / (2 * n)))


def test_sentences_that_are_cut_off_have_no_end() -> None:
    sentences, ends = sample_sentences(Coin(), Regions(), 1, 1)  # type: ignore[arg-type]
    assert [len(sentence) for sentence in sentences] == [1, 1]
    assert ends == [False, False]


@pytest.mark.parametrize("words", [["a", "zebra"], []])
def test_words_that_no_reference_has_are_worth_nothing(words: list[str]) -> None:
    assert CiderReward(REFERENCES).rewards([0], [words])[0] < CiderReward(REFERENCES).rewards([0], [["dog", "runs"]])[0]
    assert Vocabulary(["a"]).numbers(["zebra"]) == [2]
