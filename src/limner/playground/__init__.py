"""A clip-art world with exact boxes, captions, mentions, chains and pictures.

`playground(100)` gives images; a `World` gives scenes too, which `draw` turns
into pictures. `KINDS` are the classes of things that there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.playground.catalogue import KINDS
    from limner.playground.drawing.contact_sheet import contact_sheet
    from limner.playground.drawing.picture import draw
    from limner.playground.novel_classes import DOMAINS, random_novel
    from limner.playground.world import World, playground
    from limner.playground.world_files import write_world

__getattr__, __dir__, __all__ = lazy_exports(__name__)
