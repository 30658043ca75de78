"""Neural Baby Talk: against its equations written out plainly, numerical gradients, and exhaustive search."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from limner.caption.captioner_config import UpDownSettings
from limner.caption.constraints.automaton import compile_constraints
from limner.caption.models.neural_baby_talk import NeuralBabyTalk
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.slot_heads import mixed_log_probs
from limner.caption.models.slot_table import SlotTable, TokenPair
from limner.caption.models.word_inputs import AnchoredWords, FrozenWords
from limner.caption.search.beam_search import constrained_search
from limner.caption.training.slot_task import slot_loss
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN
from slot_cases import N_DIMS, N_FEATURES, N_TEXT, N_VOCAB, WORDS, slot_batch, slot_model, slot_regions

Array = NDArray[np.float64]

torch.set_num_threads(1)


class PlainWord(NamedTuple):
    """What follows a word, by the equations: pointer by region, sentinel, text, and forms by region and number."""

    pointer: dict[int, float]
    sentinel: float
    text: Array
    forms: dict[int, dict[int, float]]
    attention: Array

    def probability(self, token: int) -> float:
        slots = sum(p * self.forms[at].get(token, 0.0) for at, p in self.pointer.items())
        return self.sentinel * float(self.text[token]) + slots


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def sigmoid(x: Array | float) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.asarray(x))))


def unit(vector: Array) -> Array:
    length = np.sqrt((vector**2).sum())
    return vector / length if length else vector


def named_share(regions: RegionBatch, row: int, at: int, said: list[int]) -> float:
    """The share of the proposals of a region's class that words have named, counted one by one."""
    number = int(regions.classes[row, at])
    words = WORDS[number - 1]
    n_proposals = int(((regions.classes[row] == number) & regions.proposals[row]).sum())
    n_named = 0
    for token in said:
        if any(token == word.plural != 0 for word in words):
            n_named += n_proposals
        elif any(token == word.singular for word in words):
            n_named += 1
    return min(n_named / n_proposals, 1.0)


def plain_sentence(model: NeuralBabyTalk, regions: RegionBatch, row: int, tokens: list[int]) -> list[PlainWord]:
    """What follows each word of a sentence, equation by equation, in 64 bits."""
    p = {name: value.detach().double().numpy() for name, value in model.state_dict().items()}
    fixed = model.words.fixed.detach().double().numpy()

    def linear(name: str, x: Array) -> Array:
        bias: Array | float = p.get(f"{name}.bias", 0.0)
        return np.asarray(p[f"{name}.weight"] @ x + bias)

    def cell(gates: Array, c: Array) -> tuple[Array, Array]:
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    def vector(token: int) -> Array:
        if isinstance(model.words, FrozenWords):
            return np.asarray(np.vstack([p["words.special"], p["words.table"]])[token])
        return np.asarray(
            p["words.learnt.table.weight"][token] if token < N_TEXT else linear("words.read", fixed[token])
        )

    def text_of(h: Array) -> Array:
        if isinstance(model.words, FrozenWords):
            table = np.vstack([p["words.special"], p["words.table"]])
            scores = p["words.scale"] * (table @ np.tanh(linear("words.turn", h))) + p["words.biases"]
        else:
            scores = linear("words.learnt.output", h)
        text = np.zeros(N_VOCAB)
        text[1:N_TEXT] = softmax(scores[1:N_TEXT])
        return text

    there = [at for at in range(regions.mask.shape[1]) if regions.mask[row, at]]
    proposals = [at for at in there if regions.proposals[row, at]]
    vectors = {at: p["table.vectors"][int(regions.classes[row, at]) - 1] for at in there if regions.classes[row, at]}
    raw = {}
    for at in there:
        x = (regions.features[row, at].double().numpy() - p["centre"]) / p["spread"]
        raw[at] = np.concatenate([x, vectors.get(at, np.zeros(N_DIMS))])
    v = {at: np.maximum(linear("project", raw[at]), 0.0) for at in there}
    shown = {at: np.maximum(linear("project_proposal", raw[at]), 0.0) for at in proposals}
    mean = np.mean(list(v.values()), axis=0)
    h1 = c1 = h2 = c2 = np.zeros(model.settings.hidden)
    result = []
    for n_said, token in enumerate(tokens, start=1):
        gates = linear("mean_gates", mean) + linear("word_gates", vector(token))
        h1, c1 = cell(gates + linear("top_gates", np.concatenate([h2, h1])), c1)
        a = softmax(np.array([linear("weigh", np.tanh(linear("key", v[at]) + linear("query", h1)))[0] for at in there]))
        looked = sum((share * v[at] for share, at in zip(a, there, strict=True)), np.zeros_like(mean))
        chosen = np.zeros_like(mean)
        if proposals:
            b = softmax(
                np.array(
                    [
                        linear(
                            "weigh_proposal", np.tanh(linear("proposal_key", shown[at]) + linear("proposal_query", h1))
                        )[0]
                        for at in proposals
                    ]
                )
            )
            chosen = sum((share * shown[at] for share, at in zip(b, proposals, strict=True)), chosen)
        inputs = np.concatenate([chosen, looked, h1, h2])
        h2, c2 = cell(linear("next_gates", inputs), c2)
        z = sigmoid(linear("sentinel_gates", inputs)) * np.tanh(c2)
        query = linear("heads.pointer_query", h2)
        scores = [
            linear("heads.point", np.tanh(linear("heads.pointer_key", shown[at]) + query))[0]
            + p["heads.again"] * named_share(regions, row, at, tokens[:n_said])
            for at in proposals
        ]
        scores.append(linear("heads.point", np.tanh(linear("heads.sentinel_key", z) + query))[0])
        *pointer, sentinel = softmax(np.array(scores))
        forms: dict[int, dict[int, float]] = {}
        for at in proposals:
            t = np.tanh(
                linear("heads.filler_key", np.concatenate([shown[at], vectors[at]])) + linear("heads.filler_query", h2)
            )
            q = vectors[at] + linear("heads.turn", t)
            words = WORDS[int(regions.classes[row, at]) - 1]
            fine = softmax(
                np.array(
                    [
                        p["heads.scale"] * (unit(fixed[word.singular]) @ q)
                        + p["heads.repeated"] * any(form in tokens[:n_said] for form in word if form)
                        for word in words
                    ]
                )
            )
            several = float(sigmoid(linear("heads.number", t)[0]))
            forms[at] = {}
            for word, share in zip(words, fine, strict=True):
                forms[at][word.singular] = float(share) * (1 - several if word.plural else 1.0)
                if word.plural:
                    forms[at][word.plural] = float(share) * several
        result.append(
            PlainWord(dict(zip(proposals, map(float, pointer), strict=True)), float(sentinel), text_of(h2), forms, a)
        )
    return result


def sentences(seed: int, n: int = 3, length: int = 5) -> torch.Tensor:
    tokens = torch.randint(N_SPECIAL, N_VOCAB, (n, length), generator=torch.Generator().manual_seed(seed))
    tokens[:, 0] = BOS
    return tokens


@pytest.mark.parametrize("kind", ["frozen", "learnt"])
@pytest.mark.parametrize("seed", range(4))
@torch.no_grad()
def test_probabilities_are_those_of_the_equations(kind: str, seed: int) -> None:
    model, regions, tokens = slot_model(kind, seed=seed), slot_regions(seed=seed + 10), sentences(seed)
    words, attention = model.run(regions, tokens)
    probabilities = model(regions, tokens).exp()
    for row in range(3):
        for at, plain in enumerate(plain_sentence(model, regions, row, tokens[row].tolist())):
            flat = row * tokens.shape[1] + at
            assert math.exp(words.pointing.sentinel[flat]) == pytest.approx(plain.sentinel, abs=1e-5)
            pointer = words.pointing.regions[flat].exp()
            assert set(pointer.nonzero().flatten().tolist()) == set(plain.pointer)
            for region, share in plain.pointer.items():
                assert float(pointer[region]) == pytest.approx(share, abs=1e-5)
            expected = [plain.probability(token) for token in range(N_VOCAB)]
            np.testing.assert_allclose(probabilities[row, at].numpy(), expected, rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(
                attention[row, at, : len(plain.attention)], plain.attention, rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("seed", range(4))
@torch.no_grad()
def test_shares_of_slots_are_what_regions_added_to_a_word(seed: int) -> None:
    model, regions, tokens = slot_model(seed=seed), slot_regions(seed=seed + 20), sentences(seed)
    said = torch.tensor([[3, 4, 8, 9, EOS], [10, 11, 6, 5, 7], [3, 4, 5, 6, EOS]])
    # Everything may be said by the text but what it never says, and what slots alone say.
    lacking = torch.zeros(3, N_VOCAB, dtype=torch.bool)
    lacking[:, [UNKNOWN, *range(N_TEXT, N_VOCAB)]] = True
    slots = model.grounds(regions, tokens, said, lacking).slots
    for row in range(3):
        for at, plain in enumerate(plain_sentence(model, regions, row, tokens[row].tolist())):
            text = plain.text.copy()
            text[[UNKNOWN, *([EOS] if at == 0 else [])]] = 0.0
            token = int(said[row, at])
            parts = {region: p * plain.forms[region].get(token, 0.0) for region, p in plain.pointer.items()}
            total = plain.sentinel * text[token] / text.sum() + sum(parts.values())
            for region in range(regions.mask.shape[1]):
                expected = parts.get(region, 0.0) / total if total else 0.0
                assert float(slots[row, at, region]) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("kind", ["frozen", "learnt"])
@torch.no_grad()
def test_probabilities_sum_to_one(kind: str) -> None:
    model, regions, tokens = slot_model(kind), slot_regions(), sentences(3)
    torch.testing.assert_close(model(regions, tokens).exp().sum(-1), torch.ones(3, 5))
    torch.testing.assert_close(model(regions, tokens).log_softmax(-1).exp(), model(regions, tokens).exp())
    log_probs = model.log_probs(regions, tokens)
    torch.testing.assert_close(log_probs.exp().sum(-1), torch.ones(3, 5))
    assert torch.isinf(log_probs[..., [BOS, UNKNOWN]]).all()
    assert torch.isinf(log_probs[:, 0, EOS]).all()
    # An image without proposals has the text alone.
    assert torch.isinf(log_probs[-1, :, N_TEXT:]).all()


@torch.no_grad()
def test_a_step_at_a_time_gives_the_same_as_the_whole_sentence() -> None:
    model, regions, tokens = slot_model(), slot_regions(), sentences(2)
    lacking = torch.zeros(3, N_VOCAB, dtype=torch.bool)
    lacking[0, [4, 9]] = True
    lacking[1:, N_TEXT:] = True
    whole = model.log_probs(regions, tokens, lacking)
    decoder = model.decoder(regions, lacking)
    order = torch.tensor([2, 0, 1])
    state = {name: part[order] for name, part in decoder.state.items()}
    for at in range(tokens.shape[1]):
        log_probs, state = decoder.step(tokens[order, at], state)
        torch.testing.assert_close(log_probs, whole[order, at])


@torch.no_grad()
def test_other_images_and_their_classes_change_nothing() -> None:
    model, regions, tokens = slot_model(), slot_regions(), sentences(2)
    together = model.log_probs(regions, tokens)
    for row in range(3):
        alone = model.log_probs(regions.take(torch.tensor([row])), tokens[row : row + 1])
        torch.testing.assert_close(together[row : row + 1], alone)


@torch.no_grad()
def test_regions_that_are_padding_change_nothing() -> None:
    model, regions, tokens = slot_model(), slot_regions(), sentences(1, n=1)
    alone = RegionBatch(*(part[:1, :4] for part in regions))
    filled = RegionBatch(regions.features[:1] + 100 * ~regions.mask[:1, :, None], *(part[:1] for part in regions[1:]))
    torch.testing.assert_close(model(alone, tokens), model(filled, tokens))


@torch.no_grad()
def test_new_words_and_classes_leave_others_as_they_are() -> None:
    model, regions, tokens = slot_model(), slot_regions(), sentences(5)
    before = model.log_probs(regions, tokens)
    model.words = model.words.extended(torch.randn(2, N_DIMS))
    model.table = model.table.extended(torch.randn(1, N_DIMS), [[TokenPair(N_VOCAB, N_VOCAB + 1)]])
    torch.testing.assert_close(model.log_probs(regions, tokens)[..., :N_VOCAB], before)
    classes, proposals = regions.classes.clone(), regions.proposals.clone()
    classes[-1, 2], proposals[-1, 2] = len(WORDS) + 1, True
    after = model.log_probs(regions._replace(classes=classes, proposals=proposals), tokens)
    assert torch.isfinite(after[-1, :, N_VOCAB:]).all()
    assert torch.isinf(after[:-1, :, N_VOCAB:]).all()


@torch.no_grad()
def test_the_loss_is_that_of_the_equations() -> None:
    model, regions = slot_model(seed=3), slot_regions(seed=13)
    tied = [regions.proposals[row].nonzero().flatten().tolist() for row in range(2)]
    numbers = [[5, 4, 7], [10, 6], [3]]
    slots = [(0, 1, tied[0]), (1, 0, tied[1][:1])]
    loss = slot_loss(model, regions, slot_batch(numbers, slots, regions.mask.shape[1]))
    expected = 0.0
    for row, caption in enumerate(numbers):
        for at, plain in enumerate(plain_sentence(model, regions, row, [BOS, *caption])):
            target = [*caption, EOS][at]
            tied_here = next((where for *place, where in slots if place == [row, at]), None)
            if tied_here is None:
                expected -= math.log(plain.sentinel * float(plain.text[target]))
            else:
                # A region whose class lacks the word counts as if it said it.
                shares = (plain.pointer[region] * plain.forms[region].get(target, 1.0) for region in tied_here)
                expected -= math.log(sum(shares))
    assert float(loss) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("kind", ["frozen", "learnt"])
def test_gradients_are_those_of_differences(kind: str) -> None:
    model = slot_model(kind, UpDownSettings(2, 2, 2, 0, 0.0), seed=2).double()
    regions = slot_regions(2, 4, seed=5)
    regions = regions._replace(features=regions.features.double())
    tied = regions.proposals[0].nonzero().flatten().tolist()
    captions = slot_batch([[5, 4], [6]], [(0, 1, tied)], 4)
    parameters = dict(model.named_parameters())

    class Losses(torch.nn.Module):
        """Both losses: that of slots, and that of the mixture, by which the second stage learns."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self) -> torch.Tensor:
            sentences = captions.sentences
            said = model.log_probs(regions, sentences.tokens).gather(2, sentences.targets.unsqueeze(2)).squeeze(2)
            finite = said.masked_fill(torch.isinf(said), 0.0)
            return slot_loss(model, regions, captions, 0.1) - finite.sum()

    losses = Losses()

    def loss(*values: torch.Tensor) -> torch.Tensor:
        named = {f"model.{name}": value for name, value in zip(parameters, values, strict=True)}
        result: torch.Tensor = torch.func.functional_call(losses, named, ())
        return result

    assert torch.autograd.gradcheck(loss, tuple(value.detach().requires_grad_() for value in parameters.values()))


def test_the_mixture_has_gradients_where_text_or_slot_has_nothing() -> None:
    text = torch.tensor([-1.0, -float("inf"), -2.0, -float("inf")], requires_grad=True)
    slots = torch.tensor([0.0, 0.5, 0.1, 0.0], requires_grad=True)
    mixed = mixed_log_probs(text, slots)
    assert mixed[3] == -float("inf")
    mixed[:3].sum().backward()
    assert text.grad is not None
    assert slots.grad is not None
    assert text.grad.isfinite().all()
    assert slots.grad.isfinite().all()
    assert mixed[1].item() == pytest.approx(math.log(0.5))


@torch.no_grad()
def test_a_wide_search_without_constraints_is_exhaustive_search() -> None:
    model, regions = slot_model(seed=4), slot_regions(seed=3)
    # The text has few words here, so that all sentences can be written down.
    lacking = torch.ones(3, N_VOCAB, dtype=torch.bool)
    lacking[:, [EOS, 3, 4]] = False
    max_len = 3
    sayable = [EOS, *range(N_SPECIAL, N_VOCAB)]
    best: list[tuple[float, list[int]]] = [(-math.inf, [])] * 3
    for n in range(2, max_len + 1):
        ends = [EOS] if n < max_len else sayable
        written = [[*body, end] for body in product(sayable[1:], repeat=n - 1) for end in ends]
        read = torch.tensor([[BOS, *sentence[:-1]] for sentence in written])
        for row in range(3):
            rows = torch.full((len(written),), row)
            log_probs = model.log_probs(regions.take(rows), read, lacking[rows])
            said = log_probs.gather(2, torch.tensor(written).unsqueeze(2)).squeeze(2).double().sum(1)
            value, at = said.max(0)
            best[row] = max(best[row], (float(value), written[int(at)]))
    decoder = model.decoder(regions, lacking)
    free = compile_constraints([], n_vocab=N_VOCAB)
    results = constrained_search(
        decoder.step, decoder.state, automata=[free] * 3, beam=200, max_len=max_len, bos=BOS, eos=EOS
    )
    for result, (value, tokens) in zip(results, best, strict=True):
        assert result.tokens == tokens
        assert result.log_prob == pytest.approx(value, abs=1e-5)


def test_twenty_captions_are_learnt_by_heart() -> None:
    draw = np.random.default_rng(0)
    n_text, n_vocab, n_classes = 30, 40, 5
    torch.manual_seed(0)
    pairs = [[TokenPair(30 + 2 * at, 31 + 2 * at)] for at in range(n_classes)]
    vectors = torch.randn(n_vocab - N_SPECIAL, 24)
    table = SlotTable(torch.stack([vectors[pair[0].singular - N_SPECIAL] for pair in pairs]), pairs)
    model = NeuralBabyTalk(
        FrozenWords(vectors, 48, N_SPECIAL), N_FEATURES, n_text, table, UpDownSettings(48, 16, 24, 4, 0.0)
    )
    regions = RegionBatch(
        torch.randn(20, 4, N_FEATURES),
        torch.zeros(20, 4, dtype=torch.long),
        torch.ones(20, 4, dtype=torch.bool),
        torch.from_numpy(draw.integers(1, n_classes + 1, (20, 4))),
        torch.ones(20, 4, dtype=torch.bool),
    )
    captions, slots = [], []
    for row in range(20):
        caption = draw.integers(N_SPECIAL, n_text, draw.integers(3, 7)).tolist()
        position, region = int(draw.integers(len(caption))), int(draw.integers(4))
        pair = pairs[int(regions.classes[row, region]) - 1][0]
        caption[position] = pair[int(draw.integers(2))]
        captions.append(caption)
        slots.append((row, position, [region]))
    batch = slot_batch(captions, slots, 4)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    loss = torch.tensor(math.inf)
    for _ in range(250):
        loss = slot_loss(model, regions, batch) / sum(len(caption) + 1 for caption in captions)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.02
    decoder = model.eval().decoder(regions)
    free = compile_constraints([], n_vocab=n_vocab)
    with torch.no_grad():
        results = constrained_search(
            decoder.step, decoder.state, automata=[free] * 20, beam=2, max_len=10, bos=BOS, eos=EOS
        )
    assert [result.tokens[:-1] for result in results] == captions
    # The slots say their words, of their regions.
    read = torch.tensor([[BOS, *caption, *[EOS] * (6 - len(caption))] for caption in captions])
    said = torch.tensor([[*caption, *[EOS] * (7 - len(caption))] for caption in captions])
    shares = model.grounds(regions, read, said).slots.detach()
    assert all(float(shares[row, position, region]) > 0.9 for row, position, (region,) in slots)


def test_words_with_fixed_vectors_grow_and_keep_what_is_learnt() -> None:
    torch.manual_seed(0)
    words = AnchoredWords(6, torch.randn(5, 4), 3, 7, N_SPECIAL)
    grown = words.extended(torch.ones(1, 4))
    assert (grown.n_vocab, len(grown.fixed)) == (words.n_vocab + 1, words.n_vocab + 1)
    tokens = torch.tensor([[BOS, 4, 7]])
    torch.testing.assert_close(grown.vectors(tokens), words.vectors(tokens))
    hidden = torch.randn(2, 7)
    torch.testing.assert_close(grown.scores(hidden)[:, :6], words.scores(hidden)[:, :6])
    assert torch.isinf(grown.scores(hidden)[:, 6:]).all()


@torch.no_grad()
def test_words_begin_as_frequent_as_they_were_said_and_new_ones_as_the_rarest() -> None:
    words = FrozenWords(torch.randn(5, 4), 7, N_SPECIAL, has_biases=True)
    torch.nn.init.zeros_(words.scale)
    words.begin_biases(torch.tensor([0, 3, 1, 5, 0]))
    assert words.biases is not None
    shares = words.scores(torch.randn(7))[:5].softmax(-1)
    torch.testing.assert_close(shares, torch.tensor([1.0, 4.0, 2.0, 6.0, 1.0]) / 14)
    grown = words.extended(torch.randn(2, 4))
    scores = grown.scores(torch.randn(7))
    torch.testing.assert_close(scores[:8], words.biases)
    assert (scores[8:] == words.biases.min()).all()
