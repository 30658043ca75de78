"""A few of the attacks of `make attack`: nothing hangs, fails otherwise than in one line, or takes a gigabyte."""

from __future__ import annotations

import pytest

from attacks.campaign import campaign

# Quick ones, of each kind that there is.
TRAPS = [
    *["a zstd of newlines", "a gzip of one JSON text", "a zip with a member twice", "a pipe in a folder"],
    *["a link to itself", "a deep JSON", "'=www.' again and again"],
]


@pytest.mark.parametrize("family", ["broken files", "odd arguments"])
def test_no_command_fails_otherwise_than_in_one_line(family: str) -> None:
    harm: list[str] = []
    (report,) = campaign([family], tries=40, seed=1, show=harm.append)
    assert not harm
    assert report.refused > report.tries / 4, "attacks that nothing refuses test nothing"


def test_files_that_were_made_to_hurt_are_refused() -> None:
    harm: list[str] = []
    (report,) = campaign(["hostile files"], tries=len(TRAPS), traps=TRAPS, show=harm.append)
    assert not harm
    assert report.tries == len(TRAPS)
