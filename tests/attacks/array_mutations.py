"""Ways to break files of arrays so that their checksums still hold: what lies is inside, not the bytes.

A flipped byte of a zip is found by its checksum, and nothing behind that is
ever tried. Here members are taken out, changed and packed again.
"""

from __future__ import annotations

import io
import json
import random
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from attacks.mutations import mutated
from limner.ground.index_files import HEADER, MODEL
from limner.learn.model_files import file_fingerprint

NPY = b"\x93NUMPY"
ZIP = b"PK\x03\x04"

ODD_TYPES = [
    *["'|O'", "'<f8'", "'>f4'", "'<i8'", "'<c8'", "'|V4'", "'<U1'", "'|b1'", "'|u1'", "'<f2'", "'<M8[s]'", "'|S0'"],
    *["()", "('<f4',)", "[]", "[('a', '<f4')]", "[('a',)]", "{}", "None", "'<U99999999'", "'<f4,(9,9)f4'", "5", "''"],
]
ODD_SHAPES = [
    *["()", "(0,)", "(-1,)", "(-1, 4)", "(1, -1)", "(0, 4611686018427387904)", "(4611686018427387904,)", "(True,)"],
    *["(9999999, 9999999)", "(1,)", "(1, 1, 1)", "[4]", "4", "(1.5,)", f"({'1, ' * 70})", f"({'9' * 400},)"],
]
ODD_NUMBERS: list[float] = [float("nan"), float("inf"), float("-inf"), 1e38, -1e38, 0, -1, 1, 1e-40, 2**62, -(2**63)]
ODD_VALUES: list[Any] = [
    *[None, True, 0, -1, 1, 2**31, 2**62, 10**40, 1e308, -0.5, "", "a", "a" * 5000, "\x1b[2J", "/dev/zero", "\ud800"],
    *[
        [],
        {},
        [[]],
        [None],
        ["a", "a"],
        {"a": 1},
        float("nan"),
        float("inf"),
        "package",
        "../../x",
        "mixture",
        "folder",
    ],
]
ODD_NAMES = ["../a.npy", "/a.npy", "a", "a" * 3000 + ".npy", "\x1b[2J.npy", "model.json", "C:\\a.npy", ".npy", "é.npy"]


def break_file(path: Path, rng: random.Random) -> None:
    """Break a file: mostly what is in it, if it is one of arrays; otherwise its bytes."""
    raw = path.read_bytes()
    if raw.startswith(ZIP) and rng.random() < 0.8:
        raw = mutated_zip(raw, rng)
    elif raw.startswith(NPY) and rng.random() < 0.8:
        raw = mutated_array(raw, rng)
    elif path.suffix == ".safetensors" and rng.random() < 0.8:
        raw = mutated_tensors(raw, rng)
    elif path.name == HEADER and rng.random() < 0.8:
        raw = mutated_json(raw, rng)
    else:
        raw = mutated(raw, rng)
    path.unlink()
    path.write_bytes(raw)
    if path.name == MODEL and (header := path.parent / HEADER).exists():
        # An index knows its model by a hash, which whoever changes the one can change too.
        facts = json.loads(header.read_text())
        header.unlink()
        header.write_text(json.dumps({**facts, "fingerprint": file_fingerprint(path)}))


def mutated_zip(raw: bytes, rng: random.Random) -> bytes:
    """An archive of which one to three members were changed, added or left out."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    method = zipfile.ZIP_STORED
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(members))
        name, content = members[at]
        way = rng.random()
        if way < 0.75:
            members[at] = name, _mutated_member(name, content, rng)
        elif way < 0.8:
            members.insert(rng.randrange(len(members) + 1), (rng.choice([name, *ODD_NAMES]), content))
        elif way < 0.85:
            members[at] = rng.choice(ODD_NAMES), content
        elif way < 0.9 and len(members) > 1:
            del members[at]
        elif way < 0.95:
            other = rng.randrange(len(members))
            members[at], members[other] = (name, members[other][1]), (members[other][0], content)
        else:
            method = rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


def _mutated_member(name: str, content: bytes, rng: random.Random) -> bytes:
    if name.endswith(".json"):
        return mutated_json(content, rng)
    return mutated_array(content, rng) if content.startswith(NPY) else mutated(content, rng)


def mutated_array(raw: bytes, rng: random.Random) -> bytes:
    """An array with another type, shape, order or numbers than it had, or with less than it says."""
    file = io.BytesIO(raw)
    try:
        npy.read_magic(file)
        shape, is_fortran, dtype = npy.read_array_header_1_0(file)
        np.frombuffer(raw, dtype, offset=file.tell()).reshape(shape)
    except (ValueError, TypeError, LookupError, SyntaxError):
        # It has been broken before.
        return mutated(raw, rng)
    data = raw[file.tell() :]
    facts = {"descr": repr(dtype.str), "fortran_order": str(is_fortran), "shape": str(shape)}
    way = rng.random()
    if way < 0.4 and data:
        data = _odd_numbers(np.frombuffer(data, dtype).copy(), rng).tobytes()
    elif way < 0.55:
        facts["descr"] = rng.choice(ODD_TYPES)
    elif way < 0.75:
        # Some with fitting data, which only another array can tell to be wrong.
        facts["shape"] = rng.choice([*ODD_SHAPES, str(shape[::-1]), f"{(data and len(data) // dtype.itemsize) or 0},"])
    elif way < 0.8:
        facts["fortran_order"] = rng.choice(["True", "1", "None"])
    elif way < 0.85:
        data = data[: rng.randrange(len(data) + 1)]
    elif way < 0.9:
        data += data or b"\0" * 64
    elif way < 0.95 and len(shape):
        # A row less, and all of it sound but for what else there is.
        rows = np.frombuffer(data, dtype).reshape(shape)[:-1]
        facts["shape"], data = str(rows.shape), rows.tobytes()
    else:
        return mutated(raw, rng)
    text = "{" + ", ".join(f"'{name}': {value}" for name, value in facts.items()) + ", }"
    header = text.encode() + b"\n"
    return NPY + b"\x01\x00" + min(len(header), 65535).to_bytes(2, "little") + header + data


def _odd_numbers(values: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        number = np.array(rng.choice(ODD_NUMBERS)).astype(values.dtype)
    at = slice(None) if rng.random() < 0.3 else rng.randrange(len(values))
    values[at] = number
    return values


def mutated_json(raw: bytes, rng: random.Random) -> bytes:
    """A JSON text of which a value somewhere is another, or is not there."""
    try:
        tree = json.loads(raw)
    except ValueError:
        return mutated(raw, rng)
    parents = [tree]
    while rng.random() < 0.7:
        below = [child for child in _children(parents[-1]) if isinstance(child, dict | list) and child]
        if not below:
            break
        parents.append(rng.choice(below))
    parent = parents[-1]
    if isinstance(parent, dict | list) and parent:
        key = rng.choice(list(parent) if isinstance(parent, dict) else list(range(len(parent))))
        if rng.random() < 0.15:
            del parent[key]
        else:
            parent[key] = rng.choice(ODD_VALUES)
    text = json.dumps(tree)
    return (text if rng.random() < 0.95 else '{"a":' * 3000 + text).encode()


def _children(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []


def mutated_tensors(raw: bytes, rng: random.Random) -> bytes:
    """A safetensors file whose head lies, or whose numbers are odd."""
    n_head = int.from_bytes(raw[:8], "little")
    head, data = raw[8 : 8 + n_head], raw[8 + n_head :]
    if rng.random() < 0.7:
        head = mutated_json(head, rng)
    elif data:
        data = _odd_numbers(np.frombuffer(data[: len(data) // 4 * 4], "<f4").copy(), rng).tobytes()
    size = len(head) if rng.random() < 0.9 else rng.choice([0, 1, 2**63, len(head) + 1, 100 << 20])
    return size.to_bytes(8, "little") + head + data
