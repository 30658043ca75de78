"""Models, indexes and vectors that somebody made to hurt, and the commands that are to suffer from them."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from limner.ground.index_files import HEADER, MODEL
from limner.learn.model_files import file_fingerprint

MEGABYTE = 1 << 20

LOCALISE = ["localise", "three.jsonl", "--pictures", ".", "--model", "few.grounder", "-o", "out.jsonl"]
INDEX = ["index", "three.jsonl", "--model", "few.retriever", "-o", "new-index"]
RETRIEVE = ["retrieve", "a man on a bench", "index", "--by", "mixture", "--html", "page.html"]
SCORE = ["score", "retrieval", "--samples", "0"]

Trap = Callable[[Path], list[str]]
Members = dict[str, bytes]


def npy_head(descr: str, shape: str) -> bytes:
    """The head of an array of this type and shape, each as Python writes them."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def _npy(values: np.ndarray[Any, Any]) -> bytes:
    handle = io.BytesIO()
    np.save(handle, values)
    return handle.getvalue()


def _packed(name: str, command: list[str], change: Callable[[Members], Members]) -> Trap:
    """A model with other members than it had."""

    def set_up(folder: Path) -> list[str]:
        path = folder / name
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in change(members).items():
                archive.writestr(member, content)
        return command

    return set_up


def _record(name: str, command: list[str], **changes: object) -> Trap:
    """A model whose record says something else."""

    def change(members: Members) -> Members:
        record = json.loads(members["model.json"])
        return {**members, "model.json": json.dumps({**record, **changes}).encode()}

    return _packed(name, command, change)


def _member(name: str, command: list[str], part: str, content: bytes) -> Trap:
    """A model of which one array is another."""
    return _packed(name, command, lambda members: {**members, _first(members, part): content})


def _first(members: Members, part: str) -> str:
    return next((member for member in members if part in member), f"{part}.npy")


def _index(part: str, content: bytes) -> Trap:
    def set_up(folder: Path) -> list[str]:
        (folder / "index" / part).write_bytes(content)
        return RETRIEVE

    return set_up


def _header(command: list[str], **changes: object) -> Trap:
    def set_up(folder: Path) -> list[str]:
        path = folder / "index" / HEADER
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
        return command

    return set_up


def _pipe(name: str, command: list[str]) -> Trap:
    """A pipe in the place of a file, which nobody writes to."""

    def set_up(folder: Path) -> list[str]:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        return command

    return set_up


def _link(part: str, target: str) -> Trap:
    def set_up(folder: Path) -> list[str]:
        (folder / "index" / part).unlink()
        (folder / "index" / part).symlink_to(target)
        return RETRIEVE

    return set_up


def _model_of_other_index(folder: Path) -> list[str]:
    """An index whose parts do not fit each other: the model is another's, and the header agrees with that."""
    model = (folder / "grounder-index" / MODEL).read_bytes()
    (folder / "index" / MODEL).write_bytes(model)
    return _header(RETRIEVE, fingerprint=file_fingerprint(folder / "index" / MODEL))(folder)


def _narrower_model(command: list[str], part: str) -> Trap:
    """An index whose model is sound, and makes shorter vectors than the index has."""

    def narrower(members: Members) -> Members:
        names = [f"{part}.{name}.npy" for name in ("x_weights", "y_weights", "correlations")]
        return {**members, **{name: _npy(np.load(io.BytesIO(members[name]))[..., :-1]) for name in names}}

    def set_up(folder: Path) -> list[str]:
        _packed(f"index/{MODEL}", command, narrower)(folder)
        return _header(command, fingerprint=file_fingerprint(folder / "index" / MODEL))(folder)

    return set_up


def _parts_of_other_index(folder: Path) -> list[str]:
    for part in ("regions.npy", "region_starts.npy", "phrases.npy"):
        (folder / "index" / part).write_bytes((folder / "grounder-index" / part).read_bytes())
    return RETRIEVE


def _npz_of_zeros(folder: Path) -> list[str]:
    """Vectors of a few megabytes that unpack to gigabytes."""
    with zipfile.ZipFile(folder / "embedded.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("image_vectors", "text_vectors"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(npy_head("'<f4'", "(262144, 1024)"))
                for _ in range(1024):
                    member.write(bytes(MEGABYTE))
    return [*SCORE, "embedded.npz", "--captions-each", "1"]


def _tensors(head: object, data: bytes = b"", command: tuple[str, ...] = ()) -> Trap:
    def set_up(folder: Path) -> list[str]:
        text = head if isinstance(head, bytes) else json.dumps(head).encode()
        (folder / "embedded.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
        return [*SCORE, "embedded.safetensors", *command]

    return set_up


def _tensors_of_holes(folder: Path) -> list[str]:
    """A file that takes no room on the disk, whose bytes are those of both arrays."""
    entry = {"dtype": "F32", "shape": [262144, 1024], "data_offsets": [0, 1 << 30]}
    _tensors({"image_vectors": entry, "text_vectors": entry})(folder)
    with (folder / "embedded.safetensors").open("r+b") as handle:
        handle.truncate(handle.seek(0, 2) + (1 << 30))
    return [*SCORE, "embedded.safetensors", "--captions-each", "1"]


def _long_id(folder: Path) -> list[str]:
    """One id that is long, and others that would be made as long."""
    ids = ["a" * 5_000_000, *map(str, range(500))]
    entries = {
        name: {"dtype": "F32", "shape": [501, 1], "data_offsets": [start, start + 2004]}
        for name, start in (("image_vectors", 0), ("text_vectors", 2004))
    }
    ones = np.ones(1002, np.float32).tobytes()
    return _tensors({"__metadata__": {"image_ids": json.dumps(ids)}, **entries}, ones, ("--captions-each", "1"))(folder)


def _many_results(folder: Path) -> list[str]:
    """A phrase with as many candidates as a line can hold."""
    boxes = ",".join(f'{{"id":"{i}","x0":0,"y0":0,"x1":9,"y1":{i % 7 + 1},"label":"dog"}}' for i in range(60_000))
    ranking = ",".join(f'{{"box":"{i}","score":0.5}}' for i in range(60_000))
    mention = f'{{"start":0,"end":5,"boxes":["0"],"candidates":[{ranking}]}}'
    caption = f'{{"id":"0","text":"A dog .","mentions":[{mention}]}}'
    image = f'{{"limner":2,"id":"1","width":9,"height":9,"boxes":[{boxes}],"captions":[{caption}]}}\n'
    (folder / "many.jsonl").write_text(image)
    return ["score", "localisation", "many.jsonl", "--gold", "many.jsonl", "--samples", "0"]


def _large_relevance(folder: Path) -> list[str]:
    (folder / "relevance.json").write_bytes(b'{"a":[' + b'"bb",' * 30_000_000 + b'"c"]}')
    return [*SCORE, "index", "--relevance", "relevance.json"]


GROUNDER, RETRIEVER = "few.grounder", "few.retriever"

ARRAY_TRAPS: dict[str, Trap] = {
    "a grounder of huge arrays": _member(GROUNDER, LOCALISE, "hidden", npy_head("'<f4'", "(9999999, 9999999)")),
    "a grounder of objects": _member(GROUNDER, LOCALISE, "hidden", _npy(np.array([{}], dtype=object))),
    "a grounder of no type": _member(GROUNDER, LOCALISE, "hidden", npy_head("()", "(3,)")),
    "a grounder of a nested head": _member(GROUNDER, LOCALISE, "hidden", npy_head("-" * 9000 + "1", "(3,)")),
    "a grounder of a million words": _record(GROUNDER, LOCALISE, words=[str(i) for i in range(400_000)]),
    "a grounder that names a pipe": lambda folder: _record(
        GROUNDER, _pipe("p.onnx", LOCALISE)(folder), detector="p.onnx"
    )(folder),
    "a grounder with a way out": _packed(GROUNDER, LOCALISE, lambda members: {**members, "../../out.npy": b""}),
    "a retriever of many words": _record(RETRIEVER, INDEX, vocabulary=[f"{i}" for i in range(400_000)]),
    "a retriever that names a device": _record(RETRIEVER, INDEX, vectors="/dev/zero"),
    "a retriever that names a pipe": lambda folder: _record(RETRIEVER, _pipe("pipe", INDEX)(folder), vectors="pipe")(
        folder
    ),
    "a retriever that names odd models": _record(RETRIEVER, INDEX, model="a\0b.tflite", grounder="a\0b"),
    "a deep retriever": _packed(RETRIEVER, INDEX, lambda members: {**members, "model.json": b'{"a":' * 500_000}),
    "an index that is a zip": _index("images.npy", b"PK\x03\x04 nothing"),
    "an index of no type": _index("images.npy", npy_head("()", "(10, 9)")),
    "an index of half a type": _index("texts.npy", npy_head("('<f4',)", "(10, 9)")),
    "an index of a nested head": _index("images.npy", npy_head("(" * 9000, "(10, 9)")),
    "an index of huge arrays": _index("regions.npy", npy_head("'<f2'", "(99999999, 99999999)")),
    "an index of an array cut short": _index("region_starts.npy", b"\x93NUMPY\x01\x00"),
    "an index of too many images": _header(RETRIEVE, n_images=1 << 60),
    "an index of too many regions": _header(RETRIEVE, n_regions=1 << 60),
    "an index without numbers": _header(RETRIEVE, alpha=float("nan")),
    "an index of a folder of the system": _header(RETRIEVE, source="folder", model="/dev"),
    "an index of pictures of the system": _header(RETRIEVE, pictures="/dev"),
    "an index of odd pictures": _header(RETRIEVE, pictures="a\0b"),
    "an index with a pipe": _pipe("index/images.npy", RETRIEVE),
    "an index with a pipe for images": _pipe("index/images.jsonl", RETRIEVE),
    "an index with a pipe for a model": _pipe("index/model.limner", RETRIEVE),
    "an index with a link to a device": _link("images.npy", "/dev/zero"),
    "an index with a link to itself": _link("texts.npy", "texts.npy"),
    "an index with a link out of it": _link("images.jsonl", "../world.jsonl"),
    "an index with another's model": _model_of_other_index,
    "an index with a narrower model": _narrower_model(RETRIEVE, "whole"),
    "an index with narrower phrases": _narrower_model(RETRIEVE, "regions"),
    "an index with a narrower model of pictures": _narrower_model(
        ["retrieve", "index", "--picture", "photos/0.jpg"], "whole"
    ),
    "an index with narrower regions": _narrower_model(
        ["retrieve", "index", "--picture", "photos/0.jpg", "--by", "phrases"], "regions"
    ),
    "an index with another's regions": _parts_of_other_index,
    "vectors that unpack to gigabytes": _npz_of_zeros,
    "vectors of holes": _tensors_of_holes,
    "vectors with a long id": _long_id,
    "vectors with a deep head": _tensors(b"[" * 5_000_000),
    "vectors with a head that lies": _tensors(
        {"image_vectors": {"dtype": "F32", "shape": [1 << 62], "data_offsets": [0, 8]}}
    ),
    "vectors in a pipe": _pipe("embedded.npz", [*SCORE, "embedded.npz"]),
    "tensors in a pipe": _pipe("embedded.safetensors", [*SCORE, "embedded.safetensors"]),
    "60,000 candidates": _many_results,
    "30 million right texts": _large_relevance,
}
