"""A model's best captions of images, with no constraints, while it is trained."""

from __future__ import annotations

import torch

from limner.caption.captioner_config import DecodingSettings
from limner.caption.constraints.automaton import compile_constraints
from limner.caption.models.caption_model import CaptionModel
from limner.caption.models.region_batches import RegionBatch
from limner.caption.search.beam_search import SearchResult, constrained_search
from limner.learn.vocabulary import BOS, EOS


def search_freely(
    model: CaptionModel, regions: RegionBatch, n_vocab: int, decoding: DecodingSettings, *, n_best: int = 1
) -> list[SearchResult]:
    """The best caption of each image, with the next best as `others`; the beam is at least `n_best` wide."""
    with torch.no_grad():
        decoder = model.decoder(regions)
    return constrained_search(
        decoder.step,
        decoder.state,
        automata=[compile_constraints([], n_vocab=n_vocab)] * len(regions.mask),
        beam=max(decoding.beam, n_best),
        max_len=decoding.max_len,
        length_penalty=decoding.length_penalty,
        n_best=n_best,
        bos=BOS,
        eos=EOS,
    )
