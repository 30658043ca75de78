"""Prepositions and verbs between two things."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from limner.corpus import Caption
from limner.score.relations import Linked, Prepositions, Verbs

prepositions, verbs = Prepositions().read, Verbs().read

Write = Callable[[str], Caption]


def told(found: Linked) -> list[str]:
    """Each link as `ab word c`."""
    return [f"{''.join(sorted(a))} {word} {''.join(sorted(b))}" for a, b, word in found.links]


@pytest.mark.parametrize(
    ("text", "joined", "done"),
    [
        ("[A man]m is riding on [a horse]h .", ["m on h"], ["m ride h"]),
        ("[A man]m holds [a hat]a near [a horse]h .", ["a near h"], ["m hold a"]),
        ("[A horse]h ridden by [a man]m .", ["h by m"], ["m ride h"]),
        ("[A dog]d under [a table]t .", ["t over d"], []),
        ("[A man]m and [a woman]w sit at [a table]t .", ["mw at t"], ["mw sit t"]),
        ("[A man]m with [a hat]a , [a cane]c and [a dog]d .", ["m with acd"], []),
        ("[A man]m on [a horse]h and [a dog]d chases [a cat]c .", ["m on h"], ["d chase c"]),
        ("[A man]m . [A dog]d on [a mat]t .", ["d on t"], []),
        ("[A man]m in [the middle] of [a road]r .", ["m in middle of r"], []),
        ("[A man]m smiles ! Behind [a table]t , [a dog]d .", [], []),
        ("[A man]m takes [breaks] on [a bench]b .", ["m on b"], ["m take b"]),
        ("[A man]m watching [TV] while [he] sits on [a sofa]s .", ["m on s"], ["m sit s"]),
        ("[A man]m [a dog]d .", [], []),
        ("[A man]m and [traffic] , [a dog]d .", [], []),
        ("[Two men]a,b look at [one]a .", ["b at a"], ["b look a"]),
        ("[A man]a looks at [both men]a,b .", ["a at b"], ["a look b"]),
        ("[A man]a looks at [himself]a .", [], []),
        ("In [the snow] , [a dog]d runs to [a ball]b .", ["d to b"], ["d run b"]),
        ("[A dog]d .", [], []),
        ("Nothing .", [], []),
    ],
)
def test_words_between_mentions_link_their_boxes(caption: Write, text: str, joined: list[str], done: list[str]) -> None:
    assert told(prepositions(caption(text))) == joined
    assert told(verbs(caption(text))) == done


GOLD = (
    "[A man]m on [a horse]h near [a cow]c .",
    "[A man]m in [a hat]a rides [a horse]h .",
    "[A rider]m over [a horse]h .",
)


@pytest.mark.parametrize(
    ("text", "expected", "said", "judged"),
    [
        ("[A man]m on [a horse]h .", (1.0, 1 / 2, 2 / 3), 1, 1),
        ("[A horse]h on [a man]m .", (0.0, 0.0, 0.0), 1, 1),
        ("[A horse]h under [a man]m .", (1.0, 1 / 2, 2 / 3), 1, 1),
        ("[A man]m with [a horse]h .", (0.0, 0.0, 0.0), 1, 1),
        ("[A cow]c near [a horse]h .", (1.0, 1.0, 1.0), 1, 1),
        ("[A man]m and [a horse]h .", (None, 0.0, 0.0), 0, 0),
        ("[A man]m on [a horse]h in [a hat]a .", (1.0, 1 / 3, 1 / 2), 2, 1),
        ("[A man]m near [a cow]c .", (None, None, None), 1, 0),
        ("[A man]m .", (None, None, None), 0, 0),
        ("[People]m,x on [animals]h,c .", (1.0, 1 / 4, 2 / 5), 1, 1),
    ],
)
def test_a_preposition_is_right_where_somebody_joins_the_same_two_with_it(
    caption: Write, text: str, expected: tuple[float | None, ...], said: int, judged: int
) -> None:
    found = Prepositions().compare(prepositions(caption(text)), [prepositions(caption(one)) for one in GOLD])
    assert found.values == pytest.approx(expected)
    assert (found.said, found.judged) == (said, judged)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[A man]m riding [a horse]h .", (1.0, 1.0, 1.0)),
        ("[A man]m feeding [a horse]h .", (0.0, 0.0, 0.0)),
        ("[A horse]h being ridden by [a man]m .", (1.0, 1.0, 1.0)),
        ("[A horse]h rides [a man]m .", (0.0, 0.0, 0.0)),
        ("[A man]m on [a horse]h .", (None, 0.0, 0.0)),
    ],
)
def test_a_verb_is_right_where_somebody_says_it_of_the_same_two(
    caption: Write, text: str, expected: tuple[float | None, ...]
) -> None:
    gold = [verbs(caption(one)) for one in ("[A man]m rides [a horse]h .", "[A man]m on [a horse]h .")]
    assert Verbs().compare(verbs(caption(text)), gold).values == pytest.approx(expected)
