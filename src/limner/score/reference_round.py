"""A run in which references of each image are left out, of which one may be what is scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from limner.corpus.caption import Caption
from limner.score.run import Reading, Readings, Run
from limner.text.token_table import TokenTable

Item = TypeVar("Item")

# The place of an image in the run, and the numbers of its references that are left out.
Turn = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Round:
    """A run without some references of each image, or none.

    `turns` are the place of each image in the whole run, and which of the
    captions that `people` wrote of it are left out; `of_people` says that the
    first of them is the caption to be scored.
    """

    whole: Run
    people: Sequence[Sequence[Caption]]
    turns: Sequence[Turn]
    of_people: bool

    def readings(self, metric: str, read: Callable[[Caption], Reading]) -> Readings[Reading]:
        """What `read` makes of the captions that refer to boxes; no caption is read again in another round."""
        of_whole = self.whole.readings(metric, read)
        images = [(*of_whole[i], left_out) for i, left_out in self.turns]
        return [
            (gold[left_out[0]] if self.of_people else said, _rest(gold, left_out)) for said, gold, left_out in images
        ]

    def run(self, *, with_tokens: bool) -> Run:
        """The round as a run; without tokens, these are made of its captions when asked for."""
        whole, people = self.whole, self.people
        rest = [_rest(people[i], left_out) for i, left_out in self.turns]
        captions = None if whole.captions is None else [whole.captions[i] for i, _ in self.turns]
        return Run(
            [whole.ids[i] for i, _ in self.turns],
            [people[i][left_out[0]].text if self.of_people else whole.candidates[i] for i, left_out in self.turns],
            [[caption.text for caption in references] for references in rest],
            whole.tokeniser,
            whole.tokeniser_name,
            None if whole.images is None else [whole.images[i] for i, _ in self.turns],
            [people[i][left_out[0]] for i, left_out in self.turns] if self.of_people else captions,
            rest,
            None if self.of_people or whole.provenance is None else [whole.provenance[i] for i, _ in self.turns],
            self._tokens() if with_tokens else None,
            result_boxes=None if self.of_people else whole.boxes_at([i for i, _ in self.turns]),
            match_iou=whole.match_iou,
        )

    def _tokens(self) -> TokenTable:
        """The tokens of a round, which are among the run's: nothing is tokenised again."""
        groups, sentences = self.whole.groups.tolist(), []
        for i, left_out in self.turns:
            start, end = groups[i], groups[i + 1]
            sentences.append(start + 1 + left_out[0] if self.of_people else start)
            sentences += _rest(range(start + 1, end), left_out)
        return self.whole.tokens.select(np.array(sentences, dtype=np.int64))


def _rest(items: Sequence[Item], left_out: Sequence[int]) -> list[Item]:
    return [item for i, item in enumerate(items) if i not in left_out]
