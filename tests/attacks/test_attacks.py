"""A few of the attacks of `make attack`: nothing hangs, fails otherwise than in one line, or takes a gigabyte."""

from __future__ import annotations

from attacks.campaign import FAMILIES, campaign

# Quick ones, of each kind that there is.
TRAPS = [
    *["a zstd of newlines", "a gzip of one JSON text", "a zip with a member twice", "a pipe in a folder"],
    *["a link to itself", "a picture of 15,000 scans", "a deep JSON", "'=www.' again and again"],
    *["a grounder of no type", "a retriever that names a pipe", "an index that is a zip", "an index with a pipe"],
    *["vectors in a pipe", "vectors with a long id"],
]


def test_no_command_fails_otherwise_than_in_one_line() -> None:
    # All kinds at once, in one process: files take longer to make than to break, and commands to import than to fail.
    harm: list[str] = []
    broken, odd, hostile = campaign(list(FAMILIES), tries=24, seed=1, traps=TRAPS, workers=1, show=harm.append)
    assert not harm
    for report in (broken, odd):
        assert report.refused > report.tries / 4, "attacks that nothing refuses test nothing"
    assert hostile.tries == len(TRAPS)
