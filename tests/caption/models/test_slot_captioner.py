"""A captioner with slots, of random weights: classes it never met, what its words are tied to, and other images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import structs

from limner.caption.captioner_config import CaptionerConfig, UpDownSettings, WordSettings
from limner.caption.captioner_files import (
    WEIGHTS,
    CaptionerRecord,
    RegionsRecord,
    TrainedCaptioner,
    write_captioner_record,
)
from limner.caption.constraints.worded_constraints import Words
from limner.caption.models.captioner import Captioner, CaptionRequest
from limner.caption.models.model_making import ModelPlan, open_model_words, slot_words
from limner.caption.region_inputs import BoxInputs, Labels, RegionSettings
from limner.corpus import Box, Image
from limner.errors import BadInput
from limner.learn.model_files import file_fingerprint
from limner.learn.stage_settings import StageSettings
from limner.learn.torch.safe_tensors import read_tensors, write_tensors
from refusals import refusal

torch.set_num_threads(1)

KNOWN = [
    "a",
    "man",
    "men",
    "dog",
    "dogs",
    "tennis",
    "racket",
    "rackets",
    "zebra",
    "zebras",
    "wombat",
    "with",
    "fire",
    "hydrant",
]
TEXT = ("a", "man", "dog", "with", "on")
LABELS = ("man", "dog", "tennis racket")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    lines = [f"{word} {' '.join(f'{n:.4f}' for n in draw.normal(size=6))}" for word in KNOWN]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
    return tmp_path / "vectors.txt"


def make(vectors: Path, kind: str = "glove", seed: int = 0) -> Captioner:
    config = CaptionerConfig(
        StageSettings(epochs=1, learning_rate=0.1),
        UpDownSettings(hidden=8, attention=4, region=8, dropout=0.0),
        WordSettings(kind=kind, size=5, vectors=str(vectors)),  # type: ignore[arg-type]
    )
    source = open_model_words("nbt", config.words, None, vectors.parent)
    slots = slot_words(LABELS, {"tennis racket", "dogs"}, TEXT)
    plan = ModelPlan("nbt", config, TEXT, slots, LABELS, 8)
    torch.manual_seed(seed)
    model = plan.begin(source)
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    regions = RegionsRecord("boxes", RegionSettings(), "tiny", 8)
    trained = TrainedCaptioner(1, 1, 1, "", 0)
    record = CaptionerRecord(
        "captioner", 1, "nbt", config, TEXT, LABELS, regions, trained, source.record, seen=[], slots=slots
    )
    return Captioner(model, record, source)


def seen(*labels: str, id: str = "street") -> CaptionRequest:
    boxes = (Box(str(at), 5 * at, 5, 5 * at + 20, 30, label) for at, label in enumerate(labels))
    image = Image(id, 100, 100, tuple(boxes))
    return CaptionRequest(image, BoxInputs(Labels([]), RegionSettings()).read(image))


def insist(captioner: Captioner) -> Captioner:
    """The captioner with a sentinel that says nothing: slots say every word, and sentences do not end."""
    with torch.no_grad():
        for name, weight in captioner.model.named_parameters():
            if name in ("heads.point.weight", "heads.pointer_query.weight"):
                weight.zero_()
        captioner.model.get_parameter("heads.point.weight").fill_(5.0)
        captioner.model.get_parameter("heads.sentinel_key.weight").zero_()
        captioner.model.get_parameter("heads.sentinel_key.bias").fill_(-20.0)
        captioner.model.get_parameter("heads.pointer_key.bias").fill_(20.0)
        captioner.model.get_parameter("heads.pointer_key.weight").zero_()
    return captioner


@pytest.mark.parametrize("kind", ["glove", "learnt"])
@pytest.mark.parametrize("label", ["zebra", "Fire hydrant", "wombat", "quokka"])
def test_slots_name_classes_that_nothing_was_learnt_of(vectors: Path, kind: str, label: str) -> None:
    captioner = insist(make(vectors, kind))
    before = captioner.vocabulary
    (captioned,) = captioner.caption([seen(label)], beam=2, max_len=3)
    assert set(captioned.text.lower().strip(".").replace(f"{label.lower()}s", label.lower()).split()) == set(
        label.lower().split()
    )
    assert captioner.vocabulary.words[: len(before.words)] == before.words
    # Its words are mentions of the box: by slots.
    assert captioned.caption.mentions
    assert {(m.origin, m.boxes) for m in captioned.caption.mentions} == {("slot", ("0",))}
    assert all(m.probability is not None and m.probability > 0.99 for m in captioned.caption.mentions)


def test_a_phrase_of_a_slot_is_one_token_and_one_mention(vectors: Path) -> None:
    (captioned,) = insist(make(vectors)).caption([seen("tennis racket")], beam=1, max_len=1)
    assert captioned.text in ("Tennis racket.", "Tennis rackets.")
    assert len(captioned.tokens) == 1
    (mention,) = captioned.caption.mentions
    assert captioned.caption.phrase(mention) == captioned.text.strip(".")


@pytest.mark.parametrize("kind", ["glove", "learnt"])
def test_captions_do_not_depend_on_other_images(vectors: Path, kind: str) -> None:
    requests = [
        seen("zebra", "man"),
        seen("dog", "tennis racket"),
        seen(),
        seen("wombat", "man", "man", "fire hydrant"),
    ]
    together = make(vectors, kind).caption(requests, beam=3, max_len=6)
    for request, captioned in zip(requests, together, strict=True):
        (alone,) = make(vectors, kind).caption([request], beam=3, max_len=6)
        assert alone.text == captioned.text
        assert alone.log_prob == pytest.approx(captioned.log_prob, abs=1e-4)
        assert alone.caption == captioned.caption


def test_words_of_other_images_slots_cannot_be_said(vectors: Path) -> None:
    captioner = make(vectors)
    captioner.caption([seen("zebra", "wombat")], max_len=4)
    captions = captioner.caption([seen("man"), seen()], beam=20, n_best=20, max_len=4)
    texts = [text for best in captions for text in (best.text, *(other.text for other in best.others))]
    assert not [text for text in texts if {"zebra", "zebras", "wombat"} & set(text.lower().strip(".").split())]


def test_constraints_take_words_and_phrases(vectors: Path) -> None:
    captioner = make(vectors)
    wanted = [Words(("tennis racket", "tennis rackets"), ("0",)), Words(("zebra", "zebras"), ("1",))]
    for labels in (["tennis racket", "zebra"], ["man", "man"]):
        (captioned,) = captioner.caption([seen(*labels)._replace(constraints=wanted)], beam=5, max_len=8)
        assert captioned.met
        assert "zebra" in captioned.text.lower()
        assert "tennis racket" in captioned.text.lower()
        demanded = {m.boxes for m in captioned.caption.mentions if m.origin == "constraint"}
        assert demanded == {("0",), ("1",)}


def test_words_that_a_constraint_adds_are_no_other_images(vectors: Path) -> None:
    wanted = seen("man")._replace(constraints=[Words(("hydrant",), ("0",))])
    together = make(vectors).caption([wanted, seen("dog")], beam=3, max_len=5)
    for request, captioned in zip((wanted, seen("dog")), together, strict=True):
        (alone,) = make(vectors).caption([request], beam=3, max_len=5)
        assert alone.text == captioned.text
        assert alone.log_prob == pytest.approx(captioned.log_prob, abs=1e-4)


def test_a_word_without_a_vector_cannot_be_asked_for_whatever_was_met(vectors: Path) -> None:
    glove, learnt = make(vectors), make(vectors, "learnt")
    for captioner in (glove, learnt):
        before = captioner.sayable(["quokka", "zebra", "man"])
        captioner.caption([seen("quokka", "zebra")], max_len=3)
        assert captioner.sayable(["quokka", "zebra", "man"]) == before
    assert glove.sayable(["quokka", "zebra", "man"]) == ["zebra", "man"]
    assert learnt.sayable(["quokka", "zebra", "man"]) == ["man"]
    with refusal(BadInput):
        glove.caption([seen("man")._replace(constraints=[Words(("quokka",), ("0",))])], max_len=3)


def test_explanations_add_up_and_tell_slots(vectors: Path) -> None:
    captioner = make(vectors)
    request = seen("zebra", "man", "tennis racket")
    (captioned,) = captioner.caption([request], beam=3, max_len=7)
    reasons = captioner.explain(request, captioned.tokens)
    assert sum(word.log_prob for word in reasons) == pytest.approx(captioned.log_prob, abs=1e-4)
    assert all(0 <= word.slots.sum() <= 1 + 1e-5 for word in reasons)
    by_slot = {word.word for word in reasons if word.slots.sum() > 0.5}
    said = {captioned.caption.phrase(m).lower() for m in captioned.caption.mentions if m.origin == "slot"}
    assert len(said) <= len(by_slot)
    assert all(any(word in phrase for word in by_slot) for phrase in said)


@pytest.mark.parametrize("kind", ["glove", "learnt"])
def test_a_captioner_is_the_same_when_it_is_loaded(vectors: Path, tmp_path: Path, kind: str) -> None:
    captioner = make(vectors, kind)
    (tmp_path / "c").mkdir()
    captioner.save(tmp_path / "c")
    loaded = Captioner.load(tmp_path / "c")
    assert loaded.record == captioner.record
    assert loaded.vocabulary == captioner.vocabulary
    requests = [seen("zebra", "man"), seen("tennis racket", "dog")]
    ours, theirs = (one.caption(requests, beam=2, max_len=5) for one in (captioner, loaded))
    assert [captioned.caption for captioned in ours] == [captioned.caption for captioned in theirs]
    assert loaded.signature.startswith("captioner:nbt|")
    assert theirs[0].caption.source == "system:nbt"


def test_a_captioner_without_the_weights_of_repetitions_is_read(vectors: Path, tmp_path: Path) -> None:
    captioner, folder = make(vectors), tmp_path / "c"
    folder.mkdir()
    captioner.save(folder)
    weights = read_tensors(folder / WEIGHTS)
    for name in ("heads.again", "heads.repeated"):
        del weights[name]
    write_tensors(folder / WEIGHTS, weights)
    write_captioner_record(folder, structs.replace(captioner.record, weights=file_fingerprint(folder / WEIGHTS)))
    loaded = Captioner.load(folder)
    assert loaded.model.get_parameter("heads.again").item() == 0
    del weights["heads.scale"]
    write_tensors(folder / WEIGHTS, weights)
    write_captioner_record(folder, structs.replace(captioner.record, weights=file_fingerprint(folder / WEIGHTS)))
    with refusal(BadInput):
        Captioner.load(folder)


def test_known_classes_need_no_vectors_and_new_ones_those_of_training(vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    make(vectors).save(tmp_path / "c")
    vectors.rename(tmp_path / "moved.txt")
    loaded = Captioner.load(tmp_path / "c")
    assert loaded.caption([seen("man", "tennis racket")], max_len=4)
    with refusal(BadInput):
        loaded.caption([seen("zebra")], max_len=4)
    moved = Captioner.load(tmp_path / "c", tmp_path / "moved.txt")
    assert moved.caption([seen("zebra")], max_len=4)
    (tmp_path / "other.txt").write_text("a 1 2 3 4 5 6\n")
    with refusal(BadInput):
        Captioner.load(tmp_path / "c", tmp_path / "other.txt").caption([seen("zebra")], max_len=4)


def test_a_language_model_has_no_vectors_for_slots() -> None:
    words = WordSettings(kind="language-model", language_model="lm")
    config = CaptionerConfig(StageSettings(epochs=1, learning_rate=0.1), words=words)
    with refusal(BadInput):
        config.for_model("nbt")
    assert config.for_model("up-down") == config
