"""Chosen boxes put into words: in what order, as what phrases, related how."""

from limner.describe.realise.fluent import FluentRealiser
from limner.describe.realise.learning import learn_phrasebook
from limner.describe.realise.paper import PaperRealiser
from limner.describe.realise.phrasebook import Phrasebook, read_phrasebook, write_phrasebook

__all__ = [
    "FluentRealiser",
    "PaperRealiser",
    "Phrasebook",
    "learn_phrasebook",
    "read_phrasebook",
    "write_phrasebook",
]
