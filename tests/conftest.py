"""What every test may use: the real data where it is at hand, and reproducible properties."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import refusals
from limner.learn.half_precision import cap_instructions_if_broken

# There is a worker for each core: more threads would only wait for each other. Read when the libraries are loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

settings.register_profile(
    "limner",
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", settings.get_profile("limner"), max_examples=100)
settings.load_profile("limner")

# A shell's background jobs ignore Ctrl-C, and so would the programs that tests start and stop with it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Libraries make objects by the hundred thousand, and tests little garbage.
gc.set_threshold(20_000, 10, 20)

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Keep all processes of the tests from instructions that would kill them."""
    if not hasattr(config, "workerinput"):
        cap_instructions_if_broken()
    refusals.wording.is_new = config.getoption("--reword")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutations", type=int, default=200, help="broken files to give to each reader")
    parser.addoption("--reword", action="store_true", help="write wording.json anew for the tests that are run")


def pytest_collection_finish() -> None:
    """Keep the garbage collector from what stays until the end."""
    gc.collect()
    gc.freeze()


# The tests that were run, here or by workers.
ran: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that was run."""
    if report.when == "call" and not report.skipped:
        ran.add(report.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker's tests have raised."""
    refusals.raised.update(getattr(node, "workeroutput", {}).get("raised", {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what tests have raised, or write it to its file."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["raised"] = dict(refusals.raised)
    elif refusals.wording.is_new:
        refusals.write_anew(ran)


@pytest.fixture(scope="session")
def mutations(request: pytest.FixtureRequest) -> int:
    """How many broken files each reader is given."""
    return int(request.config.getoption("--mutations"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real datasets beside the repository; tests that need it are skipped without it."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"real data is not at hand ({folder.relative_to(REPOSITORY.parent)} beside the repository)")
    return folder


@pytest.fixture
def intervals_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few images have intervals and tests, for tests of what is done with these."""
    monkeypatch.setattr("limner.score.resampling.FEWEST", 2)
    monkeypatch.setattr("limner.score.resampling.FEWEST_EFFECTIVE", 1)
