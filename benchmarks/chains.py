"""What chains score against people's, beside plain rules, and what they cost.

    python benchmarks/chains.py GOLD [--model MODEL] [--phrases] [--read N] [--json]

GOLD is a corpus with people's mentions and chains. The mentions are stripped
of boxes, types and chains before they are chained again. For comparison:
every mention alone, a chain for each noun, and a chain for each type, none
with two mentions of one caption. `--phrases` also finds the mentions, with the
built-in model of phrases, and chains those. `--read N` prints the chains of N
images that differ from gold's, for people to judge.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from limner.corpus import Caption, Chain, Image, Mention, open_corpus
from limner.ground import Chainer, add_chains, built_in_chainer, chunk_image
from limner.ground.mention_words import SEVERAL, MentionWords, read_mentions
from limner.ground.noun_pairs import MENTION_TYPES
from limner.score import evaluate_chains


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", metavar="GOLD")
    parser.add_argument("--model", metavar="MODEL")
    parser.add_argument("--phrases", action="store_true")
    parser.add_argument("--read", metavar="N", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    gold = list(open_corpus(given.gold))
    model = Chainer.load(given.model) if given.model else built_in_chainer()
    results: dict[str, Any] = {}
    for name, images in systems(gold, model, given.phrases):
        started, busy = time.perf_counter(), time.process_time()
        chained = images()
        costs = {
            "milliseconds an image": 1000 * (time.perf_counter() - started) / max(1, len(gold)),
            "processor milliseconds an image": 1000 * (time.process_time() - busy) / max(1, len(gold)),
        }
        results[name] = {**evaluate_chains(chained, gold), **costs}
        if name == "chained" and given.read:
            read_aloud(chained, gold, given.read)
    print(json.dumps(results, indent=2) if given.json else rendered(results))


def systems(gold: Sequence[Image], model: Chainer, with_phrases: bool) -> list[tuple[str, Callable[[], list[Image]]]]:
    bare = [stripped(image) for image in gold]
    by_noun = labelled(lambda mention: mention.phrase.noun)
    by_lemma = labelled(lambda mention: mention.phrase.noun.removesuffix(SEVERAL))
    by_type = labelled(lambda m: MENTION_TYPES[int(model.known.type_shares([m.phrase.noun]).argmax())])
    rules = [
        ("alone", lambda: bare),
        ("same noun and number", lambda: [by_noun(image) for image in bare]),
        ("same noun", lambda: [by_lemma(image) for image in bare]),
        ("same type", lambda: [by_type(image) for image in bare]),
        ("chained", lambda: [add_chains(image, model) for image in bare]),
    ]
    if with_phrases:
        plain = [replace(image, captions=tuple(replace(c, mentions=()) for c in image.captions)) for image in bare]
        phrases = [chunk_image(image) for image in plain]
        rules += [
            ("phrases alone", lambda: phrases),
            ("phrases, same noun and number", lambda: [by_noun(image) for image in phrases]),
            ("phrases, chained", lambda: [add_chains(image, model) for image in phrases]),
        ]
    return rules


def stripped(image: Image) -> Image:
    """The image with neither boxes nor chains, and mentions that are spans alone."""

    def spans(caption: Caption) -> tuple[Mention, ...]:
        return tuple(Mention(mention.start, mention.end) for mention in caption.mentions)

    return Image(image.id, captions=tuple(replace(caption, mentions=spans(caption)) for caption in image.captions))


def labelled(name: Callable[[MentionWords], str]) -> Callable[[Image], Image]:
    """Chains of mentions with one name: the first of that name in each caption, the second, and so on."""

    def chained(image: Image) -> Image:
        seen: Counter[tuple[int, str]] = Counter()
        ids = []
        for mention in read_mentions(image.captions):
            at = (mention.caption, name(mention))
            ids.append(f"{at[1]} {seen[at]}")
            seen[at] += 1
        next_id = iter(ids)
        captions = tuple(
            replace(c, mentions=tuple(replace(m, chain=next(next_id)) for m in c.mentions)) for c in image.captions
        )
        return replace(image, captions=captions, chains=tuple(Chain(id) for id in dict.fromkeys(ids)))

    return chained


def read_aloud(chained: Sequence[Image], gold: Sequence[Image], n: int) -> None:
    """Print the captions and chains of the first n images whose chains are not gold's."""
    for image, truth in zip(chained, gold, strict=True):
        if n and evaluate_chains([image], [truth], samples=0)["mean"] < 1:
            n -= 1
            print(f"\n{image.id}", *(f"  {caption.text}" for caption in image.captions), sep="\n")
            print("  found: " + " | ".join(listed(image)))
            print("  gold:  " + " | ".join(listed(truth)))


def listed(image: Image) -> list[str]:
    chains: dict[object, list[str]] = {}
    for caption, mention in image.mentions():
        key = mention.chain if mention.chain is not None else (caption.id, mention.start)
        chains.setdefault(key, []).append(f"{caption.phrase(mention)}{int(caption.id) if caption.id.isdigit() else ''}")
    return [", ".join(members) for members in chains.values()]


def rendered(results: dict[str, Any]) -> str:
    lines = [f"{'':32}{'MUC':>7}{'B³':>7}{'CEAF-e':>8}{'mean':>7}{'visual':>8}{'several':>9}{'ms':>8}"]
    for name, scores in results.items():
        fs = [scores[measure]["F"] for measure in ("muc", "b_cubed", "ceaf_e")]
        views = [scores["mean"], scores["visual"]["mean"], scores["without_singletons"]["mean"]]
        cells = [f"{value:{width}.4f}" for value, width in zip([*fs, *views], (7, 7, 8, 7, 8, 9), strict=True)]
        lines.append(f"{name:32}{''.join(cells)}{scores['processor milliseconds an image']:8.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
