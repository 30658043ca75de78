from collections.abc import Sequence

from typing_extensions import Buffer

def matches(numbers: Buffer, starts: Buffer, groups: Buffer, n_words: int, n: int, out: Buffer, /) -> None: ...
def cosines(
    numbers: Buffer,
    starts: Buffer,
    groups: Buffer,
    n_words: int,
    n: int,
    n_images: float,
    given: Sequence[tuple[Buffer, Buffer]] | None,
    is_clipped: bool,
    out: Buffer,
    /,
) -> None: ...
def count(numbers: Buffer, starts: Buffer, groups: Buffer, n_words: int, n: int, /) -> list[tuple[bytes, bytes]]: ...
def hash(pair: int, /) -> int: ...
