"""The settings of captioners: what comes with Limner, and what the documentation says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

from conftest import REPOSITORY
from limner.caption.captioner_config import CaptionerConfig, WordSettings, read_captioner_config
from limner.errors import LimnerError
from refusals import refusal

PAGE = REPOSITORY / "docs" / "captioner.md"


def shown_value(value: Any) -> str:
    """A value as the page's table has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"`{value}`" if value else "none"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def setting(config: CaptionerConfig, key: str) -> str:
    value: Any = config
    for name in key.split("."):
        value = getattr(value, name)
        if value is None:
            return "–"
    return shown_value(value)


def test_the_page_has_the_values_of_the_configs() -> None:
    rows = re.findall(
        r"^\| `([\w.]+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE
    )
    laptop, paper = (read_captioner_config(name) for name in ("laptop", "paper"))
    usual = CaptionerConfig(training=paper.training)
    assert len(rows) > 20
    for key, _, default, of_laptop, of_paper, _ in rows:
        assert (key, of_laptop, of_paper) == (key, setting(laptop, key), setting(paper, key))
        if not key.startswith(("training.", "self_critical.")):
            assert (key, default) == (key, setting(usual, key))


def keys(table: Any, before: str = "") -> list[str]:
    """All keys of a table and of those in it."""
    found = []
    for field in table.fields:
        kinds = field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,)
        inner = next((kind for kind in kinds if isinstance(kind, inspect.StructType)), None)
        found += keys(inner, f"{before}{field.name}.") if inner else [f"{before}{field.name}"]
    return found


def test_the_page_has_every_key() -> None:
    named = set(re.findall(r"^\| `([\w.]+)` \|", PAGE.read_text(), re.MULTILINE))
    # Both stages have the same keys; the second table names those of either.
    missing = {
        key
        for key in keys(inspect.type_info(CaptionerConfig))
        if not {key, key.rpartition(".")[2], key.removeprefix("self_critical.")} & named
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "training"),
        ("[training]\nepochs = 0\n", "epochs must be at least 1"),
        ("[training]\nepochs = 1\n[model]\nhidden = 1e9\n", "hidden"),
        ("[training]\nepochs = 1\n[model]\nhidden = -4\n", "hidden and attention must be at least 1"),
        ("[training]\nepochs = 1\n[modle]\nhidden = 4\n", "unknown key 'modle'; did you mean 'model'?"),
        ('[training]\nepochs = 1\n[words]\nkind = "gloves"\n', "words.kind"),
        ('[training]\nepochs = 1\n[words]\nkind = "language-model"\n', "language_model names the folder"),
        ("[training]\nepochs = 1\n[words]\nclasses = true\n", "words.classes"),
        ("[training]\nepochs = 1\n[decoding]\nbeam = 0\n", "beam and max_len must be at least 1"),
        ("[training]\nepochs = 1\n[regions]\ngrid = 99\n", "grid 99"),
        ("smoothing = 1.5\n[training]\nepochs = 1\n", "smoothing must be at least 0 and below 1"),
        ("[training]\nepochs = 1\nlearning_rate = nan\n", "training.learning_rate is not a finite number"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_key(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "odd.toml").write_text(text)
    with pytest.raises(LimnerError) as caught:
        read_captioner_config(tmp_path / "odd.toml")
    assert str(caught.value).startswith(f"{tmp_path / 'odd.toml'}: ")
    assert said in str(caught.value)


def test_words_that_are_learnt_are_nowhere_else() -> None:
    with refusal(LimnerError):
        WordSettings().with_source(Path("vectors.txt"))
    assert WordSettings().with_whole_paths() == WordSettings()
    assert WordSettings(classes="coco").with_whole_paths().classes == "coco"
    assert WordSettings(classes="mine.csv").with_whole_paths().classes == str(Path("mine.csv").resolve())
    assert WordSettings(kind="glove").with_source(Path("a.txt")) == WordSettings(kind="glove", vectors="a.txt")
