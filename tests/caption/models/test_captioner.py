"""A captioner of random weights: what its captions say as text, and what their words are tied to."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from statistics import fmean

import numpy as np
import pytest
import torch

from limner.caption.captioned import Captioned
from limner.caption.captioner_config import CaptionerConfig, UpDownSettings
from limner.caption.captioner_files import CaptionerRecord, RegionsRecord, TrainedCaptioner, WordsRecord
from limner.caption.constraints.worded_constraints import Words
from limner.caption.models.captioner import Captioner, CaptionRequest
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_sources import LearntSource
from limner.caption.region_inputs import ImageRegions, RegionSettings
from limner.corpus import Box, Image
from limner.learn.stage_settings import StageSettings

torch.set_num_threads(1)

SYMBOLS = ("-lrb-", "-rrb-", "#", "&")
WORDS = ("a", "dog", "'s", "mouth", "is", "n't", "salt", "pepper", "cat", *SYMBOLS)
IMAGE = Image("street", 100, 100, (Box("d", 0, 0, 50, 50, "dog"), Box("m", 5, 5, 9, 9, "mouth")))


def captioner(words: Sequence[str] = WORDS, seed: int = 0) -> Captioner:
    settings = UpDownSettings(hidden=8, attention=4, region=8, label=2, dropout=0.0)
    config = CaptionerConfig(StageSettings(epochs=1, learning_rate=0.1), settings)
    torch.manual_seed(seed)
    source = LearntSource(6)
    model = UpDown(source.make(words, 8), 8, 2, config.model)
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    regions = RegionsRecord("boxes", RegionSettings(), "tiny", 8)
    trained = TrainedCaptioner(1, 1, 1, "", 0)
    record = CaptionerRecord("captioner", 1, "up-down", config, tuple(words), (), regions, trained, WordsRecord(6))
    return Captioner(model, record, source)


def request(*constraints: Words, ids: Sequence[str | None] = (None, "d", "m"), seed: int = 0) -> CaptionRequest:
    rows = np.random.default_rng(seed).normal(size=(len(ids), 8)).astype(np.float32)
    return CaptionRequest(IMAGE, ImageRegions(rows, np.zeros(len(ids), dtype=np.int64), tuple(ids)), constraints)


def caption(*constraints: Words, ids: Sequence[str | None] = (None, "d", "m")) -> Captioned:
    (captioned,) = captioner().caption([request(*constraints, ids=ids)], beam=3, max_len=9)
    return captioned


def test_words_are_written_as_text_and_mentions_are_exact() -> None:
    captioned = caption(Words(("dog's mouth",), ("m",)), Words(("isn't",), ("d",)))
    assert captioned.met
    assert " 's" not in captioned.text
    assert " n't" not in captioned.text
    demanded = [mention for mention in captioned.caption.mentions if mention.origin == "constraint"]
    assert {captioned.caption.phrase(mention).lower() for mention in demanded} == {"dog's mouth", "isn't"}


@pytest.mark.parametrize("seed", range(5))
def test_brackets_and_symbols_are_not_said_unless_asked_for(seed: int) -> None:
    asked = captioner(seed=seed)
    requests = [request(seed=n) for n in range(8)]
    said = asked.caption(requests, beam=3, max_len=9, n_best=3)
    texts = [text for best in said for text in (best.text, *(other.text for other in best.others))]
    assert not [text for text in texts if any(symbol in text for symbol in SYMBOLS)]
    (must,) = asked.caption([request(Words(("salt & pepper",)))], beam=3, max_len=9)
    assert "salt & pepper" in must.text.lower()


def test_the_probability_of_a_demanded_word_is_that_of_its_tokens() -> None:
    asked = captioner()
    wanted = request(Words(("dog's mouth",), ("m",)))
    (captioned,) = asked.caption([wanted], beam=3, max_len=9)
    reasons = asked.explain(wanted, captioned.tokens)
    assert sum(word.log_prob for word in reasons) == pytest.approx(captioned.log_prob, abs=1e-4)
    words = [word.word for word in reasons]
    at = next(i for i in range(len(words)) if words[i : i + 3] == ["dog", "'s", "mouth"])
    (mention,) = [mention for mention in captioned.caption.mentions if mention.origin == "constraint"]
    expected = exp(fmean(word.log_prob for word in reasons[at : at + 3]))
    assert mention.probability == pytest.approx(expected, abs=1e-4)


def test_a_phrase_without_a_word_cannot_be_said() -> None:
    assert captioner().sayable(["...", "dog", " "]) == ["dog"]


def test_boxes_that_the_image_does_not_have_are_in_no_mention() -> None:
    grid = (None, "0-0", "0-1")
    demanded = caption(Words(("dog",), ("no-such", "d")), ids=grid).caption.mentions
    assert [mention.boxes for mention in demanded if mention.origin == "constraint"] == [("d",)]
    seen = caption(Words(("a cat",), ("0-1",)), ids=grid).caption.mentions
    assert {(mention.boxes, mention.candidates, mention.origin) for mention in seen} == {((), (), "ungrounded")}
