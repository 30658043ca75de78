"""METEOR as programs written for pycocoevalcap call it, without a process of Java beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from limner.score import meteor
from limner.score.meteor.meteor_sources import no_tables
from limner.score.meteor.meteor_tables import MODULES
from limner.score.run import tokenised_run


class Meteor:
    """METEOR of captions that are tokens between single spaces, by image id."""

    def __init__(self) -> None:
        self._metric = meteor.Meteor()

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[float, list[float]]:
        """The value of all images together, and the images' own, in the order of `gts`."""
        if self._metric.tables.modules != MODULES:
            raise no_tables()
        # The reference tool parts what it is given at |||, and takes these out of captions.
        said = {id: [text.replace("|||", "") for text in some] for id, some in res.items()}
        found = self._metric.measure(tokenised_run(gts, said))
        return float(found.value()[0]), found.per_image[:, 0].tolist()

    def method(self) -> str:
        return "METEOR"
