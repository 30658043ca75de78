from typing_extensions import Buffer

def align(
    numbers: Buffer,
    starts: Buffer,
    groups: Buffer,
    n_words: int,
    is_function_word: Buffer,
    stems: Buffer,
    sense_starts: Buffer,
    senses: Buffer,
    phrase_starts: Buffer,
    phrase_lengths: Buffer,
    phrases: Buffer,
    same_starts: Buffer,
    same: Buffer,
    beam: int,
    out: Buffer,
    /,
) -> None: ...
