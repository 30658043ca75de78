"""Folders of image-to-text models with random weights, processors and all, small enough to be made in a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers as tk
import transformers
from numpy.typing import NDArray

import tiny_models
from tiny_clip import silence

SIDE = tiny_models.VISION["image_size"]
MARKS = ("<image>", "<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
EDGES = ("<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
CHAT = (
    "{% for turn in messages %}{{ turn['role'] }}: {% for part in turn['content'] %}"
    "{% if part['type'] == 'image' %}MARK{% else %}{{ part['text'] }}{% endif %}{% endfor %}{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def pictures(*sizes: tuple[int, int]) -> list[NDArray[np.uint8]]:
    """Pictures of noise of these widths and heights, each another."""
    noise = np.random.default_rng(7)
    return [noise.integers(0, 256, (height, width, 3), dtype=np.uint8) for width, height in sizes]


def blip(folder: Path) -> Path:
    tokenizer = with_ends(tiny_models.word_piece())
    return save(folder, tiny_models.blip(len(tokenizer)), tokenizer, "BlipImageProcessor", "BlipProcessor")


def git(folder: Path) -> Path:
    tokenizer = with_ends(tiny_models.word_piece())
    crop = {"crop_size": {"height": SIDE, "width": SIDE}, "size": {"shortest_edge": SIDE}}
    return save(folder, tiny_models.git(len(tokenizer)), tokenizer, "CLIPImageProcessor", "GitProcessor", crop)


def vision_encoder_decoder(folder: Path) -> Path:
    tokenizer = tiny_models.byte_level()
    return save(folder, tiny_models.vision_encoder_decoder(len(tokenizer)), tokenizer, "ViTImageProcessor", None)


def blip2(folder: Path) -> Path:
    """A captioner with queries between the picture and a language model, whose text has a place for the picture."""
    tokenizer = marked(tiny_models.byte_level())
    size = {**tiny_models.TEXT, "num_hidden_layers": 1}
    text = {"vocab_size": len(tokenizer), "hidden_size": 16, "ffn_dim": 32, "word_embed_proj_dim": 16}
    config = transformers.Blip2Config(
        vision_config=tiny_models.VISION,
        qformer_config={**size, "encoder_hidden_size": 16, "vocab_size": 8},
        text_config=transformers.OPTConfig(num_hidden_layers=2, num_attention_heads=2, **text, **tiny_models.IDS),
        num_query_tokens=3,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    model = tiny_models.random(transformers.Blip2ForConditionalGeneration(config))
    save(folder, model, tokenizer, "BlipImageProcessor", "Blip2Processor")
    write(folder / "processor_config.json", {"processor_class": "Blip2Processor", "num_query_tokens": 3})
    return folder


def paligemma(folder: Path) -> Path:
    """A captioner without chats that reads its picture before the prompt, both in either direction."""
    tokenizer = marked(tiny_models.sentence_piece())
    places = [
        f"<{name}{number:0>{width}}>" for name, width, n in (("loc", 4, 1024), ("seg", 3, 128)) for number in range(n)
    ]
    tokenizer.add_tokens(places)
    heads = {"num_key_value_heads": 1, "head_dim": 8}
    config = transformers.PaliGemmaConfig(
        vision_config={**tiny_models.VISION, "model_type": "siglip_vision_model", "vision_use_head": False},
        text_config=transformers.GemmaConfig(vocab_size=len(tokenizer), **heads, **tiny_models.TEXT, **tiny_models.IDS),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=16,
    )
    model = tiny_models.random(transformers.PaliGemmaForConditionalGeneration(config))
    sizes = {"size": {"height": SIDE, "width": SIDE}, "image_seq_length": 4}
    return save(folder, model, tokenizer, "SiglipImageProcessor", "PaliGemmaProcessor", sizes)


def llava(folder: Path) -> Path:
    """A chat-style model whose pictures are always the same number of tokens."""
    tokenizer = marked(tiny_models.byte_level())
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**tiny_models.VISION),
        text_config=transformers.LlamaConfig(vocab_size=len(tokenizer), **tiny_models.TEXT, **tiny_models.IDS),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1,
        image_seq_length=4,
    )
    model = tiny_models.random(transformers.LlavaForConditionalGeneration(config))
    crop = {"crop_size": {"height": SIDE, "width": SIDE}, "size": {"shortest_edge": SIDE}}
    save(folder, model, tokenizer, "CLIPImageProcessor", "LlavaProcessor", crop)
    sizes = {"patch_size": 4, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    write(folder / "processor_config.json", {"processor_class": "LlavaProcessor", **sizes})
    return with_chat(folder, "<image>")


def qwen2_vl(folder: Path) -> Path:
    """A chat-style model whose pictures are more tokens the larger they are."""
    tokenizer = marked(tiny_models.byte_level())
    model = tiny_models.qwen2_vl(len(tokenizer))
    for name, mark in zip(tiny_models.QWEN_MARKS, MARKS[1:], strict=True):
        setattr(model.config, name, tokenizer.convert_tokens_to_ids(mark))
    patches = {"patch_size": 4, "temporal_patch_size": 1, "merge_size": 2}
    area = {"size": {"shortest_edge": 64, "longest_edge": 4096}, "min_pixels": 64, "max_pixels": 4096}
    save(folder, model, tokenizer, "Qwen2VLImageProcessor", "Qwen2VLProcessor", {**patches, **area})
    return with_chat(folder, "<|vision_start|><|image_pad|><|vision_end|>")


def idefics3(folder: Path) -> Path:
    """A chat-style model, SmolVLM's, that cuts large pictures into several."""
    tokenizer = marked(tiny_models.byte_level())
    config = transformers.Idefics3Config(
        vision_config={**tiny_models.VISION, "image_size": 16},
        text_config=transformers.LlamaConfig(vocab_size=len(tokenizer), **tiny_models.TEXT, **tiny_models.IDS),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=tiny_models.PAD,
    )
    model = tiny_models.random(transformers.Idefics3ForConditionalGeneration(config))
    sizes = {"size": {"longest_edge": 32}, "max_image_size": {"longest_edge": 16}, "do_image_splitting": True}
    save(folder, model, tokenizer, "Idefics3ImageProcessor", "Idefics3Processor", sizes)
    write(folder / "processor_config.json", {"processor_class": "Idefics3Processor", "image_seq_len": 4})
    return with_chat(folder, "<image>")


PLAIN: dict[str, Callable[[Path], Path]] = {
    "blip": blip,
    "git": git,
    "vision-encoder-decoder": vision_encoder_decoder,
    "blip-2": blip2,
    "paligemma": paligemma,
}
CHATTING: dict[str, Callable[[Path], Path]] = {"llava": llava, "qwen2-vl": qwen2_vl, "idefics3": idefics3}


def save(
    folder: Path, model: Any, tokenizer: Any, image_processor: str, processor: str | None, sizes: Any = None
) -> Path:
    """The folder with the model, its tokenizer and how it takes pictures, as they lie on the hub."""
    with silence(transformers):
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    settings = {"image_processor_type": image_processor, **(sizes or {"size": {"height": SIDE, "width": SIDE}})}
    write(folder / "preprocessor_config.json", settings | ({"processor_class": processor} if processor else {}))
    return folder


def with_ends(tokenizer: Any) -> Any:
    """The tokenizer with a token at either end of every text, as BERT's has."""
    ends = [("<s>", tiny_models.BOS), ("</s>", tiny_models.EOS)]
    tokenizer.backend_tokenizer.post_processor = tk.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=ends
    )
    tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    tokenizer.init_kwargs["model_input_names"] = tokenizer.model_input_names
    return tokenizer


def marked(tokenizer: Any) -> Any:
    """The tokenizer with tokens for pictures."""
    tokenizer.add_special_tokens({"additional_special_tokens": [*MARKS, *EDGES]})
    return tokenizer


def with_chat(folder: Path, mark: str) -> Path:
    (folder / "chat_template.jinja").write_text(CHAT.replace("MARK", mark))
    return folder


def write(path: Path, settings: dict[str, Any]) -> None:
    path.write_text(json.dumps(settings))
