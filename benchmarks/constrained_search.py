"""Constrained beam search: how fast against a dense one with the same answers, and how it grows.

    python benchmarks/constrained_search.py [--part ratio|constraints|models] [--json]

`ratio`: the search alone, a look-up in a table as its model, against booleans for every pair of states and every
token as the paper's own code had them (`dense_search.py`): a vocabulary of 10,000, 16 images, a beam of 5, three
constraints of one, two and three words, sentences of at most 20 tokens. `constraints`: one image, 1 to 12 constraints
of one word, singular or plural. `models`: what constraints cost over plain beam search, by a table and by an LSTM.
Everything on one thread, in seconds of the processor.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from ctypes import CDLL
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch
from dense_search import NONE, Step, dense_search, paper_states
from torch import Tensor

from limner.caption import compile_constraints, constrained_search

Answer = TypeVar("Answer")
Constraints = list[list[list[int]]]

V, IMAGES, BEAM, MAX_LEN = 10_000, 16, 5, 20
BOS, EOS, FIRST_WORD = 1, 2, 3
ASKED: dict[str, Any] = {"beam": BEAM, "max_len": MAX_LEN, "bos": BOS, "eos": EOS}
MODES = ("per_state", "banks")


def main() -> None:
    parts: dict[str, Callable[[], dict[str, Any]]] = {"ratio": ratio, "constraints": by_constraints, "models": by_model}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=parts, action="append", help="only this; all by default")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    measured: dict[str, Any] = {}
    for name in given.part or parts:
        found = parts[name]()
        measured |= found
        if not given.json:
            print("\n".join(lines(found)), flush=True)
    if given.json:
        print(json.dumps(measured))


def lines(found: dict[str, Any]) -> list[str]:
    """What was measured, as people read it: a table for a list of rows."""
    said = []
    for name, value in found.items():
        if isinstance(value, list):
            said += ["", name, "  ".join(f"{column:>12}" for column in value[0])]
            said += ["  ".join(f"{shown(cell):>12}" for cell in row.values()) for row in value]
        else:
            said.append(f"{name}: {shown(value)}")
    return said


def shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else "–" if value is None else str(value)


def ratio() -> dict[str, Any]:
    """Ours and the dense search, on the same model and the paper's machine; the answers are compared."""
    step = look_up()
    given = [mixed_constraints(image) for image in range(IMAGES)]
    automata = [compile_constraints(each, n_vocab=V, semantics="paper") for each in given]
    states = [paper_states(each, V) for each in given]
    fsm = torch.stack([each for each, _ in states])
    found, seconds = timed(partial(constrained_search, step, {}, automata=automata, mode="per_state", **ASKED), times=3)
    (sentences, log_probs), dense_seconds = timed(partial(dense_search, step, {}, fsm, **ASKED))
    for image, answer in enumerate(found):
        enough = [state for state, mask in enumerate(states[image][1]) if mask == 7]
        best = log_probs[image, enough].flatten()
        tokens = sentences[image, enough].flatten(0, 1)[best.argmax()].tolist()
        assert answer.tokens == (tokens[: tokens.index(EOS) + 1] if EOS in tokens else tokens)
        assert abs(answer.log_prob - float(best.max())) < 1e-6
    return {
        "ratio": dense_seconds / seconds,
        "dense_s": dense_seconds,
        "limner_s": seconds,
        "states": fsm.shape[1],
        "same_answers": len(found),
    }


def by_constraints() -> dict[str, Any]:
    """Time, memory and quality by the number of constraints, in both modes."""
    step = look_up(rarely_ends=True)
    rows = []
    for n in (1, 2, 4, 8, 12):
        automaton = compile_constraints(word_constraints(n), n_vocab=V)
        row: dict[str, Any] = {"constraints": n, "states": automaton.table.n_nodes}
        for mode in MODES:
            search = partial(constrained_search, step, {}, automata=[automaton], mode=mode, **ASKED)
            (found,), megabytes = with_memory(search)
            assert found.met
            row |= {f"{mode}_s": timed(search, times=3 if mode == "banks" else 1)[1]}
            row |= {f"{mode}_MB": megabytes, f"{mode}_log_p": found.log_prob}
        rows.append(row)
    return {"by_constraints": rows, "banks_12_over_1": rows[-1]["banks_s"] / rows[0]["banks_s"]}


def by_model() -> dict[str, Any]:
    """Seconds of a plain beam search that knows of no constraints, of ours without any, and of ours with three."""
    return {"by_model": [of_model("table", look_up(rarely_ends=True), {}), of_model("LSTM", *lstm())]}


def of_model(name: str, step: Step, state: dict[str, Tensor]) -> dict[str, Any]:
    constrained = [compile_constraints(mixed_constraints(image), n_vocab=V) for image in range(IMAGES)]
    free = [compile_constraints([], n_vocab=V)] * IMAGES
    scores, plain = timed(lambda: plain_search(step, state, IMAGES, **ASKED), times=3)
    found, ours = timed(lambda: constrained_search(step, state, automata=free, **ASKED), times=3)
    assert all(abs(answer.log_prob - float(best)) < 1e-3 for answer, best in zip(found, scores[:, 0], strict=True))
    row: dict[str, Any] = {"model": name, "plain_s": plain, "none_s": ours, "none_over_plain": ours / plain}
    for mode in MODES:
        search = partial(constrained_search, step, state, automata=constrained, mode=mode, **ASKED)
        row[f"{mode}_s"] = timed(search)[1]
    return row


def plain_search(
    step: Step, state: dict[str, Tensor], n_images: int, *, beam: int, max_len: int, bos: int, eos: int
) -> Tensor:
    """The log-probabilities of an ordinary beam search, [images, beam], in as few operations as it takes."""
    log_probs, state = step(torch.full((n_images,), bos), state)
    scores, tokens = log_probs.topk(beam)
    state = {name: part.repeat_interleave(beam, 0) for name, part in state.items()}
    only_eos = torch.full((V,), NONE)
    only_eos[eos] = 0
    for _ in range(max_len - 1):
        log_probs, state = step(tokens.flatten(), state)
        log_probs = torch.where(tokens.flatten()[:, None] == eos, only_eos, log_probs)
        top, at = log_probs.topk(beam)
        scores, place = (scores[..., None] + top.view(n_images, beam, beam)).flatten(1).topk(beam)
        tokens = at.view(n_images, -1).gather(1, place)
        rows = (place // beam + torch.arange(n_images)[:, None] * beam).flatten()
        state = {name: part.index_select(0, rows) for name, part in state.items()}
    return scores


def look_up(rarely_ends: bool = False) -> Step:
    """A model that looks the next token up by the last: no cost of its own but that of memory.

    One that rarely ends a sentence has every search make all its steps.
    """
    logits = torch.randn(V, V, generator=torch.Generator().manual_seed(0)).mul_(2)
    logits[:, EOS] -= 1000 if rarely_ends else 0
    table = logits.log_softmax(1)
    return lambda tokens, state: (table.index_select(0, tokens), state)


def lstm() -> tuple[Step, dict[str, Tensor]]:
    """An LSTM of the size of a caption model, with random weights, that rarely ends; and a state for each image."""
    torch.manual_seed(0)
    words, cell, out = torch.nn.Embedding(V, 300), torch.nn.LSTMCell(300, 512), torch.nn.Linear(512, V)

    def step(tokens: Tensor, state: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        with torch.no_grad():
            hidden, memory = cell(words(tokens), (state["hidden"], state["memory"]))
            logits = 4 * out(hidden)
            logits[:, EOS] -= 1000
            return logits.log_softmax(1), {"hidden": hidden, "memory": memory}

    return step, {"hidden": torch.randn(IMAGES, 512), "memory": torch.randn(IMAGES, 512)}


def mixed_constraints(seed: int) -> Constraints:
    """One constraint of one word, one of two and one of three."""
    words = some_words(6, seed)
    return [[words[:1]], [words[1:3]], [words[3:]]]


def word_constraints(n: int) -> Constraints:
    """As many constraints, each of one word in two forms."""
    words = some_words(2 * n, 0)
    return [[[one], [other]] for one, other in zip(words[::2], words[1::2], strict=True)]


def some_words(n: int, seed: int) -> list[int]:
    words: Sequence[int] = torch.randperm(V - FIRST_WORD, generator=torch.Generator().manual_seed(seed)).tolist()
    return [word + FIRST_WORD for word in words[:n]]


def timed(work: Callable[[], Answer], times: int = 1) -> tuple[Answer, float]:
    """What the work gives, and the least seconds it took."""
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        answer = work()
        best = min(best, time.process_time() - begin)
    return answer, best


def with_memory(work: Callable[[], Answer]) -> tuple[Answer, float | None]:
    """What the work gives, and by how many megabytes the process grew at most; None where Linux does not tell."""
    try:
        CDLL(None).malloc_trim(0)  # what was freed goes back to the system
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    except (OSError, AttributeError):
        return work(), None
    before = status("VmRSS")
    answer = work()
    return answer, (status("VmHWM") - before) / 1000


def status(name: str) -> int:
    """A line of the process's own status, in kilobytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise KeyError(name)


if __name__ == "__main__":
    main()
