"""Beam search for the most probable sentences that meet constraints, with any model that scores the next token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.token_machine import Machine
from limner.caption.search.hypotheses import NOTHING, History, Hypotheses, beginnings, joined, place_in_run, sorted_by
from limner.caption.search.machine_batch import MachineBatch, side_by_side
from limner.caption.search.search_memory import check_memory
from limner.caption.search.search_settings import MAX_LEN, MODES, Mode, SearchSettings, Unmet
from limner.caption.search.search_step import NONE, Model, State, Step, check_state, successors
from limner.errors import LimnerError, unknown
from limner.progress import Progress, silent, track

# States double with every constraint, and each has a beam of its own: past this many, banks are much cheaper.
MANY_STATES = 64

NEVER = 2**31  # more tokens than any phrase has


def constrained_search(
    step: Step,
    state: State,
    *,
    automata: Sequence[Automaton],
    bos: int,
    eos: int,
    beam: int = 5,
    max_len: int = MAX_LEN,
    mode: Mode | None = None,
    n_best: int = 1,
    length_penalty: float = 0.0,
    unmet: Unmet = "relax",
    progress: Progress = silent,
) -> list[SearchResult]:
    """The best sentence of each image, of those found that meet its constraints.

    `step(tokens, state)` takes the last token of n sentences, a LongTensor[n], and the state it returned before, a
    dict of tensors whose first dimension is n. It returns log-probabilities of the next token, [n, V], and the new
    state. `state` is the one to begin with: it has a row for each of the automata, one automaton an image, and may be
    empty. Between calls rows are dropped, repeated and reordered.

    A sentence ends with `eos` or at `max_len` tokens, eos counted. `mode` is "per_state" (the best `beam` sentences of
    every state of `automaton.table`), "banks" (`beam` sentences an image, shared by progress), or None: per_state for
    images with at most 64 states. Sentences are compared by log_prob / n_tokens ** length_penalty; equal ones come in
    the order of a dictionary of token ids. `unmet` says what to return where no sentence meets enough constraints:
    the best of those that meet most ("relax"), the best whatever it meets ("flag"), or an error ("raise").
    """
    settings = SearchSettings(beam, max_len, bos, eos, n_best, length_penalty, unmet)
    settings.check(automata)
    check_state(state, len(automata), "state")
    modes = [_mode(automaton, mode) for automaton in automata]
    device = next((part.device for part in state.values()), torch.device("cpu"))
    results: dict[int, list[SearchResult]] = {}
    with torch.no_grad():
        for searched in MODES:
            images = [i for i, chosen in enumerate(modes) if chosen == searched]
            if images:
                rows = state if len(images) == len(modes) else {name: part[images] for name, part in state.items()}
                search = Search([automata[i] for i in images], searched, settings, device)
                search.check_memory(rows)
                model = Model(step, rows, automata[0].n_vocab, images)
                results.update(zip(images, search.run(model, progress), strict=True))
    settings.refuse([i for i in range(len(automata)) if not results[i]])
    # In the caller's order: the images of one mode were searched before those of the other.
    return [replace(best, others=tuple(others)) for best, *others in (results[i] for i in range(len(automata)))]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A sentence, its probability, and which constraints it meets.

    - `tokens`: without bos; the last is eos, unless the sentence was cut at max_len tokens.
    - `log_prob`: the sum over its tokens, eos included; `score`: log_prob / len(tokens) ** length_penalty.
    - `satisfied`: for each constraint whether it is met; `met`: whether enough of them are.
    - `spans`: where each is first met, as positions in `tokens`, the second outside; None where it is not.
    - `state`: where it ended in the machine that was searched (`automaton.table`, or with banks `automaton.nodes`).
    - `token_log_probs`: the log-probability of each token.
    - `others`: the next best, as many as `n_best` asked for and there are, without others of their own.
    """

    tokens: list[int]
    log_prob: float
    score: float
    satisfied: tuple[bool, ...]
    met: bool
    spans: tuple[tuple[int, int] | None, ...]
    state: int
    token_log_probs: tuple[float, ...] = ()
    others: tuple[SearchResult, ...] = ()


class Search:
    """A search in one mode, for a batch of images."""

    def __init__(
        self, automata: Sequence[Automaton], mode: Mode, settings: SearchSettings, device: torch.device
    ) -> None:
        self._automata = automata
        self._settings = settings
        machines = [_machine(automaton, mode) for automaton in automata]
        self._mode: Mode = mode
        self._n_nodes = sum(machine.n_nodes for machine in machines)
        self._batch = side_by_side(automata, machines, settings.eos, device)
        self._beams: PerState | Banks = PerState(settings.beam)
        if mode == "banks":
            self._beams = Banks(self._batch, machines, settings.beam, settings.n_best)

    def check_memory(self, state: State) -> None:
        """Raises an error where the search, with such a state, could need more memory than there is."""
        check_memory(state, self._batch, self._n_nodes, self._automata[0].n_vocab, self._mode, self._settings)

    def run(self, model: Model, progress: Progress) -> list[list[SearchResult]]:
        """The results of each image, the best first; none where no sentence is left."""
        settings, batch = self._settings, self._batch
        hypotheses, history = beginnings(batch, settings.bos), History()
        for _ in track(range(settings.max_len), "tokens", progress, settings.max_len):
            if bool(hypotheses.ended.all()):
                break
            hypotheses = self._longer(hypotheses, model)
            history.add(hypotheses)
        sentences, at = _sentences(hypotheses, batch)
        chosen = best_answers(sentences, settings.scores(sentences), batch, settings.n_best, settings.unmet)
        answers = sentences.take(chosen)
        return _results(answers, settings.scores(answers), history.sentences(at[chosen]), self._automata, batch)

    def _longer(self, hypotheses: Hypotheses, model: Model) -> Hypotheses:
        """The hypotheses after one more token, as many as are kept."""
        settings, batch = self._settings, self._batch
        at, over = (~hypotheses.ended).nonzero()[:, 0], hypotheses.ended.nonzero()[:, 0]
        under_way = hypotheses.take(at)
        candidates = successors(under_way, at, model, batch, settings.beam, settings.eos)
        if len(over):
            candidates = joined(candidates, _unchanged(hypotheses.take(over), over, self._automata[0].n_vocab))
        survivors = candidates.take(self._beams.keep(candidates, settings.scores(candidates)))
        return survivors.take(self._hopeful(survivors)).ranked_anew()

    def _hopeful(self, hypotheses: Hypotheses) -> Tensor:
        """Whether a sentence ended, or could still be among the `n_best` of its image.

        It could not where as many answers are better than it is now: more tokens never make it better, only its
        length. None that could be an answer loses its place by this, since it would have come before.
        """
        settings, batch = self._settings, self._batch
        answers = (hypotheses.ended & batch.enough(hypotheses.image, hypotheses.mask)).nonzero()[:, 0]
        scores = settings.scores(hypotheses)
        order = answers[sorted_by(hypotheses.image[answers], -scores[answers])]
        last = order[place_in_run(hypotheses.image[order]) == settings.n_best - 1]
        to_beat = scores.new_full((batch.n_images,), NONE)
        to_beat[hypotheses.image[last]] = scores[last]
        return hypotheses.ended | (settings.best_scores(hypotheses) >= to_beat[hypotheses.image])


def best_answers(sentences: Hypotheses, scores: Tensor, batch: MachineBatch, n_best: int, unmet: Unmet) -> Tensor:
    """The positions of the `n_best` answers of each image, the best first, image by image.

    Sentences that meet enough constraints come first. Then, with `relax`, those that meet most, with `flag` any, with
    `raise` none. Among these the score counts, and of equals the first in the dictionary.
    """
    enough = batch.enough(sentences.image, sentences.mask)
    level = enough.long()
    if unmet == "relax":
        level = batch.met(sentences.mask).sum(1).minimum(batch.at_least[sentences.image])
    order = sorted_by(sentences.image, -level, -scores, sentences.rank)
    if unmet == "raise":
        order = order[enough[order]]
    return order[place_in_run(sentences.image[order]) < n_best]


def _results(
    answers: Hypotheses,
    scores: Tensor,
    sentences: Sequence[list[tuple[int, float]]],
    automata: Sequence[Automaton],
    batch: MachineBatch,
) -> list[list[SearchResult]]:
    """The answers of each image as the caller gets them."""
    by_image: list[list[SearchResult]] = [[] for _ in automata]
    states = answers.node - batch.start[answers.image]
    columns = [part.tolist() for part in (answers.image, answers.ended, answers.log_prob, scores, states)]
    for sentence, image, ended, log_prob, score, state in zip(sentences, *columns, strict=True):
        tokens, log_probs = [token for token, _ in sentence], tuple(log_prob for _, log_prob in sentence)
        automaton, said = automata[image], tokens[:-1] if ended else tokens
        # What the machine counted is not asked: minimised, it no longer knows which constraints were met.
        satisfied = automaton.meets(said)
        met = sum(satisfied) >= automaton.at_least
        spans = automaton.spans(said)
        by_image[image].append(SearchResult(tokens, log_prob, score, satisfied, met, spans, state, log_probs))
    return by_image


def _unchanged(ended: Hypotheses, at: Tensor, n_vocab: int) -> Hypotheses:
    """Sentences that ended, as candidates of the next step."""
    return ended._replace(rank=ended.rank * n_vocab, token=ended.token.new_full((len(at),), NOTHING), parent=at)


def _sentences(hypotheses: Hypotheses, batch: MachineBatch) -> tuple[Hypotheses, Tensor]:
    """Those that are sentences, with their positions: where max_len ended one, it must be allowed to end there."""
    at = (hypotheses.ended | batch.may_end[hypotheses.node]).nonzero()[:, 0]
    sentences = hypotheses.take(at)
    pending = batch.pending[sentences.node].masked_fill(sentences.ended, 0)
    return sentences._replace(mask=sentences.mask | pending), at


def _mode(automaton: Automaton, mode: Mode | None) -> Mode:
    """The mode asked for, or else per_state where there are few states."""
    if mode is not None:
        if mode not in MODES:
            raise unknown("mode of search", str(mode), MODES)
        return mode
    return "per_state" if _has_few_states(automaton) else "banks"


def _has_few_states(automaton: Automaton) -> bool:
    if 2**automaton.n_constraints > MANY_STATES:  # a state for every set of constraints, at least
        return False
    try:
        return automaton.table.n_nodes <= MANY_STATES
    except LimnerError:  # more than can be made
        return False


def _machine(automaton: Automaton, mode: Mode) -> Machine:
    """The machine to search; only phrases found as parts of a sentence have one of nodes alone."""
    return automaton.nodes if mode == "banks" and automaton.semantics == "substring" else automaton.table


class PerState:
    """The best `beam` sentences of every state, whether they ended or not (Anderson et al. 2017)."""

    def __init__(self, beam: int) -> None:
        self._beam = beam

    def keep(self, candidates: Hypotheses, scores: Tensor) -> Tensor:
        """The positions of the candidates to keep."""
        order = sorted_by(candidates.node, -scores, candidates.rank)
        return order[place_in_run(candidates.node[order]) < self._beam]


class Banks:
    """The best `beam` sentences of each image, shared by the progress they made (after Post and Vilar 2018).

    Sentences of an image with the same number of constraint tokens are a bank. The banks take turns, the one furthest
    on first: the best of each, then the second best of each, until `beam` are kept. Sentences that ended take no turn;
    the best `n_best` for each number of constraints met are kept beside.
    """

    def __init__(self, batch: MachineBatch, machines: Sequence[Machine], beam: int, n_best: int) -> None:
        self._batch = batch
        self._beam = beam
        self._n_best = n_best
        missing = np.concatenate([_missing(machine, batch.n_constraints) for machine in machines])
        self._missing = torch.from_numpy(missing).to(batch.start.device)
        # What can never be met, such as constraints that only other images have, counts for nothing.
        from_start = self._missing[batch.start]
        self._length = torch.where(from_start == NEVER, 0, from_start)
        self._n_banks = int(self._length.sum(1).max()) + 2

    def keep(self, candidates: Hypotheses, scores: Tensor) -> Tensor:
        """The positions of the candidates to keep, those that go on image by image."""
        bank = self._bank(candidates)
        ended = self._n_banks + self._batch.met(candidates.mask).sum(1)
        n_groups = self._n_banks + self._batch.n_constraints + 1
        group = candidates.image * n_groups + torch.where(candidates.ended, ended, bank)
        order = sorted_by(group, -scores, candidates.rank)
        turn = place_in_run(group[order])
        over = candidates.ended[order]
        answers = order[over & (turn < self._n_best)]
        going = ~over & (turn < self._beam)
        order, turn = order[going], turn[going]
        # The banks take turns: first the best of each, the bank furthest on before the others.
        order = order[sorted_by(candidates.image[order], turn, -bank[order])]
        going_on = order[place_in_run(candidates.image[order]) < self._beam]
        return torch.cat([answers, going_on])

    def _bank(self, candidates: Hypotheses) -> Tensor:
        """How many tokens of constraints each sentence has; more than any has where it needs no more.

        A constraint that is met counts as many as its shortest phrase, and one that is begun what it has of it; of
        several begun, the furthest.
        """
        met = self._batch.met(candidates.mask)
        length = self._length[candidates.image]
        begun = (length - self._missing[candidates.node]).clamp(min=0) * (1 - met)
        progress = (met * length).sum(1) + (begun.amax(1) if self._batch.n_constraints else 0)
        enough = met.sum(1) >= self._batch.at_least[candidates.image]
        return torch.where(enough, self._n_banks - 1, progress)


def _missing(machine: Machine, n_constraints: int) -> NDArray[np.int64]:
    """How few tokens each constraint is away from every node, [nodes, constraints]; NEVER where it cannot be met."""
    missing = np.full((machine.n_nodes, n_constraints), NEVER)
    bits = np.arange(n_constraints)
    near = np.zeros(machine.n_nodes + 1, dtype=np.int64)  # its last item is where FORBIDDEN looks
    reached = np.append(machine.gains | machine.pending, 0)  # constraints that can be met within 0, 1, 2, … tokens
    n_tokens = 0
    while (new := reached & ~near).any():
        nodes = np.flatnonzero(new)
        at, bit = np.nonzero(new[nodes, None] >> bits & 1)
        missing[nodes[at], bit] = n_tokens
        near = reached
        reached = near.copy()
        reached[:-1] |= np.bitwise_or.reduce(near[machine.next], axis=1)
        n_tokens += 1
    return missing
