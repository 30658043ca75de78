"""What people score by any metric."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from limner.corpus import Image
from limner.score import evaluate
from limner.score.bleu import Bleu
from limner.score.cider import Cider
from limner.score.content import gold_sets, human, summarise
from limner.score.content_evaluation import HUMAN
from limner.score.external import function_metric
from limner.score.grounded_words import GroundedWords
from limner.score.leave_one_out import human_bound, matched
from limner.score.metric import Statistics, means
from limner.score.rouge_l import RougeL
from limner.score.run import Run

REFERENCES = [["a dog runs", "a brown dog runs fast", "one dog"], ["a cat", "the cat sleeps"], ["alone"]]
RUN = Run(["a", "b", "c"], ["a dog", "a cat sleeps", "alone"], REFERENCES)

# In each round, the images that have a reference to leave out and another one.
ROUNDS = ((0, [0, 1]), (1, [0, 1]), (2, [0]))


def left_out(k: int, images: list[int]) -> Run:
    """The k-th reference of these images against the others."""
    rest = [[text for j, text in enumerate(REFERENCES[i]) if j != k] for i in images]
    return Run([str(i) for i in images], [REFERENCES[i][k] for i in images], rest)


def test_an_image_has_the_mean_of_its_captions_against_the_others() -> None:
    found = human_bound(RougeL()).measure(RUN)
    rounds = [
        RougeL().measure(left_out(k, images)).per_image[:, 0] for k, images in ((0, [0, 1]), (1, [0, 1]), (2, [0]))
    ]
    expected = [np.mean([rounds[0][0], rounds[1][0], rounds[2][0]]), np.mean([rounds[0][1], rounds[1][1]])]
    assert found.per_image[:2, 0] == pytest.approx(expected)
    assert isnan(found.per_image[2, 0])
    assert found.value()[0] == pytest.approx(np.mean(expected))


def test_a_metric_of_whole_runs_is_the_mean_of_its_rounds() -> None:
    found = human_bound(Bleu()).measure(RUN)
    rounds = [Bleu().measure(left_out(k, images)).value() for k, images in ROUNDS]
    assert found.value() == pytest.approx(np.mean(rounds, axis=0))
    assert found.value() != pytest.approx(np.nanmean(found.per_image, axis=0))


def test_document_frequencies_are_those_of_each_round() -> None:
    found = human_bound(Cider()).measure(RUN)
    first, second = (Cider().measure(left_out(k, [0, 1])).per_image for k in (0, 1))
    assert found.depends_on_run
    assert found.per_image[1] == pytest.approx((first[1] + second[1]) / 2)


def test_a_system_may_meet_as_few_references_as_people_do() -> None:
    best = function_metric("best", lambda caption, references: max(len(set(caption) & set(r)) for r in references))
    found = matched(best).measure(RUN)
    captions = [(RUN.candidates[i], REFERENCES[i]) for i in (0, 1)]
    for row, (caption, references) in zip(found.per_image, captions, strict=False):
        rounds = [
            max(len(set(caption) & set(r)) for j, r in enumerate(references) if j != k) for k in range(len(references))
        ]
        assert row[0] == pytest.approx(np.mean(rounds))


def test_what_a_bound_is_called_and_how_it_compares() -> None:
    bound = human_bound(Bleu(2))
    assert (bound.name, bound.columns, bound.higher_is_better) == ("human_bleu", ("human_bleu1", "human_bleu2"), True)
    texts = dict(zip(RUN.ids, REFERENCES, strict=True))
    evaluation = evaluate(dict(zip(RUN.ids, RUN.candidates, strict=True)), texts, metrics=["bleu", human_bound(Bleu())])
    assert evaluation.signatures["human_bleu1"].startswith("metric:human_bleu|n:4|length:closest|")
    assert "|references:one left out|" in evaluation.signatures["human_bleu1"]


def test_any_class_that_measures_has_a_bound() -> None:
    class Length:
        name = "length"
        columns = ("length",)

        def measure(self, run: Run) -> Statistics:
            return means([len(caption.split()) for caption in run.candidates])

    assert human_bound(Length()).measure(RUN).per_image[0, 0] == pytest.approx((3 + 5 + 2) / 3)


def test_content_selections_bound_is_the_published_one(val: list[Image]) -> None:
    images = val[:100]
    run = Run(
        [image.id for image in images],
        [""] * 100,
        [[caption.text for caption in image.captions] for image in images],
        images=images,
        captions=[image.captions[0] for image in images],
    )
    found = HUMAN.measure(run)
    expected = summarise({image.id: score for image in images if (score := human(gold_sets(image)))})
    assert found.value() == pytest.approx([expected.P, expected.R, expected.F], abs=1e-12)


def test_words_of_a_round_may_be_others_than_those_of_the_next(val: list[Image]) -> None:
    images = val[:30]
    run = Run(
        [image.id for image in images],
        [""] * 30,
        [[caption.text for caption in image.captions] for image in images],
        images=images,
        captions=[image.captions[0] for image in images],
    )
    f1_all, f1_loc = human_bound(GroundedWords()).measure(run).value()
    assert 0 < f1_all < f1_loc <= 1


def test_without_two_references_there_is_no_bound() -> None:
    found = human_bound(RougeL()).measure(Run(["a"], ["x"], [["x"]]))
    assert np.isnan(found.per_image).all()
    assert np.isnan(found.value()).all()
