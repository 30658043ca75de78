"""Settings in TOML: read with their types, and whatever is wrong is told with its key."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from limner.errors import BadInput, LimnerError
from limner.learn.stage_settings import StageSettings
from limner.learn.typed_configs import MAX_BYTES, config_names, decode_config, read_config
from refusals import refusal


class Layer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size: int
    dropout: float = 0.0


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    stage: StageSettings
    layers: list[Layer] = []
    extra: Layer | None = None


SOUND = """
name = "small"
[stage]
epochs = 3
learning_rate = 1
[[layers]]
size = 8
"""


def test_a_file_is_read_with_its_types(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SOUND)
    config = read_config(tmp_path / "a.toml", Config)
    assert config == Config("small", StageSettings(epochs=3, learning_rate=1.0), [Layer(8)])
    assert isinstance(config.stage.learning_rate, float)


def test_a_name_stands_for_a_file_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / "named"
    named.mkdir()
    (named / "laptop.toml").write_text(SOUND)
    (named / "paper.toml").write_text(SOUND.replace("small", "large"))
    assert config_names(named) == ["laptop", "paper"]
    assert read_config("paper", Config, named=named).name == "large"
    with refusal(LimnerError):
        read_config("labtop", Config, named=named)
    with refusal(LimnerError):
        read_config("mine.toml", Config, named=named)
    # A file of the user's own that has no suffix is a file all the same.
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text(SOUND.replace("small", "mine"))
    assert read_config("mine", Config, named=named).name == "mine"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("epochs = 3", "epochs = '3'"), "stage.epochs: expected `int`, got `str`"),
        (("epochs = 3", "epochs = 3.5"), "stage.epochs: expected `int`, got `float`"),
        (("epochs = 3", ""), "stage: object missing required field `epochs`"),
        (("epochs = 3", "epochs = 0"), "stage: epochs must be at least 1, not 0"),
        (("epochs = 3", "epochs = 3\naverage = 1.0"), "average must be at least 0 and below 1, not 1.0"),
        (("epochs = 3", "epochs = 3\npatience = 2"), "patience needs best_by"),
        (("epochs", "epoch"), "unknown key in [stage] 'epoch'; did you mean 'epochs'?"),
        (("size = 8", "size = 8\ndropuot = 1"), "unknown key in [layers[0]] 'dropuot'; did you mean 'dropout'?"),
        (('name = "small"', 'name = "small"\nnane = 1'), "unknown key 'nane'; did you mean 'name'?"),
        (("learning_rate = 1", "learning_rate = nan"), "stage.learning_rate is not a finite number"),
        (("size = 8", "size = 8\ndropout = -inf"), "layers[0].dropout is not a finite number"),
        (("epochs = 3", "optimiser = 'adamm'\nepochs = 3"), "stage.optimiser 'adamm'; did you mean 'adam'?"),
        (("epochs = 3", "epochs = 3\nepochs = 3"), "is not TOML (Cannot overwrite a value (at line 5"),
        (("epochs = 3", "epochs = " + "9" * 5000), "is not TOML"),
        (("epochs = 3", "epochs = " + "[" * 3000), "is not TOML"),
        (("size = 8", "size = 8\n[extra]\nsise = 2"), "unknown key in [extra] 'sise'; did you mean 'size'?"),
    ],
)
def test_what_is_wrong_is_told_with_its_key(change: tuple[str, str], problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        decode_config(SOUND.replace(*change), "a.toml", Config)
    assert str(caught.value).startswith("a.toml: ")
    assert problem in str(caught.value)


def test_files_that_are_no_settings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "large.toml").write_bytes(b"#" * (MAX_BYTES + 1))
    with refusal(BadInput):
        read_config(tmp_path / "large.toml", Config)
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with refusal(BadInput):
        read_config(tmp_path / "latin.toml", Config)
    with refusal(BadInput):
        read_config(tmp_path, Config)
