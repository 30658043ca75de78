"""Phrases as people write them."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest

MENTION = re.compile(r"\[/EN#\d+/\S+ ([^\]]*)\]")


@pytest.fixture(scope="session")
def mentions(shared_data: Path) -> Counter[str]:
    """The mention phrases of 4,000 images of Flickr30k Entities, each with how often it occurs."""
    with zipfile.ZipFile(shared_data / "flickr30k_entities" / "annotations.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("Sentences/") and name.endswith(".txt"))
        return Counter(phrase for name in names[:4000] for phrase in MENTION.findall(archive.read(name).decode()))
