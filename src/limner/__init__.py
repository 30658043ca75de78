"""Limner: grounded image description, sentences about pictures whose words are tied to regions."""

from limner import moved

__version__ = "0.1.0"

moved.install()
