"""How well a captioner describes images that it does not learn from."""

from __future__ import annotations

from collections.abc import Sequence

from limner.caption.captioner_config import DecodingSettings
from limner.caption.models.caption_model import CaptionModel
from limner.caption.training.caption_pairs import RegionTable
from limner.caption.training.free_search import search_freely
from limner.learn.vocabulary import Vocabulary
from limner.score.cider import Cider
from limner.score.run import Run

# Images that are described at a time.
BATCH = 64


class HeldOutImages:
    """Images with their regions and references, as lists of words, that tell how good a model is."""

    def __init__(
        self,
        regions: RegionTable,
        references: Sequence[Sequence[Sequence[str]]],
        vocabulary: Vocabulary,
        decoding: DecodingSettings,
    ) -> None:
        self._regions = regions
        self._references = [[" ".join(words) for words in image] for image in references]
        self._vocabulary = vocabulary
        self._decoding = decoding

    def figures(self, model: CaptionModel) -> dict[str, float]:
        """CIDEr of the model's captions, and their mean length in words."""
        captions = self._captions(model)
        ids = [str(at) for at in range(len(captions))]
        run = Run(ids, [" ".join(words) for words in captions], self._references)
        values = Cider().measure(run).per_image[:, 0]
        n_words = sum(map(len, captions)) / len(captions)
        return {"CIDEr": float(values.mean()), "words": n_words}

    def _captions(self, model: CaptionModel) -> list[list[str]]:
        captions: list[list[str]] = []
        for first in range(0, len(self._regions), BATCH):
            regions = self._regions.batch(range(first, min(first + BATCH, len(self._regions))))
            results = search_freely(model, regions.to(model.device), len(self._vocabulary), self._decoding)
            captions += [" ".join(self._vocabulary.text(result.tokens)).split() for result in results]
        return captions
