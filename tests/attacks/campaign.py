"""Many attacks, several at a time, and what came of them."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path

from attacks.array_mutations import break_file
from attacks.hostile_files import TRAPS
from attacks.odd_arguments import odd_arguments
from attacks.sound_files import Target, make_sound_files
from attacks.victim import Outcome, attack, load_commands

# Megabytes that no command may take on a hostile file.
MEMORY = 1000


@dataclass
class Report:
    """What came of one kind of attack."""

    family: str
    tries: int = 0
    refused: int = 0
    tracebacks: int = 0
    wordy: int = 0
    hung: int = 0
    leftovers: int = 0
    megabytes: float = 0.0
    seconds: float = 0.0

    def add(self, outcome: Outcome) -> None:
        self.tries += 1
        self.refused += outcome.code in (1, 2)
        self.tracebacks += outcome.is_traceback
        self.wordy += outcome.is_wordy
        self.hung += outcome.has_hung
        self.leftovers += bool(outcome.leftovers)
        self.megabytes = max(self.megabytes, outcome.megabytes)
        self.seconds = max(self.seconds, outcome.seconds)

    @property
    def is_bad(self) -> bool:
        return bool(self.tracebacks or self.wordy or self.hung or self.leftovers or self.megabytes >= MEMORY)

    def row(self) -> str:
        counts = (
            f"{self.tries:8,}{self.refused:9,}{self.tracebacks:12,}{self.wordy:7,}{self.hung:6,}{self.leftovers:6,}"
        )
        return f"{self.family:24}{counts}{self.megabytes:7,.0f}{self.seconds:8.1f}s"


class Battlefield:
    """A folder of sound files that each try gets a copy of."""

    def __init__(self, folder: Path, traps: Sequence[str] = tuple(TRAPS)) -> None:
        self.folder, self.traps = folder, traps
        self.sound = folder / "sound"
        self.sound.mkdir()
        self.targets: list[Target] = make_sound_files(self.sound)

    def broken_file(self, number: int, seed: int) -> Outcome:
        """One of the files that a command reads is broken at random."""
        rng = random.Random(f"{seed}:broken:{number}")
        target = rng.choice(self.targets)
        arguments = target.arguments(rng)
        with self._copy(number) as folder:
            paths = [folder / source.rpartition(":")[2] for source in target.sources]
            files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*")))
            file = rng.choice([file for file in files if file.is_file() and file.stat().st_size])
            break_file(file, rng)
            return attack(arguments, folder)

    def odd_argument(self, number: int, seed: int) -> Outcome:
        """A command gets arguments of any kind."""
        with self._copy(number) as folder:
            return attack(odd_arguments(random.Random(f"{seed}:odd:{number}")), folder)

    def hostile_file(self, number: int, seed: int) -> Outcome:
        """A file that was made to hurt."""
        with self._copy(number, shutil.copy2) as folder:
            return attack(TRAPS[self.traps[number]](folder), folder)

    def digest(self) -> str:
        """Of all sound files, which no try may change."""
        files = sorted(file for file in self.sound.rglob("*") if file.is_file())
        return blake2b(b"".join(blake2b(file.read_bytes()).digest() for file in files)).hexdigest()

    def _copy(self, number: int, copy: Callable[[str, str], object] = os.link) -> _Copy:
        return _Copy(self.sound, self.folder / f"try-{os.getpid()}-{number}", copy)


class _Copy:
    """A folder that is there while it is used.

    Linked, its files are the sound ones themselves, under other names: a command that changed one in place, instead of
    replacing it, would be noticed at the end (`Battlefield.digest`).
    """

    def __init__(self, sound: Path, folder: Path, copy: Callable[[str, str], object]) -> None:
        self._sound, self._folder, self._file_copy = sound, folder, copy

    def __enter__(self) -> Path:
        shutil.copytree(self._sound, self._folder, copy_function=self._file_copy)
        return self._folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.with_suffix(".stderr").unlink(missing_ok=True)


FAMILIES: dict[str, Callable[[Battlefield, int, int], Outcome]] = {
    "broken files": Battlefield.broken_file,
    "odd arguments": Battlefield.odd_argument,
    "hostile files": Battlefield.hostile_file,
}


def campaign(
    families: Sequence[str],
    *,
    tries: int,
    seed: int = 0,
    traps: Sequence[str] = tuple(TRAPS),
    workers: int | None = None,
    show: Callable[[str], object] = lambda line: None,
) -> list[Report]:
    """Run so many attacks of these families in parallel processes; `show` is given a line for every one that did harm.

    Of hostile files there are the `traps` that are named, whatever the number of tries.
    """
    reports = []
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        battlefield = Battlefield(Path(temporary), traps)
        digest = battlefield.digest()
        # Workers begin anew: what this process has in memory would be counted as theirs.
        pool = ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn"), initializer=load_commands)
        stack.enter_context(pool)
        for family in families:
            n_tries = len(traps) if family == "hostile files" else tries
            report = Report(family)
            for number, outcome in enumerate(_outcomes(pool, battlefield, family, n_tries, seed)):
                report.add(outcome)
                for line in _harm(outcome):
                    show(f"{family} {number}: {line}")
            if battlefield.digest() != digest:
                show(f"{family}: a file that a command only reads was changed")
                report.leftovers += 1
            reports.append(report)
    return reports


def _outcomes(
    workers: ProcessPoolExecutor, battlefield: Battlefield, family: str, tries: int, seed: int
) -> Iterator[Outcome]:
    """What came of each try, in order, whichever worker had it."""
    # Hostile files take seconds each, others much less than the exchange between processes.
    chunksize = 1 if family == "hostile files" else 16
    yield from workers.map(partial(_try, battlefield, family, seed), range(tries), chunksize=chunksize)


def _try(battlefield: Battlefield, family: str, seed: int, number: int) -> Outcome:
    return FAMILIES[family](battlefield, number, seed)


def _harm(outcome: Outcome) -> Iterator[str]:
    command = shlex.join(word if len(word) < 60 else f"{word[:60]}…" for word in outcome.arguments)
    last = (outcome.messages.strip().splitlines() or [""])[-1][:200]
    if outcome.is_traceback or outcome.is_wordy:
        yield f"exit {outcome.code}: limner {command}\n    {last}"
    if outcome.has_hung:
        yield f"hung: limner {command}"
    if outcome.leftovers:
        yield f"left {', '.join(outcome.leftovers)}: limner {command}"
    if outcome.megabytes >= MEMORY:
        yield f"took {outcome.megabytes:,.0f} MB: limner {command}\n    {last}"
