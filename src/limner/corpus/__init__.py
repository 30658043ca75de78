"""What is known about images: the model, its geometry, formats, linking, merging, statistics, the playground."""

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.corpus import Corpus
from limner.corpus.formats import open_corpus, write_corpus
from limner.corpus.image import Chain, Image

__all__ = ["Box", "Caption", "Chain", "Corpus", "Image", "Mention", "open_corpus", "write_corpus"]
