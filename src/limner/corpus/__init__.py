"""What is known about images: the model, its geometry, formats, classes, linking, merging, statistics.

An `Image` has boxes, captions whose mentions refer to them, chains and labels;
a `Corpus` streams images from disk. `open_corpus` reads any format and
`write_corpus` writes most. Nothing is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.corpus.box import Box
    from limner.corpus.caption import Candidate, Caption, Mention
    from limner.corpus.corpus import Corpus
    from limner.corpus.duplicate_boxes import DuplicateBoxes, merge_duplicates
    from limner.corpus.formats import open_corpus, write_corpus
    from limner.corpus.image import Chain, Image, ImageLabel

__getattr__, __dir__, __all__ = lazy_exports(__name__)
