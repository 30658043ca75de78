"""Metrics from elsewhere: functions, and files of scores, hostile ones too."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import BadInput, LimnerError
from limner.score.external import batch_metric, function_metric, scores_file
from limner.score.run import Run
from refusals import refusal

RUN = Run(["x", "y", "7"], ["a dog", "a cat", "two"], [["dog", "a dog"], ["cats"], ["two of them"]])
HEAD = {"metric": "judge", "model": "some-model-3", "prompt": "Is it right?"}
SCORES = {"x": 0.5, "y": -1, "7": 2}


def written(folder: Path, text: str | bytes, name: str = "scores.jsonl") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def as_jsonl(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def rows(scores: dict[str, float]) -> list[dict[str, object]]:
    return [{"image": image, "score": score} for image, score in scores.items()]


def length_ratio(candidate: str, references: list[str]) -> float:
    return len(candidate) / max(map(len, references))


def test_a_function_of_a_caption_and_its_references_is_a_metric() -> None:
    metric = function_metric("length", length_ratio, higher_is_better=False, choices={"version": 2})
    found = metric.measure(RUN)
    assert (metric.name, metric.columns, metric.higher_is_better) == ("length", ("length",), False)
    assert found.per_image[:, 0].tolist() == [1, 5 / 4, 3 / 11]
    assert found.value() == pytest.approx(np.mean([1, 5 / 4, 3 / 11]))
    assert found.choices["version"] == 2
    assert str(found.choices["function"]).endswith("test_external.length_ratio")


def test_a_function_may_say_its_range() -> None:
    assert function_metric("ratio", length_ratio).measure(RUN).range_of(0) == (-np.inf, np.inf)
    for metric in (
        function_metric("ratio", length_ratio, value_range=(0.0, 1.0)),
        batch_metric("half", lambda candidates, _: [0.5] * len(candidates), value_range=(0.0, 1.0)),
    ):
        assert metric.measure(RUN).range_of(0) == (0, 1)


def test_a_function_may_take_all_captions_at_once() -> None:
    found = batch_metric("n", lambda candidates, references: np.array(list(map(len, candidates)))).measure(RUN)
    assert found.per_image[:, 0].tolist() == [5, 5, 3]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "many", None, 10**400])
def test_a_function_gives_finite_numbers(value: object) -> None:
    with refusal(LimnerError):
        function_metric("odd", lambda candidate, references: value).measure(RUN)  # type: ignore[arg-type, return-value]


def test_a_function_gives_as_many_as_there_are_captions() -> None:
    with refusal(LimnerError):
        batch_metric("odd", lambda candidates, references: [1.0]).measure(RUN)


JSONL = as_jsonl(HEAD, *rows({"7": 2, "y": -1, "x": 0.5}))
CSV = "# metric: judge\n# model: some-model-3\n# prompt: Is it right?\nscore,image\n2,7\n-1e0,y\n0.5,x\n"


@pytest.mark.parametrize(
    ("name", "text"), [("s.jsonl", JSONL), ("s.csv", CSV), ("s.csv.gz", CSV), ("s.jsonl.gz", JSONL)]
)
def test_scores_are_joined_by_image_and_never_by_order(tmp_path: Path, name: str, text: str) -> None:
    data = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    metric = scores_file(written(tmp_path, data, name))
    found = metric.measure(RUN)
    assert (metric.name, metric.columns, metric.higher_is_better) == ("judge", ("judge",), True)
    assert found.per_image[:, 0].tolist() == [0.5, -1, 2]
    assert found.value() == pytest.approx([0.5])
    assert found.choices == {"model": "some-model-3", "prompt": "Is it right?"}


def test_ids_may_be_whole_numbers(tmp_path: Path) -> None:
    text = as_jsonl(HEAD, *rows({"x": 1, "y": 2}), {"image": 7, "score": 3, "why": "not read"})
    assert scores_file(written(tmp_path, text)).measure(RUN).per_image[:, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("head", "choices"),
    [
        ({"temperature": 0.5, "n": 3, "greedy": True}, {"temperature": 0.5, "n": 3, "greedy": "true"}),
        # Fingerprints are of SHA-256, as `printf 'a|b' | sha256sum` says.
        ({"prompt": "a|b"}, {"prompt": "sha256=0eab8a0a3380"}),
        ({"prompt": "a\nb"}, {"prompt": "sha256=7e18f737311b"}),
    ],
)
def test_what_the_head_says_goes_into_the_signature(
    tmp_path: Path, head: dict[str, object], choices: dict[str, object]
) -> None:
    assert scores_file(written(tmp_path, as_jsonl({"metric": "m", **head}))).head.choices == choices


def test_long_prompts_that_differ_at_their_end_have_other_signatures(tmp_path: Path) -> None:
    first, second = (
        scores_file(written(tmp_path, as_jsonl({"metric": "m", "prompt": "x" * 1000 + end}))).head for end in "ab"
    )
    assert first.choices != second.choices
    assert len(str(first.choices["prompt"])) < 60


def test_a_file_may_be_given_by_a_path_that_is_text(tmp_path: Path) -> None:
    path = written(tmp_path, as_jsonl({"metric": "m"}, *rows(dict.fromkeys(RUN.ids, 2.0))))
    assert scores_file(str(path)).measure(RUN).value().tolist() == [2]


def test_less_may_be_better(tmp_path: Path) -> None:
    for name, text in (
        ("s.csv", "# metric: m\n# higher_is_better: false\nimage,score\n"),
        ("s.jsonl", as_jsonl({"metric": "m", "higher_is_better": False})),
    ):
        assert not scores_file(written(tmp_path, text, name)).higher_is_better


def test_metrics_can_be_told_apart_by_who_collects_them(tmp_path: Path) -> None:
    metrics = [function_metric("length", length_ratio), scores_file(written(tmp_path, JSONL))]
    assert list(dict.fromkeys([*metrics, *metrics])) == metrics


def test_rows_that_say_of_which_caption_may_be_of_several_systems(tmp_path: Path) -> None:
    text = '# metric: m\nimage,caption,score\nx,"a dog",1\nx,another,9\ny,a cat,2\n7,other,9\n7,two,3\n'
    metric = scores_file(written(tmp_path, text, "s.csv"))
    assert metric.measure(RUN).per_image[:, 0].tolist() == [1, 2, 3]
    other = Run(["x", "7"], ["another", "other"], [["-"], ["-"]])
    with refusal(BadInput):
        metric.measure(other)
    with refusal(BadInput):
        metric.measure(Run(["x", "y", "7"], ["a dog", "a bird", "two"], RUN.references))


HOSTILE = [
    ("s.txt", "", "s.txt: scores are in .csv or .jsonl files"),
    ("s.jsonl", "", "s.jsonl: the file is empty"),
    ("s.jsonl", "\n \n", "s.jsonl: the file is empty"),
    ("s.jsonl", "[]\n", "s.jsonl:1: [] is no object"),
    ("s.jsonl", "{", "s.jsonl:1: not JSON"),
    ("s.jsonl", "[" * 100_000, "s.jsonl:1: not usable JSON"),
    ("s.jsonl", '{"metric": "m", "metric": "n"}', "s.jsonl:1: not usable JSON: 'metric' is there twice"),
    ("s.jsonl", '{"model": "m"}', "s.jsonl:1: the head does not name the metric"),
    ("s.jsonl", '{"metric": ""}', "s.jsonl:1: '' cannot name a metric"),
    ("s.jsonl", '{"metric": "a|b"}', "s.jsonl:1: 'a|b' cannot name a metric"),
    ("s.jsonl", '{"metric": 7}', "s.jsonl:1: 7 cannot name a metric"),
    ("s.jsonl", '{"metric": "m", "higher_is_better": "yes"}', "s.jsonl:1: higher_is_better is 'yes'"),
    ("s.jsonl", '{"metric": "m", "model": {"a": 1}}', "s.jsonl:1: model is {'a': 1}"),
    ("s.jsonl", '{"metric": "m", "seed": NaN}', "s.jsonl:1: not usable JSON: NaN is no number"),
    ("s.jsonl", '{"metric": "m", "n": 1e999}', "s.jsonl:1: n is inf"),
    ("s.jsonl", '{"metric": "m", "a:b|c": 1}', "s.jsonl:1: 'a:b|c' cannot name a field"),
    ("s.jsonl", json.dumps({"metric": "m", **{f"k{i}": 1 for i in range(99)}}), "s.jsonl:1: the head has 99 fields"),
    ("s.csv", "", "s.csv: the head does not name the metric"),
    ("s.csv", "image,score\nx,1\n", "s.csv:1: the head does not name the metric"),
    ("s.csv", "# model: m\nimage,score\n", "s.csv:2: the head does not name the metric"),
    ("s.csv", "# metric: m\n# metric: n\n", "s.csv:2: 'metric' is there twice"),
    ("s.csv", "# metric\n", "s.csv:1: '# metric' is no field of the head"),
    ("s.csv", "# metric: m\n# higher_is_better: 1\nimage,score\n", "s.csv:3: higher_is_better is '1'"),
    ("s.csv", b"# metric: m\xff\n", "s.csv:1: byte 11 is not UTF-8"),
]


@pytest.mark.parametrize(("name", "text", "problem"), HOSTILE)
def test_a_head_that_says_nothing_is_refused(tmp_path: Path, name: str, text: str | bytes, problem: str) -> None:
    refuses(tmp_path, name, text, problem)


ROWS = [
    ("s.jsonl", rows({"x": 1, "y": 2}), "s.jsonl: there is no score for the captions of 1 of 3 images ('7')"),
    ("s.jsonl", [], "s.jsonl: there is no score for the captions of 3 of 3 images ('x', 'y', '7')"),
    ("s.jsonl", rows({**SCORES, "z": 1}), "s.jsonl:5: image 'z' is not among those that are scored"),
    ("s.jsonl", [*rows(SCORES), {"image": "x", "score": 1}], "s.jsonl:5: image 'x' has two scores"),
    ("s.jsonl", [*rows(SCORES), {"image": 7, "score": 1}], "s.jsonl:5: image '7' has two scores"),
    ("s.jsonl", [{"image": "x"}], "s.jsonl:2: there is no score"),
    ("s.jsonl", [{"score": 1}], "s.jsonl:2: there is no image"),
    ("s.jsonl", [{"image": "", "score": 1}], "s.jsonl:2: the image is ''"),
    ("s.jsonl", [{"image": None, "score": 1}], "s.jsonl:2: the image is None"),
    ("s.jsonl", [{"image": True, "score": 1}], "s.jsonl:2: the image is True"),
    ("s.jsonl", [{"image": "x", "score": 1, "caption": 3}], "s.jsonl:2: the caption is 3"),
    *(
        ("s.jsonl", [{"image": "x", "score": score}], f"s.jsonl:2: the score is {score!r}"[:50])
        for score in ("0.5", None, True, [1], {"a": 1}, 10**400)
    ),
    ("s.jsonl", [{"image": "x", "score": float("nan")}], "s.jsonl:2: not usable JSON: NaN is no number"),
    ("s.jsonl", [{"image": "x", "score": float("inf")}], "s.jsonl:2: not usable JSON: Infinity is no number"),
    ("s.jsonl", '{"image": "x", "score": 1e999}', "s.jsonl:2: the score is inf"),
    ("s.jsonl", f'{{"image": "x", "score": {"9" * 5000}}}', "s.jsonl:2: not usable JSON: Exceeds the limit"),
    ("s.jsonl", '{"image": "x", "score": 1, "score": 2}', "s.jsonl:2: not usable JSON: 'score' is there twice"),
    ("s.jsonl", '{"image": "x", "sc', "s.jsonl:2: not JSON"),
    ("s.jsonl", "7", "s.jsonl:2: 7 is no object"),
    ("s.csv", "", "s.csv: there is no column image"),
    ("s.csv", "image\n", "s.csv:2: there is no column score"),
    ("s.csv", "image,score,score\n", "s.csv:2: there is no column score"),
    ("s.csv", "image,score\nx,1\nz,1\n", "s.csv:4: image 'z' is not among those that are scored"),
    ("s.csv", "image,score\nx,1\n\nx,1\n", "s.csv:5: image 'x' has two scores"),
    ("s.csv", "image,score\nx\n", "s.csv:3: the row has 1 values for 2 columns"),
    ("s.csv", "image,score\nx,1,2\n", "s.csv:3: the row has 3 values for 2 columns"),
    ("s.csv", "image,score\n,1\n", "s.csv:3: there is no image"),
    ("s.csv", 'image,score\n"x"y,1\n', "s.csv:3: not CSV"),
    ("s.csv", 'image,score\n"x,1\n', "s.csv:3: not CSV"),
    *(
        ("s.csv", f"image,score\nx,{score}\n", f"s.csv:3: the score is {score!r}")
        for score in ("nan", "inf", "-Infinity", "", "high", "1_000", "1e999", "0x10", "１e", "#1")
    ),
]


@pytest.mark.parametrize(("name", "body", "problem"), ROWS)
def test_scores_that_do_not_fit_are_refused(tmp_path: Path, name: str, body: object, problem: str) -> None:
    text = body if isinstance(body, str) else as_jsonl(*body)  # type: ignore[misc]
    refuses(tmp_path, name, ("# metric: m\n" if name == "s.csv" else as_jsonl(HEAD)) + text, problem)


def refuses(folder: Path, name: str, text: str | bytes, problem: str) -> None:
    path = written(folder, text, name)
    with pytest.raises(BadInput) as caught:
        scores_file(path).measure(RUN)
    said = str(caught.value)
    assert said.startswith(f"{folder}/{problem}")
    assert "\n" not in said
    assert len(said) < 700


def test_files_that_are_not_there_and_pipes_are_refused(tmp_path: Path) -> None:
    with refusal(BadInput):
        scores_file(tmp_path / "none.csv")
    with refusal(BadInput):
        scores_file(tmp_path)
    with refusal(BadInput):
        scores_file(Path("-"))


@pytest.mark.parametrize("name", ["s.csv", "s.jsonl"])
@given(cut=st.integers(0, 200), byte=st.integers(0, 255), keep=st.booleans())
def test_a_broken_file_is_read_or_refused(tmp_path: Path, name: str, cut: int, byte: int, keep: bool) -> None:
    sound = (CSV if name == "s.csv" else JSONL).encode()
    path = written(tmp_path, sound[:cut] + bytes([byte]) + (sound[cut + 1 :] if keep else b""), name)
    try:
        found = scores_file(path).measure(RUN).per_image
    except BadInput as error:
        said = str(error)
    else:
        said = str(path) if np.isfinite(found).all() else "no number"
    assert said.startswith(str(path))


def test_a_file_without_end_is_refused_at_its_first_stranger(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.gz"
    with gzip.open(path, "wt") as handle:
        handle.write(as_jsonl(HEAD))
        for _ in range(20):
            handle.write("".join(f'{{"image":"{i}","score":1}}\n' for i in range(100, 50_000)))
    with refusal(BadInput):
        scores_file(path).measure(RUN)


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), st.floats(-1e9, 1e9), min_size=1))
def test_what_was_written_is_what_is_measured(tmp_path: Path, scores: dict[str, float]) -> None:
    run = Run(list(scores), ["-"] * len(scores), [["-"]] * len(scores))
    text = as_jsonl(HEAD, *rows(dict(reversed(scores.items()))))
    assert scores_file(written(tmp_path, text)).measure(run).per_image[:, 0].tolist() == list(scores.values())
