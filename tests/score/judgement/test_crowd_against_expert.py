from __future__ import annotations

from pathlib import Path

import pytest

from limner.score.judgement.crowd_against_expert import crowd_against_expert, crowd_correlation
from limner.score.judgement.files import read_judgements
from limner.score.judgement.judgements import Judgement, Judgements
from limner.score.judgement.scale import CROWD, EXPERT


def experts(**ratings: tuple[int, int, int]) -> Judgements:
    return Judgements.of(EXPERT, [Judgement("i", name, float(v)) for name, given in ratings.items() for v in given])


def crowd(**yes_no: tuple[int, int]) -> Judgements:
    counts = [(name, value, n) for name, (yes, no) in yes_no.items() for value, n in ((1.0, yes), (0.0, no)) if n]
    return Judgements.of(CROWD, [Judgement("i", name, value, None, n) for name, value, n in counts])


EXPERTS = experts(a=(4, 4, 4), b=(3, 3, 3), c=(2, 3, 3), d=(1, 1, 1), only=(1, 1, 1))
PEOPLE = crowd(a=(3, 0), b=(2, 1), c=(2, 2), d=(1, 2), other=(3, 0))


def test_a_majority_of_yes_is_held_against_the_experts_mean() -> None:
    at_3, at_4 = crowd_against_expert(EXPERTS, PEOPLE, [3.0, 4.0])
    # Good are a and b, and the crowd says yes to just these: half of it, of c, is no majority.
    assert (at_3.n_pairs, at_3.n_good, at_3.n_yes) == (4, 2, 2)
    assert (at_3.agreement, at_3.kappa, at_3.P, at_3.R, at_3.F) == (1.0, 1.0, 1.0, 1.0, 1.0)
    # Good is a alone: three of four agree, where 1/4·1/2 + 3/4·1/2 would by chance.
    assert (at_4.agreement, at_4.kappa, at_4.P, at_4.R) == pytest.approx((0.75, 0.5, 0.5, 1.0))


def test_where_nothing_is_on_one_side_there_is_no_answer() -> None:
    (at,) = crowd_against_expert(experts(a=(1, 1, 1)), crowd(a=(0, 3)), [2.0])
    assert (at.agreement, at.kappa, at.P, at.R, at.F) == (1.0, None, None, None, None)
    assert crowd_against_expert(experts(a=(1, 1, 1)), crowd(b=(0, 3))) == []


def test_the_share_of_yes_follows_the_experts() -> None:
    found = crowd_correlation(EXPERTS, PEOPLE, samples=20)
    assert (found.n, found.value) == (4, pytest.approx(1.0))


def test_flickr8ks_crowd_agrees_best_where_experts_forgive_little(shared_data: Path) -> None:
    folder = shared_data / "flickr8k_judgements"
    expert = read_judgements(folder / "ExpertAnnotations.txt")
    people = read_judgements(folder / "CrowdFlowerAnnotations.txt")
    found = {at.threshold: at for at in crowd_against_expert(expert, people)}
    assert {at.n_pairs for at in found.values()} == {2329}
    assert max(found.values(), key=lambda at: at.kappa or 0.0).threshold == 3.5
    assert found[3.0].agreement == pytest.approx(0.889, abs=0.0005)
