"""The tokeniser against the reference, PTBTokenizer 3.4.1 as pycocoevalcap runs it: same tokens, and how fast.

    python benchmarks/tokeniser.py [PATH ...] [--json]

A PATH is a corpus that `limner` reads, a text with a caption a line (after the
last tab), or a JSON list of results with `captions` and a `prediction`. Without
one, captions of a playground are tokenised. Needs Java.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pycocoevalcap.tokenizer import ptbtokenizer

from limner.corpus import open_corpus
from limner.playground import playground
from limner.text import ptb
from limner.text.token_table import token_table

Answer = TypeVar("Answer")
JAR = Path(ptbtokenizer.__file__).with_name(ptbtokenizer.STANFORD_CORENLP_3_4_1_JAR)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = [row(path.name, list(captions(path))) for path in given.paths] or [row("playground", invented())]
    if given.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for each in rows:
        print(
            f"{each['source']}: {each['captions']:,} captions, {each['differ']} differ, {each['differ_alone']} when"
            f" each is taken for itself, {each['differ_in_punctuation']} with punctuation; {each['limner_s']:.3f} s"
            f" ({each['numbered_s']:.3f} s to have words numbered),"
            f" {each['ratio']:.0f}× the reference's {each['reference_s']:.2f} s"
        )
        for caption, theirs, ours in each["differing"]:
            print(f"  {caption!r}\n    {theirs}\n    {ours}")


def captions(path: Path) -> Iterator[str]:
    if path.suffix == ".txt":
        with path.open(encoding="utf-8") as lines:
            yield from (line.rstrip("\n").split("\t")[-1] for line in lines)
        return
    known = json.loads(path.read_bytes()) if path.suffix == ".json" else None
    if isinstance(known, list):
        for image in known:
            yield from (*image["captions"], image["prediction"])
        return
    for image in open_corpus(path):
        yield from (caption.text for caption in image.captions)


def invented() -> list[str]:
    return [caption.text for image in playground(5000) for caption in image.captions]


def row(source: str, said: Sequence[str]) -> dict[str, object]:
    given = {0: [{"caption": one} for one in said]}
    theirs, reference = timed(lambda: ptbtokenizer.PTBTokenizer().tokenize(given)[0])
    ptb.tokenise(["The rules are compiled, don't you see?"])
    ours, limner = timed(lambda: ptb.tokenise(said))
    _, numbering = timed(lambda: token_table(ours))
    in_a_file = ptb.tokenise(said, as_one_file=True)
    differing = [each for each in zip(said, theirs, in_a_file, strict=True) if each[1] != each[2]]
    return {
        "source": source,
        "captions": len(said),
        "differ": len(differing),
        "differ_alone": sum(one != other for one, other in zip(theirs, ours, strict=True)),
        "differ_in_punctuation": differing_in_punctuation(said),
        "reference_s": reference,
        "limner_s": limner,
        "numbered_s": limner + numbering,
        "ratio": reference / limner,
        "differing": differing[:20],
    }


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def differing_in_punctuation(said: Sequence[str]) -> int:
    """How many captions differ in any token, each before a line that says The."""
    lines = [one.replace("\n", " ") for one in said]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.writelines(f"{line}\nThe\n" for line in lines)
        file.flush()
        tool = ["java", "-cp", str(JAR), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]
        done = subprocess.run([*tool, file.name], capture_output=True, check=True)
    theirs = done.stdout.decode().split("\n")[::2]
    return sum(" ".join(ptb.ptb_tokens(line)) != tokens for line, tokens in zip(lines, theirs, strict=False))


if __name__ == "__main__":
    main()
