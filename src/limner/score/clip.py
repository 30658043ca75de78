"""CLIPScore and RefCLIPScore: does a model of pictures and words find that a caption fits? (Hessel et al. 2021)

    CLIPScore    = w · max(cos(picture, caption), 0),   w = 2.5
    RefCLIPScore = harmonic mean of CLIPScore and max(max over references of cos(caption, reference), 0)

of the model's embeddings, each sentence after "A photo depicts"; means over
images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from limner.arrays import Floats
from limner.corpus.image import Image
from limner.corpus.picture_files import COPY_FILES, find_picture
from limner.errors import BadInput, shown
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.metric import Choices, Metric, Statistics, means
from limner.score.run import Run

if TYPE_CHECKING:
    from limner.learn import transformers_folders
    from limner.score import embedder
else:
    embedder = lazy("limner.score.embedder")
    transformers_folders = lazy("limner.learn.transformers_folders")

# As published: it stretches the scores of CLIP, which are mostly below .4, to about 0 to 1.
WEIGHT = 2.5
PREFIX = "A photo depicts "


@dataclass(frozen=True, eq=False)
class ClipScore(Metric):
    """CLIPScore and RefCLIPScore by the model in one folder, for pictures in another."""

    model: Path
    pictures: Path
    batch: int = 32
    device: str = "cpu"
    progress: Progress = field(default=silent, repr=False)
    name: ClassVar[str] = "clip_score"
    columns: ClassVar[tuple[str, ...]] = ("clip_score", "ref_clip_score")
    needs_images: ClassVar[bool] = True

    def measure(self, run: Run) -> Statistics:
        """Both scores of every image; where one has no picture that is an error, before any work is done."""
        paths = self._paths(run)
        model = embedder.Embedder(self.model, self.device)
        pictures = self._embedded(model.pictures, paths, "pictures")
        row = {sentence: i for i, sentence in enumerate(dict.fromkeys(run.sentences()))}
        said = self._embedded(model.sentences, [PREFIX + sentence for sentence in row], "sentences")
        captions = said[[row[candidate] for candidate in run.candidates]]
        nearest = [
            float((said[[row[reference] for reference in references]] @ caption).max())
            for caption, references in zip(captions, run.references, strict=True)
        ]
        scores = clip_scores((pictures * captions).sum(axis=1), np.array(nearest))
        choices: Choices = {
            "model": self.model.resolve().name,
            "files": transformers_folders.fingerprint(self.model),
            "w": WEIGHT,
            "prefix": PREFIX.strip(),
        }
        # The harmonic mean of w and 1 is the most that RefCLIPScore can be.
        ranges = [(0.0, WEIGHT), (0.0, 2.0 * WEIGHT / (WEIGHT + 1.0))]
        return replace(means(scores, choices), warnings=model.warnings, ranges=ranges)

    def _embedded(self, embed: Callable[[Sequence[Any]], Floats], items: Sequence[Any], what: str) -> Floats:
        starts = range(0, len(items), self.batch)
        parts = (embed(items[start : start + self.batch]) for start in starts)
        embedded = list(track(parts, f"batches of {what}", self.progress, len(starts)))
        return np.concatenate(embedded) if embedded else np.zeros((0, 1))

    def _paths(self, run: Run) -> list[Path]:
        images = run.images if run.images is not None else [Image(id) for id in run.ids]
        picture_by_id = {image.id: find_picture(self.pictures, image) for image in images}
        missing = [id for id, picture in picture_by_id.items() if picture.file is None]
        if missing:
            first = ", ".join(shown(id) for id in missing[:3]) + (", …" if len(missing) > 3 else "")
            problem = f"there is no picture of {len(missing):,} of {len(run):,} images ({first})"
            if link := next((picture.link_out for picture in picture_by_id.values() if picture.link_out), None):
                raise BadInput(str(link), f"is a link out of the folder, and {problem}", COPY_FILES)
            raise BadInput(str(self.pictures), problem, "name the folder that has them, by file name or image id")
        return [picture.file for picture in picture_by_id.values() if picture.file is not None]


def clip_scores(picture_caption: Floats, caption_reference: Floats) -> Floats:
    """Both scores, `[images, 2]`, from the cosines of picture and caption, and of caption and nearest reference."""
    clip = WEIGHT * np.maximum(picture_caption, 0.0)
    near = np.maximum(caption_reference, 0.0)
    total = clip + near
    return np.stack([clip, np.divide(2.0 * clip * near, total, out=np.zeros_like(total), where=total > 0)], axis=-1)
