"""The file of a selector, whole and broken."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Image
from limner.describe.learned import LearnedSelector
from limner.errors import BadInput, LimnerError
from refusals import refusal

World = Callable[[int, int], list[Image]]


@pytest.fixture(scope="module")
def written(selector: LearnedSelector, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "m.json"
    selector.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", ["m.json", "m.json.gz", "m.json.zst"])
def test_a_selector_that_was_written_and_read_says_the_same(
    name: str, selector: LearnedSelector, world: World, tmp_path: Path
) -> None:
    selector.save(tmp_path / name)
    read = LearnedSelector.load(tmp_path / name)
    images = world(50, 20)
    assert read.select_many(images) == selector.select_many(images)
    assert read.explain(images[0]) == selector.explain(images[0])
    assert read.model.trained == selector.model.trained
    read.save(tmp_path / f"again {name}")
    assert (tmp_path / f"again {name}").read_bytes() == (tmp_path / name).read_bytes()


def test_the_file_can_be_read_without_limner(written: bytes) -> None:
    record = json.loads(written)
    assert (record["limner_model"], record["version"]) == ("selector", 1)
    assert record["trained"]["images"] == 150
    labels = record["labels"]
    assert labels["names"] == ["hat", "man", "sheep", "tree"]
    assert labels["p"][3] < 0.2 < 0.6 < labels["p"][2]
    tree = record["forests"]["p"][0]
    assert record["features"][tree["feature"][0]]
    assert len({len(column) for column in tree.values()}) == 1


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: Any) -> None:
        for step in path[:-1]:
            record = record[step]
        record[path[-1]] = to

    return change


TREE = ("forests", "p", 3)
LOOP = {"feature": [0, 1, -1], "threshold": [0, 0, 0], "left": [1, 0, 0], "right": [2, 2, 0], "value": [0, 0, 0]}
SHARED = {"feature": [0, -1, -1], "threshold": [0, 0, 0], "left": [1, 0, 0], "right": [1, 0, 0], "value": [0, 0, 0]}
DEEP = {
    "feature": [0, -1] * 100 + [-1],
    "threshold": [0.0] * 201,
    "left": [i + 1 if i % 2 == 0 else 0 for i in range(200)] + [0],
    "right": [i + 2 if i % 2 == 0 else 0 for i in range(200)] + [0],
    "value": [0.0] * 201,
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_set("limner_model", to="phrasebook"), "is a model of kind 'phrasebook', not 'selector'"),
        (_set("limner_model", to=3), "is not a selector"),
        (_set("version", to=2), "version 2; only version 1 can be read"),
        (_set("extra", to=1), "unknown field `extra`"),
        (_set("features", 0, to="geometry.beauty"), "unknown feature 'geometry.beauty'"),
        (_set("features", 0, to="geometry.height"), "features: a name occurs twice"),
        (_set("features", to=[]), "features: there are none"),
        (_set("labels", "p", 0, to=1.5), "Expected `float` <= 1.0"),
        (_set("labels", "p", 0, to=None), "Expected `float`, got `null`"),
        (_set("labels", "p", to=[0.5]), "labels: the columns differ in length"),
        (_set("labels", "names", 0, to="man"), "labels: a name occurs twice"),
        (_set("labels", "n", 0, to=-1), "Expected `int` >= 0"),
        (_set("kinds", "names", 0, to="everything"), "kinds: the first must be the empty name"),
        (_set("kinds", "size", to=[]), "kinds: the columns differ in length"),
        (_set("pairs", to={}), "pairs: there must be company, inside, holding"),
        (_set("pairs", "company", "first", 0, to=99), "a pair names a label that does not exist"),
        (_set("pairs", "company", "second", 0, to=1 << 70), "Expected `int`"),
        (_set("pairs", "inside", "effect", to=[]), "pairs: inside: the columns differ in length"),
        (_set(*TREE, "feature", 0, to=1000), "a node names a feature that does not exist"),
        (_set(*TREE, "feature", 0, to=-2), "a node names a feature that does not exist"),
        (_set(*TREE, "left", 0, to=0), "are not a tree"),
        (_set(*TREE, "left", 0, to=10_000), "are not a tree"),
        (_set(*TREE, "threshold", to=[]), "the columns are empty or differ in length"),
        (_set(*TREE, "value", 0, to=1e300), "Expected `float` <= 1000000.0"),
        (_set(*TREE, to={name: [] for name in LOOP}), "the columns are empty or differ in length"),
        (_set(*TREE, to=LOOP), "are not a tree"),
        (_set(*TREE, to=SHARED), "are not a tree"),
        (_set(*TREE, to=DEEP), "is longer than 64"),
        (_set("forests", "r", to=[SHARED] * 6000), "more than 5000 trees"),
        (_set("forests", to=[]), "is not a selector"),
    ],
)
def test_what_no_training_would_write_is_refused_in_one_line(
    change: Callable[[dict[str, Any]], None], problem: str, written: bytes, tmp_path: Path
) -> None:
    record = json.loads(written)
    change(record)
    path = tmp_path / "m.json"
    path.write_text(json.dumps(record))
    with pytest.raises(BadInput) as refused:
        LearnedSelector.load(path)
    said = str(refused.value)
    assert problem in said
    assert said.startswith(str(path))
    assert "limner.describe.train_selector" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"limner_model":"selector","version":1}',
        b'{"limner_model":"selector","version":1e999}',
        b'{"limner_model":"selector","version":NaN}',
        b"[" * 100_000,
        b'{"limner_model":' + b"[" * 100_000,
        b'{"limner_model":"selector","version":1,"features":' + b'{"a":' * 100_000,
    ],
)
def test_what_is_no_model_at_all_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with refusal(BadInput) as refused:
        LearnedSelector.load(tmp_path / "m.json")
    assert "\n" not in str(refused.value)


def test_a_number_that_is_none_is_refused(written: bytes, tmp_path: Path) -> None:
    record = json.loads(written)
    record["labels"]["p"][0] = float("nan")
    (tmp_path / "m.json").write_text(json.dumps(record))
    with refusal(BadInput):
        LearnedSelector.load(tmp_path / "m.json")


def test_a_file_that_unpacks_to_more_than_any_model_is_refused(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "m.json.gz", "wb") as handle:
        handle.write(b'{"limner_model": "selector", "version": 1, "features": [' + b"0," * (13 << 20))
    with refusal(BadInput):
        LearnedSelector.load(tmp_path / "m.json.gz")


def test_a_broken_file_never_breaks_the_program(written: bytes, world: World, tmp_path: Path, mutations: int) -> None:
    chance = random.Random(0)
    images = world(2, 21)
    for _ in range(mutations):
        broken = bytearray(written)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(broken))
            how = chance.random()
            if how < 0.6:
                broken[at] = chance.choice(b'0123456789-.,[]{}":eE \xff')
            elif how < 0.8:
                del broken[at : at + chance.randint(1, 200)]
            else:
                broken[at:at] = broken[at : at + chance.randint(1, 200)]
        (tmp_path / "m.json").write_bytes(broken)
        faults, selector = [], None
        try:
            selector = LearnedSelector.load(tmp_path / "m.json")
        except BadInput as error:
            faults.append(str(error))
        assert all("\n" not in fault for fault in faults)
        if selector is not None:
            assert all(selector.select_many(images))
            selector.explain(images[0])


def test_a_folder_that_is_not_there_is_said_to_be_so(selector: LearnedSelector, tmp_path: Path) -> None:
    with refusal(LimnerError):
        selector.save(tmp_path / "nowhere" / "m.json")
    with refusal(LimnerError):
        LearnedSelector.load(tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []
