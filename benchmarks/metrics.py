"""Scoring captions: Limner against pycocoevalcap, each in a process of its own from start to end.

    python benchmarks/metrics.py [CAPTIONS.json] [--images N] [--large N] [--numbers] [--json]

CAPTIONS are COCO's (captions_val2017.json): the first caption of each image is
scored against its others. Without them a playground is. Both programs read the
same two files, tokenise, and print BLEU, ROUGE-L and CIDEr, then METEOR too, three
times in turn, of which the quickest counts for each.
Nothing but METEOR's compiled tables and Python's compiled modules is kept between runs. `--large` says how many
images Limner then scores to show how its time grows: the same under new ids.
`--numbers` writes a number into every caption: digits take the tokeniser through more of its rules than words do.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from limner.playground import playground

WITHOUT_METEOR, ALL = "bleu,rouge_l,cider", "bleu,rouge_l,cider,meteor"
SAME = 5e-5
"""How far scores may lie apart: METEOR's, whose reference rounds."""

# What captions call a quantity, a time, a price, a size, a year or a name on a jersey or a bus.
NUMBER_FORMS = (
    "{0}",
    "{1}",
    "{0},{1}0",
    "{0}.{1}",
    "5:{1}",
    "${0}",
    "{1}%",
    "{1}-foot",
    "{0}s",
    "{1}th",
    "1/{1}",
    "#{1}",
)

PEER = """
import json, sys
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

results, references, metrics = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3].split(",")
given, said = {}, {}
for one in references["annotations"]:
    given.setdefault(one["image_id"], []).append({"caption": one["caption"]})
for one in results:
    said[one["image_id"]] = [{"caption": one["caption"]}]
tokenizer = PTBTokenizer()
given, said = tokenizer.tokenize(given), tokenizer.tokenize(said)
scorers = {"bleu": Bleu(4), "rouge_l": Rouge(), "cider": Cider(), "meteor": Meteor() if "meteor" in metrics else None}
scores = {}
for name in metrics:
    extra = {"verbose": 0} if name == "bleu" else {}
    value, _ = scorers[name].compute_score(given, said, **extra)
    scores.update({f"bleu{i + 1}": v for i, v in enumerate(value)} if name == "bleu" else {name: float(value)})
print(json.dumps(scores))
"""


class Cost(NamedTuple):
    seconds: float
    megabytes: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", metavar="CAPTIONS", nargs="?")
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    captions = captions_by_image(given.captions, given.images)
    if given.numbers:
        captions = with_numbers(captions)
    with tempfile.TemporaryDirectory() as folder:
        result = measured(Path(folder), captions, given.large)
    print(json.dumps(result) if given.json else rendered(result))


def captions_by_image(path: str | None, n: int) -> dict[str, list[str]]:
    """The captions of n images that have two or more."""
    found: dict[str, list[str]] = {}
    if path is None:
        for image in playground(n):
            found[image.id] = [caption.text for caption in image.captions]
    else:
        for one in json.loads(Path(path).read_text())["annotations"]:
            found.setdefault(str(one["image_id"]), []).append(one["caption"])
    return {id: captions for id, captions in list(found.items())[:n] if len(captions) > 1}


def with_numbers(captions: dict[str, list[str]]) -> dict[str, list[str]]:
    """The captions with a number before a word of each, of a kind and at a position that change with every caption.

    Captions with a number of their own get one too. The numbers are the same in every run.
    """
    chance = random.Random(0)

    def numbered(caption: str) -> str:
        words = caption.split()
        number = chance.choice(NUMBER_FORMS).format(chance.randrange(2, 2000), chance.randrange(10, 60))
        words.insert(chance.randrange(len(words) + 1), number)
        return " ".join(words)

    return {id: [numbered(caption) for caption in texts] for id, texts in captions.items()}


def measured(folder: Path, captions: dict[str, list[str]], large: int) -> dict[str, Any]:
    results, references = written(folder, captions, len(captions))
    peer = [sys.executable, "-c", PEER, str(results), str(references)]
    found: dict[str, Any] = {"images": len(captions)}
    run(limner(results, references, ALL))  # compiles METEOR's tables, where they are not yet
    for name, metrics in (("without_meteor", WITHOUT_METEOR), ("all", ALL)):
        (ours, our_cost), (theirs, peer_cost) = in_turn(limner(results, references, metrics), [*peer, metrics])
        check(json.loads(ours)["scores"], json.loads(theirs.splitlines()[-1]))
        found[f"ratio_{name}"] = peer_cost.seconds / our_cost.seconds
        found[name] = {"limner": our_cost._asdict(), "pycocoevalcap": peer_cost._asdict()}
    _, with_intervals = run(limner(results, references, ALL, samples=2000))
    found["with_intervals"] = with_intervals._asdict()
    if large:
        results, references = written(folder, captions, large)
        _, cost = run(limner(results, references, ALL))
        found["large"] = {"images": large, **cost._asdict()}
        found["growth"] = cost.seconds / found["all"]["limner"]["seconds"]
    return found


def written(folder: Path, captions: dict[str, list[str]], n: int) -> tuple[Path, Path]:
    """COCO's two files for n images: the same again and again under new ids."""
    texts = list(captions.values())
    results, annotations = [], []
    for image in range(n):
        first, *rest = texts[image % len(texts)]
        results.append({"image_id": image + 1, "caption": first})
        annotations += [{"image_id": image + 1, "id": len(annotations) + i, "caption": c} for i, c in enumerate(rest)]
    paths = folder / f"results-{n}.json", folder / f"references-{n}.json"
    paths[0].write_text(json.dumps(results))
    listed = [{"id": image + 1} for image in range(n)]
    paths[1].write_text(json.dumps({"images": listed, "annotations": annotations}))
    return paths


def limner(results: Path, references: Path, metrics: str, samples: int = 0) -> list[str]:
    command = [sys.executable, "-m", "limner", "score", "captions", str(results), "--refs", str(references)]
    return [*command, "--metrics", metrics, "--samples", str(samples), "--json"]


def in_turn(*commands: list[str]) -> list[tuple[str, Cost]]:
    """What each process printed, and its cost in the quickest of three runs, taken in turn: a short run is easily
    disturbed, and only ever slowed down."""
    rounds = [[run(command) for command in commands] for _ in range(3)]
    return [min(runs, key=lambda done: done[1].seconds) for runs in zip(*rounds, strict=True)]


def run(command: list[str]) -> tuple[str, Cost]:
    """What a process printed, and what it cost from start to end, its children's memory included."""
    started = time.perf_counter()
    # As an installed program runs: with its modules compiled, whatever this shell says.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        out.seek(0)
        said = out.read().decode()
    if process.returncode:
        sys.exit(f"{command[:4]} failed")
    return said, Cost(seconds, used.ru_maxrss / 1024)


def check(ours: dict[str, float], theirs: dict[str, float]) -> None:
    for name, value in theirs.items():
        if abs(ours[name] - value) > SAME:
            sys.exit(f"{name}: {ours[name]} where pycocoevalcap has {value}: a faster wrong answer is no answer")


def rendered(result: dict[str, Any]) -> str:
    lines = [f"{result['images']:,} images"]
    for name in ("without_meteor", "all"):
        ours, theirs = result[name]["limner"], result[name]["pycocoevalcap"]
        lines.append(
            f"{name.replace('_', ' ')}: limner {ours['seconds']:.2f} s, {ours['megabytes']:.0f} MB; pycocoevalcap "
            f"{theirs['seconds']:.2f} s, {theirs['megabytes']:.0f} MB; {result[f'ratio_{name}']:.1f} times"
        )
    lines.append(f"all, with intervals: limner {result['with_intervals']['seconds']:.2f} s")
    if "large" in result:
        large = result["large"]
        lines.append(
            f"{large['images']:,} images: {large['seconds']:.2f} s, {large['megabytes']:.0f} MB; "
            f"{result['growth']:.1f} times the time of {result['images']:,}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
