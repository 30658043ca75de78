from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.meteor import Tables
from limner.score.meteor.meteor_normaliser import Normaliser
from limner.text.token_table import token_table

NORMALISER = Normaliser({"Mr": False, "rev": False, "No": True, "pp": True})


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        # As meteor-1.5.jar answers: java -jar meteor-1.5.jar captions references -l en -norm -m exact -writeAlignments.
        ("It's a well-known U.S. man-made thing, don't you?", "it 's a well known us man made thing , don 't you ?"),
        ("", ""),
        ("  two   spaces\tand\xa0others ", "two spaces and others"),
        ("Foo. Bar", "foo . bar"),
        ("Foo. bar", "foo. bar"),
        ("foo. 5", "foo . 5"),
        ("foo. éa", "foo . éa"),
        ("Mr. Bean", "mr. bean"),
        ("mr. Bean", "mr . bean"),
        ("No. 5", "no. 5"),
        ("No. Five", "no . five"),
        ("end of it.", "end of it ."),
        ("u.s.a. a.b.c .foo. p.m.", "usa a.b.c foo pm"),
        ("wait... what a..b", "wait ... what a .. b"),
        ("... .. .", "... .. ."),
        ("1,000 a,b a, b ,c 5,a a,5", "1,000 a , b a , b , c 5 , a a , 5"),
        ("10:30 a;b $5 a&b a_b a/b", "10 : 30 a ; b $ 5 a & b a _ b a / b"),
        ("a-b-c a--b -a a- - -- --- u.s.-based", "a b-c a b -a a- - - -- us based"),
        ("n't 's 'tis dogs' rock'n'roll 90's", "n 't ' s ' tis dogs ' rock 'n'roll 90 's"),
        ("5' '1 5 '1", "5 ' '1 5 ' 1"),
        ("“a” ‘b’ it’s ``c'' `d' –e—", "\" a \" ' b ' it 's \" c \" ' d ' - e —"),
        ("café Ünï 日本 a😀b", "café ünï 日 本 a 😀 b"),
    ],
)
def test_the_tokens_of_a_sentence(sentence: str, expected: str) -> None:
    assert NORMALISER.words(sentence) == expected.split()
    # Words stand between single spaces in a table; it sees those as wholes whose tokens depend on their neighbours.
    assert NORMALISER.table(token_table(["a", sentence])).sentence(1) == expected.split()


PIECES = [
    *"abAs15.,'-é\"`:&().,'-’–   ",
    *("U.S.", "don't", "mr.", "No.", "Mr.", "pp.", "--", "''", "...", "1,0"),
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), max_size=5))
def test_a_table_has_the_tokens_of_its_sentences(sentences: list[str]) -> None:
    table = NORMALISER.table(token_table(sentences))
    assert [table.sentence(s) for s in range(len(sentences))] == [NORMALISER.words(one) for one in sentences]
    assert len(set(table.words)) == len(table.words)


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_tokens_have_no_space_and_no_capital(sentence: str) -> None:
    for token in NORMALISER.words(sentence):
        assert token
        assert token == token.lower()
        assert not set(token) & set(" \t\n\r\f\xa0")


def test_tokens_are_those_of_the_reference_tool(jar: Path, real: Tables, tmp_path: Path) -> None:
    random = Random(11)
    lines = ["Q " + "".join(random.choices(PIECES, k=random.randint(1, 25))) for _ in range(3_000)]
    characters = [*range(1, 0x600), *range(0x600, 0x1D00, 37), *range(0x1D00, 0x2100), *range(0x2100, 0xD800, 97)]
    # What is a letter in upper case may depend on how new the Java is; of characters up to here it does not.
    lines += [f"xa{chr(c)}bx" for c in characters if chr(c) not in "\n\r"]
    expected = tokens_by_jar(jar, lines, tmp_path)
    assert [(line, real.normaliser.words(line)) for line in lines] == list(zip(lines, expected, strict=True))


def tokens_by_jar(jar: Path, lines: Sequence[str], folder: Path) -> list[list[str]]:
    """Tokens as they stand in the alignments that the tool writes: the second line of each block."""
    (folder / "captions").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (folder / "references").write_text("zz\n" * len(lines))
    command = [
        "java",
        "-XX:+UseSerialGC",
        "-Dfile.encoding=UTF-8",
        "-Xmx2G",
        "-jar",
        str(jar),
        "captions",
        "references",
        "-l",
        "en",
    ]
    command += ["-norm", "-m", "exact", "-writeAlignments", "-f", "made"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    blocks = (folder / "made-align.out").read_text(encoding="utf-8").split("Alignment\t")[1:]
    return [block.split("\n")[1].split(" ") if block.split("\n")[1] else [] for block in blocks]
