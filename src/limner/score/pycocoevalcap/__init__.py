"""What programs written for pycocoevalcap call, with the same arguments and answers, and no Java.

from limner.score.pycocoevalcap import Bleu, Cider, COCOEvalCap, Meteor, PTBTokenizer, Rouge, Spice
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "Bleu": "bleu",
    "COCO": "coco",
    "COCOEvalCap": "eval",
    "Cider": "cider",
    "Meteor": "meteor",
    "PTBTokenizer": "tokenizer",
    "Rouge": "rouge",
    "Spice": "spice",
}


# Each is imported when it is asked for: whoever wants BLEU need not have what METEOR needs.
def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
