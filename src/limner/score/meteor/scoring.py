"""From an alignment's statistics to METEOR's score.

A row of statistics has, in this order: the words of the caption and of the
reference; how many of each are function words; for each of the four modules
the matched content words of the caption, of the reference, then the matched
function words of both; the chunks; all matched words of the caption and of the
reference.

Content words weigh `DELTA`, function words the rest. Precision and recall are
the weighted shares of words that are matched, each by its module's weight. A
caption is penalised the more chunks its matches fall into.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from limner.score.metric import Numbers

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75

WEIGHTS = (1.0, 0.6, 0.8, 0.6)
"""What a word is worth that matches exactly, by its stem, a synonym, a paraphrase."""

CAPTION, REFERENCE, CAPTION_FUNCTION, REFERENCE_FUNCTION = range(4)
MODULES, CHUNKS, CAPTION_MATCHED, REFERENCE_MATCHED = 4, 20, 21, 22


class Measures(NamedTuple):
    """What a score is made of; arrays of one shape."""

    precision: Numbers
    recall: Numbers
    f_mean: Numbers
    penalty: Numbers
    score: Numbers


def measures(rows: ArrayLike) -> Measures:
    """The measures of rows or sums of rows, `[..., 23]`; 0 where they are not defined."""
    those = np.asarray(rows, dtype=np.float64)
    modules = those[..., MODULES:CHUNKS].reshape(*those.shape[:-1], len(WEIGHTS), 4)
    content, function = (np.array(WEIGHTS) @ modules[..., some] for some in (slice(0, 2), slice(2, 4)))
    matched = DELTA * content + (1.0 - DELTA) * function
    n_function = those[..., CAPTION_FUNCTION : REFERENCE_FUNCTION + 1]
    lengths = DELTA * (those[..., CAPTION : REFERENCE + 1] - n_function) + (1.0 - DELTA) * n_function
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = matched / lengths
        precision, recall = shares[..., 0], shares[..., 1]
        f_mean = 1.0 / ((1.0 - ALPHA) / precision + ALPHA / recall)
        n_matched = (those[..., CAPTION_MATCHED] + those[..., REFERENCE_MATCHED]) / 2.0
        penalty = GAMMA * np.where(is_perfect(those), 0.0, those[..., CHUNKS] / n_matched) ** BETA
        found = precision, recall, f_mean, penalty, f_mean * (1.0 - penalty)
    return Measures(*(np.nan_to_num(one, nan=0.0, posinf=0.0, neginf=0.0) for one in found))


def is_perfect(rows: Numbers) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether every word of both sentences is matched, in one chunk."""
    is_matched = rows[..., [CAPTION, REFERENCE]] == rows[..., [CAPTION_MATCHED, REFERENCE_MATCHED]]
    return np.asarray(is_matched.all(axis=-1) & (rows[..., CHUNKS] <= 1), dtype=np.bool_)


def summable(rows: Numbers) -> Numbers:
    """The rows as they are summed over images: perfect ones add no chunk."""
    found = rows.copy()
    found[is_perfect(rows), CHUNKS] = 0.0
    return found
