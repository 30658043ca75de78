"""Two corpora side by side: each one's statistics, and distinct n-grams in samples of one size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from limner.corpus.corpus import Corpus
from limner.corpus.image import Image
from limner.corpus.statistics.corpus_figures import Distribution, Ngrams, Statistics
from limner.corpus.statistics.corpus_tally import statistics
from limner.corpus.statistics.distinct_ngrams import DistinctNgrams
from limner.errors import BadInput, LimnerError
from limner.progress import Progress, silent, track
from limner.text.words import words


@dataclass(frozen=True, slots=True)
class Sample:
    """So many images, and so many captions of each."""

    images: int
    captions_each: int


def compare(
    corpora: Sequence[Corpus],
    names: Sequence[str],
    *,
    images: int | None = None,
    captions_each: int | None = None,
    seed: int = 0,
    tagger: str = "none",
    progress: Progress = silent,
) -> list[Statistics]:
    """The statistics of each corpus, with n-grams counted in uniform samples of one size.

    The sample is `equal_sample`; a second pass over each corpus draws it.
    `progress` hears of the images of every pass.
    """
    results = [
        statistics(track(corpus, "images", progress), name=name, tagger=tagger, ngrams=False)
        for corpus, name in zip(corpora, names, strict=True)
    ]
    sample = equal_sample([s.captions.per_image for s in results], names, images, captions_each)
    if sample is None:
        return results
    return [
        replace(s, ngrams=sampled_ngrams(track(corpus, "images", progress), s.captions.per_image, sample, seed))
        for corpus, s in zip(corpora, results, strict=True)
    ]


def equal_sample(
    captions_per_image: Sequence[Distribution],
    names: Sequence[str],
    images: int | None = None,
    captions_each: int | None = None,
) -> Sample | None:
    """The largest sample that every corpus can give, in captions; of equals the one with more of each image.

    Where `images` or `captions_each` is given that one is kept to, and a
    corpus that has too few is an error. None where a corpus has no captions.
    """

    def available(captions_each: int) -> int:
        return min(_at_least(distribution, captions_each) for distribution in captions_per_image)

    if captions_each is not None:
        choices = [captions_each]
    else:
        choices = sorted({value for d in captions_per_image for value, _ in d.histogram if value})
    samples = [Sample(images if images is not None else available(n), n) for n in choices]
    fitting = [s for s in samples if 0 < s.images <= available(s.captions_each)]
    if fitting:
        return max(fitting, key=lambda s: (s.images * s.captions_each, s.captions_each))
    if images is None and captions_each is None:
        return None
    raise _too_few(captions_per_image, names, images or 1, captions_each or 1)


def sampled_ngrams(images: Iterable[Image], captions_per_image: Distribution, sample: Sample, seed: int) -> Ngrams:
    """The distinct n-grams of a uniform random sample of the images that have captions enough.

    `captions_per_image` is that of the same images, from an earlier pass.
    """
    random = Random(seed)
    captions_each = sample.captions_each
    # Positions among the images that have captions enough: the first pass counted those.
    chosen = set(random.sample(range(_at_least(captions_per_image, captions_each)), sample.images))
    distinct = DistinctNgrams()
    position = 0
    for image in images:
        if len(image.captions) < captions_each:
            continue
        if position in chosen:
            for i in random.sample(range(len(image.captions)), captions_each):
                distinct.add(words(image.captions[i].text))
        position += 1
    return Ngrams(sample.images, sample.images * captions_each, captions_each, seed, distinct.counts())


def _at_least(captions_per_image: Distribution, captions_each: int) -> int:
    return captions_per_image.number(lambda n: n >= captions_each)


def _too_few(
    captions_per_image: Sequence[Distribution], names: Sequence[str], images: int, captions_each: int
) -> LimnerError:
    smallest = min(range(len(names)), key=lambda i: _at_least(captions_per_image[i], captions_each))
    n = _at_least(captions_per_image[smallest], captions_each)
    problem = f"{n:,} images have {captions_each} captions or more, too few for a sample of {images:,}"
    return BadInput(names[smallest], problem, "ask for fewer images or captions of each", code="small-sample")
