from __future__ import annotations

import numpy as np
import pytest

from limner.score.meteor.scoring import CHUNKS, measures, summable

# "the cat was sat on the mat" and "the cat sat on the mat", by meteor-1.5.jar -l en -norm -writeAlignments.
ROW = [7, 6, 4, 3, 3, 3, 3, 3, *[0] * 12, 2, 6, 6]
PERFECT = [2, 2, 1, 1, 1, 1, 1, 1, *[0] * 12, 1, 2, 2]


def test_the_measures_of_an_alignment() -> None:
    found = measures(ROW)
    assert float(found.precision) == pytest.approx(0.9230769230769231, abs=1e-15)
    assert float(found.recall) == 1.0
    assert float(found.penalty) == pytest.approx(0.4816449370561384, abs=1e-15)
    assert float(found.score) == pytest.approx(0.5119556177223324, abs=1e-15)


def test_what_is_matched_whole_in_one_chunk_has_no_penalty_and_adds_no_chunk() -> None:
    found = measures([PERFECT, ROW])
    assert found.score[0] == 1.0
    assert found.penalty[0] == 0.0
    rows = summable(np.array([PERFECT, ROW], dtype=np.float64))
    assert rows[:, CHUNKS].tolist() == [0.0, 2.0]
    assert float(measures(rows[0]).score) == 1.0


@pytest.mark.parametrize("row", [[0] * 23, [3, 0, 1, *[0] * 20], [0, 3, 0, 1, *[0] * 19], [3, 3, 1, 1, *[0] * 19]])
def test_nothing_matched_scores_nothing(row: list[int]) -> None:
    assert [float(one) for one in measures(row)][:3] == [0.0, 0.0, 0.0]
    assert float(measures(row).score) == 0.0


def test_modules_have_their_weights() -> None:
    scores = []
    for module in range(4):
        row = np.zeros(23)
        row[[0, 1, 20, 21, 22]] = 2, 2, 1, 1, 1
        row[4 + 4 * module : 6 + 4 * module] = 1
        scores.append(float(measures(row).precision))
    assert scores == pytest.approx([0.5, 0.3, 0.4, 0.3])
