"""Thrift's compact protocol, read as plain fields: what Parquet writes its headers in.

Nothing is set aside for what a length only claims: all that is returned was in the bytes.
"""

from __future__ import annotations

from typing import TypeAlias

# A structure is its fields by number; text, numbers with a fraction and maps matter to nobody here, and are None.
Field: TypeAlias = "int | Struct | list[Field] | None"
Struct: TypeAlias = dict[int, Field]

MAX_DEPTH = 32

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_WHOLE = frozenset((_I16, _I32, _I64))
_STOP = 0


class ThriftFault(ValueError):
    """Bytes that are not what the protocol allows."""


class ThriftReader:
    """Reads structures from bytes; `at` is how far it came."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.at = 0

    def struct(self, depth: int = 0) -> Struct:
        """The structure that begins here; IndexError where the bytes end within it."""
        if depth > MAX_DEPTH:
            raise ThriftFault("its fields are nested too deeply")
        fields: Struct = {}
        number = 0
        while (head := self._byte()) != _STOP:
            kind, step = head & 15, head >> 4
            # A step of 0 says that the field's number follows in full.
            number = number + step if step else self._whole()
            # A field that is true or false is nothing but its kind.
            fields[number] = int(kind == _TRUE) if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Field:
        if kind in _WHOLE:
            return self._whole()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind == _BINARY:
            self._pass(self.varint())
        elif kind in (_LIST, _SET):
            return self._list(depth + 1)
        elif kind == _DOUBLE:
            self._pass(8)
        elif kind in (_BYTE, _TRUE, _FALSE):
            self._pass(1)
        elif kind == _MAP:
            self._map(depth + 1)
        else:
            raise ThriftFault(f"there is no kind {kind} of field")
        return None

    def _list(self, depth: int) -> list[Field]:
        if depth > MAX_DEPTH:
            raise ThriftFault("its lists are nested too deeply")
        head = self._byte()
        n = head >> 4 if head >> 4 < 15 else self.varint()
        self._expect(n)
        return [self._value(head & 15, depth) for _ in range(n)]

    def _map(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ThriftFault("its maps are nested too deeply")
        n = self.varint()
        kinds = self._byte() if n else 0
        self._expect(n)
        for _ in range(n):
            self._value(kinds >> 4, depth)
            self._value(kinds & 15, depth)

    def _expect(self, n: int) -> None:
        """IndexError unless there can be n more items: each has a byte at least."""
        if n > len(self._raw) - self.at:
            raise IndexError

    def _pass(self, n: int) -> None:
        self._expect(n)
        self.at += n

    def _byte(self) -> int:
        byte = self._raw[self.at]
        self.at += 1
        return byte

    def varint(self) -> int:
        """A number in groups of seven bits, the lowest first; all but the last group have the eighth bit set."""
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ThriftFault("a number has more than 64 bits")

    def _whole(self) -> int:
        """A signed number: 0, -1, 1, -2, … are written as 0, 1, 2, 3, …."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)
