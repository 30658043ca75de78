"""A caption as captioners return it: text, tokens, probabilities, and words tied to boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import structs

from limner.corpus.caption import Caption


@dataclass(frozen=True, slots=True)
class Captioned:
    """A caption that was found.

    `text` is the tokens decoded, without the prompt; `caption` the same with
    the words that meet constraints as mentions of the constraints' boxes.
    `log_prob` is that of the tokens after the prompt, the end of the sentence
    included; `score` is the same by length. `satisfied` tells which
    constraints are met, `met` whether they are enough. `others` are the next
    best, if more than one was asked for.
    """

    text: str
    tokens: list[int]
    log_prob: float
    score: float
    satisfied: tuple[bool, ...]
    met: bool
    caption: Caption
    others: tuple[Captioned, ...] = ()


def numbered(captioned: Captioned) -> Captioned:
    """The same, as captions `0`, `1`, ... of their image, the best first."""
    first, *others = (
        replace(item, caption=structs.replace(item.caption, id=str(number)))
        for number, item in enumerate((captioned, *captioned.others))
    )
    return replace(first, others=tuple(others))
