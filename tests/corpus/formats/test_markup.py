from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Caption, Mention
from limner.corpus.formats.markup import join_names, markup_of, parse_markup, split_names
from limner.errors import BadInput


@pytest.mark.parametrize(
    ("markup", "text", "mentions"),
    [
        ("A [woman]2 in a [dress]0.", "A woman in a dress.", [("woman", ("2",)), ("dress", ("0",))]),
        ("[Two dogs]1,2, running", "Two dogs, running", [("Two dogs", ("1", "2"))]),
        ("under [the sky] .", "under the sky .", [("the sky", ())]),
        (r"\[sic\] [a \[b\]]x_1", "[sic] a [b]", [("a [b]", ("x_1",))]),
        ("[dog]{3}s [sky]{}blue", "dogs skyblue", [("dog", ("3",)), ("sky", ())]),
        (r"[it]{a-1,b\,c, d }", "it", [("it", ("a-1", "b,c", "d"))]),
        ("[狗]1在跑", "狗在跑", [("狗", ("1",))]),
        (r"[a]\{0\} \\ \t\n\r|", "a{0} \\ \t\n\r|", [("a", ())]),
        ("[a]1[b]2", "ab", [("a", ("1",)), ("b", ("2",))]),
        ("no mention, {braces} stay", "no mention, {braces} stay", []),
        ("", "", []),
    ],
)
def test_markup_is_text_and_mentions(markup: str, text: str, mentions: list[tuple[str, tuple[str, ...]]]) -> None:
    said, found = parse_markup(markup, "s.tsv:2")
    assert said == text
    assert [(said[m.start : m.end], m.boxes) for m in found] == mentions


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("A [woman in a dress", "character 19: a bracket is not closed"),
        ("A woman]2", "character 7: a bracket closes that was never opened"),
        ("[a [b]1]2", "character 3: a bracket opens within a bracket"),
        ("a []1", "character 3: nothing is between the brackets"),
        ("[a]{1", "character 3: a brace after a bracket is not closed"),
        (r"a \q", r"character 2: '\\q' stands for nothing"),
        ("a \\", "character 2: '\\\\' stands for nothing"),
    ],
)
def test_faulty_markup_is_refused_at_its_character(markup: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_markup(markup, "s.tsv:2")
    assert str(caught.value).startswith(f"s.tsv:2: {said}")


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("", ()),
        ("people", ("people",)),
        ("red,  very big ,3", ("red", "very big", "3")),
        (r"a\,b,c\\,\ d\ ", ("a,b", "c\\", " d ")),
        (", ,a,", ("a",)),
        ("a\\", ("a\\",)),
        ("a \\, ,b", ("a ,", "b")),
    ],
)
def test_names_are_split_at_commas(cell: str, names: tuple[str, ...]) -> None:
    assert split_names(cell) == names


anything = st.text(st.characters(codec="utf-8"), max_size=6)


@given(names=st.lists(anything.filter(bool), max_size=3).map(tuple))
def test_names_that_are_joined_are_split_again(names: tuple[str, ...]) -> None:
    assert split_names(join_names(names)) == names


@st.composite
def captions(draw: st.DrawFn) -> Caption:
    text = draw(st.text(st.sampled_from("ab1_,{}[]\\ \t\n\r日"), max_size=12))
    cuts = sorted(set(draw(st.lists(st.integers(0, len(text)), max_size=6))))
    ids = st.lists(st.one_of(st.sampled_from(["0", "12", "a_b"]), anything.filter(bool)), max_size=2).map(tuple)
    return Caption("0", text, tuple(Mention(a, b, draw(ids)) for a, b in zip(cuts[::2], cuts[1::2], strict=False)))


@given(caption=captions())
def test_a_caption_that_is_marked_up_is_parsed_again(caption: Caption) -> None:
    text, mentions = parse_markup(markup_of(caption), "here")
    assert (text, tuple(mentions)) == (caption.text, caption.mentions)


@given(markup=st.text(st.sampled_from("ab1,{}[]\\")))
def test_any_markup_is_parsed_or_refused(markup: str) -> None:
    try:
        text, mentions = parse_markup(markup, "here")
    except BadInput:
        return
    Caption("0", text, tuple(mentions))
