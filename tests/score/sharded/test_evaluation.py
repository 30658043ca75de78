"""Captions scored in shares have the scores, the intervals, the signatures and the errors that they have as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limner.corpus import Box, Caption, Corpus, Image, Mention, write_corpus
from limner.errors import BadInput, LimnerError
from limner.score.caption_evaluation import Evaluation, compare_systems, evaluate_systems
from limner.score.cider import Cider
from limner.score.document_frequencies import document_frequencies
from limner.score.external import scores_file
from limner.score.given_captions import read_captions, read_references
from limner.score.metric import Settings, Statistics, means
from limner.score.pairing import Policy
from limner.score.run import Run
from limner.score.sharded.evaluation import Scored, evaluate_sharded
from refusals import refusal

METRICS = ("bleu", "rouge_l", "cider", "cider-plain")
SYSTEM = "system:s"

Engines = Callable[..., Any]

WORDS = ("a", "dog", "cat", "runs", "red", "two")


def corpora(draw: Random) -> tuple[list[Image], list[Image]]:
    """References and results of some images, most of them the same, each in an order of its own.

    Some images have no references, some no caption, some two, some one
    without words; and some results are of images that nobody knows.
    """

    def sentence() -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(1, 9)))

    gold, said = [], []
    for id in map(str, range(draw.randint(4, 14))):
        n = draw.choices([0, 1, 2, 3], [1, 3, 3, 3])[0] if gold else 1
        labels = draw.sample(["dog", "cat"], draw.randint(0, 2))
        boxes = tuple(Box(str(k), 0, 0, 1, 1, label) for k, label in enumerate(labels))
        captions = tuple(Caption(str(k), sentence()) for k in range(n))
        gold.append(Image(id, 9, 9, boxes, captions, attributes={"domain": draw.choice(["in", "out"])}))
        texts = [draw.choices([sentence(), " "], [9, 1])[0] for _ in range(draw.choices([0, 1, 2], [1, 8, 1])[0])]
        id = draw.choices([id, f"stranger {id}"], [12, 1])[0] if said else id
        texts = texts or ([] if said else ["a dog"])
        captions = tuple(Caption(str(k), text, source=SYSTEM) for k, text in enumerate(texts))
        said.append(Image(id, captions=captions, provenance=draw.choice([{}, {}, {"labels": "captions"}])))
    draw.shuffle(gold)
    draw.shuffle(said)
    return gold, said


def in_shards(images: Sequence[Image], folder: Path, n: int) -> Path:
    """A folder of n shards, some of them perhaps without images: those are not written."""
    folder.mkdir(parents=True)
    for number, some in enumerate(np.array_split(np.arange(len(images)), n)):
        if len(some):
            write_corpus([images[i] for i in some], folder / f"part-{number}.jsonl")
    return folder


def as_a_whole(
    gold: Sequence[Image],
    systems: dict[str, Sequence[Image]],
    folder: Path,
    policy: Policy,
    **asked: Any,
) -> list[Evaluation]:
    """The evaluation in one go."""
    references = read_references(Corpus.of(gold, str(folder / "refs")), keep_images=True, place=str(folder / "refs"))
    captions = [
        read_captions(
            Corpus.of(images, str(folder / name)), name=name, duplicate=policy.duplicate, place=str(folder / name)
        )
        for name, images in systems.items()
    ]
    return evaluate_systems(captions, references, policy=policy, **asked)


def same(one: Any, other: Any) -> bool:
    """Whether two results say the same, numbers to 1e-9."""
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return (
        bool(one == pytest.approx(other, abs=1e-9, rel=0, nan_ok=True))
        if isinstance(one, float)
        else bool(one == other)
    )


@settings(max_examples=50)
@given(st.randoms(use_true_random=True))
def test_shards_score_as_the_whole_does_however_they_are_cut_dealt_and_run(
    tmp_path_factory: pytest.TempPathFactory, in_any_order: Engines, draw: Random
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    gold, said = corpora(draw)
    refs, results = (
        in_shards(gold, folder / "refs", draw.randint(1, 4)),
        in_shards(said, folder / "s", draw.randint(1, 4)),
    )
    policy = Policy(draw.choice(["zero", "skip"]), "skip", "score", "first")  # type: ignore[arg-type]
    asked: dict[str, Any] = {
        "metrics": METRICS,
        "by": draw.sample(["domain", "length", "label"], draw.randint(0, 3)),
        "settings": Settings(draw.choice(["run", "corpus"])),  # type: ignore[arg-type]
        "samples": 7,
        "policy": policy,
    }
    (expected,) = as_a_whole(gold, {"s": said}, folder, **asked)
    engine, partitions = in_any_order(draw.random()), draw.randint(1, 5)
    (found,), *_ = evaluate_sharded(engine, [results], refs, partitions=partitions, **asked)
    assert found.name == "s"
    assert list(found.run.ids) == list(expected.run.ids)
    assert same(found.to_json(), expected.to_json())
    for column in expected.scores:
        assert same(found.per_image(column), expected.per_image(column))


@settings(max_examples=50)
@given(st.randoms(use_true_random=True))
def test_what_does_not_fit_is_refused_in_the_same_words(
    tmp_path_factory: pytest.TempPathFactory, in_any_order: Engines, draw: Random
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    gold, said = corpora(draw)
    refs, results = in_shards(gold, folder / "refs", 3), in_shards(said, folder / "s", 2)
    lax: dict[str, Any] = {"missing": "zero", "extra": "skip", "empty": "score", "duplicate": "first"}
    policy = Policy(**{**lax, draw.choice([*lax]): "error"})
    try:
        as_a_whole(gold, {"s": said}, folder, policy=policy, metrics=["bleu"])
        expected = "nothing"
    except LimnerError as error:
        expected = str(error)
    try:
        evaluate_sharded(in_any_order(), [results], refs, policy=policy, metrics=["bleu"], partitions=4)
        found = "nothing"
    except LimnerError as error:
        found = str(error)
    assert found == expected


def images(n: int = 30, seed: int = 0) -> tuple[list[Image], list[Image]]:
    """References and results of n images, with words by chance."""
    generator = np.random.default_rng(seed)

    def sentence() -> str:
        return " ".join(
            generator.choice(["a", "dog", "cat", "runs", "on", "red", "grass"], int(generator.integers(3, 9)))
        )

    gold = [
        Image(str(i), captions=tuple(Caption(str(k), sentence()) for k in range(1 + i % 3)), attributes={"year": i % 2})
        for i in range(n)
    ]
    return gold, [Image(str(i), captions=(Caption("0", sentence(), source=SYSTEM),)) for i in reversed(range(n))]


GOLD, SAID = images()


@pytest.fixture
def scored(tmp_path: Path, in_any_order: Engines) -> Callable[..., Scored]:
    """Scores these images from shards."""
    in_shards(GOLD, tmp_path / "refs", 3)
    in_shards(SAID, tmp_path / "s", 2)

    def score(**asked: Any) -> Scored:
        given = {
            "systems": [tmp_path / "s"],
            "references": tmp_path / "refs",
            "metrics": METRICS,
            "samples": 0,
            **asked,
        }
        return evaluate_sharded(in_any_order(), **given)

    return score


def test_several_systems_are_compared_as_they_are_as_wholes(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    other = [Image(one.id, captions=(Caption("0", "a red dog", source="system:t"),)) for one in SAID[3:]]
    in_shards(other, tmp_path / "t", 2)
    for missing in ("zero", "skip"):
        policy = Policy(missing=missing)  # type: ignore[arg-type]
        expected = as_a_whole(GOLD, {"s": SAID, "t": other}, tmp_path, policy, metrics=METRICS, samples=10)
        found = scored(systems=[tmp_path / "s", tmp_path / "t"], policy=policy, samples=10).systems
        assert [one.counts["missing"] for one in found] == [0, 3]
        assert all(same(a.to_json(), b.to_json()) for a, b in zip(found, expected, strict=True))
        if missing == "skip":
            with refusal(LimnerError):
                compare_systems(found)
        if missing == "zero":
            a, b = (compare_systems(some, swaps=50) for some in (found, expected))
            assert same([list(one) for one in a], [list(one) for one in b])


def test_systems_are_compared_on_the_images_that_both_have(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    other = [Image(one.id, captions=(Caption("0", "a red dog", source="system:t"),)) for one in SAID[3:]]
    in_shards(other, tmp_path / "t", 2)
    asked: dict[str, Any] = {"metrics": ["bleu", "rouge_l"], "by": ["year"], "samples": 10}
    policy = Policy(missing="skip")
    expected = as_a_whole(GOLD, {"s": SAID, "t": other}, tmp_path, policy, **asked)
    found = scored(systems=[tmp_path / "s", tmp_path / "t"], policy=policy, **asked).systems
    a, b = (compare_systems(some, swaps=50, with_subsets=True) for some in (found, expected))
    assert {comparison.n_images for comparison in a if not comparison.by} == {27}
    assert same([list(one) for one in a], [list(one) for one in b])


def test_boxes_of_results_that_match_none_of_golds_are_counted(tmp_path: Path, in_any_order: Engines) -> None:
    def image(id: int, source: str, *corners: tuple[int, int, int, int]) -> Image:
        boxes = tuple(Box(str(k), *corner, "dog") for k, corner in enumerate(corners))
        mentions = (Mention(0, 5, tuple(box.id for box in boxes)),)
        return Image(str(id), 20, 20, boxes, (Caption("0", "a dog", mentions, source),))

    gold = [image(i, "gold", (0, 0, 9, 9)) for i in range(6)]
    brought = [image(i, SYSTEM, (0, 0, 9, 9), (10, 10, 19, 19)) for i in range(4)]
    plain = [Image(str(i), captions=(Caption("0", "a dog", source=SYSTEM),)) for i in range(4, 6)]
    for said, n_unmatched in (([*brought, *plain], 4), ([*plain], None)):
        folder = tmp_path / str(n_unmatched)
        refs, results = in_shards(gold, folder / "refs", 2), in_shards(said, folder / "s", 2)
        asked: dict[str, Any] = {"metrics": ["content"], "policy": Policy(missing="zero"), "samples": 0}
        (found,), *_ = evaluate_sharded(in_any_order(), [results], refs, partitions=4, **asked)
        assert found.counts.get("unmatched_boxes") == n_unmatched
        (whole,) = as_a_whole(gold, {"s": said}, folder, **asked)
        assert same(found.to_json(), whole.to_json())


def test_an_attribute_that_few_images_have_makes_parts_of_all(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    rare = [Image("0", captions=GOLD[0].captions, attributes={"domain": "in"}), *GOLD[1:]]
    (found,), *_ = scored(references=in_shards(rare, tmp_path / "rare", 3), by=["domain"], partitions=9)
    assert {name: len(part.run) for name, part in found.by["domain"].items()} == {"(none)": 29, "in": 1}
    with refusal(LimnerError):
        scored(by=["yaer"])


def test_sources_of_the_same_images_are_joined(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    captions = [Image(one.id, captions=one.captions) for one in GOLD]
    facts = [Image(one.id, attributes={"year": one.attributes["year"]}) for one in reversed(GOLD)]
    sources = [in_shards(captions, tmp_path / "captions", 2), in_shards(facts, tmp_path / "facts", 3)]
    (expected,), *_ = scored(by=["year"])
    (found,), *_ = scored(references=sources, by=["year"])
    assert same(found.to_json(), expected.to_json())
    assert list(found.run.ids) == [one.id for one in GOLD]


def test_an_image_in_two_shards_is_an_error_or_counted(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    again = in_shards([*GOLD, GOLD[4], GOLD[2]], tmp_path / "again", 4)
    with refusal(BadInput):
        scored(references=again)
    (found,), (of_references, of_results), _ = scored(references=again, lenient=True)
    assert of_references.skipped == {"image whose id was there before": 2}
    assert not of_results.skipped
    assert same(found.to_json(), scored().systems[0].to_json())


def test_the_first_shard_at_fault_is_the_one_that_is_told(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    for number in (1, 2):
        with (tmp_path / "refs" / f"part-{number}.jsonl").open("a") as handle:
            handle.write('{"limner":1,"id":""}\n')
    with refusal(BadInput):
        scored()
    _, (of_references, _), _ = scored(lenient=True)
    assert of_references.skipped == {"invalid line": 2}


@pytest.mark.parametrize("sources", [["gold"], [SYSTEM, "system:t"], []])
def test_results_by_nobody_or_by_several_are_refused_whatever_shard_says_so(
    tmp_path: Path, scored: Callable[..., Scored], sources: list[str]
) -> None:
    said = [
        Image(one.id, captions=tuple(Caption("0", "x", source=sources[i % len(sources)]) for _ in range(bool(sources))))
        for i, one in enumerate(SAID)
    ]
    with refusal(BadInput):
        scored(systems=[in_shards(said, tmp_path / "bad", 2)])


def test_one_of_several_systems_in_the_results_can_be_named(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    said = [Image(i.id, captions=(*i.captions, Caption("1", "x", source="system:t"))) for i in SAID]
    results = in_shards(said, tmp_path / "both", 2)
    (found,), *_ = scored(systems=[results], source="s")
    assert same(found.to_json(), scored().systems[0].to_json())
    with refusal(LimnerError):
        scored(systems=[results, results], source="t")


def test_references_of_the_only_source_serve_where_none_is_gold(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    theirs = [Image(i.id, captions=tuple(Caption(c.id, c.text, source="person:p") for c in i.captions)) for i in GOLD]
    (found,), *_ = scored(references=in_shards(theirs, tmp_path / "theirs", 3))
    assert same(found.to_json(), scored().systems[0].to_json())


def test_document_frequencies_come_along_where_asked(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    (whole,) = as_a_whole(GOLD, {"s": SAID}, tmp_path, Policy(), metrics=["bleu"], samples=0)
    assert scored(with_frequencies=True, metrics=["bleu"], partitions=20).frequencies == document_frequencies(whole.run)
    assert scored().frequencies is None


class Length:
    """A metric of one's own: how long captions are."""

    name = "length"
    columns = ("length",)

    def measure(self, run: Run) -> Statistics:
        return means([len(caption) for caption in run.candidates])


class Rank:
    """A metric by which an image depends on the others."""

    name = "rank"
    columns = ("rank",)

    def measure(self, run: Run) -> Statistics:
        return means(np.arange(len(run)), depends_on_run=True)


class Mine(Length):
    """A metric that is another wherever it is measured."""

    def measure(self, run: Run) -> Statistics:
        return means(np.zeros(len(run)), {"first": run.ids[0]})


def test_metrics_may_be_objects(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    asked: dict[str, Any] = {"metrics": [Cider(sigma=3.0), Length()], "by": ["year"], "samples": 0}
    asked["settings"] = Settings("corpus")
    (expected,) = as_a_whole(GOLD, {"s": SAID}, tmp_path, Policy(), **asked)
    assert same(scored(**asked).systems[0].to_json(), expected.to_json())


@pytest.mark.parametrize("metric", ["diversity", "chair", "coverage", "grounded_words", Rank()])
def test_what_looks_at_all_images_together_is_refused(metric: Any, scored: Callable[..., Scored]) -> None:
    with refusal(LimnerError):
        scored(metrics=["bleu", metric])


def test_scores_from_a_file_are_of_all_images(tmp_path: Path, scored: Callable[..., Scored]) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"metric":"judge","higher_is_better":true}\n{"image":"0","score":1}\n')
    with refusal(LimnerError):
        scored(metrics=[scores_file(path)])


def test_workers_that_measure_differently_are_found_out(scored: Callable[..., Scored]) -> None:
    with refusal(LimnerError):
        scored(metrics=[Mine()], partitions=3)


def test_a_metric_that_is_not_there_is_answered_before_anything_is_read(in_any_order: Engines) -> None:
    with refusal(LimnerError):
        evaluate_sharded(in_any_order(), ["nowhere"], "nowhere", metrics=["cidr"])


def test_the_words_are_not_kept_and_that_is_said(scored: Callable[..., Scored]) -> None:
    run = scored().systems[0].run
    with refusal(LimnerError):
        _ = run.tokens


def test_progress_is_told_of_every_stage(scored: Callable[..., Scored]) -> None:
    told: list[tuple[str, int, int | None]] = []
    scored(partitions=2, progress=lambda *step: told.append(step))
    stages = [("shards read", 5), ("partitions joined", 2), ("partitions measured", 2)]
    assert told == [(what, i, n) for what, n in stages for i in range(1, n + 1)]


def test_boxes_that_results_bring_are_matched_in_shards_too(tmp_path: Path, in_any_order: Engines) -> None:
    def image(id: str, x: int, source: str) -> Image:
        said = Caption("0", "a dog", (Mention(0, 5, ("b",)),), source)
        return Image(id, 100, 100, (Box("b", x, 0, x + 10, 10, "dog"),), (said,))

    gold = [image(str(i), 20, "gold") for i in range(6)]
    # The first repeats gold's box, the second draws one close by, the third none that is there.
    said = [image(str(i), (20, 22, 60)[i % 3], SYSTEM) for i in range(6)]
    refs, results = in_shards(gold, tmp_path / "refs", 2), in_shards(said, tmp_path / "s", 3)
    asked: dict[str, Any] = {"metrics": ["content"], "samples": 0, "policy": Policy()}
    for match_iou in (0.5, 0.9):
        (expected,) = as_a_whole(gold, {"s": said}, tmp_path, match_iou=match_iou, **asked)
        (found,), *_ = evaluate_sharded(in_any_order(0.5), [results], refs, partitions=3, match_iou=match_iou, **asked)
        assert found.scores == expected.scores
        assert found.signatures == expected.signatures
    assert expected.scores["content_f"] == pytest.approx(1 / 3)
