from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limner.cli import limner
from limner.cli.remedies import worded
from limner.corpus import Box, Caption, Image, Mention, write_corpus
from limner.errors import LimnerError

BOXES = (Box("w", 0, 0, 50, 90, "woman"), Box("c", 40, 40, 99, 90, "car"))


def said(id: str, text: str, *spans: tuple[int, int, str], source: str = "gold") -> Caption:
    return Caption(id, text, tuple(Mention(start, end, (box,)) for start, end, box in spans), source)


GOLD = [
    Image(
        name,
        100,
        100,
        BOXES,
        (
            said("0", "A woman by a car .", (0, 7, "w"), (11, 16, "c")),
            said("1", "A woman .", (0, 7, "w")),
            said("2", "Hm ."),
        ),
    )
    for name in ("a", "b")
]
MINE = [Image(name, captions=(said("0", "A lady .", (0, 6, "w"), source="system:mine"),)) for name in ("a", "b")]


def score(folder: Path, results: list[Image], *options: str) -> Result:
    write_corpus(GOLD, folder / "gold.jsonl")
    write_corpus(results, folder / "results.jsonl")
    arguments = ["content", str(folder / "results.jsonl"), "--gold", str(folder / "gold.jsonl"), *options]
    return CliRunner().invoke(limner, ["score", *arguments])


def test_scores_are_printed_as_json(tmp_path: Path) -> None:
    done = score(tmp_path, MINE, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    # The woman is in both captions: P is 1; R is the mean of 1/2 and 1.
    assert [found[name] for name in ("n_images", "P", "R", "F")] == pytest.approx([2, 1, 0.75, 6 / 7])
    assert [found[name] for name in ("P_sd", "R_sd", "F_sd")] == [0, 0, 0]
    assert found["left_out"]["gold_captions"] == 2
    assert found["oracle"]["F"] == pytest.approx(6 / 7)
    assert found["signature"]


def test_scores_are_printed_for_people(tmp_path: Path) -> None:
    lines = score(tmp_path, MINE).stdout.splitlines()
    assert lines[0] == "images: 2; left out: 2 gold captions"
    assert lines[3].split()[:2] == ["system:mine", "1.0000"]


@pytest.mark.parametrize(
    ("results", "said"),
    [
        (MINE[:1], "--missing zero"),
        ([*MINE, Image("z", captions=MINE[0].captions)], "'z'"),
        ([Image("a", captions=(*MINE[0].captions, said("1", "Ah .", source="system:mine"))), MINE[1]], "'a'"),
        ([Image("a", captions=(said("0", "A lady .", (0, 6, "x"), source="system:mine"),)), MINE[1]], "'x'"),
        (
            [Image("a", captions=(said("0", "Ah .", source="system:one"), said("1", "Ah .", source="system:two")))],
            "--source",
        ),
    ],
)
def test_results_that_do_not_fit_are_one_clear_error(tmp_path: Path, results: list[Image], said: str) -> None:
    done = score(tmp_path, results)
    assert done.exit_code == 1
    assert isinstance(done.exception, LimnerError)
    assert said in worded(done.exception)
    assert "\n" not in worded(done.exception)
