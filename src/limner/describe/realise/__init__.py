"""Chosen boxes put into words: in what order, as what phrases, related how."""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.describe.realise.fluent_realiser import FluentRealiser
    from limner.describe.realise.phrasebook import Phrasebook, read_phrasebook, write_phrasebook
    from limner.describe.realise.phrasebook_learning import learn_phrasebook
    from limner.describe.realise.realisers import PaperRealiser, find_realiser

__getattr__, __dir__, __all__ = lazy_exports(__name__)
