"""Settings in TOML files, read into typed records: what a file misspells or mistypes is told with its key."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from limner.errors import BadInput, LimnerError, one_line, unknown
from limner.files import decode, open_bytes

# Bytes of a file: people write settings by hand.
MAX_BYTES = 1 << 20

SUFFIX = ".toml"

Config = TypeVar("Config", bound=msgspec.Struct)

# How msgspec says where a fault is, and which value or key it does not know.
_LOCATION = re.compile(r" - at `(?:key in )?\$(.*)`$")
_UNKNOWN_VALUE = re.compile(r"Invalid enum value '(.*)'$")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(.*)`$")


def read_config(source: str | Path, kind: type[Config], *, named: Path | None = None) -> Config:
    """The settings in a TOML file, as a record of this kind.

    `source` is a path, or the name of a file in the folder `named` without
    its suffix: `laptop` for `laptop.toml`. A name goes before a path. Keys that
    the record does not have, values of other types, and numbers that are not
    finite are errors.
    """
    path = _path(source, named)
    return decode_config(_text(path), str(path), kind)


def config_names(folder: Path) -> list[str]:
    """The names of the settings in a folder, in the order of the alphabet."""
    return sorted(path.stem for path in folder.glob(f"*{SUFFIX}"))


def decode_config(text: str, location: str, kind: type[Config]) -> Config:
    """The settings in a text in TOML, as a record of this kind; `location` is what errors call the text."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(location, f"is not TOML ({one_line(str(error), 200)})", "correct the file") from error
    for key in _unsound_numbers(values):
        raise BadInput(location, f"{key} is not a finite number", "correct it")
    try:
        return msgspec.convert(values, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _invalid(str(error), location, kind) from error


def _path(source: str | Path, named: Path | None) -> Path:
    names = config_names(named) if named else []
    if named and str(source) in names:
        return named / f"{source}{SUFFIX}"
    # A word that is no file is a misspelt name; what looks like a path is a file that is missing.
    if names and not Path(source).exists() and Path(source).name == str(source) and not Path(source).suffix:
        raise unknown("config", str(source), names)
    return Path(source)


def _text(path: Path) -> str:
    with open_bytes(path) as handle:
        raw = handle.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise BadInput(str(path), f"is larger than {MAX_BYTES >> 20} MB", "is this a file of settings?")
    return decode(raw, str(path))


def _unsound_numbers(value: Any, key: str = "") -> Iterator[str]:
    """The keys of numbers that TOML allows and no setting can be: infinities, and what is no number."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _unsound_numbers(below, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _unsound_numbers(below, f"{key}[{number}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield key


def _invalid(message: str, location: str, kind: type[msgspec.Struct]) -> LimnerError:
    """The error for settings that are not of a kind, worded from msgspec's."""
    found = _LOCATION.search(message)
    path = found[1].removeprefix(".") if found else ""
    problem = message[: found.start()] if found else message
    if misspelt := _UNKNOWN_KEY.match(problem):
        within = f" in [{path}]" if path else ""
        return BadInput(location, str(unknown(f"key{within}", misspelt[1], _keys(kind, path))))
    if (choice := _UNKNOWN_VALUE.match(problem)) and (values := _choices(kind, path)):
        return BadInput(location, str(unknown(f"value of {path}", choice[1], values)))
    return BadInput(location, f"{path or 'the settings'}: {problem[:1].lower()}{problem[1:]}", "correct it")


def _keys(kind: type[msgspec.Struct], path: str) -> list[str]:
    """The keys that a table of the settings may have."""
    return [field.encode_name for field in _fields(kind, path)]


def _choices(kind: type[msgspec.Struct], path: str) -> list[str]:
    """The words that may be the value of a key of the settings."""
    table, _, key = path.rpartition(".")
    types = [field.type for field in _fields(kind, table) if field.encode_name == key]
    return [str(value) for type_ in types if isinstance(type_, inspect.LiteralType) for value in type_.values]


def _fields(kind: type[msgspec.Struct], path: str) -> Sequence[inspect.Field]:
    """What a table of the settings may have."""
    table: Any = inspect.type_info(kind)
    for name in filter(None, re.sub(r"\[.*?\]", "", path).split(".")):
        table = next((_table(field.type) for field in table.fields if field.encode_name == name), None)
        if table is None:
            return []
    fields: Sequence[inspect.Field] = table.fields
    return fields


def _table(kind: inspect.Type) -> inspect.StructType | None:
    """The record that a value of this type is, or may be, or has as its items."""
    if isinstance(kind, inspect.UnionType):
        return next(filter(None, map(_table, kind.types)), None)
    if isinstance(kind, inspect.CollectionType):
        return _table(kind.item_type)
    return kind if isinstance(kind, inspect.StructType) else None
