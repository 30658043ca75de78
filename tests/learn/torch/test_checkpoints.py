"""Checkpoints: those of another run are refused with what differs, and hostile ones without harm."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from limner.errors import BadInput, LimnerError
from limner.learn.torch.checkpoints import RECORD, frozen_digest, model_tensors
from limner.learn.torch.safe_tensors import is_finite, open_tensors, read_tensors, write_tensors
from refusals import refusal
from small_training import CountingModel, CountingTask, train

Tensors = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The checkpoint of a run that has trained one of three epochs."""

    class Ended(Exception):
        pass

    def end(figures: object) -> None:
        raise Ended

    path = tmp_path_factory.mktemp("run") / "c"
    with pytest.raises(Ended):
        train(CountingTask(), path, report=end)
    return path.read_bytes()


def test_a_checkpoint_has_all_that_a_run_needs(tmp_path: Path, sound: bytes) -> None:
    (tmp_path / "c").write_bytes(sound)
    model = CountingModel(0.3)
    names = set(model.state_dict())
    trained = {name for name, _ in model.named_parameters()}
    assert set(read_tensors(tmp_path / "c")) == {
        *(f"{group}/{name}" for group in ("model", "best") for name in names),
        *(f"{group}/{name}" for group in ("average", "optimiser/exp_avg", "optimiser/exp_avg_sq") for name in trained),
    }
    with open_tensors(tmp_path / "c") as file:
        record = json.loads(file.metadata[RECORD])
    assert record["position"] == {"epoch": 2, "step": 0, "loss": 0.0, "n_items": 0, "seconds": 0.0}
    assert (record["n_steps"], record["n_threads"], len(record["history"])) == (8, 1, 1)
    assert (record["run"]["seed"], record["run"]["settings"]["epochs"]) == (5, 3)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"seed": 6}, "the seed was 5, now 6"),
        ({"name": "reckoning"}, "the stage was 'counting', now 'reckoning'"),
        ({"epochs": 4}, "epochs was 3, now 4"),
        ({"learning_rate": 0.5}, "learning_rate was 0.02, now 0.5"),
        ({"optimiser": "sgd"}, "optimiser was 'adam', now 'sgd'"),
        ({"data": "0a1b"}, "it had other data ('', now '0a1b')"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused_with_what_differs(
    tmp_path: Path, sound: bytes, change: dict[str, Any], problem: str
) -> None:
    (tmp_path / "c").write_bytes(sound)
    with pytest.raises(BadInput) as caught:
        train(CountingTask(), tmp_path / "c", **change)
    assert f"{tmp_path / 'c'}: is of another run: {problem}; resume with the same settings" in str(caught.value)
    assert caught.value.code == "other-run"
    assert (tmp_path / "c").read_bytes() == sound


def test_how_often_checkpoints_are_written_may_change(tmp_path: Path, sound: bytes) -> None:
    (tmp_path / "c").write_bytes(sound)
    assert len(train(CountingTask(), tmp_path / "c", checkpoint_steps=100).history) == 3


def another_shape(model: nn.Module) -> None:
    model.scores = nn.Linear(9, 7)


def another_layer(model: nn.Module) -> None:
    model.more = nn.Linear(1, 1)


def a_layer_less(model: nn.Module) -> None:
    del model.idle


def another_type(model: nn.Module) -> None:
    model.double()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (another_shape, "scores.weight' is float32 [7, 8], that of the model float32 [7, 9]"),
        (another_layer, "lacks the tensor 'average/more.bias'"),
        (a_layer_less, "has a tensor 'average/idle', which the model does not have"),
        (another_type, "float32"),
    ],
)
def test_the_checkpoint_of_another_model_is_refused(
    tmp_path: Path, sound: bytes, change: Callable[[nn.Module], None], problem: str
) -> None:
    (tmp_path / "c").write_bytes(sound)
    task = CountingTask()
    change(task.model)
    with pytest.raises(BadInput) as caught:
        train(task, tmp_path / "c")
    assert problem in str(caught.value)


def test_weights_that_are_not_trained_are_not_stored_but_must_be_the_same(tmp_path: Path) -> None:
    def frozen_task() -> CountingTask:
        task = CountingTask()
        task.model.get_parameter("words.weight").requires_grad_(False)
        return task

    class Ended(Exception):
        pass

    def end(figures: object) -> None:
        raise Ended

    with pytest.raises(Ended):
        train(frozen_task(), tmp_path / "c", report=end)
    assert not [name for name in read_tensors(tmp_path / "c") if name.endswith("words.weight")]
    other = frozen_task()
    other.model.get_parameter("words.weight").data[0, 0] += 1
    with refusal(BadInput):
        train(other, tmp_path / "c")
    assert len(train(frozen_task(), tmp_path / "c").history) == 3
    assert frozen_digest(other.model) != frozen_digest(frozen_task().model) != frozen_digest(CountingModel(0.3)) == ""


def test_tied_weights_are_trained_once() -> None:
    model = nn.ModuleDict({"words": nn.Embedding(3, 4), "scores": nn.Linear(4, 3, bias=False)})
    model["scores"].weight = model["words"].weight
    assert list(model_tensors(model)) == ["words.weight"]


# --- hostile files


def changed(sound: bytes, path: Path, change: Callable[[dict[str, Any], Tensors], None]) -> None:
    """Write a checkpoint whose record or tensors are others."""
    path.write_bytes(sound)
    with open_tensors(path) as file:
        record, tensors = json.loads(file.metadata[RECORD]), file.read()
    change(record, tensors)
    write_tensors(path, tensors, {RECORD: json.dumps(record)})


def put(*keys: Any, value: Any) -> Callable[[dict[str, Any], Tensors], None]:
    def change(record: dict[str, Any], tensors: Tensors) -> None:
        for key in keys[:-1]:
            record = record[key]
        record[keys[-1]] = value

    return change


def tensor(name: str, value: torch.Tensor | None) -> Callable[[dict[str, Any], Tensors], None]:
    def change(record: dict[str, Any], tensors: Tensors) -> None:
        del tensors[name]
        if value is not None:
            tensors[name] = value

    return change


HOSTILE = {
    "another version": (put("version", value=2), "is a checkpoint of version 2; only version 1 can be read"),
    "a version that is no number": (put("version", value="1"), "Expected `int`, got `str` - at `$.version`"),
    "something more": (put("run_me", value="rm"), "unknown field `run_me`"),
    "no position": (put("position", value=None), "Expected `object`, got `null`"),
    "an epoch without a history": (put("position", "epoch", value=3), "its history is not that of its epochs"),
    "no epoch": (put("position", "epoch", value=0), "its history is not that of its epochs"),
    "an epoch beyond counting": (put("position", "epoch", value=2**70), "its history is not that of its epochs"),
    "a million epochs": (put("history", 0, "epoch", value=10**6), "its history is not that of its epochs"),
    "a negative step": (put("position", "step", value=-1), "its counts of steps and items are not"),
    "more steps than all": (put("position", "step", value=9), "its counts of steps and items are not"),
    "no step at all": (put("n_steps", value=0), "its counts of steps and items are not"),
    "steps beyond counting": (put("n_steps", value=10**400), "not a sound safetensors file"),
    "items beyond counting": (put("history", 0, "n_items", value=2**70), "its counts of steps and items are not"),
    "more steps than batches": (
        lambda record, tensors: record.update(n_steps=99, position={**record["position"], "step": 50}),
        "epoch 2 had more than 8 batches",
    ),
    "a million threads": (put("n_threads", value=10**6), "more epochs or threads"),
    "no threads": (put("n_threads", value=0), "more epochs or threads"),
    "a loss that is no number": (put("position", "loss", value=float("nan")), "not a sound safetensors file"),
    "no figure to choose by": (put("history", 0, "validation", value={}), "epoch 1 has no 'accuracy'"),
    "settings that make no sense": (put("run", "settings", "epochs", value=0), "epochs must be at least 1"),
    "NaN": (tensor("model/idle", torch.tensor([1.0, float("nan")])), "'model/idle' has numbers that are not finite"),
    "infinity": (tensor("best/idle", torch.tensor([1.0, float("inf")])), "'best/idle' has numbers that are not finite"),
    "negative squares": (
        tensor("optimiser/exp_avg_sq/idle", torch.tensor([1.0, -1.0])),
        "'exp_avg_sq/idle' has negative numbers",
    ),
    "another shape": (tensor("best/idle", torch.ones(3)), "'best/idle' is float32 [3], that of the model float32 [2]"),
    "another type": (tensor("average/idle", torch.ones(2).double()), "'average/idle' is float64 [2]"),
    "a moment less": (tensor("optimiser/exp_avg/idle", None), "lacks the tensor 'optimiser/exp_avg/idle'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_checkpoint_is_refused(tmp_path: Path, sound: bytes, name: str) -> None:
    change, problem = HOSTILE[name]
    changed(sound, tmp_path / "c", change)
    with pytest.raises(BadInput) as caught:
        train(CountingTask(), tmp_path / "c")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "record",
    [
        None,
        "",
        "[]",
        pytest.param('{"version": 1, "run": ' + "[" * 100_000, id="deep"),
        pytest.param('{"version": 1, "x": "' + "y" * (5 << 20) + '"}', id="long"),
    ],
)
def test_a_record_that_is_none_is_refused(tmp_path: Path, record: str | None) -> None:
    write_tensors(tmp_path / "c", {}, None if record is None else {RECORD: record})
    with refusal(BadInput):
        train(CountingTask(), tmp_path / "c")


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(BadInput) as caught:
            train(CountingTask(), path)
        assert (caught.value.place, caught.value.code) == (str(path), "not-a-file")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_bytes_that_changed_are_refused_or_give_sound_weights(
    tmp_path_factory: pytest.TempPathFactory, sound: bytes, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("checkpoints") / "c"
    raw = bytearray(sound)
    # The head is where harm could be done.
    position = data.draw(st.integers(0, 5000) | st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        raw[position] ^= data.draw(st.integers(1, 255))
    else:
        del raw[position:]
    path.write_bytes(raw)
    task = CountingTask()
    try:
        train(task, path)
    except LimnerError:
        return
    assert all(map(is_finite, task.model.state_dict().values()))
