"""Processes that train together: two end with the weights of one, and go on after a kill."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from conftest import REPOSITORY
from limner.errors import BadInput
from limner.learn.torch.processes import Processes, join_processes, processes_of_environment, training_device
from limner.learn.torch.safe_tensors import read_tensors
from process_pairs import HAS_LOOPBACK, torchrun
from refusals import refusal
from small_training import CountingTask, train

PROGRAM = REPOSITORY / "tests" / "small_training.py"


def train_in_two(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return torchrun(PROGRAM, folder / "checkpoint", folder / "weights", "--dropout=0", *options)


@pytest.mark.skipif(not HAS_LOOPBACK, reason="loopback has another name elsewhere")
def test_two_processes_end_with_the_weights_of_one_even_after_a_kill(tmp_path: Path) -> None:
    whole = CountingTask(dropout=0.0)
    train(whole, tmp_path / "whole")
    assert train_in_two(tmp_path, "--kill-at=11").returncode != 0
    assert (tmp_path / "checkpoint").exists()
    done = train_in_two(tmp_path, "--leave")
    assert done.returncode == 0, done.stderr
    two = read_tensors(tmp_path / "weights")
    assert two.keys() == whole.model.state_dict().keys()
    for name, tensor in whole.model.state_dict().items():
        assert torch.allclose(two[name], tensor, atol=1e-5), name
    # One process rounds sums in another way than two, and so cannot go on where they ended.
    with refusal(BadInput):
        train(CountingTask(dropout=0.0), tmp_path / "checkpoint")


@pytest.mark.slow
@pytest.mark.skipif(not HAS_LOOPBACK, reason="loopback has another name elsewhere")
def test_two_processes_that_were_killed_end_with_the_same_bytes(tmp_path: Path) -> None:
    for name in ("plain", "killed"):
        (tmp_path / name).mkdir()
    assert train_in_two(tmp_path / "killed", "--kill-at=11").returncode != 0
    for name in ("plain", "killed"):
        done = train_in_two(tmp_path / name)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "killed" / "weights").read_bytes() == (tmp_path / "plain" / "weights").read_bytes()


def test_without_torchrun_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert join_processes() == Processes(0, 1, 0, 1)
    assert join_processes().is_first
    alone = join_processes()
    tensor = torch.tensor([1.0, 2.0])
    alone.sum_in_place(tensor)
    alone.copy_from_first([tensor])
    assert tensor.tolist() == [1, 2]
    assert alone.figures_of_first({"cider": 0.5}) == {"cider": 0.5}


def test_the_environment_of_torchrun_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    assert processes_of_environment() == Processes(3, 4, 1, 2)
    assert not processes_of_environment().is_first
    monkeypatch.setenv("RANK", "first")
    with refusal(BadInput):
        processes_of_environment()


def test_the_device_is_an_accelerator_where_there_is_one() -> None:
    assert (training_device().type == "cpu") == (not torch.accelerator.is_available())
