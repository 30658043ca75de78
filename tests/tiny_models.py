"""Tokenizers of every kind and models with random weights, all small enough to be made in a test."""

from __future__ import annotations

from typing import Any

import tokenizers as tk
import torch
import transformers

PAD, BOS, EOS, UNK = range(4)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")

# Pieces of a word, of which the first stands after a space.
WORDS = (
    ("a",),
    ("cat",),
    ("cat", "s"),
    ("cat", "alog"),
    ("bob", "cat"),
    ("fire",),
    ("hydr", "ant"),
    ("dog",),
    ("hot",),
    ("on",),
    ("The",),
    ("Cat",),
    ("Fire",),
)
PUNCTUATION = (".", ",", "-", "'")


def byte_level() -> Any:
    """Byte-level BPE, as GPT-2 and SmolLM2 have it: a space is Ġ, and a part of the word."""
    alphabet = sorted(tk.pre_tokenizers.ByteLevel.alphabet())
    pieces = list(dict.fromkeys(["Ġ" + word[0] for word in WORDS] + [piece for word in WORDS for piece in word]))
    built = {piece[:end]: None for piece in pieces for end in range(2, len(piece) + 1)}
    merges = [(made[:-1], made[-1]) for made in built]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys([*SPECIAL, *alphabet, *built]))}
    tokenizer = tk.Tokenizer(tk.models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = tk.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tk.decoders.ByteLevel()
    return fast(tokenizer, unk_token=None)


def word_piece() -> Any:
    """WordPiece, as BERT and BLIP have it: what continues a word begins with ##."""
    pieces = [word[0].lower() for word in WORDS] + ["##" + piece for word in WORDS for piece in word[1:]]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys([*SPECIAL, *pieces, *PUNCTUATION]))}
    tokenizer = tk.Tokenizer(tk.models.WordPiece(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = tk.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = tk.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tk.decoders.WordPiece(prefix="##")
    return fast(tokenizer)


def sentence_piece(prepend: str = "always") -> Any:
    """Unigram, as T5 has it: a space is ▁, and one is put before a text (`always`) or not (`never`)."""
    tokenizer = unigram()
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Metaspace(prepend_scheme=prepend)
    tokenizer.decoder = tk.decoders.Metaspace(prepend_scheme=prepend)
    return fast(tokenizer)


def prepended() -> Any:
    """As Llama 2 has it: a ▁ is put before every text, one that begins with a space too."""
    tokenizer = unigram()
    tokenizer.normalizer = tk.normalizers.Sequence([tk.normalizers.Prepend("▁"), tk.normalizers.Replace(" ", "▁")])
    steps = [tk.decoders.Replace("▁", " "), tk.decoders.Fuse(), tk.decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = tk.decoders.Sequence(steps)
    return fast(tokenizer)


def unigram() -> Any:
    pieces = dict.fromkeys(["▁" + word[0] for word in WORDS] + [piece for word in WORDS for piece in word[1:]])
    scored = [(piece, 0.0) for piece in SPECIAL] + [(piece, -2.0) for piece in pieces]
    scored += [(piece, -8.0) for piece in ("▁", *PUNCTUATION, *"abcdefghijklmnopqrstuvwxyzCFT")]
    return tk.Tokenizer(tk.models.Unigram(scored, unk_id=UNK))


def whole_words() -> Any:
    """A vocabulary of words, as captioners had before subwords."""
    words = dict.fromkeys(["".join(word).lower() for word in WORDS] + ["hydrant", *PUNCTUATION])
    tokenizer = tk.Tokenizer(
        tk.models.WordLevel({word: i for i, word in enumerate([*SPECIAL, *words])}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Whitespace()
    return fast(tokenizer)


def fast(tokenizer: Any, unk_token: str | None = "<unk>") -> Any:
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token=unk_token,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


TOKENIZERS = {
    "byte-level": byte_level,
    "word-piece": word_piece,
    "sentence-piece": sentence_piece,
    "sentence-piece without prefix": lambda: sentence_piece("never"),
    "sentence-piece prepended": prepended,
    "whole words": whole_words,
}

IDS = {"pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS}
TEXT = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
VISION = {**TEXT, "num_hidden_layers": 1, "image_size": 8, "patch_size": 4}


def gpt2(n_vocab: int, **settings: Any) -> Any:
    config = transformers.GPT2Config(
        vocab_size=n_vocab, n_positions=64, n_embd=16, n_layer=2, n_head=2, **{**IDS, **settings}
    )
    return random(transformers.GPT2LMHeadModel(config))


def llama(n_vocab: int, **settings: Any) -> Any:
    return random(
        transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=n_vocab, **TEXT, **{**IDS, **settings}))
    )


def mistral(n_vocab: int) -> Any:
    """A model that looks back three tokens only, whose cache forgets."""
    config = transformers.MistralConfig(vocab_size=n_vocab, num_key_value_heads=1, sliding_window=3, **TEXT, **IDS)
    return random(transformers.MistralForCausalLM(config))


def mamba(n_vocab: int) -> Any:
    """A recurrent model, whose cache is no list of keys and values."""
    config = transformers.MambaConfig(vocab_size=n_vocab, hidden_size=16, num_hidden_layers=2, state_size=4, **IDS)
    return random(transformers.MambaForCausalLM(config))


def t5(n_vocab: int) -> Any:
    config = transformers.T5Config(
        vocab_size=n_vocab, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, decoder_start_token_id=PAD, **IDS
    )
    return random(transformers.T5ForConditionalGeneration(config))


def bart(n_vocab: int) -> Any:
    """An encoder for which the place of a word counts, and not only its distance from others."""
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    layers = {"encoder_layers": 1, "decoder_layers": 2, "max_position_embeddings": 64}
    config = transformers.BartConfig(
        vocab_size=n_vocab, d_model=16, decoder_start_token_id=EOS, forced_eos_token_id=None, **heads, **layers, **IDS
    )
    return random(transformers.BartForConditionalGeneration(config))


def vision_encoder_decoder(n_vocab: int) -> Any:
    encoder = transformers.ViTModel(transformers.ViTConfig(**VISION))
    decoder = gpt2(n_vocab, add_cross_attention=True)
    model = transformers.VisionEncoderDecoderModel(encoder=encoder, decoder=decoder)
    model.config.decoder_start_token_id, model.config.pad_token_id = BOS, PAD
    model.generation_config.update(decoder_start_token_id=BOS, **IDS)
    return random(model)


def blip(n_vocab: int) -> Any:
    """A captioner whose `generate` is its own, around that of a part of it."""
    text = {**TEXT, **IDS, "vocab_size": n_vocab, "encoder_hidden_size": 16, "sep_token_id": EOS}
    config = transformers.BlipConfig(text_config=text, vision_config=VISION, projection_dim=8)
    return random(transformers.BlipForConditionalGeneration(config))


def git(n_vocab: int) -> Any:
    """A captioner that reads its picture as the first of its tokens."""
    config = transformers.GitConfig(vision_config=VISION, vocab_size=n_vocab, **TEXT, **IDS)
    return random(transformers.GitForCausalLM(config))


def qwen2_vl(n_vocab: int) -> Any:
    """A model for which tokens have places in time, height and width; `qwen2_vl_inputs` are pictures for it."""
    rope = {"type": "mrope", "mrope_section": [1, 1, 2]}
    text = {**TEXT, **IDS, "vocab_size": n_vocab, "num_key_value_heads": 2, "rope_scaling": rope}
    vision = {"depth": 1, "embed_dim": 16, "hidden_size": 16, "num_heads": 2, "patch_size": 4, "temporal_patch_size": 1}
    marks = {name: n_vocab - at for at, name in enumerate(QWEN_MARKS, 1)}
    config = transformers.Qwen2VLConfig(text_config=text, vision_config=vision, **marks)
    return random(transformers.Qwen2VLForConditionalGeneration(config))


QWEN_MARKS = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")


def qwen2_vl_inputs(n_vocab: int, n: int) -> dict[str, Any]:
    """Pictures of 8 by 16 pixels, two tokens each, and one token after them that differs."""
    picture, start, end = n_vocab - 1, n_vocab - 3, n_vocab - 4
    return {
        "input_ids": torch.tensor([[BOS, start, picture, picture, end, 5 + i] for i in range(n)]),
        "mm_token_type_ids": torch.tensor([[0, 0, 1, 1, 0, 0]] * n),
        "pixel_values": torch.randn(8 * n, 48, generator=torch.Generator().manual_seed(3)),
        "image_grid_thw": torch.tensor([[1, 2, 4]] * n),
    }


def random(model: Any) -> Any:
    """The model with weights large enough that what it says depends on all it has read."""
    made = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, 0.4, generator=made)
    return model.eval()


CAUSAL = {"gpt2": gpt2, "llama": llama, "mistral": mistral, "mamba": mamba}
SEEING = {"vision-encoder-decoder": vision_encoder_decoder, "blip": blip, "git": git}
