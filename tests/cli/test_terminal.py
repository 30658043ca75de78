"""The line of progress on a terminal, and remedies as a command line words them."""

from __future__ import annotations

import io
from types import SimpleNamespace

import click
import pytest

from limner.cli import remedies, terminal
from limner.cli.remedies import REMEDIES, worded
from limner.errors import BadInput, LimnerError


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    written = Screen()
    # Not sys.stderr itself, which pytest replaces again before the test is called.
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=written))
    monkeypatch.setattr(terminal, "SECONDS_BETWEEN_UPDATES", 0.0)
    return written


def test_a_terminal_sees_what_is_counted_and_how_much_there_is(screen: Screen) -> None:
    assert list(terminal.progress("abcd", "letters", 4)) == list("abcd")
    assert "letters …" in screen.getvalue()
    assert "2 of 4 (50%) letters" in screen.getvalue()


@pytest.mark.parametrize(
    ("done", "total", "seconds", "said"),
    [
        (2, 4, 1.0, "2 of 4 (50%) letters, 2.0/s, 0:01 left"),
        (100, 1_000, 2.0, "100 of 1,000 (10%) letters, 50/s, 0:18 left"),
        (10, 10_000, 10.0, "10 of 10,000 (0%) letters, 1.0/s, 2:46:30 left"),
        (4, 4, 1.0, "4 of 4 (100%) letters, 4.0/s"),
        (4, None, 1.0, "4 letters, 4.0/s"),
        (4, 4, 0.0, "4 of 4 (100%) letters"),
    ],
)
def test_the_line_tells_the_rate_and_what_is_left(done: int, total: int | None, seconds: float, said: str) -> None:
    line = terminal.TerminalProgress()
    line._what = "letters"
    assert line._line(done, total, seconds) == said


def test_a_remark_may_change_without_a_new_clock(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 110.0, 120.0, 130.0, 140.0])
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: next(times)))
    line = terminal.TerminalProgress()
    # Resumed after 50 steps, which took none of the time that is counted here.
    for done, what in [
        (50, "steps (loss 3)"),
        (60, "steps (loss 2)"),
        (70, "steps (loss 1)"),
        (0, "pages"),
        (5, "pages"),
    ]:
        line(what, done, 100)
    assert screen.getvalue().split("\r")[1:] == [
        "50 of 100 (50%) steps (loss 3)\x1b[K",
        "60 of 100 (60%) steps (loss 2), 1.0/s, 0:40 left\x1b[K",
        "70 of 100 (70%) steps (loss 1), 1.0/s, 0:30 left\x1b[K",
        "pages …\x1b[K",
        "5 of 100 (5%) pages, 0.5/s, 3:10 left\x1b[K",
    ]


def test_the_line_is_taken_away_at_the_end(screen: Screen) -> None:
    list(terminal.progress("ab", "letters"))
    assert screen.getvalue().endswith("\r\x1b[K")


def test_nothing_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    list(terminal.progress("ab", "letters", 2))
    assert capsys.readouterr().err == ""


def test_a_code_brings_the_remedy_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(remedies.REMEDIES, "too-many", "pass --at-most {limit}")
    assert worded(BadInput("a.json", "too many", "ask for fewer", code="too-many", limit=3)) == (
        "a.json: too many; pass --at-most 3"
    )
    assert worded(LimnerError("too many", code="too-many", limit=3)) == "too many; pass --at-most 3"


FAULTY = BadInput("a.json", "it is faulty", "correct it, or leave it out by reading leniently", code="faulty")
SECOND = BadInput("a.json", "image 'a' has two captions", "keep one of them", code="second-caption")


@pytest.mark.parametrize(
    ("error", "given", "said"),
    [
        (FAULTY, ["info", "a.json"], "a.json: it is faulty; correct it, or pass --lenient to leave it out"),
        (FAULTY, ["info", "a.json", "--lenient"], "a.json: it is faulty; correct it"),
        (SECOND, [], "…; keep one of them, or give each its own source, or pass --duplicate first"),
        (
            SECOND,
            ["--extra", "skip"],
            "…; keep one of them, or give each its own source, or pass --duplicate first",
        ),
        (SECOND, ["--duplicate", "first"], "…; keep one of them, or give each its own source"),
        (SECOND, ["--duplicate=first"], "…; keep one of them, or give each its own source"),
        (LimnerError("boxes are tied", code="has-mentions"), ["--force"], "boxes are tied"),
    ],
)
def test_no_option_is_advised_that_was_given(error: LimnerError, given: list[str], said: str) -> None:
    assert worded(error, given) == said.replace("…", "a.json: image 'a' has two captions")


def test_no_option_is_advised_that_the_command_does_not_have() -> None:
    assert worded(SECOND, [], {"--lenient"}).endswith("; keep one of them, or give each its own source")
    assert worded(SECOND, [], {"--duplicate"}).endswith(", or pass --duplicate first")


def test_without_a_code_the_library_has_the_last_word() -> None:
    assert worded(BadInput("a.json", "too many", "ask for fewer")) == "a.json: too many; ask for fewer"


@pytest.mark.parametrize("code", REMEDIES)
def test_a_remedy_is_a_phrase_that_follows_a_semicolon(code: str) -> None:
    assert REMEDIES[code].lstrip("`{")[0].islower()
    assert not REMEDIES[code].endswith(".")


def test_what_was_typed_wrong_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    # Whole escape sequences are left out by click.
    terminal.show_usage(click.UsageError("unexpected argument (\x1b[2J\x1b\x9b\udcff)"))
    assert capfd.readouterr().err.rstrip() == r"Error: unexpected argument (\x1b\x9b\udcff)"
