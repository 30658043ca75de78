"""The reference tokeniser where it is available, and what was recorded of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

Reference = Callable[[Sequence[str]], list[str]]
Recorded = dict[str, dict[str, str]]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """The tokens of each line between spaces, by the jar of the pycocoevalcap wheel."""
    wheel = find_spec("pycocoevalcap")
    if wheel is None or not wheel.submodule_search_locations:
        pytest.skip("pycocoevalcap is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java to run the reference tokeniser with")
    jar = Path(wheel.submodule_search_locations[0]) / "tokenizer" / "stanford-corenlp-3.4.1.jar"
    lines_file = tmp_path_factory.mktemp("ptb") / "lines.txt"
    tool = ["java", "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]

    def tokens(lines: Sequence[str]) -> list[str]:
        # Each line is followed by one that says The, which ends every sentence.
        lines_file.write_text("".join(f"{line}\nThe\n" for line in lines), encoding="utf-8")
        done = subprocess.run([*tool, str(lines_file)], capture_output=True, check=True)
        answer = done.stdout.decode().split("\n")[: 2 * len(lines)]
        assert answer[1::2] == ["the"] * len(lines), "the reference lost count of the lines"
        return answer[::2]

    return tokens


@pytest.fixture(scope="session")
def recorded() -> Recorded:
    """Text and its tokens by the reference, under the head of what they show."""
    found: Recorded = {}
    for line in (Path(__file__).parent / "recorded.txt").read_text(encoding="utf-8").splitlines()[2:]:
        if line.startswith("# "):
            rows = found[line[2:]] = {}
        else:
            text, tokens = map(json.loads, line.split("\t"))
            rows[text] = tokens
    return found
