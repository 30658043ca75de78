"""Why answers are wrong (Plummer et al. 2016, Figure 9): with whose box a phrase was confused, or what was lacking.

The first that holds is the source of an error:

1. `right`: no error. Under `as-many`, all gold boxes are found, and `partly right` are those of which some are.
2. `no answer`: the results have no box for the phrase.
3. `other phrase`: the answer matches the gold box of a phrase of the image that refers to other boxes.
4. `no proposal`: none of the image's boxes matches the phrase's.
5. `poor overlap`: the answer overlaps the phrase's box, by an IoU of .1 or more.
6. `background`: it does not.
"""

from __future__ import annotations

import numpy as np

from limner.arrays import Integers
from limner.score.localisation.gold_phrases import GoldImage
from limner.score.localisation.phrase_ranking import PhraseRanking
from limner.score.localisation.phrase_recall import PhraseRecall, RecallSettings, target_overlaps

SOURCES = ("right", "partly right", "no answer", "other phrase", "no proposal", "poor overlap", "background")
RIGHT, PARTLY, NO_ANSWER, OTHER, NO_PROPOSAL, POOR, BACKGROUND = range(len(SOURCES))

# From this IoU on an answer overlaps its box poorly; below it is on something else.
POOR_IOU = 0.1


def error_sources(
    ranking: PhraseRanking, recall: PhraseRecall, gold: GoldImage, settings: RecallSettings
) -> tuple[Integers, Integers]:
    """The source of each phrase's error, a number of `SOURCES`, and the other phrase that it was confused with, or -1.

    Of several other phrases it is the one that the answer overlaps most, then the first.
    """
    n = len(gold)
    source = np.full(n, BACKGROUND, dtype=np.int64)
    confused = np.full(n, -1, dtype=np.int64)
    source[recall.answer_iou >= POOR_IOU] = POOR
    source[recall.bound == 0] = NO_PROPOSAL
    has_answer = recall.kept[:, 0] >= 0
    answered = np.flatnonzero(has_answer)
    if len(answered):
        answers = ranking.corners[recall.kept[answered, 0]]
        others = np.where(gold.is_same[answered], 0.0, target_overlaps(answers, gold, settings.protocol))
        nearest = others.argmax(axis=1)
        is_confused = others[np.arange(len(answered)), nearest] >= settings.iou
        source[answered[is_confused]] = OTHER
        confused[answered[is_confused]] = nearest[is_confused]
    source[~has_answer] = NO_ANSWER
    first = recall.recalls[:, 0]
    source[first > 0] = PARTLY
    source[first == 1] = RIGHT
    confused[source != OTHER] = -1
    return source, confused
