from typing_extensions import Buffer

def walk(
    numbers: Buffer,
    starts: Buffer,
    groups: Buffer,
    n_words: int,
    trie_words: Buffer,
    trie_children: Buffer,
    known: Buffer,
    counts: Buffer,
    /,
) -> bytes: ...
