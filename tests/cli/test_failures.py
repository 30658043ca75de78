"""Every failure is one line on standard error that names what is at fault, and standard output is the answer alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from limner.corpus import write_corpus
from limner.playground import playground

LIMNER = [sys.executable, "-m", "limner"]
IMAGE = '{"limner":2,"id":"a","captions":[{"id":"0","text":"a dog runs"}]}\n'
ANNOTATION = "<annotation><filename>1.jpg</filename><size><width>9</width><height>9</height></size></annotation>"
RESULT = '{"limner":2,"id":"a","captions":[{"id":"0","text":"a dog","source":"system:x"}]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text(IMAGE)
    (tmp_path / "results.jsonl").write_text(RESULT)
    return tmp_path


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which `limner` is this Limner."""
    limner = f'limner() {{ "{sys.executable}" -m limner "$@"; }}\n'
    return subprocess.run(["bash", "-c", limner + line], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("limner schema > /dev/full", "standard output: cannot write (no space left on device); free some space"),
        ("limner --help > /dev/full", "standard output: cannot write (no space left on device); free some space"),
        ("limner convert a.jsonl - > /dev/full", "standard output: cannot write (no space left on device)"),
        ("limner schema >&-", "standard output: cannot write (bad file descriptor)"),
        ("limner convert - b.jsonl <&-", "standard input: there is nothing in it"),
        ("limner info $(printf 'x%.0s' {1..5000})", "…: file name too long; check the path"),
        ("limner convert a.jsonl $(printf 'x%.0s' {1..5000}).jsonl", "…: file name too long; check the path"),
        ("mkdir gone; cd gone; rmdir ../gone; limner convert ../a.jsonl b.jsonl", "no such file or"),
        ("limner convert a.jsonl no/b.jsonl", "no/b.jsonl: cannot write (no such file or directory)"),
        ("limner show a.jsonl -o no/b.html", "no/b.html: cannot write (no such file or directory)"),
    ],
)
def test_a_failure_is_one_line(folder: Path, line: str, said: str) -> None:
    done = shell(line, folder)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("limner: ")
    assert said in done.stderr
    assert sorted(os.listdir(folder)) == ["a.jsonl", "results.jsonl"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", "2> /dev/full", "<&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_not_needed_may_be_missing(folder: Path, closed: str) -> None:
    assert shell(f"limner convert a.jsonl b.jsonl {closed}", folder).returncode == 0
    assert (folder / "b.jsonl").read_text() == IMAGE
    assert shell(f"limner convert {closed}", folder).returncode == 2


def _without_rights() -> list[str]:
    """What comes before a command so that permissions hold for it, also if the tests are run by root."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may read everything")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]


def _denied(folder: Path, *arguments: str) -> str:
    command = [*_without_rights(), *LIMNER, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_folder_that_cannot_be_searched_is_named(folder: Path) -> None:
    (folder / "closed").mkdir(0)
    assert "closed/a.jsonl: permission denied" in _denied(folder, "info", "closed/a.jsonl")
    assert "closed/b.jsonl: permission denied" in _denied(folder, "convert", "a.jsonl", "closed/b.jsonl")
    assert "closed/b: permission denied" in _denied(folder, "convert", "a.jsonl", "closed/b", "--to", "tsv")


def test_a_source_that_cannot_be_read_is_named_and_not_the_output(folder: Path) -> None:
    (folder / "gold" / "Annotations").mkdir(parents=True)
    (folder / "gold" / "Sentences").mkdir()
    (folder / "gold" / "Annotations" / "1.xml").write_text(ANNOTATION)
    (folder / "gold" / "Sentences" / "1.txt").write_text("A dog .\n")
    (folder / "gold" / "Sentences" / "1.txt").chmod(0)
    assert _denied(folder, "convert", "gold", "out.jsonl").startswith("limner: gold/Sentences/1.txt: cannot read")
    (folder / "gold" / "Sentences").chmod(0)
    for target in ("out.jsonl", "tsv:out"):
        said = _denied(folder, "convert", "flickr30k-entities:gold", target)
        assert said.startswith("limner: gold")
        assert "permission denied" in said
    assert not list(folder.glob("out*"))


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"], ["convert", "a.jsonl", "-"]])
def test_a_reader_that_has_gone_is_no_failure(folder: Path, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        command = [sys.executable, "-m", "limner", *arguments]
        done = subprocess.run(command, cwd=folder, stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


CUT_SHORT = b"warning: standard output: its reader left before the end; the other outputs are whole"


@pytest.mark.parametrize(
    ("line", "output", "said"),
    [
        ("describe world.jsonl -o - --to jsonl --why why.jsonl", "why.jsonl", CUT_SHORT),
        ("describe world.jsonl -o said.jsonl --why -", "said.jsonl", CUT_SHORT),
        ("describe world.jsonl -o said.jsonl --why /dev/stdout", "said.jsonl", CUT_SHORT),
        ("playground 40 - --to jsonl --sheet sheet.png", "sheet.png", CUT_SHORT),
        ("bench domains world.jsonl --captions other.jsonl -o - --to jsonl --classes c.csv", "c.csv", CUT_SHORT),
        ("train selector world.jsonl --out model.json --valid other.jsonl", "model.json", b""),
    ],
)
def test_a_reader_that_has_gone_does_not_keep_the_other_output_from_being_written(
    folder: Path, line: str, output: str, said: bytes
) -> None:
    write_corpus(playground(40, seed=3), folder / "world.jsonl")
    write_corpus((replace(image, id=f"other-{image.id}") for image in playground(40, seed=4)), folder / "other.jsonl")
    command = [*LIMNER, *line.split()]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    usual = (folder / output).read_bytes()
    (folder / output).unlink()
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(command, cwd=folder, stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0
    assert said in done.stderr
    assert b"Traceback" not in done.stderr
    assert (folder / output).read_bytes() == usual


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_named_pipe_whose_reader_leaves_does_not_keep_the_other_output_from_being_written(
    folder: Path, suffix: str
) -> None:
    write_corpus(playground(40, seed=3), folder / "world.jsonl")
    for pipe, line in (
        (f"said.jsonl{suffix}", f"limner describe world.jsonl -o said.jsonl{suffix} --why why.jsonl"),
        (f"why{suffix}", f"limner describe world.jsonl -o results.jsonl --why why{suffix}"),
        (
            f"scores.csv{suffix}",
            f"limner score captions results.jsonl --refs world.jsonl --metrics bleu --per-image scores.csv{suffix}",
        ),
    ):
        os.mkfifo(folder / pipe)
        done = shell(f": < {pipe} & {line}; code=$?; wait; exit $code", folder)
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
        assert (folder / pipe).is_fifo()
    assert len((folder / "why.jsonl").read_text().splitlines()) == 40
    assert len((folder / "results.jsonl").read_text().splitlines()) == 40
    assert "bleu1" in done.stdout


# --- Ctrl-C

# Presses Ctrl-C when something happens for the first time, as Python announces it.
PRESSING = """
import runpy, signal, sys
sys.argv = ["limner", *sys.argv[3:]]
wanted, about, pressed = sys.orig_argv[-N - 2], sys.orig_argv[-N - 1], False
def hook(event, arguments):
    global pressed
    if event == wanted and arguments and about in str(arguments[0]) and not pressed:
        pressed = True
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(hook)
runpy.run_module("limner", run_name="__main__")
"""


def interrupted(folder: Path, event: str, about: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = PRESSING.replace("N ", f"{len(arguments)} ")
    command = [sys.executable, "-c", code, event, about, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "module",
    ["limner.lazy", "difflib", "limner.errors", "click", "limner.cli.remedies", "limner.cli.corpora", "msgspec"],
)
def test_ctrl_c_while_modules_are_imported_is_one_line(folder: Path, module: str) -> None:
    done = interrupted(folder, "import", module, "convert", "a.jsonl", "b.jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "limner: stopped; nothing was written\n")
    assert not (folder / "b.jsonl").exists()


def test_ctrl_c_is_one_line_as_soon_as_python_itself_has_started(folder: Path) -> None:
    # Python runs this file before any module that it is asked for.
    hook = "lambda event, arguments: arguments[:1] == ('limner.lazy',) and signal.raise_signal(signal.SIGINT)"
    (folder / "sitecustomize.py").write_text(f"import signal, sys\nsys.addaudithook({hook})\n")
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "limner", "convert", "a.jsonl", "b.jsonl"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "limner: stopped; nothing was written\n")


def test_a_program_that_imports_limner_keeps_its_own_answer_to_ctrl_c() -> None:
    code = "import sys, limner; print(sys.excepthook is sys.__excepthook__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_ctrl_c_within_code_from_text_has_the_same_exit_code(folder: Path) -> None:
    (folder / "patched.py").write_text(
        "import limner.cli\nfrom limner.__main__ import run\n"
        "limner.cli.main = lambda: exec('raise KeyboardInterrupt')\nrun()"
    )
    # Only a module that is run so shows what Python remembers.
    command = [sys.executable, "-m", "patched"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "limner: stopped\n")


def test_ctrl_c_where_python_ignores_exceptions_is_heeded_after_it(folder: Path) -> None:
    code = (
        "import signal, time\nfrom limner.cli import convert, main\n"
        "class Closed:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "def slow(*arguments, **options):\n    Closed()\n    time.sleep(600)\n"
        "convert.write_sound = slow\nmain(['convert', 'a.jsonl', 'b.jsonl'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "limner: stopped; nothing was written\n")


def test_ctrl_c_tells_what_was_written_before_it(folder: Path) -> None:
    outputs = ["--per-image", "per.csv", "--html", "page.html"]
    command = ["score", "captions", "results.jsonl", "--refs", "a.jsonl", "--metrics", "bleu", *outputs]
    done = interrupted(folder, "open", ".page.html.", *command)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "limner: stopped; written before: per.csv"
    assert sorted(os.listdir(folder)) == ["a.jsonl", "per.csv", "results.jsonl"]


def test_ctrl_c_does_not_say_that_nothing_was_written_where_something_was_printed(folder: Path) -> None:
    code = (
        "import signal\nfrom limner.cli import convert, main\nwrite = convert.write_sound\n"
        "def stopped(*arguments, **options):\n"
        "    write(*arguments, **options)\n    signal.raise_signal(signal.SIGINT)\n"
        "convert.write_sound = stopped\nmain(['convert', 'a.jsonl', '-'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, IMAGE, "limner: stopped\n")


# --- the answer alone

NOISY = """
import os, subprocess, sys
from limner.cli import main
from limner.score.caption_job import CaptionJob
run = CaptionJob.run
def noisy(*arguments):
    print("(raylet) A worker died")
    os.write(1, b"compiled code says something\\n")
    subprocess.run(["echo", "a child says something"], check=True)
    return run(*arguments)
CaptionJob.run = noisy
main(sys.argv[1:])
print("after")
"""


def test_what_libraries_print_is_not_in_the_answer(folder: Path) -> None:
    command = ["score", "captions", "results.jsonl", "--refs", "a.jsonl", "--metrics", "bleu", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", NOISY, *command], cwd=folder, capture_output=True, text=True, check=True
    )
    answer, after, end = done.stdout.split("\n")
    assert json.loads(answer)
    assert (after, end) == ("after", "")
    for noise in ("(raylet) A worker died", "compiled code says something", "a child says something"):
        assert noise in done.stderr


# --- --force


@pytest.mark.parametrize("source", ["made", "made/images.tsv", "tsv:made"])
def test_force_never_replaces_what_is_read(folder: Path, source: str) -> None:
    assert shell("limner convert a.jsonl made --to tsv", folder).returncode == 0
    before = {path.name: path.read_bytes() for path in (folder / "made").iterdir()}
    for command in ("convert", "link", "bench build --size 1 -o"):
        order = f"tsv:made {source}" if command.startswith("bench") else f"{source} tsv:made"
        done = shell(f"limner {command} {order} --force", folder)
        assert done.returncode == 2
        assert "name another folder" in done.stderr
        assert {path.name: path.read_bytes() for path in (folder / "made").iterdir()} == before


def test_force_leaves_a_folder_alone_that_holds_something_else(folder: Path) -> None:
    assert shell("limner convert a.jsonl made --to tsv", folder).returncode == 0
    (folder / "made" / "thesis.tex").write_text("precious")
    done = shell("limner convert a.jsonl made --to tsv --force", folder)
    assert (done.returncode, done.stderr) == (
        1,
        "limner: made: the folder holds 'thesis.tex', which is not of the kind that is written here; "
        "move it away, or name another folder\n",
    )
    (folder / "made" / "thesis.tex").unlink()
    assert shell("limner convert a.jsonl made --to tsv --force", folder).returncode == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("flickr30k-entities", "w.jsonl"),
        ("coco", "w.jsonl"),
        ("nocaps", "a.jsonl"),
        ("parquet", "w.jsonl"),
        ("tsv", "w.jsonl"),
    ],
)
def test_force_knows_what_every_format_writes(folder: Path, first: str, second: str) -> None:
    assert shell("limner playground 3 w.jsonl", folder).returncode == 0
    for _ in range(2):
        done = shell(f"limner convert {second} {first}:made --force", folder)
        assert (done.returncode, done.stderr.splitlines()[0].partition(" ")[0]) == (0, "limner:")


def test_parquet_into_a_pipe_is_one_line_or_whole(folder: Path) -> None:
    os.mkfifo(folder / "pipe.parquet")
    done = shell(
        "cat pipe.parquet > copy.parquet & limner convert a.jsonl pipe.parquet; code=$?; wait; exit $code", folder
    )
    if done.returncode == 0:
        assert shell("limner convert copy.parquet -", folder).stdout.startswith(IMAGE[:40])
    else:
        assert done.stderr.count("\n") == 1
    assert (folder / "pipe.parquet").is_fifo()
