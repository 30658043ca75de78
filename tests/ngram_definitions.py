"""BLEU, ROUGE-L and CIDEr written down from their definitions, with no thought of speed: what ours must equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log, prod, sqrt

import pytest
from hypothesis import strategies as st

from limner.lazy import kernel
from limner.score import ngrams
from limner.score.run import Run

Gram = tuple[str, ...]

# An empty word stands for a space too many; a no-break space splits a word for n-grams and not for ROUGE-L.
WORDS = ["a", "a", "a", "dog", "cat", "runs", "é", "", "22\xa03/4", "3/4", "x\ty"]
sentences = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
sound_sentences = st.lists(st.sampled_from(["a", "a", "dog", "cat", "runs"]), min_size=1, max_size=9).map(" ".join)


def runs(of: st.SearchStrategy[str] = sentences, min_size: int = 1, max_size: int = 5) -> st.SearchStrategy[Run]:
    """Runs of a few images of one to four references."""
    images = st.lists(st.tuples(of, st.lists(of, min_size=1, max_size=4)), min_size=min_size, max_size=max_size)
    return images.map(run)


def run(images: Sequence[tuple[str, Sequence[str]]]) -> Run:
    """The run of captions and their references."""
    return Run([str(i) for i in range(len(images))], [one for one, _ in images], [refs for _, refs in images])


def use(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work with the compiled kernels, or without."""
    found = kernel("limner.score._ngrams")
    if way == "compiled" and found is None:
        pytest.skip("the kernel is not built")
    monkeypatch.setattr(ngrams, "KERNEL", found if way == "compiled" else None)


def grams(sentence: str, n: int) -> Counter[Gram]:
    words = sentence.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def bleu(images: Sequence[tuple[str, Sequence[str]]], n: int) -> list[float]:
    """BLEU-1 to BLEU-n of these images together."""
    matched, there = [0] * n, [0] * n
    length = closest = 0
    for caption, references in images:
        for k in range(n):
            most: Counter[Gram] = Counter()
            for reference in references:
                most |= grams(reference, k + 1)
            matched[k] += (grams(caption, k + 1) & most).total()
            there[k] += grams(caption, k + 1).total()
        own = len(caption.split())
        length += own
        closest += min((abs(len(one.split()) - own), len(one.split())) for one in references)[1]
    ratio = (length + 1e-15) / (closest + 1e-9)
    penalty = 1.0 if ratio >= 1.0 else exp(1.0 - 1.0 / ratio)
    precisions = [(m + 1e-15) / (t + 1e-9) for m, t in zip(matched, there, strict=True)]
    return [penalty * prod(precisions[: k + 1]) ** (1.0 / (k + 1)) for k in range(n)]


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return row[-1]


def rouge(caption: str, references: Sequence[str], beta: float = 1.2) -> float:
    own = caption.split(" ")
    others = [one.split(" ") for one in references]
    precision = max(common_subsequence(own, one) / len(own) for one in others)
    recall = max(common_subsequence(own, one) / len(one) for one in others)
    total = recall + beta**2 * precision
    return (1 + beta**2) * precision * recall / total if total else 0.0


def images_with(images: Sequence[tuple[str, Sequence[str]]]) -> Counter[Gram]:
    """In how many images each n-gram of 1 to 4 words is."""
    found: Counter[Gram] = Counter()
    for _, references in images:
        found.update({gram for one in references for n in range(1, 5) for gram in grams(one, n)})
    return found


def cider(
    images: Sequence[tuple[str, Sequence[str]]],
    df: Mapping[Gram, int] | None = None,
    n_images: int | None = None,
    sigma: float | None = 6.0,
) -> list[float]:
    """CIDEr-D of each image, or without a sigma CIDEr."""
    df = images_with(images) if df is None else df
    n_images = len(images) if n_images is None else n_images
    found = []
    for caption, references in images:
        total = 0.0
        for reference in references:
            difference = grams(caption, 2).total() - grams(reference, 2).total()
            for n in range(1, 5):
                h, r = (
                    {gram: times * log(n_images / max(1, df.get(gram, 0))) for gram, times in grams(one, n).items()}
                    for one in (caption, reference)
                )
                clip = (lambda x, y: x) if sigma is None else min
                product = sum(clip(h[gram], r[gram]) * r[gram] for gram in h.keys() & r.keys())
                norms = sqrt(sum(x * x for x in h.values())) * sqrt(sum(x * x for x in r.values()))
                penalty = 1.0 if sigma is None else exp(-(difference**2) / (2 * sigma**2))
                total += penalty * product / norms if norms else 0.0
        found.append(10.0 * total / 4 / len(references))
    return found
