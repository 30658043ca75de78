"""Up-Down: against its equations written out plainly, numerical gradients, and exhaustive search."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from limner.caption.captioner_config import UpDownSettings
from limner.caption.constraints.automaton import compile_constraints
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_inputs import FrozenWords, LearntWords, WordInputs
from limner.caption.search.beam_search import constrained_search
from limner.caption.training.caption_pairs import sentence_batch
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN

Array = NDArray[np.float64]

N_VOCAB, N_FEATURES, N_LABELS = 9, 5, 4
SAYABLE = [EOS, *range(N_SPECIAL, N_VOCAB)]
SETTINGS = UpDownSettings(hidden=6, attention=3, region=7, label=2, dropout=0.0)


def make_model(words: str = "learnt", settings: UpDownSettings = SETTINGS, seed: int = 0) -> UpDown:
    torch.manual_seed(seed)
    made: WordInputs = LearntWords(N_VOCAB, 4, settings.hidden)
    if words == "frozen":
        made = FrozenWords(torch.randn(N_VOCAB - N_SPECIAL, 4), settings.hidden, N_SPECIAL)
    model = UpDown(made, N_FEATURES, N_LABELS, settings).eval()
    model.standardise(torch.randn(N_FEATURES), torch.rand(N_FEATURES) + 0.5)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.6)
    return model


def make_regions(n: int = 2, n_regions: int = 4, seed: int = 1) -> RegionBatch:
    generator = torch.Generator().manual_seed(seed)
    mask = torch.ones(n, n_regions, dtype=torch.bool)
    mask[0, -1] = False
    return RegionBatch(
        torch.randn(n, n_regions, N_FEATURES, generator=generator),
        torch.randint(0, N_LABELS, (n, n_regions), generator=generator),
        mask,
        torch.zeros(n, n_regions, dtype=torch.long),
        torch.zeros(n, n_regions, dtype=torch.bool),
    )


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def plain_sentence(model: UpDown, regions: RegionBatch, row: int, tokens: list[int]) -> tuple[Array, Array]:
    """Log-probabilities and attention of one sentence, equation by equation, with numpy in 64 bits."""
    p = {name: value.detach().double().numpy() for name, value in model.state_dict().items()}

    def linear(name: str, x: Array) -> Array:
        bias: Array | float = p.get(f"{name}.bias", 0.0)
        result: Array = p[f"{name}.weight"] @ x + bias
        return result

    def cell(gates: Array, c: Array) -> tuple[Array, Array]:
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    there = [at for at in range(regions.mask.shape[1]) if regions.mask[row, at]]
    vectors = []
    for at in there:
        x = (regions.features[row, at].double().numpy() - p["centre"]) / p["spread"]
        x = np.concatenate([x, p["labels.weight"][int(regions.labels[row, at])]])
        vectors.append(np.maximum(linear("project", x), 0.0))
    v = np.array(vectors)
    mean = v.mean(axis=0)
    table = p["words.table.weight"] if "words.table.weight" in p else np.vstack([p["words.special"], p["words.table"]])
    h1 = c1 = h2 = c2 = np.zeros(model.settings.hidden)
    log_probs, attention = [], []
    for token in tokens:
        gates = linear("mean_gates", mean) + linear("word_gates", table[token])
        h1, c1 = cell(gates + linear("top_gates", np.concatenate([h2, h1])), c1)
        scores = np.array([linear("weigh", np.tanh(linear("key", x) + linear("query", h1)))[0] for x in v])
        a = np.exp(scores - scores.max())
        a /= a.sum()
        h2, c2 = cell(linear("next_gates", np.concatenate([a @ v, h1, h2])), c2)
        if "words.turn.weight" in p:
            logits = p["words.scale"] * (table @ np.tanh(linear("words.turn", h2)))
        else:
            logits = linear("words.output", h2)
        log_probs.append(logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max())
        attention.append(a)
    return np.array(log_probs), np.array(attention)


@pytest.mark.parametrize("words", ["learnt", "frozen"])
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_and_attention_are_those_of_the_equations(words: str, seed: int) -> None:
    model, regions = make_model(words, seed=seed), make_regions(seed=seed + 10)
    tokens = torch.randint(N_SPECIAL, N_VOCAB, (2, 5), generator=torch.Generator().manual_seed(seed))
    tokens[:, 0] = BOS
    log_probs = model(regions, tokens).log_softmax(-1).detach().numpy()
    attention = model.attention(regions, tokens).detach().numpy()
    for row in range(2):
        expected, weights = plain_sentence(model, regions, row, tokens[row].tolist())
        np.testing.assert_allclose(log_probs[row], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(attention[row, :, : weights.shape[1]], weights, rtol=1e-4, atol=1e-5)
        assert not attention[row, :, weights.shape[1] :].any()


def test_regions_that_are_padding_change_nothing() -> None:
    model, regions = make_model(), make_regions()
    tokens = torch.tensor([[BOS, 4, 5]])
    alone = RegionBatch(*(part[:1, :3] for part in regions))
    filled = RegionBatch(regions.features[:1] + 100 * ~regions.mask[:1, :, None], *(part[:1] for part in regions[1:]))
    torch.testing.assert_close(model(alone, tokens), model(filled, tokens))


def test_a_step_at_a_time_gives_the_same_as_the_whole_sentence() -> None:
    model, regions = make_model(), make_regions()
    tokens = torch.tensor([[BOS, 4, 5, 8], [BOS, 3, 3, 7]])
    scores = model(regions, tokens)
    scores[:, 0, EOS] = -float("inf")
    whole = scores[..., SAYABLE].log_softmax(-1)
    decoder = model.decoder(regions)
    # Rows in another order, as a search has them.
    order = torch.tensor([1, 0])
    state = {name: part[order] for name, part in decoder.state.items()}
    for at in range(tokens.shape[1]):
        log_probs, state = decoder.step(tokens[order, at], state)
        torch.testing.assert_close(log_probs[:, SAYABLE], whole[order, at])
        torch.testing.assert_close(log_probs.exp().sum(dim=1), torch.ones(2))
        assert torch.isinf(log_probs[:, [BOS, UNKNOWN]]).all()


@pytest.mark.parametrize("words", ["learnt", "frozen"])
def test_gradients_are_those_of_differences(words: str) -> None:
    model = make_model(words, UpDownSettings(3, 2, 4, 2, 0.0)).double()
    regions = make_regions()
    regions = regions._replace(features=regions.features.double())
    sentences = sentence_batch([[4, 5], [6]])
    parameters = dict(model.named_parameters())

    def loss(*values: torch.Tensor) -> torch.Tensor:
        scores = torch.func.functional_call(
            model, dict(zip(parameters, values, strict=True)), (regions, sentences.tokens)
        )
        losses = torch.nn.functional.cross_entropy(scores.flatten(0, 1), sentences.targets.flatten(), reduction="none")
        return (losses * sentences.mask.flatten()).sum()

    assert torch.autograd.gradcheck(loss, tuple(value.detach().requires_grad_() for value in parameters.values()))


def test_a_wide_search_without_constraints_is_exhaustive_search() -> None:
    model, regions = make_model(seed=4), make_regions(seed=3)
    max_len = 4
    best: list[tuple[float, list[int]]] = [(-math.inf, []), (-math.inf, [])]
    with torch.no_grad():
        # A caption has a word.
        for n in range(2, max_len + 1):
            ends = [EOS] if n < max_len else SAYABLE
            sentences = [[*body, end] for body in product(SAYABLE[1:], repeat=n - 1) for end in ends]
            read = torch.tensor([[BOS, *sentence[:-1]] for sentence in sentences])
            for row in range(2):
                part = regions.take(torch.full((len(sentences),), row))
                scores = model(part, read)
                scores[..., [BOS, UNKNOWN]] = -1e9
                scores[:, 0, EOS] = -1e9
                said = scores.log_softmax(-1).gather(2, torch.tensor(sentences).unsqueeze(2)).squeeze(2).double().sum(1)
                value, at = said.max(0)
                best[row] = max(best[row], (float(value), sentences[int(at)]))
        decoder = model.decoder(regions)
        free = compile_constraints([], n_vocab=N_VOCAB)
        results = constrained_search(
            decoder.step, decoder.state, automata=[free, free], beam=400, max_len=max_len, bos=BOS, eos=EOS
        )
    for result, (value, tokens) in zip(results, best, strict=True):
        assert result.tokens == tokens
        assert result.log_prob == pytest.approx(value, abs=1e-5)


def test_twenty_captions_are_learnt_by_heart() -> None:
    draw = np.random.default_rng(0)
    captions = [draw.integers(N_SPECIAL, 40, draw.integers(3, 8)).tolist() for _ in range(20)]
    torch.manual_seed(0)
    model = UpDown(LearntWords(40, 24, 48), N_FEATURES, N_LABELS, UpDownSettings(48, 16, 24, 4, 0.0))
    regions, sentences = make_regions(20), sentence_batch(captions)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    loss = torch.tensor(math.inf)
    for _ in range(250):
        scores = model(regions, sentences.tokens)
        losses = torch.nn.functional.cross_entropy(scores.flatten(0, 1), sentences.targets.flatten(), reduction="none")
        loss = (losses * sentences.mask.flatten()).sum() / sentences.mask.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.02
    decoder = model.eval().decoder(regions)
    free = compile_constraints([], n_vocab=40)
    with torch.no_grad():
        results = constrained_search(
            decoder.step, decoder.state, automata=[free] * 20, beam=2, max_len=10, bos=BOS, eos=EOS
        )
    assert [result.tokens[:-1] for result in results] == captions


def test_words_are_dropped_only_while_training() -> None:
    model = make_model(settings=UpDownSettings(6, 3, 7, 2, 0.0, word_dropout=0.9))
    regions, tokens = make_regions(), torch.tensor([[BOS, 4, 5, 6, 7, 8]] * 2)
    assert torch.equal(model(regions, tokens), model(regions, tokens))
    model.train()
    torch.manual_seed(0)
    assert not torch.equal(model(regions, tokens), model.eval()(regions, tokens))


def test_a_caption_does_not_end_before_its_first_word() -> None:
    model, regions = make_model(), make_regions()
    torch.nn.init.zeros_(model.words.get_parameter("output.weight"))
    with torch.no_grad():
        model.words.get_parameter("output.bias")[EOS] = 50.0
    decoder = model.decoder(regions)
    free = compile_constraints([], n_vocab=N_VOCAB)
    with torch.no_grad():
        results = constrained_search(
            decoder.step, decoder.state, automata=[free, free], beam=2, max_len=5, bos=BOS, eos=EOS
        )
    assert all(len(result.tokens) == 2 and result.tokens[-1] == EOS for result in results)
