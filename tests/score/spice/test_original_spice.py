"""SPICE by its original program: what it is given, what is read, and what is said where it fails.

The program's models are not to be had here, so a script stands in for Java.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from limner.errors import LimnerError
from limner.score.metric import Metric
from limner.score.pycocoevalcap import Spice
from limner.score.run import Run
from limner.score.spice import original_spice as module
from limner.score.spice.original_spice import FOLDER, JAR, MODELS, OriginalSpice
from refusals import refusal

RUN = Run(["a", "b"], ["a dog", "two cats"], [["a dog runs", "dogs"], ["a cat"]])

# Writes down how it was called and, as its scores, the number of each image's references.
PROGRAM = """#!{python}
import json, sys, os
if "-version" in sys.argv:
    print('openjdk version "{version}" 2021-10-19', file=sys.stderr)
    sys.exit(0)
{body}
given = json.load(open(sys.argv[sys.argv.index("-jar") + 2]))
json.dump({{"args": sys.argv[1:], "cwd": os.getcwd(), "given": given}}, open({log!r}, "w"))
scores = [
    {{"image_id": one["image_id"], "scores": {{
        "All": {{"pr": 0.5, "re": 0.25, "f": len(one["refs"]) / 4, "tp": 1.0}},
        "Color": {{"pr": None, "re": "NaN", "f": None}},
    }}}}
    for one in reversed(given)
]
json.dump(scores, open(sys.argv[sys.argv.index("-out") + 1], "w"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with all that the program consists of, by name."""
    place = tmp_path / "spice"
    (place / "lib").mkdir(parents=True)
    for path in (place / JAR, *(place / "lib" / name for name in MODELS)):
        path.write_bytes(b"")
    return place


@pytest.fixture
def java(tmp_path: Path) -> FakeJava:
    return FakeJava(tmp_path)


class FakeJava:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "java"
        self.log = folder / "log.json"
        self.write()

    def write(self, body: str = "", version: str = "17.0.1") -> None:
        python = shutil.which("python3")
        text = PROGRAM.format(python=python, body=body, version=version, log=str(self.log))
        self.path.write_text(text)
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def called(self) -> dict[str, object]:
        return json.loads(self.log.read_text())

    def metric(self, folder: Path) -> OriginalSpice:
        return OriginalSpice(folder, java=str(self.path), heap="1G")


def test_it_keeps_the_protocol_and_scores_are_those_of_their_image(folder: Path, java: FakeJava) -> None:
    metric: Metric = java.metric(folder)
    found = metric.measure(RUN)
    assert (metric.name, metric.columns) == ("spice", ("spice",))
    assert found.per_image.tolist() == [[0.5], [0.25]]
    assert found.choices["program"] == "spice-1.0"


def test_the_program_gets_tokens_in_a_temporary_folder_that_goes(
    folder: Path, java: FakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    before = sorted(folder.rglob("*"))
    java.metric(folder).measure(Run(["a"], ["A dog\nruns"], [["DOGS"]], lambda texts: [one.lower() for one in texts]))
    called = java.called()
    assert called["given"] == [{"image_id": 0, "test": "a dog runs", "refs": ["dogs"]}]
    assert str(called["cwd"]).startswith(str(tmp_path / "temporary"))
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("version", "is_opened"), [("1.8.0_312", False), ("11.0.2", True), ("17", True)])
def test_a_java_that_hides_its_classes_is_told_to_open_them(
    folder: Path, java: FakeJava, version: str, is_opened: bool
) -> None:
    java.write(version=version)
    java.metric(folder).measure(RUN)
    arguments = java.called()["args"]
    assert isinstance(arguments, list)
    assert ("--add-opens=java.base/java.lang=ALL-UNNAMED" in arguments) == is_opened
    assert "-Xmx1G" in arguments


FAILURES = {
    "use Java 8 or 11": (
        'print("Caused by: java.lang.reflect.InaccessibleObjectException: Unable to make field private final byte[] '
        'java.lang.String.value accessible: module java.base does not \\"opens java.lang\\"", file=sys.stderr)\n'
        "sys.exit(1)"
    ),
    "too old": 'print("java.lang.UnsupportedClassVersionError: version 52.0", file=sys.stderr); sys.exit(1)',
    "larger heap": 'print("java.lang.OutOfMemoryError: Java heap space", file=sys.stderr); sys.exit(1)',
    "smaller heap than 1G": "os.kill(os.getpid(), 9)",
    "cannot give it 1G": 'print("Error: Could not reserve enough space for object heap"); sys.exit(1)',
    "CoreNLP or its models": (
        'print("java.lang.NoClassDefFoundError: edu/stanford/nlp/semgraph/semgrex/SemgrexPattern", file=sys.stderr)\n'
        "sys.exit(1)"
    ),
    "failed with code 3: java.lang.IllegalStateException: why": (
        'print("warming up\\nException in thread: java.lang.IllegalStateException: why"[11:].replace('
        '"Exception in thread: ", ""), file=sys.stderr); sys.exit(3)'
    ),
    "failed with code 4: no message": "sys.exit(4)",
    "failed with code 0": "sys.exit(0)",
    "output of SPICE cannot be read": 'open(sys.argv[sys.argv.index("-out") + 1], "w").write("[{"); sys.exit(0)',
}


@pytest.mark.parametrize("said", FAILURES)
def test_a_failure_is_explained_in_one_line(folder: Path, java: FakeJava, said: str) -> None:
    java.write(FAILURES[said])
    with refusal(LimnerError) as error:
        java.metric(folder).measure(RUN)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "written",
    [
        "[]",
        "{}",
        "7",
        '[{"image_id": 0}]',
        '[{"image_id": 0, "scores": {"Color": {}}}]',
        '[{"image_id": "x"}]',
        "\\x00",
    ],
)
def test_scores_that_are_not_there_are_an_error(folder: Path, java: FakeJava, written: str) -> None:
    java.write(f'open(sys.argv[sys.argv.index("-out") + 1], "w").write({written!r}); sys.exit(0)')
    with refusal(LimnerError):
        java.metric(folder).measure(RUN)


def test_an_old_java_is_refused_before_it_runs(folder: Path, java: FakeJava) -> None:
    java.write(version="1.7.0_80")
    with refusal(LimnerError):
        java.metric(folder).measure(RUN)


def test_something_else_called_java_is_told(folder: Path, java: FakeJava) -> None:
    java.write(version='"')
    with refusal(LimnerError):
        java.metric(folder).measure(RUN)


def test_without_java_the_error_says_so(folder: Path) -> None:
    with refusal(LimnerError):
        OriginalSpice(folder, java="no-such-java").measure(RUN)


def test_the_folder_is_named_by_the_environment(folder: Path, java: FakeJava, monkeypatch: pytest.MonkeyPatch) -> None:
    for named in (folder, folder / JAR):
        monkeypatch.setenv(FOLDER, str(named))
        assert OriginalSpice(java=str(java.path), heap="1G").measure(RUN).value() == [0.375]


def test_what_is_missing_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "lib" / MODELS[1]).unlink()
    with refusal(LimnerError):
        OriginalSpice(folder)
    (folder / JAR).unlink()
    with refusal(LimnerError):
        OriginalSpice(folder)
    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with refusal(LimnerError):
        OriginalSpice()


def test_the_heap_is_checked_and_fits_the_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refusal(LimnerError):
        OriginalSpice(folder, heap="lots")
    monkeypatch.setattr(module, "_memory", lambda: 4 << 30)
    assert OriginalSpice(folder)._heap == "3072m"
    monkeypatch.setattr(module, "_memory", lambda: 64 << 30)
    assert OriginalSpice(folder)._heap == "8192m"


def test_no_images_run_no_program(folder: Path) -> None:
    assert OriginalSpice(folder, java="no-such-java").breakdown(Run([], [], [])) == []


def test_pycocoevalcaps_callers_may_ask_for_it(folder: Path, java: FakeJava) -> None:
    spice = Spice(original=folder, java=str(java.path), heap="1G")
    mean, scores = spice.compute_score({2: ["a cat"], 1: ["a dog runs", "dogs"]}, {1: ["a dog"], 2: ["two cats"]})
    assert spice.method() == "SPICE"
    assert mean == 0.375
    assert scores[0]["All"] == {"pr": 0.5, "re": 0.25, "f": 0.5, "tp": 1.0}


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")
def test_the_real_program_without_its_models_is_explained(tmp_path: Path) -> None:
    """The wheel's jar and Java itself, with empty files in place of CoreNLP."""
    package = pytest.importorskip("pycocoevalcap", reason="the program is inside pycocoevalcap")
    installed = Path(next(iter(package.__path__))) / "spice"
    shutil.copytree(installed / "lib", tmp_path / "lib")
    shutil.copy(installed / JAR, tmp_path)
    for name in MODELS:
        if not (tmp_path / "lib" / name).is_file():
            (tmp_path / "lib" / name).write_bytes(b"")
    if os.path.getsize(tmp_path / "lib" / MODELS[1]):
        pytest.skip("the models are there")
    with refusal(LimnerError):
        OriginalSpice(tmp_path, heap="256m").measure(RUN)
