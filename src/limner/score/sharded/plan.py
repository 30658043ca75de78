"""What all who score a share of the captions must know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from limner.score.box_matching import MATCH_IOU
from limner.score.metric import Scorer, Settings
from limner.score.pairing import Policy
from limner.score.run import Tokeniser
from limner.text.ptb import PTB, tokenise

# A subset of a system's images: the system's number, the subset's key and its name; both empty for all images.
SubsetKey = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked for, and what reading the shards has shown of all of them.

    `places` name the references and then each system's results in errors,
    `sources` say whose captions count there, `names` are the systems'.
    `attributes` are all that images have. `with_counts` says that n-grams are
    counted over all images, `with_subset_counts` over each subset as well.
    """

    metrics: Sequence[str | Scorer]
    settings: Settings
    by: Sequence[str]
    policy: Policy
    samples: int
    lenient: bool
    keep_images: bool
    with_counts: bool
    with_subset_counts: bool
    places: Sequence[str] = ()
    sources: Sequence[str] = ()
    names: Sequence[str] = ()
    attributes: frozenset[str] = frozenset()
    tokeniser: Tokeniser = tokenise
    tokeniser_name: str = PTB
    match_iou: float = MATCH_IOU

    def subset(self, system: int, key: str = "", name: str = "") -> SubsetKey:
        """The subset by which its n-grams are counted: systems share them, unless each leaves out other images."""
        return system if self.policy.missing == "skip" else 0, key, name
