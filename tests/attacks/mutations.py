"""Ways to break the bytes of a sound file."""

from __future__ import annotations

import random
from collections.abc import Callable

Mutation = Callable[[random.Random, bytearray], None]

POISON = [
    *[b"NaN", b"null", b"-1", b"1e999", b"9" * 5000, b"true", b'""', b"[]", b"{}", b"[" * 2000, b'{"a":' * 2000],
    *[b'"\\ud800"', b"\xff\xfe", b"\xef\xbb\xbf", b"\x00", b"]", b"[", b"\n", b"\r", b"\r\n", b"\t", b",", b'"'],
    *[b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"]]>", b"</object>", b"\xe2\x80\xa8", "🐕‍🦺".encode(), b"\x1b[2J"],
    *[b'"caption":', b'"image_id":', b'"image_id":1,', b"2", b"3", b" " * 5000, b"a " * 3000, b"=www." * 2000],
]


def flip(rng: random.Random, raw: bytearray) -> None:
    for _ in range(rng.randint(1, 8)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)


def cut(rng: random.Random, raw: bytearray) -> None:
    del raw[rng.randrange(len(raw)) :]


def remove(rng: random.Random, raw: bytearray) -> None:
    start = rng.randrange(len(raw))
    del raw[start : start + rng.randint(1, 60)]


def repeat(rng: random.Random, raw: bytearray) -> None:
    start = rng.randrange(len(raw))
    raw[start:start] = raw[start : start + rng.randint(1, 200)] * rng.randint(1, 3)


def poison(rng: random.Random, raw: bytearray) -> None:
    start = rng.randrange(len(raw))
    raw[start : start + rng.randint(0, 6)] = rng.choice(POISON)


def move(rng: random.Random, raw: bytearray) -> None:
    start = rng.randrange(len(raw))
    piece = raw[start : start + rng.randint(1, 60)]
    to = rng.randrange(len(raw))
    raw[to:to] = piece


MUTATIONS: list[Mutation] = [flip, cut, remove, repeat, poison, move]


def mutated(sound: bytes, rng: random.Random) -> bytes:
    """The bytes of a file after one to five mutations."""
    raw = bytearray(sound)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if raw:
            rng.choice(MUTATIONS)(rng, raw)
    return bytes(raw)
