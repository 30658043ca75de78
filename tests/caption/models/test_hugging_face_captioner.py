"""Image-to-text models in folders as captioners: what they say is what their own `generate` says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image as PillowImage

import tiny_captioners
import tiny_models
from limner.caption import HuggingFaceCaptioner, Words
from limner.caption.models.prompted_pictures import CHAT_PROMPT
from limner.errors import BadInput, LimnerError
from refusals import refusal

torch.set_num_threads(1)

# PaliGemma's processor makes an array of a tensor.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

MAKERS = {**tiny_captioners.PLAIN, **tiny_captioners.CHATTING}
PICTURES = tiny_captioners.pictures((20, 30), (40, 10), (64, 64))
LENGTH = 7


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a kind of model, made when it is first asked for; none may be written to."""
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            torch.manual_seed(0)
            made[kind] = MAKERS[kind](tmp_path_factory.mktemp(kind))
        return made[kind]

    return folder


def own_inputs(kind: str, folder: Path, pixels: Any, prompt: str | None) -> dict[str, Any]:
    """What a user of transformers would give to the model, as its documentation has it."""
    picture = PillowImage.fromarray(pixels)
    if kind == "vision-encoder-decoder":
        given = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")(picture, return_tensors="pt")
        if prompt:
            words = transformers.AutoTokenizer.from_pretrained(folder)(prompt)["input_ids"]
            given["decoder_input_ids"] = torch.tensor([[tiny_models.BOS, *words]])
        return dict(given)
    processor = transformers.AutoProcessor.from_pretrained(folder, backend="pil")
    if kind in tiny_captioners.CHATTING:
        asked = {"type": "text", "text": prompt or CHAT_PROMPT}
        turn = {"role": "user", "content": [{"type": "image", "image": picture}, asked]}
        return dict(
            processor.apply_chat_template(
                [turn], add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
            )
        )
    if kind == "git" and prompt:
        words = processor(text=prompt, add_special_tokens=False)["input_ids"]
        return {
            "pixel_values": processor(images=picture, return_tensors="pt")["pixel_values"],
            "input_ids": torch.tensor([[tiny_models.BOS, *words]]),
        }
    text = "" if kind == "paligemma" and prompt is None else prompt
    given = dict(processor(images=picture, text=text, return_tensors="pt"))
    given.pop("labels", None)
    return given


def generated(kind: str, folder: Path, pixels: Any, prompt: str | None, **settings: Any) -> Any:
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    text = model.config.get_text_config(decoder=True)
    silent = {*tokenizer.all_special_ids, *range(len(tokenizer), text.vocab_size)}
    return model.generate(
        **own_inputs(kind, folder, pixels, prompt),
        do_sample=False,
        suppress_tokens=sorted(silent - {tiny_models.EOS}),
        return_dict_in_generate=True,
        output_scores=True,
        **settings,
    )


def said(result: Any) -> list[int]:
    """The tokens that were made, up to the end."""
    beams = getattr(result, "beam_indices", None)
    n_made = len(result.scores) if beams is None else int((beams[0] >= 0).sum())
    tokens: list[int] = result.sequences[0].tolist()[-n_made:]
    return tokens[: tokens.index(tiny_models.EOS) + 1] if tiny_models.EOS in tokens else tokens


@pytest.mark.parametrize("prompt", [None, "a cat on"])
@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "qwen2-vl"])
def test_greedy_without_constraints_is_generate(folders: Callable[[str], Path], kind: str, prompt: str | None) -> None:
    folder = folders(kind)
    captions = HuggingFaceCaptioner.load(folder, prompt).caption(PICTURES, [[], [], []], beam=1, max_len=LENGTH)
    for captioned, pixels in zip(captions, PICTURES, strict=True):
        own = generated(kind, folder, pixels, prompt, num_beams=1, max_new_tokens=LENGTH)
        assert captioned.tokens == said(own)


def test_greedy_without_constraints_is_generate_where_videos_are_not_supported(
    folders: Callable[[str], Path],
) -> None:
    folder = folders("qwen2-vl")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    images = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder).eval()
    captions = HuggingFaceCaptioner.load(folder, "a cat").caption(PICTURES, [[], [], []], beam=1, max_len=LENGTH)
    for captioned, pixels in zip(captions, PICTURES, strict=True):
        given = images(PillowImage.fromarray(pixels), return_tensors="pt")
        marks = "<|image_pad|>" * (int(given["image_grid_thw"].prod()) // 4)
        chat = f"user: <|vision_start|>{marks}<|vision_end|>a cat\nassistant:"
        input_ids = tokenizer(chat, return_tensors="pt")["input_ids"]
        own = model.generate(
            input_ids=input_ids,
            mm_token_type_ids=(input_ids == tokenizer.convert_tokens_to_ids("<|image_pad|>")).long(),
            **given,
            do_sample=False,
            num_beams=1,
            max_new_tokens=LENGTH,
            suppress_tokens=sorted({*tokenizer.all_special_ids} - {tiny_models.EOS}),
        )
        assert captioned.tokens == own[0, input_ids.shape[1] :][: len(captioned.tokens)].tolist()


@pytest.mark.parametrize(("kind", "max_len", "n_all"), [("blip", 3, 700), ("git", 3, 700), ("llava", 2, 350)])
def test_a_beam_as_wide_as_all_sentences_finds_what_generate_finds_so(
    folders: Callable[[str], Path], kind: str, max_len: int, n_all: int
) -> None:
    folder = folders(kind)
    captioner = HuggingFaceCaptioner.load(folder)
    own = generated(
        kind, folder, PICTURES[0], None, num_beams=n_all, max_new_tokens=max_len, length_penalty=0.0,
        early_stopping="never",
    )  # fmt: skip
    (best,) = captioner.caption(PICTURES[:1], [[]], beam=n_all, max_len=max_len)
    assert best.tokens == said(own)
    assert best.log_prob == pytest.approx(own.sequences_scores[0].item(), abs=1e-4)
    (narrow,) = captioner.caption(PICTURES[:1], [[]], beam=2, max_len=max_len)
    assert narrow.log_prob <= best.log_prob + 1e-4


@pytest.mark.parametrize("mode", ["per_state", "banks"])
@pytest.mark.parametrize("kind", MAKERS)
def test_pictures_together_are_as_each_alone(folders: Callable[[str], Path], kind: str, mode: Any) -> None:
    captioner = HuggingFaceCaptioner.load(folders(kind), "a cat on a")
    asked = [["cat"], [], ["fire hydrant", "dog"]]
    together = captioner.caption(PICTURES, asked, beam=3, max_len=LENGTH, mode=mode)
    for captioned, pixels, words in zip(together, PICTURES, asked, strict=True):
        (alone,) = captioner.caption([pixels], [words], beam=3, max_len=LENGTH, mode=mode)
        assert (alone.tokens, alone.satisfied) == (captioned.tokens, captioned.satisfied)
        assert alone.log_prob == pytest.approx(captioned.log_prob, abs=1e-4)
        assert captioned.met


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_said_depends_on_the_picture_and_the_prompt(folders: Callable[[str], Path], kind: str) -> None:
    pictures = [*PICTURES, PICTURES[0]]
    plain = HuggingFaceCaptioner.load(folders(kind)).caption(pictures, [[]] * 4, beam=2, max_len=LENGTH)
    prompted = HuggingFaceCaptioner.load(folders(kind), "a dog").caption(pictures, [[]] * 4, beam=2, max_len=LENGTH)
    assert len({round(captioned.log_prob, 3) for captioned in plain}) == 3
    assert plain[0].tokens == plain[3].tokens
    assert plain[0].log_prob != pytest.approx(prompted[0].log_prob, abs=1e-3)


@pytest.mark.parametrize("kind", ["blip", "llava"])
def test_words_of_constraints_are_mentions_of_their_boxes(folders: Callable[[str], Path], kind: str) -> None:
    captioner = HuggingFaceCaptioner.load(folders(kind))
    hydrant, dog = Words(("fire hydrant", "fire hydrants"), ("8", "9")), Words(("dog", "dogs"), ("7",))
    first, second = captioner.caption(
        PICTURES[:2], [[hydrant, dog], [dog]], ids=["a", "b"], source="system:tiny", beam=3, max_len=LENGTH
    )
    phrases = {first.caption.phrase(m).lower(): (m.boxes, m.origin) for m in first.caption.mentions}
    assert phrases == {"fire hydrant": (("8",), "constraint"), "dog": (("7",), "constraint")}
    assert [m.boxes for m in second.caption.mentions] == [("7",)]
    assert (first.caption.id, second.caption.id, first.caption.source) == ("a", "b", "system:tiny")


def test_enough_constraints_and_forbidden_words_are_heeded(folders: Callable[[str], Path]) -> None:
    captioner = HuggingFaceCaptioner.load(folders("blip"))
    (captioned,) = captioner.caption(
        PICTURES[:1], [["cat", "dog"]], at_least=1, forbid=["cat"], beam=3, max_len=LENGTH, n_best=2
    )
    assert captioned.satisfied == (False, True)
    assert captioned.met
    assert len(captioned.others) == 1


def test_a_model_in_16_bits_takes_pictures(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("vision-encoder-decoder"), tmp_path)
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder).to(torch.bfloat16)
    model.save_pretrained(folder)
    (captioned,) = HuggingFaceCaptioner.load(folder).caption(PICTURES[:1], [["cat"]], beam=2, max_len=LENGTH)
    assert captioned.met


def test_a_model_without_an_end_ends_as_its_tokenizer_does(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("vision-encoder-decoder"), tmp_path)
    changed("generation_config.json", eos_token_id=None)(folder)
    (captioned,) = HuggingFaceCaptioner.load(folder).caption(PICTURES[:1], [["cat"]], beam=3, max_len=LENGTH)
    (expected,) = HuggingFaceCaptioner.load(folders("vision-encoder-decoder")).caption(
        PICTURES[:1], [["cat"]], beam=3, max_len=LENGTH
    )
    assert captioned.tokens == expected.tokens


def test_a_processor_of_another_model_is_told(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("git"), tmp_path)
    changed("preprocessor_config.json", crop_size={"height": 12, "width": 12}, size={"shortest_edge": 12})(folder)
    with refusal(LimnerError):
        HuggingFaceCaptioner.load(folder).caption(PICTURES[:1], [[]])


@pytest.mark.parametrize("kind", ["blip", "git", "vision-encoder-decoder", "paligemma"])
def test_an_empty_prompt_is_none(folders: Callable[[str], Path], kind: str) -> None:
    one, other = (
        HuggingFaceCaptioner.load(folders(kind), prompt).caption(PICTURES[:1], [[]], beam=2, max_len=LENGTH)[0]
        for prompt in (None, "")
    )
    assert one.tokens == other.tokens


def test_a_chat_begins_once(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("llava"), tmp_path)
    tiny_captioners.with_ends(transformers.AutoTokenizer.from_pretrained(folder)).save_pretrained(folder)
    template = folder / "chat_template.jinja"
    template.write_text("{{ bos_token }}" + tiny_captioners.CHAT.replace("MARK", "<image>"))
    captioner = HuggingFaceCaptioner.load(folder)
    input_ids = captioner._prompted.inputs(PICTURES)["input_ids"]
    assert (input_ids == tiny_models.BOS).sum(1).tolist() == [1, 1, 1]
    assert (input_ids == tiny_models.EOS).sum().item() == 0


def test_no_pictures_have_no_captions(folders: Callable[[str], Path]) -> None:
    assert HuggingFaceCaptioner.load(folders("blip")).caption([], []) == []


def test_the_signature_tells_models_and_prompts_apart(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = folders("llava")
    other = copied(folder, tmp_path)
    template = other / "chat_template.jinja"
    template.write_text(template.read_text().replace("assistant:", "assistant: A"))
    signatures = {
        HuggingFaceCaptioner.load(path, prompt).signature for path in (folder, other) for prompt in (None, "a", "a|b")
    }
    assert len(signatures) == 6
    assert HuggingFaceCaptioner.load(folder, "a").signature in signatures
    assert all(f"transformers:{transformers.__version__}|" in signature for signature in signatures)


def copied(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "model"))


def removed(*names: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return spoil


def rewritten(name: str, text: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).write_text(text)

    return spoil


def changed(name: str, **settings: Any) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / name
        before = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**before, **settings}))

    return spoil


def cut(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])

    return spoil


REMOTE = {"AutoConfig": "evil.Config", "AutoModelForImageTextToText": "evil.Model", "AutoProcessor": "evil.Processor"}
TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [
        ("blip", removed("config.json")),
        ("blip", removed("model.safetensors")),
        ("blip", removed(*TOKENIZER)),
        ("llava", rewritten("chat_template.jinja", "hello")),
        ("llava", rewritten("chat_template.jinja", "{{ '<image>' * 100000 }}")),
        ("llava", removed("chat_template.jinja")),
        ("llava", changed("preprocessor_config.json", crop_size={"height": 10**6, "width": 8})),
        ("blip", changed("preprocessor_config.json", size={"height": -3, "width": 8})),
        ("qwen2-vl", changed("preprocessor_config.json", min_pixels=10**10)),
        ("llava", changed("processor_config.json", num_additional_image_tokens=10**9)),
        ("idefics3", changed("processor_config.json", image_seq_len=10**9)),
        ("llava", changed("config.json", model_type="bert")),
        ("llava", changed("processor_config.json", audio_tokenizer={"audio_tokenizer_class": "AutoModel"})),
    ],
)
def test_bad_folders_are_told_in_one_line(
    folders: Callable[[str], Path], tmp_path: Path, kind: str, spoil: Callable[[Path], None]
) -> None:
    folder = copied(folders(kind), tmp_path)
    spoil(folder)
    with refusal(BadInput) as caught:
        HuggingFaceCaptioner.load(folder)
    assert caught.value.place == str(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "spoil", "problem"),
    [
        ("blip", removed("preprocessor_config.json"), "cannot be loaded|no processor"),
        ("git", removed("preprocessor_config.json"), "cannot be loaded|no processor"),
        ("vision-encoder-decoder", removed("preprocessor_config.json"), "cannot be loaded"),
        ("vision-encoder-decoder", removed(*TOKENIZER), "there is no tokenizer|cannot be loaded"),
        ("qwen2-vl", removed("preprocessor_config.json"), "cannot be loaded"),
        ("qwen2-vl", removed(*TOKENIZER), "there is no tokenizer|cannot be loaded"),
        ("llava", cut("model.safetensors"), "cannot be loaded"),
        ("llava", cut("config.json"), "cannot be loaded"),
        ("llava", cut("tokenizer.json"), "cannot be loaded"),
        ("llava", rewritten("processor_config.json", "[" * 100_000), "cannot be read"),
        ("llava", rewritten("processor_config.json", "[]"), "cannot be loaded"),
        ("llava", rewritten("chat_template.jinja", "{% for %}"), "chat template does not take"),
        ("llava", rewritten("chat_template.jinja", "{{ raise_exception('no pictures') }}"), "no pictures"),
        ("llava", rewritten("chat_template.jinja", "{{ ''.__class__.__mro__ }}"), "chat template does not take"),
        ("llava", changed("processor_config.json", patch_size=0), "does not take a picture and the prompt"),
        ("blip", changed("preprocessor_config.json", size="large"), "size .*large"),
        ("llava", rewritten("processor_config.json", "5"), "cannot be loaded"),
        ("llava", changed("config.json", auto_map=REMOTE, model_type="evil"), "cannot be loaded"),
    ],
)
def test_what_the_library_cannot_load_is_told_in_one_line(
    folders: Callable[[str], Path], tmp_path: Path, kind: str, spoil: Callable[[Path], None], problem: str
) -> None:
    """The message quotes the library, which has other words in each of its versions."""
    folder = copied(folders(kind), tmp_path)
    spoil(folder)
    with pytest.raises(BadInput, match=problem) as caught:
        HuggingFaceCaptioner.load(folder)
    assert caught.value.place == str(folder)
    assert "\n" not in str(caught.value)


def test_weights_that_are_missing_are_told(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("git"), tmp_path)
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder)
    weights = {name: tensor for name, tensor in model.state_dict().items() if "layer.1" not in name}
    model.save_pretrained(folder, state_dict=weights)
    with refusal(BadInput):
        HuggingFaceCaptioner.load(folder)


def test_code_of_the_folder_is_not_run(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("llava"), tmp_path)
    ran = tmp_path / "ran"
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w')\nclass Config: pass\nModel = Processor = Config\n")
    for name in ("config.json", "processor_config.json", "preprocessor_config.json", "tokenizer_config.json"):
        changed(name, auto_map=REMOTE)(folder)
    with suppress(BadInput):
        HuggingFaceCaptioner.load(folder)
    assert not ran.exists()


def test_a_name_on_a_hub_is_no_folder() -> None:
    with refusal(BadInput):
        HuggingFaceCaptioner.load(Path("Salesforce/blip-image-captioning-base"))


@pytest.mark.parametrize(
    ("pixels", "problem"),
    [
        (np.zeros((8, 8), np.uint8), "is an array of (8, 8) uint8"),
        (np.zeros((8, 8, 3), np.float32), "is an array of (8, 8, 3) float32"),
        (np.zeros((0, 8, 3), np.uint8), "is an array of (0, 8, 3) uint8"),
    ],
)
def test_what_is_no_picture_is_named(folders: Callable[[str], Path], pixels: Any, problem: str) -> None:
    captioner = HuggingFaceCaptioner.load(folders("blip"))
    with pytest.raises(BadInput) as caught:
        captioner.caption([PICTURES[0], pixels], [[], []], ids=["a", "b"])
    assert (caught.value.place, caught.value.problem) == ("picture b", problem)


def test_a_picture_that_the_processor_refuses_is_named(folders: Callable[[str], Path]) -> None:
    captioner = HuggingFaceCaptioner.load(folders("qwen2-vl"))
    with refusal(BadInput):
        captioner.caption([PICTURES[0], tiny_captioners.pictures((900, 3))[0]], [[], []])


@pytest.mark.parametrize("size", [(1, 1), (3, 3), (3, 1), (1, 40)])
@pytest.mark.parametrize("kind", MAKERS)
def test_the_smallest_pictures_have_captions(folders: Callable[[str], Path], kind: str, size: tuple[int, int]) -> None:
    captioner = HuggingFaceCaptioner.load(folders(kind))
    assert captioner.caption(tiny_captioners.pictures(size, size), [["cat"], []], beam=2, max_len=4)[0].met


@pytest.mark.parametrize(
    ("constraints", "settings"),
    [
        ([[]], {}),
        ([[], []], {"ids": ["a"]}),
        ([["猫"], []], {}),
        (["cat", "dog"], {}),
    ],
)
def test_what_cannot_be_done_is_told(
    folders: Callable[[str], Path], constraints: Any, settings: dict[str, Any]
) -> None:
    captioner = HuggingFaceCaptioner.load(folders("blip"))
    with refusal(LimnerError):
        captioner.caption(PICTURES[:2], constraints, **settings)


def test_weights_that_are_no_numbers_are_told(folders: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied(folders("blip"), tmp_path)
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder)
    with torch.no_grad():
        next(model.text_decoder.parameters()).fill_(float("nan"))
    model.save_pretrained(folder)
    with refusal(LimnerError):
        HuggingFaceCaptioner.load(folder).caption(PICTURES[:1], [[]])


def test_a_device_that_is_not_there_is_told(folders: Callable[[str], Path]) -> None:
    with refusal(LimnerError):
        HuggingFaceCaptioner.load(folders("blip"), device="nowhere")
