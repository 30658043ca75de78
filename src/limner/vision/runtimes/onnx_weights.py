"""Whether an ONNX file keeps weights in other files: a walk through its protocol buffer, without trusting it."""

from __future__ import annotations

from typing import NamedTuple

# The messages that may hold tensors, as ONNX's schema numbers their fields. A tensor is what all of them lead to.
TENSOR = "tensor"
INNER = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: TENSOR, 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: TENSOR, 6: "graph", 10: TENSOR, 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: TENSOR, 2: TENSOR},
    TENSOR: {},
}
EXTERNAL_DATA, DATA_LOCATION = 13, 14

# Kinds of values in a protocol buffer, and the bytes of those whose length is fixed.
VARINT, BYTES = 0, 2
FIXED = {1: 8, 5: 4}


class _Field(NamedTuple):
    """A field of a message: its value if that is a number, and where its bytes are."""

    number: int
    value: int
    start: int
    end: int


def has_outside_weights(raw: bytes) -> bool:
    """Whether any tensor of the model, in whichever inner graph, says that its numbers are elsewhere.

    A file that is no protocol buffer is a ValueError. Time grows with the
    number of fields, not with the size of the weights.
    """
    waiting = [("model", 0, len(raw))]
    while waiting:
        message, at, end = waiting.pop()
        while at < end:
            field = _field(raw, at, end)
            at = field.end
            if message == TENSOR and (field.number == EXTERNAL_DATA or (field.number == DATA_LOCATION and field.value)):
                return True
            if field.number in INNER[message] and field.start < field.end:
                waiting.append((INNER[message][field.number], field.start, field.end))
    return False


def _field(raw: bytes, at: int, limit: int) -> _Field:
    tag, start = _varint(raw, at, limit)
    number, kind = tag >> 3, tag & 7
    if kind == VARINT:
        value, end = _varint(raw, start, limit)
        return _Field(number, value, end, end)
    if kind == BYTES:
        length, start = _varint(raw, start, limit)
    elif kind in FIXED:
        length = FIXED[kind]
    else:
        raise ValueError(f"there is a field of the unknown kind {kind}")
    if start + length > limit:
        raise ValueError("a field ends after what it is in")
    return _Field(number, 0, start, start + length)


def _varint(raw: bytes, at: int, limit: int) -> tuple[int, int]:
    """The number that begins here, seven bits a byte, and where it ends."""
    value = 0
    for i in range(min(10, limit - at)):
        byte = raw[at + i]
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise ValueError("a number does not end")
