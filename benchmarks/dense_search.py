"""Constrained beam search as the paper's own code did it: a boolean for every pair of states and every token.

What our search is compared with, in its answers by the tests and in its speed by `constrained_search.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Step = Callable[[Tensor, dict[str, Tensor]], tuple[Tensor, dict[str, Tensor]]]
NONE = float("-inf")


def paper_states(constraints: Sequence[Sequence[Sequence[int]]], n_vocab: int) -> tuple[Tensor, list[int]]:
    """The paper's state machine, bool[S, S, V] from state to state by token, and the constraints each state has met.

    A state for every set of constraints, and for every set without constraint i one for each beginning of its phrases
    of several words (appendix 2.2, figures 10 to 12). A word that does not carry on what is begun leads back.
    Constraints have no words in common.
    """
    phrases = [(i, tuple(phrase)) for i, alternatives in enumerate(constraints) for phrase in alternatives]
    phrases.sort(key=lambda each: -len(each[1]))  # where one phrase begins another, the shorter is met
    states = [(mask, ()) for mask in range(2 ** len(constraints))]
    for i, phrase in phrases:
        begun = [phrase[:n] for n in range(1, len(phrase))]
        states += [(mask, start) for mask in range(2 ** len(constraints)) if not mask >> i & 1 for start in begun]
    number = {state: place for place, state in enumerate(dict.fromkeys(states))}
    fsm = torch.zeros(len(number), len(number), n_vocab, dtype=torch.bool)
    for (mask, begun), place in number.items():
        goes = torch.full((n_vocab,), number[mask, ()])
        for i, phrase in phrases:
            if not mask >> i & 1 and phrase[: len(begun)] == begun and len(phrase) > len(begun):
                longer = phrase[: len(begun) + 1]
                goes[longer[-1]] = number[(mask | 1 << i, ()) if longer == phrase else (mask, longer)]
        fsm[place].scatter_(0, goes[None], True)
    return fsm, [mask for mask, _ in number]


def dense_search(
    step: Step, state: dict[str, Tensor], fsm: Tensor, *, beam: int, max_len: int, bos: int, eos: int
) -> tuple[Tensor, Tensor]:
    """The best sentences of every state, [B, S, beam, length] of tokens, and their log-probabilities, [B, S, beam].

    `fsm` is bool[B, S, S, V]. A sentence that ended goes on with eos, at no cost; -inf is the log-probability of none.
    """
    n_images, n_states, _, n_vocab = fsm.shape
    first, state = step(torch.full((n_images,), bos), state)
    scores, tokens = first.double()[:, None].masked_fill(~fsm[:, 0], NONE).topk(beam)
    sentences = tokens[..., None]
    state = {name: part.repeat_interleave(n_states * beam, 0) for name, part in state.items()}
    only_eos = torch.full((n_vocab,), NONE)
    only_eos[eos] = 0
    for _ in range(max_len - 1):
        if bool((tokens == eos).all()):
            break
        log_probs, state = step(tokens.flatten(), state)
        log_probs = torch.where(tokens.flatten()[:, None] == eos, only_eos, log_probs)
        log_probs = log_probs.view(n_images, n_states, beam, n_vocab)
        chosen = []
        for target in range(n_states):
            top, at = log_probs.masked_fill(~fsm[:, :, target, None], NONE).topk(beam)
            total = (scores[..., None] + top).flatten(1)
            best, place = total.topk(beam)
            chosen.append((best, at.flatten(1).gather(1, place), place // beam))
        scores, tokens, parents = (torch.stack(part, 1) for part in zip(*chosen, strict=True))
        rows = parents + torch.arange(n_images)[:, None, None] * n_states * beam
        sentences = torch.cat([sentences.flatten(0, 2)[rows], tokens[..., None]], -1)
        state = {name: part.index_select(0, rows.flatten()) for name, part in state.items()}
    return sentences, scores
