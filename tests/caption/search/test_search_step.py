"""The best tokens that no constraint names are those of a full, stable sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from limner.caption import Automaton, compile_constraints
from limner.caption.search.machine_batch import side_by_side
from limner.caption.search.search_step import best_others, rows_of

EOS = 2


def by_sorting(log_probs: Any, automaton: Automaton, which: int, beam: int) -> list[tuple[float, int]]:
    """The best of one class, the lowest ids of equals."""
    machine = automaton.nodes
    classes = np.zeros(automaton.n_vocab) if machine.token_class is None else machine.token_class
    barred = {EOS, *machine.special.tolist()}
    allowed = [token for token in range(automaton.n_vocab) if token not in barred and classes[token] == which]
    ordered = sorted((-float(log_probs[token]), token) for token in allowed)
    return [(-value, token) for value, token in ordered if value < np.inf][:beam]


@pytest.mark.parametrize("n_vocab", [9, 100, 2047, 2048, 2049, 5003])
@pytest.mark.parametrize("kind", ["random", "ties", "half", "nothing", "subwords", "forbidden"])
def test_the_best_others_are_those_of_a_full_sort(n_vocab: int, kind: str) -> None:
    make = torch.Generator().manual_seed(n_vocab)
    log_probs = torch.randn(6, n_vocab, generator=make).log_softmax(1)
    if kind == "ties":
        log_probs = (log_probs * 2).round() / 2
    elif kind == "half":
        log_probs = log_probs.to(torch.bfloat16)
    elif kind == "nothing":
        log_probs[:, torch.rand(n_vocab, generator=make) < 0.999] = -torch.inf
    continues = (torch.arange(n_vocab) % 3 == 0).numpy() if kind == "subwords" else None
    forbid = [[token] for token in range(9, n_vocab, 3)] if kind == "forbidden" else []
    best = log_probs.mean(0).topk(6).indices.tolist()  # constraints like what the model likes
    rest: dict[str, Any] = {"continues": continues, "forbid": forbid}
    automata = [
        compile_constraints(
            [[[token]] for token in best if token != EOS and [token] not in forbid], n_vocab=n_vocab, **rest
        ),
        compile_constraints([[[5, 6, 7, 8]]], n_vocab=n_vocab, **rest),
    ]
    machines = side_by_side(automata, [each.nodes for each in automata], EOS, torch.device("cpu"))
    image = torch.arange(6) % 2
    for beam in (1, 5, 40):
        values, tokens = best_others(rows_of(log_probs), image, machines, beam)
        assert values.shape == (6, machines.n_classes, min(beam, n_vocab))
        for row in range(6):
            for which in range(machines.n_classes):
                found = zip(values[row, which].tolist(), tokens[row, which].tolist(), strict=True)
                taken = sorted((-value, token) for value, token in found if value > -np.inf)
                wanted = by_sorting(log_probs[row], automata[row % 2], which, beam)
                assert [(-value, token) for value, token in taken] == wanted
