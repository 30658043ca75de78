"""What is known about images: the model, its geometry, formats, classes, linking, merging, statistics.

An `Image` has boxes, captions whose mentions refer to them, chains and labels;
a `Corpus` streams images from disk. `open_corpus` reads any format and
`write_corpus` writes most. Nothing is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.corpus.box import Box as Box
    from limner.corpus.caption import Candidate as Candidate
    from limner.corpus.caption import Caption as Caption
    from limner.corpus.caption import Mention as Mention
    from limner.corpus.corpus import Corpus as Corpus
    from limner.corpus.formats import open_corpus as open_corpus
    from limner.corpus.formats import write_corpus as write_corpus
    from limner.corpus.image import Chain as Chain
    from limner.corpus.image import Image as Image
    from limner.corpus.image import ImageLabel as ImageLabel

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.corpus.box": ["Box"],
        "limner.corpus.caption": ["Candidate", "Caption", "Mention"],
        "limner.corpus.corpus": ["Corpus"],
        "limner.corpus.formats": ["open_corpus", "write_corpus"],
        "limner.corpus.image": ["Chain", "Image", "ImageLabel"],
    },
)
