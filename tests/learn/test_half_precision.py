"""Processors that advertise AMX and cannot run it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from limner.learn import half_precision
from limner.learn.half_precision import VARIABLE, WITHOUT_AMX, cap_instructions_if_broken

DIES = f"import os; os.kill(os.getpid(), {int(signal.SIGILL)})"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # What is set within a test is undone behind it.
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    cap_instructions_if_broken.cache_clear()
    yield
    cap_instructions_if_broken.cache_clear()


@pytest.mark.parametrize(
    ("flags", "probe", "expected"),
    [
        ("fpu amx_bf16 amx_tile", DIES, WITHOUT_AMX),
        ("fpu amx_bf16 amx_tile", "pass", None),
        ("fpu amx_bf16 amx_tile", "raise SystemExit(1)", None),
        ("fpu avx512_bf16", DIES, None),
    ],
    ids=["dies", "works", "fails otherwise", "not advertised"],
)
def test_instructions_are_capped_only_where_the_probe_dies(
    flags: str, probe: str, expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text(f"processor : 0\nflags : {flags}\n")
    monkeypatch.setattr(half_precision, "CPU_INFO", info)
    monkeypatch.setattr(half_precision, "_PROBE", probe)
    cap_instructions_if_broken()
    assert os.environ.get(VARIABLE) == expected


def test_what_the_user_has_set_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("flags : amx_bf16\n")
    monkeypatch.setattr(half_precision, "CPU_INFO", info)
    monkeypatch.setattr(half_precision, "_PROBE", DIES)
    monkeypatch.setenv(VARIABLE, "AVX2")
    cap_instructions_if_broken()
    assert os.environ[VARIABLE] == "AVX2"


def test_without_a_list_of_flags_nothing_is_capped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half_precision, "CPU_INFO", tmp_path / "none")
    monkeypatch.setattr(half_precision, "_PROBE", DIES)
    cap_instructions_if_broken()
    assert VARIABLE not in os.environ


def test_the_probe_itself_runs() -> None:
    assert half_precision._probe_exit_code() in (0, -signal.SIGILL)
