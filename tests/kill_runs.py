"""Every command that writes, ended too early: then each output is the old or the new one, and nothing else is left.

    python tests/kill_runs.py --kills 100 --interrupts 100

runs commands at random, in turn with and without old outputs in place, and
ends each after a random share of the time that it takes. Tests use the same
commands, but end them at steps of their work (`kill_points`), not by the clock.

Interrupts that come while Python itself is starting are answered by Python,
with a traceback; no program can change that. They are counted apart, and must
leave everything as it was.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import limner
from captioner_runs import CONFIG

LIMNER = [sys.executable, "-m", "limner"]

# Exit codes of a run that was not stopped, and of one that was.
DONE = 0
STOPPED = (-signal.SIGKILL, 130)


# How an interrupt is counted that came before Limner's first line.
BEFORE_LIMNER = "before Limner began"


class Writing(NamedTuple):
    """A command that writes, with V for the version of its inputs; and its outputs, folders that are one by a slash.

    A folder with a star gets files one by one, each of which is an output.
    """

    command: str
    outputs: tuple[str, ...]


WRITING = {
    "jsonl": Writing("convert wV.jsonl out/w.jsonl", ("w.jsonl",)),
    "jsonl.gz": Writing("convert wV.jsonl out/w.jsonl.gz", ("w.jsonl.gz",)),
    "jsonl.zst": Writing("convert wV.jsonl out/w.jsonl.zst", ("w.jsonl.zst",)),
    "parquet file": Writing("convert wV.jsonl out/w.parquet", ("w.parquet",)),
    "parquet": Writing("convert wV.jsonl parquet:out/w --force", ("w/",)),
    "tsv": Writing("convert wV.jsonl tsv:out/w --force", ("w/",)),
    "coco": Writing("convert wV.jsonl coco:out/w --force", ("w/",)),
    "nocaps": Writing("convert rV.jsonl nocaps:out/w --force", ("w/",)),
    "karpathy": Writing("convert wV.jsonl karpathy:out/w.json", ("w.json",)),
    "flickr30k-entities": Writing("convert wV.jsonl flickr30k-entities:out/w --force", ("w/",)),
    "flickr30k-entities zip": Writing("convert wV.jsonl flickr30k-entities:out/w.zip", ("w.zip",)),
    "link": Writing("link wV.jsonl out/linked.jsonl --force", ("linked.jsonl",)),
    "describe": Writing("describe wV.jsonl -o out/r.jsonl", ("r.jsonl",)),
    "selector": Writing("train selector wV.jsonl --out out/selector.json", ("selector.json",)),
    "phrasebook": Writing("train phrasebook wV.jsonl --out out/book.json", ("book.json",)),
    "phrases": Writing("train phrases wV.jsonl --out out/phrases.json.gz", ("phrases.json.gz",)),
    "chainer": Writing("train chains wV.jsonl --out out/chainer.json", ("chainer.json",)),
    "chunk": Writing("chunk wV.jsonl --again --chains -o out/chunked.jsonl", ("chunked.jsonl",)),
    "detect": Writing("detect wV.jsonl --model simulated --every-label -o out/seen.jsonl", ("seen.jsonl",)),
    "detector": Writing("train detector wV.jsonl sV.jsonl --out out/profile.json", ("profile.json",)),
    "playground": Writing(
        "playground 30 out/p.jsonl --pictures --sheet out/sheet.png --seed V --size 160x120 --force",
        ("p.jsonl", "p_pictures/", "sheet.png"),
    ),
    "show": Writing("show wV.jsonl rV.jsonl -o out/page.html", ("page.html",)),
    "score": Writing(
        "score captions rV.jsonl --refs wV.jsonl --metrics bleu,cider --samples 50 --csv "
        "--html out/page.html --per-image out/per.csv --save-df out/df.json",
        ("page.html", "per.csv", "df.json"),
    ),
    "experiment": Writing(
        "experiment labels wV.jsonl tV.jsonl --samples 50 --allow-overlap --out out/labels", ("labels/*",)
    ),
    "bench build": Writing("bench build wV.jsonl --size 10 --rotation any -o tsv:out/b --force", ("b/",)),
    "bench domains": Writing(
        "bench domains wV.jsonl --captions tV.jsonl --mentions 5 --classes out/c.csv -o out/d.jsonl",
        ("d.jsonl", "c.csv"),
    ),
    "constraints": Writing("constraints wV.jsonl --exclude none -o out/c.jsonl --json", ("c.jsonl",)),
    "grounder": Writing("train grounder pV.jsonl --pictures . --out out/g.model", ("g.model",)),
    "retriever": Writing("train retriever pV.jsonl --vectors words.txt --out out/r.model", ("r.model",)),
    "localise": Writing(
        "localise pV.jsonl --pictures . --model gV.model --why out/why.jsonl -o out/l.jsonl", ("l.jsonl", "why.jsonl")
    ),
    "index": Writing("index pV.jsonl --model rV.model --regions --approximate -o out/index --force", ("index/",)),
    "retrieve": Writing("retrieve dog iV.index --by mixture --html out/page.html", ("page.html",)),
    "score localisation": Writing(
        "score localisation lV.jsonl --gold pV.jsonl --samples 50 --per-phrase out/per.csv --html out/page.html",
        ("per.csv", "page.html"),
    ),
    "caption": Writing(
        "caption pV.jsonl --model cV.model --constrain boxes --lenient -o out/said.jsonl", ("said.jsonl",)
    ),
    "neural": Writing("describe pV.jsonl --realise neural --captioner cV.model -o out/said.jsonl", ("said.jsonl",)),
    "demo": Writing("demo out/demo --images 120 --seed V", ("demo/",)),
}


# Those that need more than captions: pictures, and models that take seconds to train.
WITH_MODELS = {"grounder", "retriever", "localise", "index", "retrieve", "score localisation", "caption", "neural"}


def make_inputs(folder: Path, n_images: int = 150) -> None:
    """Two versions of the inputs, for an old output and for a new one."""
    for version in "01":
        run = (
            f"playground {n_images} w{version}.jsonl --seed {version}",
            f"playground 40 t{version}.jsonl --seed 7{version}",
        )
        seen = f"detect w{version}.jsonl --model simulated --every-label -o s{version}.jsonl"
        for command in (*run, seen, f"describe w{version}.jsonl -o r{version}.jsonl"):
            subprocess.run([*LIMNER, *command.split()], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def make_models(folder: Path) -> None:
    """Two versions of pictures, and of the models, results and indexes that commands on them read."""
    (folder / "words.txt").write_text("dog 1 0 0\nman 0 1 0\nwoman 0 0 1\n")
    (folder / "tiny.toml").write_text(CONFIG)
    for version in "01":
        commands = (
            "playground 12 pV.jsonl --pictures --size 120x120 --seed 3V",
            "train grounder pV.jsonl --pictures . --out gV.model",
            "train retriever pV.jsonl --vectors words.txt --out rV.model",
            "localise pV.jsonl --pictures . --model gV.model -o lV.jsonl",
            "index pV.jsonl --model rV.model --regions -o iV.index",
            "train captioner tV.jsonl --config tiny.toml --threads 1 --out cV.model",
        )
        for command in commands:
            words = command.replace("V", version).split()
            subprocess.run(
                [*LIMNER, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )


def arguments(writing: Writing, version: str) -> list[str]:
    """The command's arguments for a version of the inputs."""
    words = writing.command.split()
    return [word.replace("V", version) if word in ("V",) or word[1:].startswith("V.") else word for word in words]


def snapshot(folder: Path, writing: Writing) -> dict[str, str]:
    """Each output's name with a digest of all that it holds; those that are not there are left out."""
    paths = []
    for output in writing.outputs:
        path = folder / "out" / output.rstrip("/*")
        paths += sorted(path.glob("*")) if output.endswith("*") else [path]
    return {str(path.relative_to(folder / "out")): _digest(path) for path in paths if path.exists()}


def _digest(path: Path) -> str:
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(path)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def strays(folder: Path, writing: Writing) -> list[str]:
    """What is beside the outputs, and in folders that get files one by one, and does not belong there."""
    expected = {output.rstrip("/*") for output in writing.outputs}
    inner = [folder / "out" / output.rstrip("/*") for output in writing.outputs if output.endswith("*")]
    hidden = [str(path) for below in inner if below.is_dir() for path in below.iterdir() if path.name.startswith(".")]
    return hidden + sorted(set(os.listdir(folder / "out")) - expected)


def faults(before: dict[str, str], after: dict[str, str], new: dict[str, str], *, ended: bool = True) -> list[str]:
    """What is wrong with the outputs: each must be the old or the new one, and after a whole run the new one."""
    wrong = [
        f"{name} is neither the old nor the new one" for name in after if after[name] not in _allowed(name, before, new)
    ]
    lost = [f"{name} is lost" for name in before if name not in after]
    late = [f"{name} is not the new one" for name in new if not ended and after.get(name) != new[name]]
    return wrong + lost + late


def _allowed(name: str, before: dict[str, str], new: dict[str, str]) -> set[str]:
    return {states[name] for states in (before, new) if name in states}


class Range(NamedTuple):
    """A command ready to be ended: its folder with old outputs, its new outputs, and the seconds that it takes."""

    folder: Path
    old: dict[str, str]
    new: dict[str, str]
    seconds: float


def prepare(name: str, inputs: Path, folder: Path) -> Range:
    """Run a command for both versions of its inputs; the outputs of the old version are kept in `old`."""
    shutil.copytree(inputs, folder)
    writing = WRITING[name]
    states = []
    for version in "01":
        (folder / "out").mkdir()
        began = time.monotonic()
        _whole_run(folder, writing, version)
        seconds = time.monotonic() - began
        states.append(snapshot(folder, writing))
        (folder / "out").rename(folder / ("old" if version == "0" else "new"))
    assert states[0] != states[1], f"{name}: the old output is like the new one"
    return Range(folder, *states, seconds)


def attack(name: str, place: Range, how: signal.Signals, share: float, *, with_old: bool) -> tuple[str, list[str]]:
    """End a command after this share of its time: what came of it, and what is wrong afterwards."""
    writing, out = WRITING[name], place.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    if with_old:
        shutil.copytree(place.folder / "old", out)
    else:
        out.mkdir()
    before = snapshot(place.folder, writing)
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(
            [*LIMNER, *arguments(writing, "1")], cwd=place.folder, stdout=subprocess.DEVNULL, stderr=said
        )
        time.sleep(share * place.seconds)
        running.send_signal(how)
        code = running.wait()
        said.seek(0)
        message = said.read().decode()
    is_early = how == signal.SIGINT and is_before_limner(code, message)
    after = snapshot(place.folder, writing)
    problems = faults(before, after, place.new, ended=code != DONE)
    if is_early:
        problems += ["the outputs are changed, before Limner began"] if after != before else []
    elif code not in (DONE, *STOPPED) or "Traceback" in message:
        problems.append(f"exit code {code}: {message[-300:]}")
    if how == signal.SIGINT and code != DONE:
        problems += [f"{stray} was left" for stray in strays(place.folder, writing)]
        if "nothing was written" in message and after != before:
            problems.append("it said that nothing was written")
    _whole_run(place.folder, writing, "1")
    problems += faults(before, snapshot(place.folder, writing), place.new, ended=False)
    problems += [f"{stray} was left after a whole run" for stray in strays(place.folder, writing)]
    if is_early:
        return BEFORE_LIMNER, problems
    return "done" if code == DONE else "new" if after == place.new else "old" if after == before else "mixed", problems


FRAME = re.compile(r' +File "(.+)", line \d+, in .+')
PACKAGE = Path(limner.__file__).parent

# The line that makes Limner heed Ctrl-C: where it is the last of Limner's, nothing else of Limner has run.
FIRST_LINE = "from limner import startup"


def is_before_limner(code: int, message: str) -> bool:
    """Whether an interrupt came before Limner's first line: Python told of it, and nothing of Limner stands in that.

    Before Python has any answer of its own, the system ends the process without a word.
    """
    if not message:
        return code == -signal.SIGINT
    if "Traceback" not in message or "KeyboardInterrupt" not in message or "limner: " in message:
        return False
    lines = [*message.splitlines(), ""]
    frames = [(match[1], lines[i + 1].strip()) for i, line in enumerate(lines) if (match := FRAME.fullmatch(line))]
    return all(line == FIRST_LINE for file, line in frames if Path(file).is_relative_to(PACKAGE))


def _whole_run(folder: Path, writing: Writing, version: str) -> None:
    done = subprocess.run(
        [*LIMNER, *arguments(writing, version)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{writing.command}: {done.stderr.decode()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--interrupts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", default=",".join(WRITING), help="which, with commas between; default: all")
    asked = parser.parse_args()
    # What runs in the background of a shell is told to ignore Ctrl-C, and would hand that down.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signals = [signal.SIGKILL] * asked.kills + [signal.SIGINT] * asked.interrupts
    names = asked.commands.split(",")
    # Each command gets its share, so that it is timed once.
    plans = [(name, signals[number :: len(names)]) for number, name in enumerate(names)]
    ends: Counter[str] = Counter()
    n_faults = 0
    with tempfile.TemporaryDirectory(prefix="limner-kills-") as temporary:
        inputs = Path(temporary) / "inputs"
        inputs.mkdir()
        make_inputs(inputs)
        if WITH_MODELS & set(names):
            make_models(inputs)
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            for report in workers.map(lambda plan: attack_often(*plan, inputs, asked.seed), plans):
                print(*report.lines, sep="\n", flush=True)
                ends += report.ends
                n_faults += report.n_faults
    print(", ".join(f"{end} {n}" for end, n in sorted(ends.items())))
    print(f"{n_faults} faults")
    sys.exit(n_faults > 0)


class Report(NamedTuple):
    """What came of the attacks on one command."""

    lines: list[str]
    ends: Counter[str]
    n_faults: int


def attack_often(name: str, planned: list[signal.Signals], inputs: Path, seed: int) -> Report:
    """End a command by each of the signals, with an old output in place every second time."""
    if not planned:
        return Report([f"{name}: not run"], Counter(), 0)
    draw = random.Random(f"{seed}:{name}")
    place = prepare(name, inputs, inputs.parent / name.replace(" ", "-"))
    lines: list[str] = []
    ends: Counter[str] = Counter()
    for number, how in enumerate(planned):
        end, problems = attack(name, place, how, draw.uniform(0.02, 1.05), with_old=number % 2 == 0)
        ends[f"{how.name}: {end}"] += 1
        lines += [f"{name}: {how.name}: {problem}" for problem in problems]
    shutil.rmtree(place.folder)
    n_faults = len(lines)
    return Report([*lines, f"{name}: {len(planned)} runs ended early, {place.seconds:.1f} s each"], ends, n_faults)


if __name__ == "__main__":
    main()
