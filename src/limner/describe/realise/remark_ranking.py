"""Learning how acts and settings are ranked: what a candidate's features are worth in CIDEr-D.

Every candidate of a sample of images is put into a sentence and scored against
the image's captions. The weights are those of a ridge regression of the scores,
compared within an image only: how easy an image is has no part in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from limner.arrays import Floats
from limner.corpus.image import Image
from limner.describe.realise.phrasebook import Phrasebook
from limner.describe.realise.realisers import FluentRealiser
from limner.describe.realise.remark_table import FEATURES
from limner.score.cider import Cider
from limner.score.document_frequencies import document_frequencies
from limner.score.run import Run
from limner.text.ptb import PTB, tokenise

# How strongly weights are drawn to 0: as much as so many candidates.
RIDGE = 5.0

# Images with more boxes than this take long to be put into words, and are no help.
MOST_BOXES = 100

# Fewer images teach nothing of what people prefer.
FEWEST = 30


def learn_ranking(sample: Sequence[Image], book: Phrasebook) -> dict[str, float]:
    """The weights of the features, by name; empty if the sample is too small."""
    sample = [image for image in sample if len(image.boxes) <= MOST_BOXES]
    if len(sample) < FEWEST:
        return {}
    realiser = FluentRealiser(book)
    features: list[list[float]] = []
    sentences: list[str] = []
    image_numbers: list[int] = []
    references = [[caption.text for caption in image.captions if caption.source == "gold"] for image in sample]
    for number, image in enumerate(sample):
        for completion, caption in realiser.candidates(image, _mentioned(image)):
            features.append([completion.features.get(name, 0.0) for name in FEATURES])
            sentences.append(caption.text)
            image_numbers.append(number)
    if len(set(image_numbers)) < FEWEST:
        return {}
    of_images = Run([image.id for image in sample], [""] * len(sample), references, tokenise, PTB)
    ids = [str(i) for i in range(len(sentences))]
    run = Run(ids, sentences, [references[number] for number in image_numbers], tokenise, PTB)
    scores = Cider(document_frequencies(of_images)).measure(run).per_image[:, 0]
    return dict(zip(FEATURES, _ridge(np.array(features), scores, np.array(image_numbers)).tolist(), strict=True))


def _mentioned(image: Image) -> list[str]:
    """The boxes that at least half of the captions mention, or those that most do."""
    captions = [caption for caption in image.captions if caption.source == "gold"]
    ids = {box.id for box in image.boxes}
    counts = Counter(
        id
        for caption in captions
        for id in dict.fromkeys(id for mention in caption.mentions for id in mention.boxes)
        if id in ids
    )
    least = min(max(counts.values(), default=0), len(captions) / 2)
    return [id for id, n in counts.items() if n >= least]


def _ridge(features: Floats, scores: Floats, groups: np.typing.NDArray[np.int64]) -> Floats:
    """The weights that predict scores from features, both as differences from the mean of their group."""
    both = np.column_stack([features, scores])
    n = np.bincount(groups)
    means = np.stack([np.bincount(groups, column) for column in both.T], axis=1) / np.maximum(1, n)[:, None]
    centred = both - means[groups]
    x, y = centred[:, :-1], centred[:, -1]
    weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y)
    return np.round(weights, 4)
