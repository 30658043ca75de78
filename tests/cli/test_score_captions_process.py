"""`limner score captions` as a process: pipes, signals, and what is around it, none of which may be as usual."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from conftest import REPOSITORY

REFERENCES = {1: ["A brown dog runs.", "A dog on the sand."], 2: ["A man is riding a horse."], 3: ["Two cats sleep."]}
MINE = {1: "A dog runs.", 2: "A man rides a horse.", 3: "Two cats."}
QUICK = ["--metrics", "bleu,rouge_l,cider", "--samples", "100"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    listed = [(id, text) for id, texts in REFERENCES.items() for text in texts]
    annotations = [{"id": n, "image_id": id, "caption": text} for n, (id, text) in enumerate(listed)]
    (tmp_path / "refs.json").write_text(
        json.dumps({"images": [{"id": id} for id in REFERENCES], "annotations": annotations})
    )
    (tmp_path / "mine.json").write_text(json.dumps([{"image_id": id, "caption": text} for id, text in MINE.items()]))
    return tmp_path


def limner(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "limner", "score", "captions", *map(str, arguments)]


def test_either_side_may_be_a_pipe(folder: Path) -> None:
    usual = subprocess.check_output(limner("mine.json", "--refs", "refs.json", *QUICK, "--json"), cwd=folder)
    for piped, arguments in (("mine.json", ["-", "--refs", "refs.json"]), ("refs.json", ["mine.json", "--refs", "-"])):
        raw = (folder / piped).read_bytes()
        out = subprocess.check_output(limner(*arguments, *QUICK, "--json"), cwd=folder, input=raw)
        assert json.loads(out)["scores"] == json.loads(usual)["scores"]


def test_a_reader_that_has_seen_enough_is_no_failure(folder: Path) -> None:
    running = subprocess.Popen(
        limner("mine.json", "--refs", "-", *QUICK),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout
    running.stdout.close()
    running.stdout = None
    _, said = running.communicate((folder / "refs.json").read_bytes(), timeout=60)
    assert (running.returncode, said) == (0, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_leaves_nothing(folder: Path, number: signal.Signals, code: int) -> None:
    """It waits for the rest of its references when the signal comes."""
    before = sorted(folder.iterdir())
    outputs = ["--per-image", "a.csv", "--save-df", "a.df", "--html", "a.html"]
    running = subprocess.Popen(
        limner("mine.json", "--refs", "coco:-", *QUICK, *outputs),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdin
    # More than a pipe holds: that all of it was taken tells that the run is reading.
    running.stdin.write(b'{"annotations":[' + b" " * (1 << 20))
    running.stdin.flush()
    time.sleep(0.1)
    running.send_signal(number)
    out, said = running.communicate(timeout=60)
    assert running.returncode == code
    assert b"Traceback" not in said
    assert out == b""
    assert sorted(folder.iterdir()) == before


def unprivileged() -> list[str]:
    """What to put before a command so that permissions bind it, whoever runs the tests."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to change that")
    return ["setpriv", "--bounding-set=-all"]


def small_tables(folder: Path) -> Path:
    """Tables of METEOR with hardly a word in them."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "meteor-1.5.jar", "w") as jar:
        jar.writestr("function/english.words", "a\nthe\n")
        jar.writestr("nonbreaking/english.prefixes", "Mr\n")
        jar.writestr("synonym/english.synsets", "dog\n00000001\nhound\n00000001\n")
        jar.writestr("synonym/english.exceptions", "goose\ngeese\n")
    return folder


@pytest.mark.parametrize("cache", ["/proc/nowhere/limner", "", "home"])
def test_an_installation_that_cannot_be_written_to_will_do(folder: Path, cache: str) -> None:
    before = unprivileged()
    installed, work, temporary, home = (folder / name for name in ("installed", "work", "temporary", "home"))
    shutil.copytree(REPOSITORY / "src" / "limner", installed / "limner", ignore=shutil.ignore_patterns("__pycache__"))
    tables = small_tables(folder / "tables")
    for made in (work, temporary, home):
        made.mkdir()
    for name in ("mine.json", "refs.json"):
        shutil.move(folder / name, work)
    locked = [installed, work, home, tables]
    contents = {path: path.stat().st_mtime_ns for one in locked for path in [one, *one.rglob("*")]}
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(installed),
        "HOME": str(home),
        "TMPDIR": str(temporary),
    }
    if cache:
        environment["LIMNER_CACHE"] = str(home / "cache") if cache == "home" else cache
    for path in contents:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        probe = [*before, sys.executable, "-c", "open('probe', 'w')"]
        assert b"PermissionError" in subprocess.run(probe, cwd=work, capture_output=True, check=False).stderr
        done = subprocess.run(
            [
                *before,
                *limner("mine.json", "--refs", "refs.json", "--meteor-tables", tables, "--samples", "10", "--json"),
                *("--metrics", "bleu,rouge_l,cider,meteor,diversity,chair"),
            ],
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        after = {path: path.stat().st_mtime_ns for one in locked for path in [one, *one.rglob("*")]}
    finally:
        for path in contents:
            path.chmod(0o777)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["n_images"] == 3
    assert after == contents
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_but_in_the_cache_and_what_was_asked_for(folder: Path) -> None:
    tables = small_tables(folder / "tables")
    cache, temporary, home, work = (folder / name for name in ("cache", "temporary", "home", "work"))
    for made in (temporary, home, work):
        made.mkdir()
    package = REPOSITORY / "src"
    environment = {**os.environ, "LIMNER_CACHE": str(cache), "TMPDIR": str(temporary), "HOME": str(home)}
    environment.pop("XDG_CACHE_HOME", None)
    before = files_of(package)
    command = limner("../mine.json", "--refs", "../refs.json", "--meteor-tables", tables, "--per-image", "a.csv")
    subprocess.run([*command, "--save-df", "a.df"], cwd=work, env=environment, check=True, capture_output=True)
    assert files_of(package) == before
    assert files_of(work) == {work / "a.csv", work / "a.df"}
    assert files_of(home) == files_of(temporary) == set()
    assert files_of(cache)


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


COMMA_LOCALES = ["de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8"]


@pytest.fixture(scope="module")
def comma_locale(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which C writes 0,5: of the system, or compiled for the test."""
    for name in COMMA_LOCALES:
        if writes_a_comma({"LC_ALL": name}):
            return {"LC_ALL": name}
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef"):
        made = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")]
        subprocess.run(made, capture_output=True, check=False)
        found = {"LC_ALL": "de_DE.UTF-8", "LOCPATH": str(folder)}
        if writes_a_comma(found):
            return found
    pytest.skip("no locale with a decimal comma is installed, and none can be made")


def writes_a_comma(environment: dict[str, str]) -> bool:
    code = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, check=False
    )
    return ran.stdout.strip() == b","


def test_numbers_have_points_where_people_write_commas(folder: Path, comma_locale: dict[str, str]) -> None:
    """The locale is set in the process too: Python alone would leave C's numbers as they are."""
    code = "import locale; locale.setlocale(locale.LC_ALL, ''); from limner.cli import main; main()"
    arguments = ["score", "captions", "mine.json", "--refs", "refs.json", *QUICK, "--per-image", "a.csv"]
    for form in ([], ["--json"], ["--csv"]):
        usual = subprocess.check_output([sys.executable, "-m", "limner", *arguments, *form], cwd=folder)
        rows = (folder / "a.csv").read_bytes()
        other = subprocess.check_output(
            [sys.executable, "-c", code, *arguments, *form], cwd=folder, env={**os.environ, **comma_locale}
        )
        assert other == usual
        assert (folder / "a.csv").read_bytes() == rows
