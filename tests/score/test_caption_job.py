"""Scoring caption files from beginning to end, without a command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.score import CaptionJob, Policy, evaluate
from refusals import refusal

REFERENCES = {"1": ["a brown dog runs", "a dog on a beach"], "2": ["a man rides a horse", "someone on a horse"]}
MINE = {"1": "a dog runs", "2": "a man on a horse"}
THEIRS = {"1": "a dog", "2": "a horse"}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """COCO files of references and of two systems' results."""
    monkeypatch.chdir(tmp_path)
    annotations = [
        {"id": 10 * int(id) + i, "image_id": int(id), "caption": text}
        for id, texts in REFERENCES.items()
        for i, text in enumerate(texts)
    ]
    images = [{"id": int(id)} for id in REFERENCES]
    Path("refs.json").write_text(json.dumps({"images": images, "annotations": annotations}))
    for name, said in (("mine", MINE), ("theirs", THEIRS)):
        results = [{"image_id": int(id), "caption": text} for id, text in said.items()]
        Path(f"{name}.json").write_text(json.dumps(results))


def job(*results: str, **options: Any) -> CaptionJob:
    return CaptionJob([*results], ["refs.json"], **{"metrics": ["bleu", "cider"], **options})


@pytest.mark.usefixtures("files", "intervals_of_few")
def test_a_job_scores_as_evaluate_does() -> None:
    scores = job("mine.json", by=["length"]).run()
    expected = evaluate(MINE, REFERENCES, metrics=["bleu", "cider"], by=["length"])
    (system,) = scores.systems
    assert system.scores == expected.scores
    assert system.intervals == expected.intervals
    assert list(system.by["length"]) == list(expected.by["length"])
    assert scores.compared == []
    assert scores.to_json()["scores"] == expected.to_json()["scores"]


@pytest.mark.usefixtures("files")
def test_several_systems_are_compared() -> None:
    scores = job("mine.json", "theirs.json", with_frequencies=True).run()
    report = scores.to_json()
    assert [system.name for system in scores.systems] == ["mine", "theirs"]
    assert (report["system"], list(report["compared"])) == ("mine", ["theirs"])
    assert [row["column"] for row in report["differences"]] == ["bleu1", "bleu2", "bleu3", "bleu4", "cider"]
    assert scores.frequencies is not None
    assert scores.frequencies.n_images == 2


@pytest.mark.usefixtures("files")
def test_whoever_watches_hears_of_every_corpus_and_metric() -> None:
    steps: list[str] = []
    readings: list[Reading] = []
    job("mine.json").run(lambda what, done, total: steps.append(what), readings.append)
    assert list(dict.fromkeys(steps)) == [
        *("images", "captions", "tokenising captions"),
        *("measuring bleu", "measuring cider"),
    ]
    assert len(readings) == 2


@pytest.mark.usefixtures("files")
def test_errors_carry_a_code_and_name_no_option() -> None:
    Path("fewer.json").write_text(json.dumps([{"image_id": 1, "caption": "a dog"}]))
    with pytest.raises(BadInput) as caught:
        job("fewer.json").run()
    assert caught.value.code == "missing-captions"
    assert "--" not in str(caught.value)
    assert job("fewer.json", policy=Policy(missing="skip")).run().systems[0].counts["missing"] == 1
    with pytest.raises(LimnerError) as twice:
        job("mine.json", "mine.json").run()
    assert twice.value.code == "same-results"
    with refusal(LimnerError):
        job("mine.json", clip_model=Path("model")).run()


@pytest.mark.usefixtures("files")
def test_a_wrong_metric_is_refused_before_anything_is_read() -> None:
    with refusal(LimnerError):
        CaptionJob(["nothing.json"], ["nothing.json"], metrics=["blue"]).run()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("asked", [{"human": "leave-one-out"}, {"keep_images": True}])
def test_what_needs_the_words_is_refused_before_ray_is_started(asked: dict[str, Any]) -> None:
    with refusal(LimnerError):
        job("mine.json", engine="ray", **asked).run()
