"""What the page of localisation is drawn from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Box, Candidate, Caption, Image, Mention
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.report import write_localisation_page
from limner.score import evaluate_localisation
from limner.score.localisation.cue_explanations import read_explanations
from limner.score.localisation.localisation_evaluation import SystemScores
from refusals import refusal

HOSTILE = "</script><script>window.ran=1</script>"

GOLD = Image(
    "1",
    100,
    100,
    (Box("a", 0, 0, 40, 100), Box("b", 60, 0, 100, 100)),
    (
        Caption("0", "A man and a man .", (Mention(0, 5, ("a",), types=("people",)), Mention(10, 15, ("b",)))),
        Caption("1", "Two men .", (Mention(0, 7, ("a", "b"), types=("people",)),)),
        Caption("2", f"It rains {HOSTILE}"),
    ),
)


def system(protocol: str = "merged", name: str = "mine") -> SystemScores:
    mentions = (Mention(0, 5, ("0",)), Mention(10, 15, ("0",)))
    ranked = Mention(0, 7, candidates=(Candidate("1", 2), Candidate("0", 1)))
    captions = (Caption("0", GOLD.captions[0].text, mentions), Caption("1", "Two men .", (ranked,)))
    result = Image("1", 100, 100, (Box("0", 0, 0, 40, 90), Box("1", 60, 0, 100, 90)), captions)
    return evaluate_localisation({name: [result]}, [GOLD], protocol=protocol, samples=0).systems[0]  # type: ignore[arg-type]


def data(path: Path) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert match is not None
    read: dict[str, Any] = json.loads(match[1])
    return read


def test_a_card_is_a_caption_with_gold_and_answers_in_one_colour(tmp_path: Path) -> None:
    written = write_localisation_page([system()], tmp_path / "page.html")
    assert written.n_images == 1
    page = data(tmp_path / "page.html")
    first, second = page["images"]
    assert (first["i"], second["i"]) == ("1#0", "1#1")
    assert first["c"] == [["A man", 0], " and ", ["a man", 1], " ."]
    man, other = first["m"]
    assert [first["b"][box][:4] for box in man["g"]] == [[0, 0, 40, 100]]
    assert [first["b"][box][:4] for box in man["s"][0]["a"]] == [[0, 0, 40, 90]]
    assert {first["b"][box][5] for box in (*man["g"], *man["s"][0]["a"])} == {0}
    assert {first["b"][box][5] for box in (*other["g"], *other["s"][0]["a"])} == {1}
    assert page["sources"][man["s"][0]["e"]] == "right"
    assert (page["sources"][other["s"][0]["e"]], other["s"][0]["o"]) == ("other phrase", "A man")
    assert page["systems"][0]["values"][0] == pytest.approx(1 / 3, abs=1e-4)


def test_all_answers_are_drawn_if_as_many_are_asked_for(tmp_path: Path) -> None:
    write_localisation_page([system("as-many")], tmp_path / "page.html")
    (mention,) = data(tmp_path / "page.html")["images"][1]["m"]
    assert (len(mention["g"]), len(mention["s"][0]["a"])) == (2, 2)


def test_explanations_stand_with_their_phrase(tmp_path: Path) -> None:
    path = tmp_path / "cues.jsonl"
    path.write_text('{"image": "1", "caption": "0", "start": 10, "end": 15, "cues": {"cca": 0.25, "size": null}}\n')
    explained = read_explanations(path, Reading())
    write_localisation_page([system()], tmp_path / "page.html", explanations={"mine": explained})
    first = data(tmp_path / "page.html")["images"][0]
    assert [mention["s"][0].get("x") for mention in first["m"]] == [None, {"cca": 0.25}]


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"image": "1", "caption": "0", "start": 0, "end": 5, "cues": [1]}',
        "x",
        '{"image": "1", "caption": "0", "start": 0, "end": 5, "cues": {"cca": "high"}}',
    ],
)
def test_faulty_explanations_are_errors(tmp_path: Path, line: str) -> None:
    (tmp_path / "cues.jsonl").write_text(line)
    with refusal(BadInput):
        read_explanations(tmp_path / "cues.jsonl", Reading())
    lenient = Reading(lenient=True)
    assert not read_explanations(tmp_path / "cues.jsonl", lenient)
    assert lenient.skipped["faulty explanation"] == 1


def test_nothing_in_the_data_can_run(tmp_path: Path) -> None:
    write_localisation_page([system(name=HOSTILE)], tmp_path / "page.html", title=HOSTILE)
    assert HOSTILE not in (tmp_path / "page.html").read_text()


def test_no_system_is_an_error(tmp_path: Path) -> None:
    with refusal(LimnerError):
        write_localisation_page([], tmp_path / "page.html")
