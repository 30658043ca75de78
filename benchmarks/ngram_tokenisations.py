"""Distinct n-grams of COCO's captions by ways to split them into words, beside Table 1 of the nocaps paper.

    python benchmarks/ngram_tokenisations.py captions_val2017.json

Samples of 4,500 images with 5 captions each, as the paper has them; and the sizes and lengths that come nearest.
"""

from __future__ import annotations

import argparse
import re
import string
from collections.abc import Callable, Sequence
from random import Random
from statistics import mean

from limner.corpus import open_corpus
from limner.corpus.statistics.distinct_ngrams import DistinctNgrams
from limner.lazy import load
from limner.text.ptb import DROPPED, tokenise
from limner.text.words import words

PAPER = (6_913, 46_664, 92_946, 119_582)
IMAGES, EACH, SAMPLES = 4_500, 5, 3

Tokens = list[str]


def spacy_tokens() -> Callable[[str], Tokens]:
    tokeniser = load("spacy").blank("en").tokenizer
    return lambda text: [t.text for t in tokeniser(text.lower()) if not (t.is_punct or t.is_space)]


def treebank(text: str) -> Tokens:
    """Tokens as NLTK's `word_tokenize` makes them of one lower-case sentence, punctuation included."""
    text = re.sub(r"([;@#$%&?!\[\](){}<>\"]|\.\.\.|--|[,:](?!\d))", r" \1 ", text.lower().strip())
    text = re.sub(r"\.(\W*)$", r" . \1", text) + " "
    return re.sub(r"(n't|'(?:s|m|d|ll|re|ve)?)(?=\s)", r" \1", text).split()


PUNCTUATION = {*DROPPED, *"(){}", '"'}

WAYS: dict[str, Callable[[], Callable[[str], Tokens]]] = {
    "Limner's words": lambda: words,
    "PTB 3.4.1, as scores have them": lambda: lambda text: tokenise([text])[0].split(),
    "NLTK, no punctuation": lambda: lambda text: [token for token in treebank(text) if token not in PUNCTUATION],
    "NLTK, punctuation counts": lambda: treebank,
    "NLTK, letters and digits only": lambda: lambda text: [token for token in treebank(text) if token.isalnum()],
    "spaCy, no punctuation": spacy_tokens,
    "runs of letters and digits": lambda: lambda text: re.findall(r"\w+", text.lower()),
    "runs of letters": lambda: lambda text: re.findall("[a-z]+", text.lower()),
    "punctuation deleted, by spaces": lambda: lambda text: text.lower().translate(_NO_PUNCTUATION).split(),
    "by spaces": lambda: lambda text: text.lower().split(),
}

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def counts(sentences: Sequence[Sequence[Tokens]], n_images: int, longest: int | None = None) -> list[float]:
    """The mean numbers of distinct 1- to 4-grams over samples; longer captions than `longest` are left out."""
    results = []
    for seed in range(SAMPLES):
        random = Random(seed)
        distinct = DistinctNgrams()
        for captions in random.sample(sentences, n_images):
            for caption in random.sample(captions, EACH):
                if longest is None or len(caption) <= longest:
                    distinct.add(caption)
        results.append(distinct.counts())
    return [mean(column) for column in zip(*results, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpus", help="COCO's captions_val2017.json")
    texts = [[caption.text for caption in image.captions] for image in open_corpus(parser.parse_args().corpus)]
    print("| words | 1-grams | 2-grams | 3-grams | 4-grams |\n|---|---|---|---|---|")
    for name, way in WAYS.items():
        split = way()
        sentences = [[split(text) for text in captions] for captions in texts]
        rows = [(name, IMAGES, None)]
        if name == "NLTK, no punctuation":
            rows += [(f"{name}, 4,330 images", 4_330, None), (f"{name}, captions up to 17 words", IMAGES, 17)]
        for label, n_images, longest in rows:
            cells = (
                f"{n:,.0f} ({100 * (n / of - 1):+.2f} %)"
                for n, of in zip(counts(sentences, n_images, longest), PAPER, strict=True)
            )
            print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
