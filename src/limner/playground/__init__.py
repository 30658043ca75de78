"""The playground: a procedural clip-art world with exact boxes, captions, mentions and chains."""

from limner.playground.catalogue import KINDS
from limner.playground.world import World, playground

__all__ = ["KINDS", "World", "playground"]
