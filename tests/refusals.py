"""Errors that tests expect: what they say stands in one file, `wording.json`.

    with refusal(BadInput):
        open_corpus("nowhere.jsonl")

passes if the error is of this class and is what the file has for this test:
code, place and words. `pytest --reword` writes the file anew; read what
changed in it before it is committed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

FILE = Path(__file__).with_name("wording.json")

# The version of Python that the file is of. Python's own words, which messages quote in parentheses, differ in others.
PYTHON = (3, 11)

E = TypeVar("E", bound=BaseException)

# By test, the errors that it expects, in their order; and those that were raised in this process.
Errors = dict[str, list[str]]
raised: Errors = defaultdict(list)

# The temporary folder of a test, of all workers and runs. Quoted paths may be cut short, which depends on their length.
_TEMPORARY_FOLDER = re.escape(str(Path(tempfile.gettempdir()).resolve()))
_QUOTED = re.compile(rf"'{_TEMPORARY_FOLDER}/pytest-of-[^'…]*['…]")
_TEMPORARY = re.compile(rf"{_TEMPORARY_FOLDER}/pytest-of-[^/]+/pytest-\d+(/popen-\w+)?(/[\w-]*\d+)?")
# Other folders that are elsewhere on other machines.
_FOLDERS = {str(FILE.resolve().parents[1]): "REPOSITORY", str(FILE.resolve().parents[2] / "shared"): "SHARED"}


class Wording:
    """The file of errors: what it has, and whether it is being written anew."""

    def __init__(self) -> None:
        self.is_new = False
        self.expected: Errors = read() if FILE.exists() else {}

    def check(self, error: BaseException) -> None:
        test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
        raised[test].append(described(error))
        number = len(raised[test])
        if not self.is_new:
            expected = self.expected.get(test, [])[number - 1 : number]
            said = raised[test][number - 1 :]
            assert list(map(own_words, said)) == list(map(own_words, expected)), (
                f"if this is right: pytest --reword {test.split('::')[0]}"
            )


@contextmanager
def refusal(kind: type[E]) -> Iterator[pytest.ExceptionInfo[E]]:
    """Expects an error of this class that is as `wording.json` has it for this test."""
    with pytest.raises(kind) as caught:
        yield caught
    wording.check(caught.value)


def described(error: BaseException) -> str:
    """An error's class, code and message, without the folders of this run."""
    code = getattr(error, "code", "")
    message = _TEMPORARY.sub("TMP", _QUOTED.sub("'TMP'", str(error)))
    for folder, name in _FOLDERS.items():
        message = message.replace(folder, name)
    return f"{type(error).__name__}{f' ({code})' if code else ''}: {message}".encode(errors="backslashreplace").decode()


def own_words(message: str, *, is_alike: bool = sys.version_info[:2] == PYTHON) -> str:
    """A message without what it quotes in parentheses, unless Python is of the version that the file is of."""
    return message if is_alike else re.sub(r" \([^)]* .*\)", " (…)", message)


def read() -> Errors:
    by_file = json.loads(FILE.read_text(encoding="utf8"))
    return {f"{file}::{test}": errors for file, tests in by_file.items() for test, errors in tests.items()}


def write_anew(ran: set[str]) -> None:
    """Write the file: what was raised in this run, and what it has of tests of which no case ran."""
    functions = {test.partition("[")[0] for test in ran}
    kept = {test: errors for test, errors in wording.expected.items() if test.partition("[")[0] not in functions}
    by_file: defaultdict[str, Errors] = defaultdict(dict)
    for name, errors in (kept | raised).items():
        file, _, test = name.partition("::")
        if (FILE.parents[1] / file).exists():
            by_file[file][test] = errors
    FILE.write_text(json.dumps(by_file, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf8")


wording = Wording()
