"""Limner: grounded image description, sentences about pictures whose words are tied to regions."""

__version__ = "0.1.0"
