"""A causal language model of transformers, word by word: SmolLM2, GPT-2, Llama and their kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from limner.caption.models.lstm_language_model import NEVER, SeenSplit
from limner.errors import BadInput
from limner.learn.transformers_folders import check_folder, fingerprint, load_model, load_part, quiet_library
from limner.learn.vocabulary import N_SPECIAL

# Sentences and words that find out whether a model can be used at all.
_TRIAL = (2, 3)


class HuggingFaceLanguageModel(nn.Module):
    """A causal language model from a folder as transformers saves it, with one token for each word.

    Its `words` are those that are one token after a space, in lower case, as
    nocaps has it: all others are left out of a captioner's vocabulary. A
    sentence begins with the tokenizer's token for that, or with its end. A word
    that is unknown is read as the tokenizer's unknown token, or else as the
    beginning, and scored by the mean of all words.

    `layers` are numbers of hidden states, 0 for the embeddings; by default the
    first, the middle and the last. Each vector is divided by the root of its
    mean square, since some layers are hundreds of times as large as others.
    What it has learnt from is unknown.
    """

    seen: SeenSplit | None = None

    def __init__(self, folder: Path, layers: Sequence[int] | None = None) -> None:
        super().__init__()
        check_folder(folder)
        with quiet_library():
            tokenizer = load_part(folder, transformers.AutoTokenizer)
            model = load_model(folder, transformers.AutoModelForCausalLM)
        self.model = model.float().requires_grad_(False).eval()
        last = int(model.config.get_text_config().num_hidden_layers)
        self.chosen = tuple(dict.fromkeys(layers if layers is not None else (0, last // 2, last)))
        if not self.chosen or not all(0 <= layer <= last for layer in self.chosen):
            raise ValueError(f"layers are {list(self.chosen)}; they must be from 0 to {last}")
        self.n_layers = len(self.chosen)
        self.words, ids = _single_token_words(tokenizer, int(model.get_input_embeddings().weight.shape[0]))
        begin, end = _ends(tokenizer, folder)
        unknown = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else begin
        self.register_buffer("ids", torch.tensor([begin, end, unknown, *ids]), persistent=False)
        self.eval()
        self.n_dims = self._try(folder)
        numbers = ",".join(map(str, self.chosen))
        self.signature = f"hugging-face-language-model:{fingerprint(folder)}|layers:{numbers}|rms|words:{len(ids)}"

    @torch.no_grad()
    def layers(self, tokens: Tensor) -> Tensor:
        return self._chosen_layers(self._run(tokens, None))

    def start(self, n: int) -> dict[str, Tensor]:
        # Rows with nothing in them yet: the shape of the cache is known when the first word has been read.
        return {"sentences": self.get_buffer("ids").new_zeros(n, 0)}

    @torch.no_grad()
    def step(self, tokens: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        pairs = [(state[f"key {i}"], state[f"value {i}"]) for i in range(len(state) // 2)]
        cache = transformers.DynamicCache(pairs) if pairs else transformers.DynamicCache()
        output = self._run(tokens[:, None], cache)
        after: dict[str, Tensor] = {"sentences": state["sentences"]}
        for i, layer in enumerate(output.past_key_values.layers):
            after |= {f"key {i}": layer.keys, f"value {i}": layer.values}
        return self._chosen_layers(output)[:, :, 0], after

    @property
    def output(self) -> tuple[Tensor, Tensor]:
        layer = self.model.get_output_embeddings()
        ids = self.get_buffer("ids")
        weights, bias = layer.weight[ids], getattr(layer, "bias", None)
        biases = weights.new_zeros(len(ids)) if bias is None else bias[ids].clone()
        # The beginning is often the same token as the end: it must not share in the end's probability.
        weights[0], biases[0] = 0, NEVER
        weights[2], biases[2] = weights[N_SPECIAL:].mean(dim=0), biases[N_SPECIAL:].mean()
        return weights, biases

    def _run(self, tokens: Tensor, cache: Any) -> Any:
        ids = self.get_buffer("ids")[tokens]
        # What scores the next word is left out: it would be most of the work.
        return self.model.base_model(
            input_ids=ids, past_key_values=cache, use_cache=cache is not None, output_hidden_states=True
        )

    def _chosen_layers(self, output: Any) -> Tensor:
        stacked = torch.stack([output.hidden_states[layer] for layer in self.chosen]).float()
        return stacked / stacked.square().mean(dim=-1, keepdim=True).sqrt().clamp_min(1e-6)

    def _try(self, folder: Path) -> int:
        """The length of the vectors; an error if the model does not give equal ones word by word."""
        if not self.words:
            raise BadInput(str(folder), "no word is one token of its tokenizer", "use a model with larger tokens")
        n, length = _TRIAL
        sentences = torch.zeros(n, length, dtype=torch.int64)
        sentences[1, 1:] = N_SPECIAL
        try:
            whole, state = self.layers(sentences), self.start(n)
            for place in range(length):
                layers, state = self.step(sentences[:, place], state)
        except (TypeError, AttributeError, KeyError, RuntimeError, ValueError) as error:
            problem = f"does not read sentences word by word with keys and values ({type(error).__name__})"
            raise BadInput(str(folder), problem, "use a causal transformer") from error
        if not torch.allclose(layers, whole[:, :, -1], atol=1e-3):
            raise BadInput(str(folder), "reads words otherwise than sentences", "use a causal transformer")
        return int(layers.shape[-1])


def _ends(tokenizer: Any, folder: Path) -> tuple[int, int]:
    """The tokens that begin and end a sentence; either may stand for the other."""
    given = [token for token in (tokenizer.bos_token_id, tokenizer.eos_token_id) if token is not None]
    if not given:
        raise BadInput(str(folder), "its tokenizer has neither a beginning nor an end", "use another model")
    return given[0], given[-1]


def _single_token_words(tokenizer: Any, n_tokens: int) -> tuple[tuple[str, ...], list[int]]:
    """The words in lower case that are one token where a sentence has them, and those tokens, in their order."""
    special = set(tokenizer.all_special_ids)
    by_token = {i: tokenizer.decode([i]) for i in sorted(tokenizer.get_vocab().values()) if i < n_tokens}
    texts = {i: text.strip() for i, text in by_token.items() if i not in special}
    candidates = list(dict.fromkeys(text for text in texts.values() if text.split() == [text] and _is_word(text)))
    if not candidates:
        return (), []
    # The scores' tokens "'s" and "'re" are written without a space.
    written = [text if text.startswith("'") else f" {text}" for text in candidates]
    encoded = tokenizer(written, add_special_tokens=False)["input_ids"]
    single = {text: ids[0] for text, ids in zip(candidates, encoded, strict=True) if len(ids) == 1}
    ids = {word: i for word, i in single.items() if texts.get(i) == word}
    return tuple(ids), list(ids.values())


def _is_word(text: str) -> bool:
    """Whether captions may have a token as a word: in lower case, with a letter or digit."""
    return text == text.lower() and any(letter.isalnum() for letter in text) and text.isprintable()
