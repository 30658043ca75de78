from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

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


def score(folder: Path, results: list[Image], *options: str, gold: list[Image] = GOLD) -> Result:
    write_corpus(gold, folder / "gold.jsonl")
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


def test_classes_stand_under_boxes(tmp_path: Path) -> None:
    lines = score(tmp_path, MINE).stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[3:6] + lines[8:11]] == [
        "system:mine",
        "human",
        "oracle",
        "classes: system:mine",
        "classes: human",
        "classes: oracle",
    ]


def test_every_column_has_its_own_number_of_images_and_the_number_that_score_captions_gives(tmp_path: Path) -> None:
    texts = {"a": "A tall lady .", "b": "A lady ."}
    results = [
        Image(name, captions=(said("0", text, (0, len(text) - 2, "w"), source="system:mine"),))
        for name, text in texts.items()
    ]
    done = score(tmp_path, results)
    rows = {cells[0]: cells[1:] for line in done.stdout.splitlines() if (cells := re.split(r"  +", line))}
    # Only one of the two captions has an attribute, and nobody else has any.
    assert rows["attributes P"][:2] == ["0.0000", "1"]
    assert rows["attributes F"][:2] == ["0.0000", "1"]
    assert rows["lexicalisation score"][:2] == ["0.0000", "2"]
    metrics = ["lexicalisation", "attributes", "verbs"]
    options = ["--metrics", ",".join(metrics), "--refs", str(tmp_path / "gold.jsonl"), "--json"]
    captions = CliRunner().invoke(limner, ["score", "captions", str(tmp_path / "results.jsonl"), *options])
    report = json.loads(captions.stdout)
    scores, signatures = report["scores"], report["signatures"]
    assert report["n_images_by_score"]["attributes_p"] == 1
    assert "|images:2|scored:1 images|no_box:2 captions left out|" in signatures["attributes_p"]
    assert "|images:2|no_box:2 captions left out|" in signatures["lexicalisation"]
    printed = {"lexicalisation": "lexicalisation score", "attributes_p": "attributes P", "verbs_f": "verbs F"}
    for name, row in printed.items():
        value = scores[name]
        assert rows[row][0] == ("—" if value is None else f"{value:.4f}")


def test_where_labels_are_from_is_told_with_one_warning(tmp_path: Path) -> None:
    told = [replace(image, provenance={"labels": "captions", "mentions": "linked"}) for image in GOLD]
    mine = [replace(image, provenance={"labels": "captions"}) for image in MINE]
    done = score(tmp_path, mine, gold=told)
    assert "labels: captions; mentions: linked" in done.stdout.splitlines()
    assert "|labels:captions|mentions:linked|" in done.stdout
    assert done.stderr.count("warning") == 1
    assert "mentions were linked by the names of classes" in done.stderr
    assert "labels are nouns of the captions themselves" in done.stderr
    assert "labels are nouns" not in score(tmp_path, MINE, gold=told).stderr
    assert "warning" not in score(tmp_path, MINE).stderr


def test_all_captions_may_count(tmp_path: Path) -> None:
    done = score(tmp_path, MINE, "--all-captions")
    assert done.stdout.startswith("images: 2; left out: nothing; in precision: 2 gold captions that refer to no box\n")
    found = json.loads(score(tmp_path, MINE, "--all-captions", "--json").stdout)
    assert [found[name] for name in "PR"] == pytest.approx([2 / 3, 0.75])


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
