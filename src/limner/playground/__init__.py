"""A clip-art world with exact boxes, captions, mentions, chains and pictures.

`playground(100)` gives images; a `World` gives scenes too, which `draw` turns
into pictures. `KINDS` are the classes of things that there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.playground.catalogue import KINDS as KINDS
    from limner.playground.drawing.contact_sheet import contact_sheet as contact_sheet
    from limner.playground.drawing.picture import draw as draw
    from limner.playground.novel_classes import DOMAINS as DOMAINS
    from limner.playground.novel_classes import random_novel as random_novel
    from limner.playground.world import World as World
    from limner.playground.world import playground as playground
    from limner.playground.world_files import write_world as write_world

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.playground.catalogue": ["KINDS"],
        "limner.playground.drawing.contact_sheet": ["contact_sheet"],
        "limner.playground.drawing.picture": ["draw"],
        "limner.playground.novel_classes": ["DOMAINS", "random_novel"],
        "limner.playground.world": ["World", "playground"],
        "limner.playground.world_files": ["write_world"],
    },
)
