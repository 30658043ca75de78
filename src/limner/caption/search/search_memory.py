"""How much memory a search takes at most, asked before it begins."""

from __future__ import annotations

import os

import torch

from limner.caption.search.machine_batch import MachineBatch
from limner.caption.search.search_settings import BadSettings, Mode, SearchSettings
from limner.caption.search.search_step import State

# Bytes of one candidate: nine numbers, and as much again while candidates are sorted.
CANDIDATE = 144


def check_memory(
    state: State, batch: MachineBatch, n_nodes: int, n_vocab: int, mode: Mode, how: SearchSettings
) -> None:
    """Raises BadSettings where a search of `n_nodes` states could need more memory than its device has.

    Log-probabilities are not counted: only those of some sentences are held at a time. The model's state is counted
    as it is at the beginning; it may grow with every token, which nobody can know here.
    """
    memory = memory_of(batch.start.device)
    n_sentences = how.beam * (n_nodes if mode == "per_state" else batch.n_images)
    # With few words and short sentences there are no more than can be written.
    n_sentences = min(n_sentences, batch.n_images * n_vocab ** min(how.max_len, 64))
    n_columns = batch.n_special + batch.n_classes * min(how.beam, n_vocab) + 1
    # Once as it was before a step, and once as it is after it.
    state_bytes = 2 * sum(part[:1].numel() * part.element_size() for part in state.values())
    needed = n_sentences * (state_bytes + n_columns * CANDIDATE)
    if memory is not None and needed > memory:
        fewer = ', fewer constraints or mode="banks"' if mode == "per_state" else " or fewer constraints"
        problem = (
            f"a search of {n_sentences:,} sentences at a time can take {needed / 1e9:,.1f} GB, and there are "
            f"{memory / 1e9:,.1f} GB of memory"
        )
        remedy = f"search fewer images at a time, or give a smaller beam{fewer}"
        raise BadSettings(f"{problem}; {remedy}", code=f"{mode}-memory", problem=problem)


def memory_of(device: torch.device) -> int | None:
    """Bytes of memory that a device has in all; None if nobody says."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if device.type == "cpu" else None
    except (AttributeError, ValueError, OSError):
        return None
