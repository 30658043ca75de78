"""CLIPScore with a tiny model of random weights, made here."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Picture

from limner.corpus import Image
from limner.errors import BadInput, LimnerError
from limner.learn.transformers_folders import fingerprint
from limner.score.clip import ClipScore, clip_scores
from limner.score.embedder import Embedder
from limner.score.run import Run
from refusals import refusal
from tiny_clip import make_clip, silence

RUN = Run(
    ["1", "2", "3"],
    ["a dog", "two cats", "a dog"],
    [["a puppy", "a dog"], ["cats"], ["three birds", "a bird", "birds"]],
)


@pytest.mark.parametrize(
    ("picture_caption", "caption_reference", "expected"),
    [
        (0.3, 0.8, (0.75, 2 * 0.75 * 0.8 / 1.55)),
        (0.4, 1.0, (1.0, 1.0)),
        (-0.1, 0.8, (0.0, 0.0)),
        (0.3, -0.2, (0.75, 0.0)),
        (-0.1, -0.1, (0.0, 0.0)),
    ],
)
def test_scores_are_those_of_the_paper_s_equations(
    picture_caption: float, caption_reference: float, expected: tuple[float, float]
) -> None:
    found = clip_scores(np.array([picture_caption]), np.array([caption_reference]))
    assert found[0] == pytest.approx(expected)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP of two layers, its words single letters."""
    pytest.importorskip("torch", reason="limner[neural] is not installed")
    pytest.importorskip("transformers", reason="limner[neural] is not installed")
    return make_clip(tmp_path_factory.mktemp("models") / "tiny-clip")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    noise = np.random.default_rng(0)
    for i, size in enumerate([(40, 60), (64, 32), (33, 33)], 1):
        pixels = noise.integers(0, 256, size=(size[1], size[0], 3), dtype=np.uint8)
        Picture.fromarray(pixels).save(folder / f"{i}.png")
    return folder


def test_scores_are_those_of_one_picture_and_sentence_at_a_time(model: Path, pictures: Path) -> None:
    import torch
    import transformers

    with silence(transformers):
        clip = transformers.CLIPModel.from_pretrained(model).eval()
        tokeniser = transformers.CLIPTokenizer.from_pretrained(model)
        processor = transformers.CLIPImageProcessorPil.from_pretrained(model)

    def cosines(image: Path, sentences: list[str]) -> list[float]:
        """By the model's own likeness of a picture and sentences, its scale taken out."""
        found = []
        for sentence in sentences:
            given = tokeniser(["A photo depicts " + sentence], return_tensors="pt")
            shown = processor(images=[Picture.open(image).convert("RGB")], return_tensors="pt")
            with torch.no_grad():
                both = clip(**given, **shown)
            found.append((both.logits_per_image / clip.logit_scale.exp()).item())
        return found

    def likeness(one: str, other: str) -> float:
        vectors = []
        for sentence in (one, other):
            with torch.no_grad():
                inside = clip.text_model(**tokeniser(["A photo depicts " + sentence], return_tensors="pt"))
                vectors.append(clip.text_projection(inside.pooler_output)[0].numpy())
        return float(vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1]))

    found = ClipScore(model, pictures).measure(RUN)
    for i, id in enumerate(RUN.ids):
        (fit,) = cosines(pictures / f"{id}.png", [RUN.candidates[i]])
        near = max(likeness(RUN.candidates[i], reference) for reference in RUN.references[i])
        assert found.per_image[i] == pytest.approx(clip_scores(np.array(fit), np.array(near)), abs=1e-6)
    assert found.value() == pytest.approx(found.per_image.mean(axis=0))
    assert len({*found.per_image[:, 0]}) == 3


def test_siglip_is_given_padding_as_it_was_when_it_learnt(model: Path, pictures: Path, tmp_path: Path) -> None:
    import torch
    import transformers

    folder = tmp_path / "tiny-siglip"
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.SiglipConfig(
        text_config={
            "vocab_size": 520,
            "max_position_embeddings": 40,
            "bos_token_id": 512,
            "eos_token_id": 513,
            **size,
        },
        vision_config={"image_size": 32, "patch_size": 8, **size},
    )
    torch.manual_seed(0)
    siglip = transformers.SiglipModel(config).eval()
    with silence(transformers):
        siglip.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(
        json.dumps({"image_processor_type": "SiglipImageProcessor", "size": {"height": 32, "width": 32}})
    )
    tokeniser = transformers.CLIPTokenizer.from_pretrained(model)
    tokeniser.save_pretrained(folder)
    ids = tokeniser("A photo depicts a dog")["input_ids"]
    padded = torch.tensor([ids + [tokeniser.pad_token_id] * (40 - len(ids))])
    with torch.no_grad():
        expected = siglip.text_model(input_ids=padded).pooler_output[0].numpy()
    found = Embedder(folder).sentences(["A photo depicts a dog"])[0]
    assert found == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert np.isfinite(ClipScore(folder, pictures).measure(RUN).value()).all()


def test_batches_change_nothing_and_are_told_of(model: Path, pictures: Path) -> None:
    told = []

    def progress(what: str, done: int, total: int | None) -> None:
        if done == total:
            told.append((what, total))

    one = ClipScore(model, pictures, batch=2, progress=progress).measure(RUN)
    assert one.per_image == pytest.approx(ClipScore(model, pictures).measure(RUN).per_image, abs=1e-6)
    assert told == [("batches of pictures", 2), ("batches of sentences", 4)]


def test_the_signature_tells_the_model(model: Path, pictures: Path, tmp_path: Path) -> None:
    choices = ClipScore(model, pictures).measure(RUN).choices
    assert choices == {"model": "tiny-clip", "files": fingerprint(model), "w": 2.5, "prefix": "A photo depicts"}
    other = shutil.copytree(model, tmp_path / "tiny-clip")
    assert fingerprint(other) == fingerprint(model)
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    assert fingerprint(other) != fingerprint(model)


def test_pictures_are_found_by_the_corpus_file_names(model: Path, pictures: Path) -> None:
    images = [Image("a", file="1.png"), Image("b", file="elsewhere/2.png"), Image("3")]
    run = Run(["a", "b", "3"], RUN.candidates, RUN.references, images=images)
    assert ClipScore(model, pictures).measure(run).value() == pytest.approx(
        ClipScore(model, pictures).measure(RUN).value()
    )


def test_long_sentences_are_cut_and_told_of(model: Path, pictures: Path) -> None:
    run = Run(["1"], ["long " * 30], [["a dog", "long " * 40]])
    assert ClipScore(model, pictures).measure(run).warnings == [
        "2 sentences are longer than the model's 40 tokens and were cut"
    ]


def test_no_network_is_asked(model: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert np.isfinite(ClipScore(model, pictures).measure(RUN).value()).all()


def test_pictures_that_are_missing_are_told_of_before_the_model_is_loaded(pictures: Path) -> None:
    run = Run(["1", "4", "../1"], RUN.candidates, RUN.references)
    with refusal(BadInput):
        ClipScore(Path("no-model"), pictures).measure(run)


def test_a_picture_that_is_none_is_named(model: Path, tmp_path: Path) -> None:
    (tmp_path / "1.jpg").write_bytes(b"no picture")
    with refusal(BadInput):
        ClipScore(model, tmp_path).measure(Run(["1"], ["a"], [["a"]]))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda folder: shutil.rmtree(folder), "is no folder; download the model first"),
        (lambda folder: (folder / "config.json").unlink(), "there is no config.json"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("[]"), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "nonsense"}'), "cannot be loaded"),
        (
            lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
            "there are no weights as safetensors; others could run code",
        ),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 100), "cannot be loaded"),
        (lambda folder: (folder / "vocab.json").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "preprocessor_config.json").write_text("["), "cannot be loaded"),
        (lambda folder: (folder / "preprocessor_config.json").unlink(), "cannot be loaded"),
    ],
)
def test_a_folder_that_is_no_model_is_one_clear_error(model: Path, tmp_path: Path, change: Any, problem: str) -> None:
    folder = shutil.copytree(model, tmp_path / "tiny-clip")
    change(folder)
    with pytest.raises(BadInput) as caught:
        Embedder(folder)
    assert str(caught.value).startswith(f"{folder}: {problem}")
    assert "\n" not in str(caught.value)


def test_parts_that_do_not_belong_together_are_told_of(model: Path, pictures: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "tiny-clip")
    (folder / "preprocessor_config.json").write_text('{"image_processor_type": "CLIPImageProcessor"}')
    with refusal(BadInput):
        ClipScore(folder, pictures).measure(RUN)


def test_a_name_that_a_hub_would_know_is_not_asked_for() -> None:
    with refusal(BadInput):
        Embedder(Path("openai/clip-vit-base-patch32"))


def test_weights_that_are_missing_are_not_made_up(model: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = shutil.copytree(model, tmp_path / "tiny-clip")
    weights = load_file(folder / "model.safetensors")
    del weights["visual_projection.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with refusal(BadInput):
        Embedder(folder)


def test_a_model_of_words_alone_is_refused(model: Path, tmp_path: Path) -> None:
    import transformers

    folder = tmp_path / "words"
    config = transformers.BertConfig(
        vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )
    with silence(transformers):
        transformers.BertModel(config).save_pretrained(folder)
    with refusal(BadInput):
        Embedder(folder)


def test_code_in_the_folder_is_not_run(model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "tiny-clip")
    config = json.loads((folder / "config.json").read_text())
    (folder / "trap.py").write_text(
        f"open({str(tmp_path / 'sprung')!r}, 'w')\nfrom transformers import CLIPModel as Trap"
    )
    for kind in ("clip", "trap"):
        config |= {"model_type": kind, "auto_map": {"AutoModel": "trap.Trap", "AutoConfig": "trap.Trap"}}
        (folder / "config.json").write_text(json.dumps(config))
        if kind == "trap":
            with pytest.raises(BadInput) as caught:
                Embedder(folder)
            assert caught.value.place == str(folder)
        else:
            Embedder(folder)
    assert not (tmp_path / "sprung").exists()


def test_without_the_extra_the_remedy_is_named(model: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, "limner.score.embedder")
    with refusal(LimnerError):
        ClipScore(model, pictures).measure(RUN)


def test_a_device_that_is_not_there_is_refused(model: Path) -> None:
    with refusal(LimnerError):
        Embedder(model, "cuda:99")


def test_the_library_is_left_as_it_was(model: Path) -> None:
    import transformers

    before = transformers.logging.get_verbosity(), transformers.logging.is_progress_bar_enabled()
    Embedder(model)
    assert (transformers.logging.get_verbosity(), transformers.logging.is_progress_bar_enabled()) == before


def test_a_picture_that_is_a_link_out_of_the_folder_is_told_of_as_that(pictures: Path, tmp_path: Path) -> None:
    (tmp_path / "1.png").symlink_to(pictures / "1.png")
    with refusal(BadInput):
        ClipScore(Path("no-model"), tmp_path).measure(Run(["1"], ["a"], [["a"]]))
