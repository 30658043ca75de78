"""The loss of the next word, over the words that a captioner can say."""

from __future__ import annotations

from torch import Tensor

from limner.learn.vocabulary import BOS, EOS, N_SPECIAL


def smoothed_cross_entropy(scores: Tensor, targets: Tensor, mask: Tensor, smoothing: float) -> Tensor:
    """The cross-entropy of targets `[…]` by scores `[…, n_vocab]`, summed where `mask` is not 0.

    The target spreads the share `smoothing` of its probability evenly over
    the words that can be said: the end of a sentence and the vocabulary. An
    unknown word may be a target, since captions have some. The beginning has
    no probability.
    """
    log_probs = scores.index_fill(-1, targets.new_tensor([BOS]), -float("inf")).log_softmax(dim=-1)
    losses = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    if smoothing:
        # A language model gives the beginning a score of -10,000, which would outweigh all words.
        said = log_probs[..., EOS] + log_probs[..., N_SPECIAL:].sum(dim=-1)
        n_sayable = scores.shape[-1] - N_SPECIAL + 1
        losses = (1 - smoothing) * losses - smoothing * said / n_sayable
    return (losses * mask).sum()
