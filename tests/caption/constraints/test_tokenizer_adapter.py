"""Words as tokens: every kind of tokenizer, and where a word ends."""

from __future__ import annotations

import re
from typing import Any

import pytest
import tokenizers as tk
from hypothesis import given
from hypothesis import strategies as st

import tiny_models
from limner.caption.constraints.automaton import compile_constraints
from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
from limner.errors import LimnerError
from refusals import refusal

MADE = {name: make() for name, make in tiny_models.TOKENIZERS.items()}
SUBWORDS = [name for name in MADE if name != "whole words"]


@pytest.fixture(params=MADE)
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return MADE[request.param]


def says(tokenizer: Any, words: str, sentence: str, *, at_start: bool = True) -> bool:
    """Whether the sentence, as the tokenizer writes it, holds the words."""
    wording = TokenizerAdapter(tokenizer)
    automaton = compile_constraints(
        [wording.phrases(words, at_start=at_start)], n_vocab=wording.n_vocab, continues=wording.continues
    )
    return automaton.meets(tokenizer(sentence, add_special_tokens=False)["input_ids"])[0]


@pytest.mark.parametrize(
    ("words", "sentence", "expected"),
    [
        ("cat", "a cat", True),
        ("cat", "a cat on a dog", True),
        ("cat", "cat on a dog", True),
        ("cat", "a cat.", True),
        ("cat", "a cat, a dog", True),
        ("cat", "a cat's dog", True),
        ("cat", "a catalog", False),
        ("cat", "catalog", False),
        ("cat", "a bobcat", False),
        ("cat", "bobcat", False),
        ("cat", "a cats", False),
        ("cats", "a cats", True),
        ("cats", "a cat", False),
        ("catalog", "a catalog", True),
        ("fire hydrant", "a fire hydrant.", True),
        ("fire hydrant", "fire hydrant", True),
        ("fire hydrant", "a fire dog hydrant", False),
        ("fire hydrant", "a fire fire hydrant", True),
        ("  fire \n hydrant ", "a fire hydrant", True),
        ("dog", "a hot dog", True),
    ],
)
def test_a_sentence_says_a_word_where_the_whole_word_is_in_it(
    tokenizer: Any, words: str, sentence: str, expected: bool
) -> None:
    assert says(tokenizer, words, sentence) is expected


@pytest.mark.parametrize("name", ["byte-level", "sentence-piece", "sentence-piece prepended"])
def test_part_of_a_compound_with_a_hyphen_is_not_the_word(name: str) -> None:
    assert not says(MADE[name], "cat", "a cat-dog")
    assert not says(MADE[name], "dog", "a cat-dog")
    assert says(MADE[name], "cat", "a cat - a dog")


@pytest.mark.parametrize("name", ["byte-level", "sentence-piece", "sentence-piece without prefix", "word-piece"])
def test_a_word_counts_with_a_capital_too(name: str) -> None:
    assert says(MADE[name], "cat", "Cat on a dog")
    assert says(MADE[name], "fire hydrant", "Fire hydrant")
    assert says(MADE[name], "cat", "The Cat")


def test_without_a_space_a_word_counts_only_at_the_start_and_only_if_asked_for() -> None:
    tokenizer = MADE["byte-level"]
    assert tokenizer.convert_ids_to_tokens(tokenizer("a bobcat cat")["input_ids"]) == ["a", "Ġbob", "cat", "Ġcat"]
    assert says(tokenizer, "cat", "cat on a dog")
    assert not says(tokenizer, "cat", "cat on a dog", at_start=False)
    assert says(tokenizer, "cat", " cat on a dog", at_start=False)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("byte-level", {(("Ġcat",), False), (("cat",), True), (("ĠCat",), False), (("Cat",), True)}),
        ("sentence-piece", {(("▁cat",), False), (("▁Cat",), False)}),
        ("sentence-piece prepended", {(("▁cat",), False), (("▁Cat",), False)}),
        ("word-piece", {(("cat",), False)}),
        ("whole words", {(("cat",), False)}),
    ],
)
def test_the_ways_to_write_a_word(name: str, tokens: set[tuple[tuple[str, ...], bool]]) -> None:
    tokenizer = MADE[name]
    found = TokenizerAdapter(tokenizer).phrases("cat")
    assert {(tuple(tokenizer.convert_ids_to_tokens(list(p.tokens))), p.at_start) for p in found} == tokens
    assert len(found) == len(tokens)


SENTENCES = st.lists(
    st.sampled_from(["cat", "cats", "catalog", "bobcat", "bobcats", "fire", "hydrant", "dog", "hot", "on", "a", "."]),
    min_size=1,
    max_size=7,
)


@pytest.mark.parametrize("name", SUBWORDS)
@given(words=SENTENCES, wanted=st.sampled_from(["cat", "cats", "bobcat", "hot dog", "fire hydrant", "dog"]))
def test_what_tokens_say_is_what_a_pattern_finds_in_the_text(name: str, words: list[str], wanted: str) -> None:
    sentence = " ".join(words).replace(" .", ".")
    found = re.search(rf"(?<!\w){wanted}(?!\w)", sentence) is not None
    assert says(MADE[name], wanted, sentence) is found


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("byte-level", {"cat": True, "Ġcat": False, ".": False, "'": False, "s": True, "Ġ": False, "Ċ": False}),
        # The first byte of a letter such as é, and one from the middle of any character.
        ("byte-level", {"Ã": True, "©": True, "0": True, "_": True, "-": True}),
        ("sentence-piece", {"▁cat": False, "alog": True, ".": False, "▁": False}),
        ("word-piece", {"cat": False, "##cat": True, ".": False}),
        ("whole words", {"cat": False, "catalog": False, ".": False}),
    ],
)
def test_tokens_that_continue_a_word(name: str, pieces: dict[str, bool]) -> None:
    tokenizer = MADE[name]
    continues = TokenizerAdapter(tokenizer).continues
    assert {piece: bool(continues[tokenizer.convert_tokens_to_ids(piece)]) for piece in pieces} == pieces
    assert not continues[[tiny_models.PAD, tiny_models.BOS, tiny_models.EOS]].any()


def test_bytes_that_a_sentence_piece_model_falls_back_on_are_read_as_such() -> None:
    pieces = [("<unk>", 0.0), ("▁cat", -1.0), ("▁", -3.0), *((f"<0x{byte:02X}>", -9.0) for byte in range(256))]
    tokenizer = tk.Tokenizer(tk.models.Unigram(pieces, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Metaspace()
    wording = TokenizerAdapter(tiny_models.fast(tokenizer))
    at = {piece: i for i, (piece, _) in enumerate(pieces)}
    assert [bool(wording.continues[at[piece]]) for piece in ("<0x61>", "<0x2E>", "<0x0A>", "<0xC3>", "<0xA9>")] == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert wording.phrases("cat é")[0].tokens == (at["▁cat"], at["▁"], at["<0xC3>"], at["<0xA9>"])


@pytest.mark.parametrize("name", ["word-piece", "sentence-piece", "whole words"])
def test_a_word_without_pieces_is_named(name: str) -> None:
    with refusal(LimnerError):
        TokenizerAdapter(MADE[name]).phrases("fire 猫")


@pytest.mark.parametrize("words", ["", " \t", "a </s>"])
def test_what_is_no_word_is_refused(tokenizer: Any, words: str) -> None:
    with refusal(LimnerError):
        TokenizerAdapter(tokenizer).phrases(words)


def test_a_tokenizer_that_marks_the_ends_of_words_is_refused() -> None:
    tokenizer = tk.Tokenizer(tk.models.BPE({"c": 0, "a": 1, "t</w>": 2}, [], end_of_word_suffix="</w>"))
    with refusal(LimnerError):
        TokenizerAdapter(tiny_models.fast(tokenizer))


def test_a_tokenizer_without_marks_is_refused() -> None:
    tokenizer = tk.Tokenizer(tk.models.BPE({"c": 0, "a": 1, "t": 2}, []))
    with refusal(LimnerError):
        TokenizerAdapter(tiny_models.fast(tokenizer))


def test_a_vocabulary_greater_than_the_tokenizers_is_filled_up_with_what_cannot_be_said(tokenizer: Any) -> None:
    wording = TokenizerAdapter(tokenizer, len(tokenizer) + 3)
    assert len(wording.continues) == len(tokenizer) + 3
    assert {*range(len(tokenizer), len(tokenizer) + 3)} < {*wording.unsayable.tolist()}
    assert {*tokenizer.all_special_ids} < {*wording.unsayable.tolist()}


def test_a_vocabulary_smaller_than_the_tokenizers_is_refused(tokenizer: Any) -> None:
    with refusal(LimnerError):
        TokenizerAdapter(tokenizer, len(tokenizer) - 1)


@pytest.mark.parametrize(
    ("prompt", "expected"), [("", False), ("a cat", True), ("a cat.", False), ("a cat ", False), ("cat</s>", False)]
)
def test_a_prompt_that_ends_in_a_word_needs_a_space_after_it(prompt: str, expected: bool) -> None:
    tokenizer = MADE["byte-level"]
    tokens = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    assert TokenizerAdapter(tokenizer).ends_in_word(tokens) is expected
