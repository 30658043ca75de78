"""With a beam that is wide enough, the search finds what going through every sentence finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from limner.caption import Automaton, BadConstraints, Phrase, SearchResult, compile_constraints, constrained_search
from limner.errors import LimnerError
from refusals import refusal

torch.set_num_threads(1)

EOS, BOS = 0, 1
WIDE = 100_000
PAD = -1


@dataclass(frozen=True)
class Model:
    """What comes next depends on all that was said, by a number made of it, which is carried as the state."""

    table: NDArray[np.float32]  # [numbers, V]

    def after(self, number: Any, token: Any) -> Any:
        return (number * 31 + token + 1) % len(self.table)

    def step(self, tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        number = self.after(state["number"], tokens)
        return torch.from_numpy(self.table)[number], {"number": number}


def random_model(rng: np.random.Generator, n_vocab: int, ties: bool) -> Model:
    """A model that gives some tokens no probability; with `ties`, all sums are exact and many are equal."""
    size = (211, n_vocab)
    if ties:
        return Model(rng.choice([-0.5, -1.0, -2.0, -np.inf], size, p=[0.3, 0.4, 0.2, 0.1]).astype(np.float32))
    logits = rng.normal(0, 2, size)
    table = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    table[rng.random(size) < 0.1] = -np.inf
    return Model(table.astype(np.float32))


def random_automaton(rng: np.random.Generator, n_vocab: int) -> Automaton:
    """Few tokens, so that phrases overlap, begin and end alike; subwords, starts of sentences and forbidden phrases."""

    def phrase() -> Phrase:
        tokens = rng.integers(1, min(n_vocab, 4), rng.integers(1, 4)).tolist()
        return Phrase(tuple(tokens), at_start=bool(rng.random() < 0.1))

    while True:
        constraints = [[phrase() for _ in range(rng.integers(1, 4))] for _ in range(rng.integers(0, 4))]
        try:
            return compile_constraints(
                constraints,
                n_vocab=n_vocab,
                at_least=int(rng.integers(0, len(constraints) + 1)),
                forbid=[phrase() for _ in range(rng.choice([0, 0, 1, 2]))],
                continues=rng.random(n_vocab) < 0.4 if rng.random() < 0.3 else None,
                minimise=bool(rng.random() < 0.2),
            )
        except BadConstraints:  # what is wanted is forbidden
            continue


@dataclass(frozen=True)
class Sentences:
    """Every sentence there is: tokens padded at the end, log-probability, number of tokens."""

    tokens: NDArray[np.int64]
    log_prob: NDArray[np.float64]
    n_tokens: NDArray[np.int64]

    def have(self, phrase: Phrase, continues: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        n, longest = self.tokens.shape
        wide = np.concatenate([self.tokens, np.full((n, 1), PAD)], 1)
        found = np.zeros(n, dtype=bool)
        for begin in range(longest - len(phrase.tokens) + 1):
            end = begin + len(phrase.tokens)
            here = (wide[:, begin:end] == phrase.tokens).all(1)
            if continues is not None:
                here &= (wide[:, end] == PAD) | (wide[:, end] == EOS) | ~continues[wide[:, end]]
            found |= here & (begin == 0 or not phrase.at_start)
        return found


def every_sentence(model: Model, number: int, max_len: int) -> Sentences:
    n_vocab = model.table.shape[1]
    prefixes, scores = np.full((1, max_len), PAD), np.zeros(1)
    numbers = np.array([model.after(number, BOS)])
    done: list[tuple[NDArray[np.int64], NDArray[np.float64], int]] = []
    for place in range(max_len):
        longer = np.repeat(prefixes, n_vocab, 0)
        longer[:, place] = np.tile(np.arange(n_vocab), len(prefixes))
        scores = np.repeat(scores, n_vocab) + model.table[numbers].astype(np.float64).ravel()
        numbers = model.after(np.repeat(numbers, n_vocab), longer[:, place])
        over = (longer[:, place] == EOS) | (place == max_len - 1)
        possible = scores > -np.inf
        done.append((longer[over & possible], scores[over & possible], place + 1))
        prefixes, scores, numbers = (part[~over & possible] for part in (longer, scores, numbers))
    return Sentences(
        np.concatenate([tokens for tokens, _, _ in done]),
        np.concatenate([log_prob for _, log_prob, _ in done]),
        np.concatenate([np.full(len(log_prob), n) for _, log_prob, n in done]),
    )


def best(
    sentences: Sentences, automaton: Automaton, unmet: str = "relax", n_best: int = 1, length_penalty: float = 0.0
) -> list[tuple[list[int], float, tuple[bool, ...]]]:
    """The answers by their definition: enough constraints (or most), the score, the dictionary."""
    met = np.array(
        [
            np.logical_or.reduce([sentences.have(phrase, automaton.continues) for phrase in phrases])
            for phrases in automaton.constraints
        ],
        dtype=bool,
    ).reshape(len(automaton.constraints), len(sentences.tokens))
    n_met = met.sum(0)
    allowed = np.ones(len(sentences.tokens), dtype=bool)
    for phrase in automaton.forbid:
        allowed &= ~sentences.have(phrase, automaton.continues)
    level = np.minimum(n_met, automaton.at_least) if unmet == "relax" else (n_met >= automaton.at_least).astype(int)
    if unmet == "raise":
        allowed &= level == 1
    score = sentences.log_prob / sentences.n_tokens.astype(float) ** length_penalty
    order = np.lexsort((*sentences.tokens.T[::-1], -score, -level))
    return [
        (
            [token for token in sentences.tokens[i].tolist() if token != PAD],
            float(sentences.log_prob[i]),
            tuple(met[:, i].tolist()),
        )
        for i in order[allowed[order]][:n_best]
    ]


def search(model: Model, numbers: list[int], automata: list[Automaton], **options: Any) -> list[SearchResult]:
    options = {"beam": WIDE, "bos": BOS, "eos": EOS} | options
    return constrained_search(model.step, {"number": torch.tensor(numbers)}, automata=automata, **options)


def parts(found: SearchResult) -> tuple[list[int], float, tuple[bool, ...]]:
    return found.tokens, found.log_prob, found.satisfied


CASES = [(seed, mode, ties) for seed in range(40) for mode in ("per_state", "banks") for ties in (False, True)]


@pytest.mark.parametrize(("seed", "mode", "ties"), CASES)
def test_the_search_finds_the_best_of_all_sentences(seed: int, mode: str, ties: bool) -> None:
    rng = np.random.default_rng([seed, mode == "banks", ties])
    n_vocab, max_len = [(4, 6), (5, 5), (6, 4), (8, 4), (8, 3), (3, 6)][seed % 6]
    model = random_model(rng, n_vocab, ties)
    automata = [random_automaton(rng, n_vocab) for _ in range(16)]
    numbers = rng.integers(0, len(model.table), 16).tolist()
    wanted = [best(every_sentence(model, n, max_len), a) for n, a in zip(numbers, automata, strict=True)]
    some = [i for i, answers in enumerate(wanted) if answers]  # the rest has no sentence at all
    found = search(model, [numbers[i] for i in some], [automata[i] for i in some], max_len=max_len, mode=mode)
    for i, answer in zip(some, found, strict=True):
        assert parts(answer) == wanted[i][0]
        assert answer.met == (sum(answer.satisfied) >= automata[i].at_least)
        said = answer.tokens[:-1] if answer.tokens[-1] == EOS else answer.tokens
        assert answer.spans == automata[i].spans(said)
        assert tuple(span is not None for span in answer.spans) == answer.satisfied


@pytest.mark.parametrize("mode", ["per_state", "banks"])
def test_longer_sentences_of_a_larger_vocabulary_too(mode: str) -> None:
    rng = np.random.default_rng(8)
    model = random_model(rng, 8, ties=False)
    sentences = every_sentence(model, 5, 6)
    assert len(sentences.tokens) > 50_000
    for _ in range(3):
        automaton = random_automaton(rng, 8)
        (found,) = search(model, [5], [automaton], max_len=6, mode=mode)
        assert [parts(found)] == best(sentences, automaton)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("unmet", ["relax", "flag", "raise"])
def test_the_best_few_are_in_order_by_score_and_only_what_is_asked_for(seed: int, unmet: str) -> None:
    rng = np.random.default_rng([seed, len(unmet)])
    model = random_model(rng, 5, ties=bool(seed % 2))
    options: dict[str, Any] = {"unmet": unmet, "n_best": int(rng.integers(1, 30))}
    options["length_penalty"] = [0.0, 1.0, 0.5][seed % 3]
    for mode in ("per_state", "banks"):
        automaton, number = random_automaton(rng, 5), int(rng.integers(200))
        wanted = best(every_sentence(model, number, 4), automaton, **options)
        if not wanted:
            with refusal(LimnerError):
                search(model, [number], [automaton], max_len=4, mode=mode, **options)
            continue
        (found,) = search(model, [number], [automaton], max_len=4, mode=mode, **options)
        assert [parts(each) for each in (found, *found.others)] == wanted
        for each in (found, *found.others):
            assert each.score == pytest.approx(each.log_prob / len(each.tokens) ** options["length_penalty"])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", ["per_state", "banks", None])
def test_images_of_a_batch_do_not_touch_each_other(seed: int, mode: str | None) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, 7, ties=bool(seed % 2))
    model.table[:, 3] = -2.0  # so that no sentence comes to nothing
    automata = [random_automaton(rng, 7) for _ in range(9)]
    if mode is None:
        many = [[[i]] for i in range(2, 7)] * 2  # more states than per_state takes unless told to
        automata.append(compile_constraints(many, n_vocab=7))
    automata = [a for a in automata if a.allows([3, 3, 3, 3, 3])]
    numbers = rng.integers(0, 200, len(automata)).tolist()
    options: dict[str, Any] = {"beam": int(rng.integers(1, 5)), "max_len": 7, "mode": mode, "n_best": 2}
    together = search(model, numbers, automata, **options)
    alone = [search(model, [n], [a], **options)[0] for n, a in zip(numbers, automata, strict=True)]
    assert together == alone


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("mode", ["per_state", "banks"])
def test_the_order_of_constraints_and_of_their_phrases_changes_nothing(seed: int, mode: str) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, 7, ties=bool(seed % 2))
    model.table[:, 3] = -2.0
    given = random_automaton(rng, 7)
    order = rng.permutation(len(given.constraints)).tolist()
    shuffled = compile_constraints(
        [given.constraints[i][::-1] for i in order],
        n_vocab=7,
        at_least=given.at_least,
        forbid=given.forbid[::-1],
        continues=given.continues,
        minimise=given.minimise,
    )
    if not given.allows([3, 3, 3, 3, 3]):
        return
    options: dict[str, Any] = {"beam": int(rng.integers(1, 5)), "max_len": 7, "mode": mode, "n_best": 3}
    (one,), (other,) = (search(model, [17], [automaton], **options) for automaton in (given, shuffled))
    for a, b in zip((one, *one.others), (other, *other.others), strict=True):
        assert (a.tokens, a.log_prob) == (b.tokens, b.log_prob)
        assert tuple(a.satisfied[i] for i in order) == b.satisfied
