"""What people score by any metric."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Caption, Image, open_corpus
from limner.errors import LimnerError
from limner.score import evaluate
from limner.score.bleu import Bleu
from limner.score.cider import Cider
from limner.score.content import gold_sets, human, summarise
from limner.score.document_frequencies import document_frequencies
from limner.score.external import function_metric
from limner.score.grounded import CONTENT
from limner.score.grounded_words import GroundedWords
from limner.score.leave_one_out import human_bound, matched
from limner.score.metric import Statistics, means
from limner.score.reference_round import Round
from limner.score.rouge_l import RougeL
from limner.score.run import Run
from memory import memory_below
from refusals import refusal

REFERENCES = [["a dog runs", "a brown dog runs fast", "one dog"], ["a cat", "the cat sleeps"], ["alone"]]
RUN = Run(["a", "b", "c"], ["a dog", "a cat sleeps", "alone"], REFERENCES)

# In each round, the reference of each image that is left out; in the third, the second image gives one again.
ROUNDS = ({0: 0, 1: 0}, {0: 1, 1: 1}, {0: 2, 1: 1})


def left_out(turns: dict[int, int]) -> Run:
    """By image, the reference of this number against the others."""
    rest = [[text for j, text in enumerate(REFERENCES[i]) if j != k] for i, k in turns.items()]
    return Run([str(i) for i in turns], [REFERENCES[i][k] for i, k in turns.items()], rest)


def test_an_image_has_the_mean_of_its_captions_against_the_others() -> None:
    found = human_bound(RougeL()).measure(RUN)
    rounds = [RougeL().measure(left_out(turns)).per_image[:, 0] for turns in ROUNDS]
    expected = [np.mean([rounds[0][0], rounds[1][0], rounds[2][0]]), np.mean([rounds[0][1], rounds[1][1]])]
    assert found.per_image[:2, 0] == pytest.approx(expected)
    assert isnan(found.per_image[2, 0])
    assert found.value()[0] == pytest.approx(np.mean(expected))


def test_a_metric_of_whole_runs_is_the_mean_of_its_rounds() -> None:
    found = human_bound(Bleu()).measure(RUN)
    rounds = [Bleu().measure(left_out(turns)).value() for turns in ROUNDS]
    assert found.value() == pytest.approx(np.mean(rounds, axis=0))
    assert found.value() != pytest.approx(np.nanmean(found.per_image, axis=0))


def test_document_frequencies_are_those_of_each_round() -> None:
    found = human_bound(Cider()).measure(RUN)
    first, second, third = (Cider().measure(left_out(turns)).per_image for turns in ROUNDS)
    assert found.depends_on_run
    assert found.per_image[1] == pytest.approx((first[1] + second[1]) / 2)
    assert found.per_image[0] == pytest.approx((first[0] + second[0] + third[0]) / 3)
    assert not found.warnings
    assert found.value() == pytest.approx(found.per_image[:2].mean(axis=0))


def test_document_frequencies_of_the_corpus_are_those_of_all_references_in_every_round() -> None:
    counted = Cider(document_frequencies(RUN))
    assert human_bound(Cider("corpus")).measure(RUN).per_image[:2] == pytest.approx(
        human_bound(counted).measure(RUN).per_image[:2]
    )


def test_a_few_images_with_more_references_hardly_change_the_bound(shared_data: Path) -> None:
    corpus = open_corpus(shared_data / "coco" / "captions_val2017.json")
    texts = {image.id: [caption.text for caption in image.captions] for image in corpus}
    longest = max(texts, key=lambda id: len(texts[id]))
    assert len(texts[longest]) == 7
    references = {longest: texts[longest], **dict(list(texts.items())[:300])}
    mine = {id: captions[0] for id, captions in references.items()}
    bounds = [human_bound(name) for name in ("bleu", "cider")]
    uneven = evaluate(mine, references, metrics=bounds)
    even = evaluate(mine, {id: captions[:5] for id, captions in references.items()}, metrics=bounds)
    assert not uneven.warnings
    for column, value in uneven.scores.items():
        assert value == pytest.approx(even.scores[column], rel=0.005)
        low, high = uneven.intervals[column]
        low_even, high_even = even.intervals[column]
        assert low < value < high
        assert (low, high) == pytest.approx((low_even, high_even), rel=0.02)


def test_a_metric_of_single_images_is_not_asked_for_a_reference_twice() -> None:
    asked: list[str] = []
    length = function_metric("length", lambda caption, references: asked.append(caption) or len(caption))  # type: ignore[func-returns-value]
    human_bound(length).measure(RUN)
    assert sorted(asked) == sorted([*REFERENCES[0], *REFERENCES[1]])


def test_a_bound_may_be_asked_for_by_the_name_of_its_metric() -> None:
    assert human_bound("bleu").measure(RUN).value() == pytest.approx(human_bound(Bleu()).measure(RUN).value())
    with refusal(LimnerError):
        human_bound("blue")


def test_a_system_may_meet_as_few_references_as_people_do() -> None:
    best = function_metric("best", lambda caption, references: max(len(set(caption) & set(r)) for r in references))
    found = matched(best).measure(RUN)
    captions = [(RUN.candidates[i], REFERENCES[i]) for i in (0, 1)]
    for row, (caption, references) in zip(found.per_image, captions, strict=False):
        rounds = [
            max(len(set(caption) & set(r)) for j, r in enumerate(references) if j != k) for k in range(len(references))
        ]
        assert row[0] == pytest.approx(np.mean(rounds))


def held_out_run(n: int = 60) -> Run:
    """References by length (Flickr30k lists the longest first): the first of an image has one word, the fifth five."""
    references = [[" ".join([f"w{i}", *"abcd"][: k + 1]) for k in range(5)] for i in range(n)]
    return Run([str(i) for i in range(n)], ["a b"] * n, references)


WORDS = function_metric("words", lambda caption, _: len(caption.split()))
REST = function_metric("rest", lambda _, references: sum(len(text.split()) for text in references))


def test_held_out_people_are_chosen_by_chance_and_not_by_their_place_in_the_file() -> None:
    run = held_out_run()
    for n in (1, 2):
        found = human_bound(WORDS, held_out=n).measure(run)
        assert found.value() == pytest.approx([3], abs=0.45)
        assert found.per_image.tolist() == human_bound(WORDS, held_out=n).measure(run).per_image.tolist()
        assert found.per_image.tolist() != human_bound(WORDS, held_out=n, seed=1).measure(run).per_image.tolist()
    # The choice does not depend on which other images are scored.
    one = human_bound(WORDS, held_out=2)
    assert one.measure(run.subset([7])).value() == pytest.approx(one.measure(run).per_image[7])


def test_all_held_out_people_meet_the_same_rest() -> None:
    run = held_out_run()
    for n in (1, 2, 4):
        said, rest = (human_bound(metric, held_out=n).measure(run).per_image[:, 0] for metric in (WORDS, REST))
        # An image's references have 1 + 2 + 3 + 4 + 5 words together.
        assert n * said + rest == pytest.approx(np.full(60, 15.0))
        assert matched(REST, held_out=n).measure(run).per_image[:, 0] == pytest.approx(rest)
        assert (matched(WORDS, held_out=n).measure(run).per_image == 2).all()


def test_a_metric_of_whole_runs_is_the_mean_over_held_out_people() -> None:
    run = held_out_run(20)
    lengths = human_bound(WORDS, held_out=1, seed=3).measure(run).per_image[:, 0].astype(int).tolist()
    said = [texts[length - 1] for texts, length in zip(run.references, lengths, strict=True)]
    rest = [[text for text in texts if text not in said] for texts in run.references]
    found = human_bound(Bleu(), held_out=1, seed=3).measure(run)
    assert found.value() == pytest.approx(Bleu().measure(Run(run.ids, said, rest)).value())
    assert found.choices["references"] == "1 held out, seed 3"


def test_images_without_a_rest_have_no_value() -> None:
    found = human_bound(RougeL(), held_out=2).measure(RUN)
    assert np.isnan(found.per_image[:, 0]).tolist() == [False, True, True]
    with refusal(LimnerError):
        human_bound("bleu", held_out=0)


@pytest.mark.parametrize("held_out", [None, 1])
@pytest.mark.parametrize("name", ["bleu", "rouge_l", "cider", "chair", "coverage", "diversity", "content", "verbs"])
def test_people_have_a_score_by_every_metric_overall_and_by_subset(
    name: str, held_out: int | None, val: list[Image]
) -> None:
    images = val[:30]
    said = [Image(image.id, captions=(Caption("0", "a dog", source="system:s"),)) for image in images]
    found = evaluate(said, images, metrics=[human_bound(name, held_out=held_out)], by=["length"], samples=0)
    assert not np.isnan(list(found.scores.values())).any()
    assert all(set(subset.scores) >= set(found.scores) for subset in found.by["length"].values())


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


class TurnNumber:
    """Which reference is left out, of a class that knows rounds and no runs."""

    name = "turn"
    columns = ("turn",)

    def measure(self, run: Run) -> Statistics:
        pytest.fail("a run was made of a round")

    def measure_round(self, left_out: Round) -> Statistics:
        return means([first for _, (first, *_) in left_out.turns])


def test_any_class_may_measure_rounds_itself() -> None:
    assert human_bound(TurnNumber()).measure(RUN).per_image[:2, 0] == pytest.approx([1, 0.5])


def test_an_image_with_many_references_takes_the_memory_of_these_alone() -> None:
    references = [["a"] * 500, *([["a", "b"]] * 5000)]
    run = Run(list(map(str, range(5001))), ["a"] * 5001, references)
    with memory_below(32 << 20):
        per_image = human_bound(TurnNumber()).measure(run).per_image[:, 0]
    assert per_image.tolist() == [249.5, *([0.5] * 5000)]


def test_a_metric_of_the_corpus_that_takes_no_frequencies_is_told_so() -> None:
    class Rare(TurnNumber):
        scope = "corpus"

    with refusal(LimnerError):
        human_bound(Rare()).measure(RUN)


def test_content_selections_bound_is_the_published_one(val: list[Image]) -> None:
    images = val[:100]
    run = Run(
        [image.id for image in images],
        [""] * 100,
        [[caption.text for caption in image.captions] for image in images],
        images=images,
        captions=[image.captions[0] for image in images],
    )
    found = human_bound(CONTENT).measure(run)
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
