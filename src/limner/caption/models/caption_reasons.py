"""Why a caption says what it says: its words with their probabilities, and where the model looked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from limner.arrays import Singles
from limner.caption.attention_mentions import SLOT_SHARE
from limner.caption.captioned import Captioned
from limner.caption.captioning import CorpusCaptioner
from limner.caption.models.captioner import WordWeights
from limner.caption.models.corpus_captioners import RegionCaptioner
from limner.corpus.image import Image

# Regions that are told of each word.
MOST_REGIONS = 3

PICTURE = "picture"

# Regions by id or `picture`, with their shares, the largest first.
RegionShares = list[tuple[str, float]]


@dataclass(frozen=True)
class CaptionReasons:
    """A caption of an image, its words, and the regions with the most attention at each, as id or `picture` and share.

    Words that slots said are told with the slots' regions. Words are known only of Limner's own captioners.
    """

    image: Image
    captioned: Captioned
    constraints: tuple[str, ...]
    words: list[tuple[WordWeights, RegionShares, RegionShares]]

    def to_json(self) -> dict[str, Any]:
        captioned = self.captioned
        return {
            "image": self.image.id,
            "caption": captioned.text,
            "log_prob": round(captioned.log_prob, 4),
            "score": round(captioned.score, 4),
            "constraints": [
                {"words": words, "met": met} for words, met in zip(self.constraints, captioned.satisfied, strict=True)
            ],
            "mentions": [
                {
                    "words": captioned.caption.phrase(mention),
                    "boxes": list(mention.boxes),
                    "origin": mention.origin,
                    "probability": None if mention.probability is None else round(mention.probability, 4),
                }
                for mention in captioned.caption.mentions
            ],
            "words": [
                {
                    "word": word.word,
                    "log_prob": round(word.log_prob, 4),
                    "regions": [{"region": name, "attention": round(share, 4)} for name, share in regions],
                    **(
                        {"slots": [{"region": name, "share": round(share, 4)} for name, share in slots]}
                        if slots
                        else {}
                    ),
                }
                for word, regions, slots in self.words
            ],
        }

    def text(self) -> str:
        """The same for people: the caption, what was demanded, and a line for each word."""
        label_by_id = {box.id: box.label for box in self.image.boxes}
        lines = [f"{self.image.id}: {self.captioned.text}  ({self.captioned.log_prob:.1f})"]
        for words, met in zip(self.constraints, self.captioned.satisfied, strict=True):
            lines.append(f"  {'said' if met else 'not said'}: {words}")
        width = max((len(word.word) for word, _, _ in self.words), default=0)
        for word, regions, slots in self.words:
            looked = ", ".join(f"{_named(name, label_by_id)} {share:.0%}" for name, share in regions)
            tied = ", ".join(f"{_named(name, label_by_id)} {share:.0%}" for name, share in slots)
            why = f"slot of {tied}; looked at {looked}" if slots else looked
            lines.append(f"  {word.word or '(end)':<{max(width, 5)}}  {word.log_prob:6.2f}  {why}")
        return "\n".join(lines)


def caption_reasons(captioner: CorpusCaptioner, image: Image, captioned: Captioned) -> CaptionReasons:
    """Why the last caption of an image says what it says."""
    constraints = tuple(" / ".join(constraint.phrases) for constraint in captioner.asked(image))
    if not isinstance(captioner, RegionCaptioner):
        return CaptionReasons(image, captioned, constraints, [])
    request = captioner.requests[image.id]
    words = captioner.captioner.explain(request, captioned.tokens)
    names = [PICTURE if id is None else id for id in request.regions.box_ids]
    return CaptionReasons(
        image, captioned, constraints, [(word, _top(word.attention, names), _slots(word, names)) for word in words]
    )


def _slots(word: WordWeights, names: list[str]) -> RegionShares:
    """The regions whose slots said a word; none if the text did."""
    if word.slots.sum() <= SLOT_SHARE:
        return []
    return [(name, share) for name, share in _top(word.slots, names) if share > 0]


def _top(weights: Singles, names: list[str]) -> RegionShares:
    """The regions with the largest shares; the picture and the cells of its grid count as one."""
    shares: dict[str, float] = {}
    for name, share in zip(names, weights.tolist(), strict=False):
        shares[name] = shares.get(name, 0.0) + share
    return sorted(shares.items(), key=lambda item: -item[1])[:MOST_REGIONS]


def _named(name: str, label_by_id: dict[str, str]) -> str:
    return f"{label_by_id[name]} {name}" if name in label_by_id else name
