"""Captions scored with ray: the same as in one process, whatever becomes of the processes that do it."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limner import ray_connection
from limner.corpus import Caption, Image, write_corpus
from limner.errors import BadInput, LimnerError
from limner.lazy import load
from limner.score import evaluate
from limner.score.metric import Statistics, means
from limner.score.run import Run
from limner.score.sharded import ray_engine
from limner.score.sharded.ray_engine import RayEngine, evaluate_with_ray

pytestmark = pytest.mark.xdist_group("ray")

METRICS = ("bleu", "rouge_l", "cider")


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray, started as a run starts it: this takes a while, so all tests share it."""
    pytest.importorskip("ray", reason="ray is not installed")
    before = {path.name for path in Path.home().glob(".ray")}
    with ray_connection.connected(None) as started:
        yield started
    assert {path.name for path in Path.home().glob(".ray")} == before
    assert not started.is_initialized()


def corpora(folder: Path, n: int = 60) -> tuple[Path, Path]:
    """Results in shards of JSON Lines and references in shards of Parquet, in other orders."""
    generator = np.random.default_rng(3)

    def sentence() -> str:
        return " ".join(generator.choice(["a", "dog", "cat", "runs", "on", "red", "grass"], 6))

    gold = [Image(str(i), captions=tuple(Caption(str(k), sentence()) for k in range(3))) for i in range(n)]
    said = [Image(str(i), captions=(Caption("0", sentence(), source="system:s"),)) for i in reversed(range(n))]
    for name in ("results", "refs"):
        (folder / name).mkdir()
    for number in range(3):
        write_corpus(said[number::3], folder / "results" / f"part-{number}.jsonl.gz")
        write_corpus(gold[number * n // 3 : (number + 1) * n // 3], folder / "refs" / f"part-{number}.parquet")
    write_corpus(said, folder / "results.jsonl")
    return folder / "results", folder / "refs"


class Deadly:
    """A metric whose process is killed while it measures, once."""

    name = "deadly"
    columns = ("deadly",)

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def measure(self, run: Run) -> Statistics:
        if "7" in run.ids and not self.mark.exists():
            self.mark.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return means([float(id) for id in run.ids])


@pytest.fixture
def by_value(ray: Any) -> Iterator[None]:
    """Whatever this file defines is sent to workers whole: they cannot import it."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def test_ray_scores_as_one_process_does(ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, refs = corpora(tmp_path)
    expected = evaluate(f"{results}.jsonl", refs, metrics=METRICS, by=["length"], samples=50)
    monkeypatch.chdir(tmp_path)
    told: list[tuple[str, int, int | None]] = []
    asked: dict[str, Any] = {"metrics": METRICS, "by": ["length"], "samples": 50, "partitions": 3}
    (found,), *_ = evaluate_with_ray(["results"], "refs", progress=lambda *step: told.append(step), **asked)
    assert found.scores == pytest.approx(expected.scores, abs=1e-9, rel=0)
    for name, bounds in expected.intervals.items():
        assert found.intervals[name] == pytest.approx(bounds, abs=1e-9, rel=0)
    assert found.signatures == expected.signatures
    assert list(found.by["length"]) == list(expected.by["length"])
    for name, part in expected.by["length"].items():
        assert found.by["length"][name].scores == pytest.approx(part.scores, abs=1e-9, rel=0)
    for column in expected.scores:
        assert found.per_image(column) == pytest.approx(expected.per_image(column), abs=1e-9, rel=0)
    assert told[-1] == ("partitions measured", 3, 3)


def test_a_worker_that_is_killed_loses_nothing(by_value: None, tmp_path: Path) -> None:
    results, refs = corpora(tmp_path)
    mark = tmp_path / "killed"
    asked: dict[str, Any] = {"metrics": ["cider", Deadly(mark)], "samples": 0}
    (found,), *_ = evaluate_with_ray([results], refs, partitions=2, **asked)
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
    expected = evaluate(f"{results}.jsonl", refs, **asked)
    assert found.scores == pytest.approx(expected.scores, abs=1e-9, rel=0)
    assert found.per_image("deadly") == expected.per_image("deadly") == {str(i): float(i) for i in range(60)}


def test_errors_are_those_of_one_process(ray: Any, tmp_path: Path) -> None:
    results, refs = corpora(tmp_path)
    with (tmp_path / "results" / "part-9.jsonl").open("w") as handle:
        handle.write('{"limner":1}\n')
    with pytest.raises(BadInput, match=re.escape("part-9.jsonl:1: Object missing required field `id`")) as raised:
        evaluate_with_ray([results], refs, metrics=METRICS)
    assert raised.value.remedy


def test_what_is_no_fault_of_the_input_keeps_its_traceback(ray: Any) -> None:
    engine = RayEngine(lambda: ray)
    with pytest.raises(ZeroDivisionError, match="_divided"):
        engine.results([engine.start(_divided, 1, 0)], lambda _: None)


def _divided(a: int, b: int) -> float:
    return a / b


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_work_that_kills_whoever_does_it_is_given_up(by_value: None, ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "RETRIES", 0)
    engine = RayEngine(lambda: ray)
    with pytest.raises(LimnerError, match="ray gave up after 1 tries"):
        engine.results([engine.start(_die)], lambda _: None)


def test_where_ray_is_not_installed_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "limner.ray_connection")
    monkeypatch.delitem(sys.modules, "limner.score.sharded.ray_engine")
    with pytest.raises(LimnerError, match=re.escape("pip install 'limner[ray]'")):
        load("limner.score.sharded.ray_engine")


def test_what_can_be_refused_is_refused_before_ray_starts(tmp_path: Path) -> None:
    results, refs = corpora(tmp_path, 3)
    with pytest.raises(LimnerError, match="chair looks at all images together"):
        evaluate_with_ray([results], refs, metrics=["chair"])
    with pytest.raises(BadInput, match="no such file or folder"):
        evaluate_with_ray([results], tmp_path / "nowhere", metrics=METRICS)


def test_a_cluster_that_does_not_answer_is_named() -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        told = pytest.raises(LimnerError, match=f"^{address}: ray cannot be reached there")
        with told, ray_connection.there(ray, address):
            pass
