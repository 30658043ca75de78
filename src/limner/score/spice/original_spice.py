"""SPICE by its original program, if the user has it: a jar, CoreNLP 3.6.0 and its models, and Java.

None of them is part of Limner. The program runs in a temporary folder of its
own, and a failure becomes an error of one line.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from limner.errors import BadInput, LimnerError, one_line
from limner.score.metric import SHARE, Choices, Metric, Statistics, means
from limner.score.run import Run

# The environment variable that names the folder of the program.
FOLDER = "LIMNER_SPICE"

JAR = "spice-1.0.jar"
MODELS = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")
MODELS_REMEDY = "both are in stanford-corenlp-full-2015-12-09.zip of the CoreNLP site"

# Bytes of memory that the program gets if the machine has them: pycocoevalcap gives it as much.
MAX_HEAP = 8 << 30


class OriginalSpice(Metric):
    """SPICE of tokenised captions as the original program computes it.

    `folder` holds spice-1.0.jar, and in `lib` the two jars of CoreNLP
    (default: the one that LIMNER_SPICE names, or that of an installed
    pycocoevalcap). `heap` is the memory the program may take, as Java writes
    it: "8G".
    """

    name: ClassVar[str] = "spice"
    columns: ClassVar[tuple[str, ...]] = ("spice",)

    def __init__(self, folder: Path | None = None, *, java: str = "java", heap: str | None = None) -> None:
        self._folder = _folder(folder)
        self._java = java
        self._heap = heap or f"{min(MAX_HEAP, _memory() * 3 // 4) >> 20}m"
        if not re.fullmatch(r"[1-9]\d*[kKmMgG]", self._heap):
            raise LimnerError(f"invalid heap {heap!r}; give a number and a unit, as in 8G")

    def measure(self, run: Run) -> Statistics:
        """F of each image; NaN if the program gives none."""
        choices: Choices = {"program": JAR.removesuffix(".jar"), "corenlp": "3.6.0", "wordnet": "meteor-1.5"}
        return means([scores["All"]["f"] for scores in self.breakdown(run)], choices, value_range=SHARE)

    def breakdown(self, run: Run) -> list[dict[str, dict[str, float]]]:
        """What the program counts for each image, by category: `pr`, `re`, `f` and their numbers."""
        if not len(run):
            return []
        # A tokeniser may leave white space in a token; the program takes one line for each sentence.
        sentences = [" ".join(" ".join(run.tokens.sentence(s)).split()) for s in range(len(run.tokens))]
        groups = run.groups.tolist()
        given = [
            {"image_id": image, "test": sentences[start], "refs": sentences[start + 1 : end]}
            for image, (start, end) in enumerate(pairwise(groups))
        ]
        return _read(self._run(given), len(given))

    def _run(self, given: list[dict[str, Any]]) -> bytes:
        """The file that the program writes for this input."""
        command = [self._java, *self._options()]
        with tempfile.TemporaryDirectory(prefix="limner-spice-") as name:
            folder = Path(name)
            (folder / "in.json").write_text(json.dumps(given), encoding="ascii")
            # Whatever the program unpacks goes to this folder too, and away with it.
            command += [f"-Djava.io.tmpdir={name}", "-jar", str(self._folder / JAR), str(folder / "in.json")]
            command += ["-out", str(folder / "out.json"), "-subset", "-silent"]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)
            said = (done.stderr + done.stdout).decode("utf-8", "replace")
            if done.returncode or not (folder / "out.json").is_file():
                raise self._explained(done.returncode, said)
            return (folder / "out.json").read_bytes()

    def _options(self) -> list[str]:
        version = _java_version(self._java)
        if version < 8:
            raise LimnerError(f"SPICE needs Java 8 or later, and {self._java} is Java {version}")
        # The program uses reflection on packages that later versions of Java hide.
        opened = [f"--add-opens={package}=ALL-UNNAMED" for package in _REFLECTED] if version >= 9 else []
        return [f"-Xmx{self._heap}", *opened]

    def _explained(self, code: int, said: str) -> LimnerError:
        """The error for the program's exit code and messages."""
        for pattern, problem in _TELLING:
            if re.search(pattern, said):
                return LimnerError(f"SPICE failed: {problem.format(heap=self._heap, lib=self._folder / 'lib')}")
        if code in (-9, 137):
            problem = f"the system ended it, likely for want of memory; give it a smaller heap than {self._heap}"
            return LimnerError(f"SPICE failed: {problem}, or free some memory")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        wrong = next((line for line in lines if "Exception" in line or "Error" in line), lines[0] if lines else "")
        return LimnerError(f"SPICE failed with code {code}: {one_line(wrong, 200) or 'no message'}")


_REFLECTED = (
    *(f"java.base/java.{package}" for package in ("lang", "math", "net", "nio", "text", "util", "util.concurrent")),
    "java.base/sun.nio.ch",
)

_TELLING = (
    (
        "InaccessibleObjectException|illegal reflective access|does not .opens",
        "this Java does not let it look into Java's own classes; use Java 8 or 11, by name or in PATH",
    ),
    ("UnsupportedClassVersionError", "this Java is too old for it; use Java 8 or 11"),
    ("OutOfMemoryError", "{heap} of memory are not enough for it; give it a larger heap"),
    (
        "Could not reserve enough space|Invalid maximum heap size|exceeds the maximum representable size",
        "the machine cannot give it {heap} of memory; give it a smaller heap",
    ),
    (
        "NoClassDefFoundError: edu/stanford|ClassNotFoundException: edu.stanford|edu/stanford/nlp/models",
        f"CoreNLP or its models are not in {{lib}}, or damaged; {MODELS_REMEDY}",
    ),
)


def _folder(named: Path | None) -> Path:
    """The folder of the program, with everything it needs."""
    folder = named or (Path(os.environ[FOLDER]) if os.environ.get(FOLDER) else _installed())
    if folder is None:
        raise LimnerError(
            f"spice runs the original program, which is not installed; name its folder in {FOLDER}, or ask for spice*"
        )
    if folder.name == JAR:
        folder = folder.parent
    if not (folder / JAR).is_file():
        raise BadInput(str(folder), f"there is no {JAR} in it", "name the folder of SPICE, or ask for spice*")
    missing = [name for name in MODELS if not (folder / "lib" / name).is_file()]
    if missing:
        problem = f"SPICE needs {' and '.join(missing)} there"
        raise BadInput(str(folder / "lib"), problem, f"{MODELS_REMEDY}; or ask for spice*")
    return folder.absolute()


def _installed() -> Path | None:
    spec = find_spec("pycocoevalcap")
    folders = [Path(folder) / "spice" for folder in (spec and spec.submodule_search_locations) or ()]
    return next((folder for folder in folders if (folder / JAR).is_file()), None)


def _java_version(java: str) -> int:
    """The number by which people call it: 8 for 1.8.0_312, 17 for 17.0.2."""
    program = shutil.which(java)
    if program is None:
        raise LimnerError(f"SPICE needs Java, and there is no {java!r}; install it, or ask for spice*")
    done = subprocess.run([program, "-version"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    said = (done.stderr + done.stdout).decode("utf-8", "replace")
    match = re.search(r'version "(\d+)(?:\.(\d+))?', said)
    if match is None:
        raise LimnerError(f"{java} does not say which Java it is: {one_line(said.strip(), 100) or 'no message'}")
    first, second = match.groups()
    return int(second) if first == "1" and second else int(first)


def _memory() -> int:
    """Bytes of memory that the machine has; enough if the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2 * MAX_HEAP


def _read(written: bytes, n: int) -> list[dict[str, dict[str, float]]]:
    """The scores of each image, from the output of the program."""
    try:
        items = json.loads(written)
        scores_by_image = {int(item["image_id"]): _scores(item["scores"]) for item in items}
        return [scores_by_image[image] for image in range(n)]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise LimnerError(
            f"the output of SPICE cannot be read ({type(error).__name__}: {one_line(str(error), 80)})"
        ) from error


def _scores(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    scores = {category: {name: _number(value) for name, value in values.items()} for category, values in given.items()}
    if "f" not in scores["All"]:
        raise KeyError("f")
    return scores


def _number(value: object) -> float:
    return math.nan if value is None else float(str(value))
