"""The playground: a procedural clip-art world with exact boxes, captions, mentions and chains."""

from limner.corpus.playground.catalogue import KINDS
from limner.corpus.playground.world import World, playground

__all__ = ["KINDS", "World", "playground"]
