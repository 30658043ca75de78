"""CLIPScore and RefCLIPScore: does a model of pictures and words find that a caption fits? (Hessel et al. 2021)

    CLIPScore    = w · max(cos(picture, caption), 0),   w = 2.5
    RefCLIPScore = harmonic mean of CLIPScore and max(max over references of cos(caption, reference), 0)

of the model's embeddings, each sentence after "A photo depicts"; means over
images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from limner.corpus.image import Image
from limner.corpus.picture_files import find_picture
from limner.errors import BadInput, shown
from limner.score.embedder import Embedder, fingerprint
from limner.score.metric import Choices, Numbers, Statistics, means
from limner.score.run import Run

WEIGHT = 2.5
PREFIX = "A photo depicts "

Progress = Callable[[Iterable[Any], str, int], Iterable[Any]]
"""Wraps what is gone through, told what it is and how many there are."""


def _silent(items: Iterable[Any], what: str, total: int) -> Iterable[Any]:
    return items


@dataclass(frozen=True, eq=False)
class ClipScore:
    """CLIPScore and RefCLIPScore by the model in one folder, for pictures in another."""

    model: Path
    pictures: Path
    batch: int = 32
    device: str = "cpu"
    progress: Progress = field(default=_silent, repr=False)
    name: ClassVar[str] = "clip_score"
    columns: ClassVar[tuple[str, ...]] = ("clip_score", "ref_clip_score")
    higher_is_better: ClassVar[bool] = True

    def measure(self, run: Run) -> Statistics:
        """Both scores of every image; where one has no picture that is an error, before any work is done."""
        paths = self._paths(run)
        embedder = Embedder(self.model, self.device)
        pictures = self._embedded(embedder.pictures, paths, "pictures")
        row = {sentence: i for i, sentence in enumerate(dict.fromkeys(run.sentences()))}
        said = self._embedded(embedder.sentences, [PREFIX + sentence for sentence in row], "sentences")
        captions = said[[row[one] for one in run.candidates]]
        nearest = [
            float((said[[row[one] for one in references]] @ caption).max())
            for caption, references in zip(captions, run.references, strict=True)
        ]
        scores = clip_scores((pictures * captions).sum(axis=1), np.array(nearest))
        choices: Choices = {
            "model": self.model.resolve().name,
            "files": fingerprint(self.model),
            "w": WEIGHT,
            "prefix": PREFIX.strip(),
        }
        return replace(means(scores, choices), warnings=embedder.warnings)

    def _embedded(self, embed: Callable[[Sequence[Any]], Numbers], items: Sequence[Any], what: str) -> Numbers:
        starts = range(0, len(items), self.batch)
        parts = (embed(items[start : start + self.batch]) for start in starts)
        whole = list(self.progress(parts, f"batches of {what}", len(starts)))
        return np.concatenate(whole) if whole else np.zeros((0, 1))

    def _paths(self, run: Run) -> list[Path]:
        images = run.images if run.images is not None else [Image(id) for id in run.ids]
        found = {image.id: find_picture(self.pictures, image) for image in images}
        missing = [id for id, path in found.items() if path is None]
        if missing:
            some = ", ".join(shown(id) for id in missing[:3]) + (", …" if len(missing) > 3 else "")
            problem = f"there is no picture of {len(missing):,} of {len(run):,} images ({some})"
            raise BadInput(str(self.pictures), problem, "name the folder that has them, by file name or image id")
        return [path for path in found.values() if path is not None]


def clip_scores(picture_caption: Numbers, caption_reference: Numbers) -> Numbers:
    """Both scores, `[images, 2]`, from the cosines of picture and caption, and of caption and nearest reference."""
    clip = WEIGHT * np.maximum(picture_caption, 0.0)
    near = np.maximum(caption_reference, 0.0)
    total = clip + near
    return np.stack([clip, np.divide(2.0 * clip * near, total, out=np.zeros_like(total), where=total > 0)], axis=-1)
