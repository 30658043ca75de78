"""Models in folders as transformers saves them, opened without trusting them.

Nothing is downloaded, no code of the folder is run, and weights are read from
safetensors alone: other files of weights can hold programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import transformers
from safetensors import SafetensorError

from limner.errors import BadInput, one_line, shown
from limner.files import check_file, open_file
from limner.learn.half_precision import cap_instructions_if_broken

# What a model's folder has that could change what it computes: settings, weights, words, templates of chats.
FILES = (".json", ".safetensors", ".txt", ".model", ".jinja")


def check_folder(folder: Path) -> None:
    """Whether the folder can be a model's: a name that only a hub knows is none."""
    if not folder.is_dir():
        raise BadInput(str(folder), "is no folder", "download the model first, and name the folder it is in")
    if not (folder / "config.json").is_file():
        raise BadInput(str(folder), "there is no config.json", "name a folder that transformers' save_pretrained wrote")
    for path in _model_files(folder):
        if not path.is_dir():
            check_file(path)
    if not any(folder.glob("*.safetensors")):
        remedy = "convert them with transformers' save_pretrained"
        raise BadInput(str(folder), "there are no weights as safetensors; others could run code", remedy)


def load_model(folder: Path, kind: Any) -> Any:
    """The model of a kind such as `transformers.AutoModel`, all of whose weights were there."""
    # Also for one in float32: a model in bfloat16 may come later, and then it would be too late.
    cap_instructions_if_broken()
    model, report = load_part(folder, kind, use_safetensors=True, output_loading_info=True)
    missing = sorted(report["missing_keys"])
    if missing:
        problem = f"{len(missing):,} of the model's weights are missing, such as {shown(missing[0])}"
        raise BadInput(str(folder), problem, "give the weights of the whole model")
    return model


def load_part(folder: Path, kind: Any, **options: Any) -> Any:
    """A part of a model, from its folder alone."""
    faults = (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError, ImportError, SafetensorError)
    try:
        return kind.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False, **options)
    except faults as error:
        problem = f"cannot be loaded ({one_line(str(error), 200)})"
        raise BadInput(str(folder), problem, "is the model complete?") from error


def fingerprint(folder: Path) -> str:
    """A few letters that are others for another model."""
    digest = sha256()
    for path in filter(Path.is_file, _model_files(folder)):
        with open_file(path) as handle:
            digest.update(f"{path.name} {file_digest(handle, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()[:12]


def _model_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in FILES)


@contextmanager
def quiet_library() -> Iterator[None]:
    """The library without its bars and hints, which are then as they were."""
    logging = transformers.logging
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()
