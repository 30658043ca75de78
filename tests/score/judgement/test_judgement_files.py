"""Files of judgements: what is in them is read, what is written is read again, and what is broken is told."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.score.judgement.judgement_files import SORTED, read_judgements, write_judgements
from limner.score.judgement.judgements import CROWD, EXPERT, SHARE, Judgement, Judgements, Scale
from refusals import refusal

EXPERTS = "a.jpg\tb.jpg#2\t1\t1\t2\na.jpg\tc.jpg#0\t2\t3\t4\n"
CROWDS = "a.jpg\tb.jpg#2\t0.25\t1\t3\na.jpg\tc.jpg#0\t0\t0\t3\n"
OWN = (
    '{"image":"a","caption":"A dog .","rater":"anna","scale":"1-4","value":3}\n'
    '{"image":"a","caption":"A dog .","rater":"ben","scale":"1-4","value":2}\n'
    "\n"
    '{"image":"b","caption":"7","scale":"1-4","value":1,"count":5}\n'
)


def read(folder: Path, text: str | bytes, *, lenient: bool = False, scale: str | None = None) -> Judgements:
    return reading(folder, text, lenient=lenient, scale=scale)[0]


def reading(
    folder: Path, text: str | bytes, *, lenient: bool = False, scale: str | None = None
) -> tuple[Judgements, Reading]:
    path = folder / "judgements"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    run = Reading(lenient=lenient)
    return read_judgements(path, run, scale=scale), run


def test_the_experts_file_has_ratings_that_nobody_in_particular_gave(tmp_path: Path) -> None:
    found = read(tmp_path, EXPERTS)
    assert found.scale == EXPERT
    assert list(found) == [
        *(Judgement("a.jpg", "b.jpg#2", value) for value in (1.0, 1.0, 2.0)),
        *(Judgement("a.jpg", "c.jpg#0", value) for value in (2.0, 3.0, 4.0)),
    ]


def test_sorted_ratings_are_told_of(tmp_path: Path) -> None:
    assert read(tmp_path, EXPERTS).notes == (SORTED,)
    assert read(tmp_path, EXPERTS + "a.jpg\td.jpg#1\t4\t1\t1\n").notes == ()


def test_an_empty_rating_is_missing(tmp_path: Path) -> None:
    assert read(tmp_path, EXPERTS + "a.jpg\td.jpg#1\t4\t\t\n").n_ratings == 7


def test_the_crowds_file_has_counts_of_yes_and_no(tmp_path: Path) -> None:
    found = read(tmp_path, CROWDS)
    assert found.scale == CROWD
    assert list(found) == [
        Judgement("a.jpg", "b.jpg#2", 1.0, None, 1),
        Judgement("a.jpg", "b.jpg#2", 0.0, None, 3),
        Judgement("a.jpg", "c.jpg#0", 0.0, None, 3),
    ]
    assert found.n_ratings == 7
    assert found.means().tolist() == [0.25, 0.0]


def test_shares_alone_will_do(tmp_path: Path) -> None:
    found = read(tmp_path, "a.jpg\tb.jpg#2\t0.25\na.jpg\tc.jpg#2\t1\n")
    assert (found.scale, found.means().tolist()) == (SHARE, [0.25, 1.0])


def test_limners_own_file_names_raters_and_counts_those_it_does_not_name(tmp_path: Path) -> None:
    found = read(tmp_path, OWN)
    assert found.scale == EXPERT
    assert list(found) == [
        Judgement("a", "A dog .", 3.0, "anna"),
        Judgement("a", "A dog .", 2.0, "ben"),
        Judgement("b", "7", 1.0, None, 5),
    ]
    assert found.images == ["a", "b"]
    assert found.means().tolist() == [2.5, 1.0]


TWO_SYSTEMS = (
    '{"image":"a","caption":"A dog .","rater":"anna","scale":"1-4","value":3,"system":"x"}\n'
    '{"image":"a","caption":"A dog .","rater":"anna","scale":"1-4","value":2,"system":"y"}\n'
    '{"image":"a","caption":"A dog, \\"sitting\\"","scale":"1-4","value":1,"count":2}\n'
)


def test_one_caption_of_two_systems_is_two_pairs(tmp_path: Path) -> None:
    found = read(tmp_path, TWO_SYSTEMS)
    assert found.pairs == [("a", "A dog ."), ("a", "A dog ."), ("a", 'A dog, "sitting"')]
    assert found.systems == ["x", "y", None]
    assert found.system_names == ["x", "y"]
    assert found.means().tolist() == [3.0, 2.0, 1.0]
    assert found.select(np.array([False, True, True])).systems == ["y", None]
    with refusal(BadInput):
        read(tmp_path, TWO_SYSTEMS + TWO_SYSTEMS)


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_table_with_a_header_is_read_as_json_lines_are(delimiter: str, tmp_path: Path) -> None:
    rows = [
        ("system", "image", "caption", "scale", "value", "rater", "count"),
        ("x", "a", "A dog .", "1-4", "3", "anna", ""),
        ("y", "a", "A dog .", "1-4", "2", "anna", "1"),
        ("", "a", 'A dog, "sitting"', "1-4", "1.0", "", "2"),
    ]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    assert list(read(tmp_path, text.getvalue())) == list(read(tmp_path, TWO_SYSTEMS))
    found, run = reading(
        tmp_path,
        delimiter.join(["image", "caption", "scale", "value"])
        + "\n"
        + "\n".join(delimiter.join(("a", str(i), "1/0", value)) for i, value in enumerate(["1", "0", ""])),
    )
    # The words of a scale may be digits, and an empty value is missing.
    assert [judgement.value for judgement in found] == [1.0, 0.0]
    assert run.warnings == {"judgement without a value": 1}


TABLE = "image,caption,scale,value\na,0,1-4,3\n"


@pytest.mark.parametrize(
    "text",
    [
        "image,caption,value\na,0,3\n",
        "image,caption,scale,value,value\n",
        "image,caption,scale,value,sytem\n",
        TABLE + "a,1,1-4\n",
        TABLE + 'a,"1,1-4,2\n',
        TABLE + ",1,1-4,2\n",
        TABLE + "a,1,1-4,two\n",
        TABLE + "a,1,1-4,1_0\n",
        TABLE + "a,1,yes/no,maybe\n",
    ],
)
def test_a_fault_of_a_table_has_its_line(text: str, tmp_path: Path) -> None:
    with refusal(BadInput):
        read(tmp_path, text)


def test_a_judgement_without_a_value_is_missing_and_counted(tmp_path: Path) -> None:
    found, run = reading(tmp_path, OWN + '{"image":"a","caption":"7","scale":"1-4","value":null}\n')
    assert len(found) == 3
    assert run.warnings == {"judgement without a value": 1}


def test_of_several_scales_one_is_named(tmp_path: Path) -> None:
    both = OWN + '{"image":"a","caption":"7","scale":"yes/no","value":"yes"}\n'
    with refusal(BadInput):
        read(tmp_path, both)
    assert len(read(tmp_path, both, scale="1-4")) == 3
    assert list(read(tmp_path, both, scale="yes/no")) == [Judgement("a", "7", 1.0)]
    with refusal(BadInput):
        read(tmp_path, both, scale="1-5")
    with refusal(BadInput):
        read(tmp_path, EXPERTS, scale="yes/no")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What a dog .\n",
        EXPERTS + "a.jpg\tb.jpg#2\t1\t5\t1\n",
        EXPERTS + "a.jpg\tb.jpg#2\n",
        EXPERTS + "a.jpg\t\t1\t1\t1\n",
        CROWDS + "a.jpg\tb.jpg#2\t0.5\t1\t3\n",
        CROWDS + "a.jpg\tb.jpg#2\t0\t0\t0\n",
        CROWDS + "a.jpg\tb.jpg#2\tnan\t1\t3\n",
        CROWDS + "a.jpg\tb.jpg#2\t1\t9999999999\t0\n",
        OWN + '{"image":"a"}\n',
        OWN + '{"image":"a","caption":"7","scale":"1-4","valu":1}\n',
        OWN + '{"image":"a","caption":"7","scale":"1-4","value":true}\n',
        OWN + '{"image":"a","caption":"7","scale":"1-4","value":9}\n',
        OWN + '{"image":"a","caption":"7","scale":"odd","value":9}\n',
        OWN + '{"image":"a","caption":"7","scale":"1-4","value":1,"count":0}\n',
        OWN + '{"image":"a","caption":"7","scale":"1-4","value":1,"rater":"x","count":2}\n',
        OWN + "{\n",
        OWN + OWN,
        OWN + "é",
    ],
)
def test_a_fault_is_told_with_its_line_and_remedy(text: str, tmp_path: Path) -> None:
    with refusal(BadInput) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sound", [EXPERTS, CROWDS, OWN])
@pytest.mark.parametrize("fault", ["nonsense\n", "a\tb\t7\t8\t9\n", '{"image":1}\n'])
def test_a_lenient_reader_leaves_faulty_lines_out_and_counts_them(sound: str, fault: str, tmp_path: Path) -> None:
    found, run = reading(tmp_path, sound + fault, lenient=True)
    assert list(found) == list(read(tmp_path, sound))
    assert run.skipped == {"invalid judgement": 1}


def test_what_a_rater_said_again_is_left_out_and_counted(tmp_path: Path) -> None:
    found, run = reading(tmp_path, OWN + OWN.replace('"value":3', '"value":4'), lenient=True)
    assert run.skipped == {"repeated judgement": 2}
    # The five who are not told apart may have been asked twice.
    assert [one.value for one in found] == [3.0, 2.0, 1.0, 1.0]


def test_a_file_whose_first_line_is_faulty_is_recognised_all_the_same(tmp_path: Path) -> None:
    assert len(read(tmp_path, "nonsense\n" + CROWDS, lenient=True)) == 3


NAMES = st.text(min_size=1, max_size=6)
SCALES = st.sampled_from(["1-4", "yes/no", "0.0-1.0", "-3.5-2.25", "gut/geht so/schlecht"]).map(Scale.named)


@st.composite
def judgements(draw: st.DrawFn) -> Judgements:
    scale = draw(SCALES)
    numbers = st.integers(int(scale.low), int(scale.high)).map(float)
    value = numbers if scale.is_whole else st.floats(scale.low, scale.high)
    systems = st.none() | NAMES
    rated = draw(st.dictionaries(st.tuples(NAMES, NAMES, NAMES, systems), value, min_size=1, max_size=8))
    untold = draw(st.lists(st.builds(Judgement, NAMES, NAMES, value, st.none(), st.integers(1, 9)), max_size=5))
    told = [
        Judgement(image, caption, value, rater, 1, system) for (image, caption, rater, system), value in rated.items()
    ]
    return Judgements.of(scale, [*told, *untold])


@given(made=judgements(), suffix=st.sampled_from(["jsonl", "jsonl.gz", "jsonl.zst"]))
def test_what_is_written_is_read_again(made: Judgements, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{suffix}"
    assert write_judgements(made, path) == len(made)
    again = read_judgements(path)
    assert again.scale == made.scale
    assert list(again) == list(made)
    assert again.pairs == made.pairs
    assert again.systems == made.systems


def test_half_a_surrogate_pair_is_not_written(tmp_path: Path) -> None:
    with refusal(LimnerError):
        write_judgements(Judgements.of(EXPERT, [Judgement("a", "\ud800", 1.0)]), tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_judgements_of_some_pairs(tmp_path: Path) -> None:
    found = read(tmp_path, EXPERTS).select(np.array([False, True]))
    assert found.pairs == [("a.jpg", "c.jpg#0")]
    assert [one.value for one in found] == [2.0, 3.0, 4.0]


POISON = [
    b"\t",
    b"\n",
    b"\xff",
    b"\x00",
    b"{",
    b"}",
    b"9" * 400,
    b"[" * 3000,
    b'"\\ud800"',
    b"NaN",
    b"1e999",
    b"null",
    b"-1",
]


@pytest.mark.parametrize("sound", [EXPERTS, CROWDS, OWN, TABLE])
@pytest.mark.parametrize("lenient", [False, True])
def test_no_mutation_of_a_file_makes_a_traceback(sound: str, lenient: bool, tmp_path: Path, mutations: int) -> None:
    chance = random.Random(7)
    refused = 0
    for _ in range(mutations):
        raw = bytearray(sound.encode())
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(raw))
            raw[at : at + chance.randint(0, 4)] = chance.choice([*POISON, bytes([chance.randrange(256)])])
        try:
            read(tmp_path, bytes(raw), lenient=lenient)
        except LimnerError:
            refused += 1
    assert refused > 0


def test_flickr8k_has_as_many_judgements_as_its_makers_say(shared_data: Path) -> None:
    folder = shared_data / "flickr8k_judgements"
    expert = read_judgements(folder / "ExpertAnnotations.txt")
    assert (len(expert.pairs), expert.n_ratings, len(expert.images), expert.notes) == (5822, 17466, 1000, (SORTED,))
    crowd = read_judgements(folder / "CrowdFlowerAnnotations.txt")
    assert (len(crowd.pairs), crowd.n_ratings, len(crowd.images), crowd.notes) == (47830, 144860, 1000, ())
    shares = [float(line.split("\t")[2]) for line in (folder / "CrowdFlowerAnnotations.txt").read_text().splitlines()]
    assert crowd.means() == pytest.approx(shares, abs=1e-12)
