"""A model of one's own, a class over `nn.Module`, in the search."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest
import torch

from limner.caption import compile_constraints, constrained_search
from small_captioner import SmallCaptioner

N_VOCAB, MAX_LEN, BOS, EOS = 5, 3, 1, 2
MODEL = SmallCaptioner(N_VOCAB)
FEATURES = torch.randn(2, 8, generator=torch.Generator().manual_seed(1))


def log_prob(sentence: list[int], image: int) -> float:
    state, total = MODEL.start(FEATURES[image : image + 1]), 0.0
    with torch.no_grad():
        for before, token in zip([BOS, *sentence], sentence, strict=False):
            log_probs, state = MODEL.step(torch.tensor([before]), state)
            total += float(log_probs[0, token])
    return total


def test_the_best_sentence_of_a_module_is_found() -> None:
    automata = [compile_constraints([[[3]]], n_vocab=N_VOCAB), compile_constraints([[[4]]], n_vocab=N_VOCAB)]
    results = constrained_search(
        MODEL.step, MODEL.start(FEATURES), automata=automata, bos=BOS, eos=EOS, beam=125, max_len=MAX_LEN
    )
    words = [token for token in range(N_VOCAB) if token != EOS]
    ended = [[*said, EOS] for n in range(MAX_LEN) for said in product(words, repeat=n)]
    sentences = ended + [list(said) for said in product(words, repeat=MAX_LEN)]
    for image, (result, word) in enumerate(zip(results, (3, 4), strict=True)):
        best = max((said for said in sentences if word in said), key=partial(log_prob, image=image))
        assert result.tokens == best
        assert result.log_prob == pytest.approx(log_prob(best, image), abs=1e-5)
