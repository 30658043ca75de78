"""Which images are chosen: against a plain telling of the procedure that counts everything anew."""

from __future__ import annotations

from collections import Counter
from math import log2
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from limner.bench.candidate_images import Candidates, gather_candidates
from limner.bench.counted_classes import CountedClasses
from limner.bench.image_selection import pool_of, select, select_randomly
from limner.corpus import Box, Image
from limner.errors import LimnerError
from refusals import refusal

LABELS = [f"class {i:02}" for i in range(15)]
corpora = st.lists(st.sets(st.sampled_from(LABELS), min_size=2, max_size=9), min_size=1, max_size=40)


def candidates_of(corpus: list[set[str]]) -> Candidates:
    images = [
        Image(f"{i:03}", boxes=tuple(Box(str(b), 0, 0, 1, 1, name) for b, name in enumerate(sorted(labels))))
        for i, labels in enumerate(corpus)
    ]
    return gather_candidates(images, CountedClasses(), rotation="any")


def by_hand(corpus: list[set[str]], size: int, sample: int, seed: int) -> list[int]:
    """Section 3.1 of the nocaps paper, word by word; entropy from scratch for every image that is drawn."""
    rng = Random(seed)
    many = [i for i, labels in enumerate(corpus) if len(labels) > 6]
    pools = [[i for i, labels in enumerate(corpus) if len(labels) == n] for n in range(2, 7)]
    chosen: list[int] = []
    if len(many) > size:
        pools = [many]
    else:
        chosen = list(many)
    while len(chosen) < size:
        for pool in pools:
            if not pool or len(chosen) == size:
                continue
            drawn = draw(pool, min(sample, len(pool)), rng)
            values = [entropy([corpus[i] for i in [*chosen, one]]) for one in drawn]
            best = next(one for one, value in zip(drawn, values, strict=True) if value >= max(values) - 1e-12)
            # The pool's order goes on to matter for what is drawn next.
            at = pool.index(best)
            pool[at], pool[-1] = pool[-1], pool[at]
            chosen.append(pool.pop())
    return chosen


def draw(pool: list[int], n: int, rng: Random) -> list[int]:
    """Fisher and Yates' shuffle from the end, stopped after n."""
    drawn = []
    for k in range(n):
        last = len(pool) - 1 - k
        at = int(rng.random() * (last + 1))
        pool[at], pool[last] = pool[last], pool[at]
        drawn.append(pool[last])
    return drawn


def entropy(images: list[set[str]]) -> float:
    counts = Counter(name for labels in images for name in labels)
    total = sum(counts.values())
    return -sum(c / total * log2(c / total) for c in counts.values())


@settings(max_examples=150)
@given(corpora, st.integers(1, 8), st.integers(0, 5), st.data())
def test_the_choice_is_the_paper_s(corpus: list[set[str]], sample: int, seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(corpus)))
    assert select(candidates_of(corpus), size, sample=sample, seed=seed) == by_hand(corpus, size, sample, seed)


@given(corpora, st.data())
def test_no_image_is_taken_twice(corpus: list[set[str]], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(corpus)))
    candidates = candidates_of(corpus)
    for chosen in (
        select(candidates, size, sample=3),
        select(candidates, size, sample=3, in_pools=False),
        select_randomly(candidates, size),
    ):
        assert len(set(chosen)) == len(chosen) == size


def corpus_of(sizes: list[int]) -> list[set[str]]:
    rng = Random(4)
    return [set(rng.sample(LABELS, n)) for n in sizes]


def test_all_images_with_more_than_six_classes_are_kept() -> None:
    corpus = corpus_of([2, 7, 3, 8, 2, 9, 4])
    assert {1, 3, 5} <= set(select(candidates_of(corpus), 4))


def test_pools_are_taken_in_turn_and_one_that_has_run_out_is_passed_over() -> None:
    corpus = corpus_of([2] * 10 + [3] * 1 + [4] * 10 + [6] * 2)
    chosen = select(candidates_of(corpus), 11, sample=2)
    assert [len(corpus[i]) for i in chosen] == [2, 3, 4, 6, 2, 4, 6, 2, 4, 2, 4]


def test_more_images_with_many_classes_than_asked_for_are_the_only_pool() -> None:
    corpus = corpus_of([7] * 20 + [2] * 20)
    chosen = select(candidates_of(corpus), 5, sample=4)
    assert [len(corpus[i]) for i in chosen] == [7] * 5
    assert chosen == by_hand(corpus, 5, 4, 0)
    assert sorted(select(candidates_of(corpus), 20)) == list(range(20))


def test_the_seed_decides() -> None:
    candidates = candidates_of(corpus_of([2, 3, 4, 5, 6] * 40))
    assert select(candidates, 30, sample=3, seed=1) == select(candidates, 30, sample=3, seed=1)
    assert set(select(candidates, 30, sample=3, seed=1)) != set(select(candidates, 30, sample=3, seed=2))


def test_a_rare_class_is_taken_before_a_frequent_one() -> None:
    corpus = [{"man", "tree"}] * 30 + [{"owl", "harp"}]
    assert 30 in select(candidates_of(corpus), 2, sample=31)


def test_asking_for_more_than_there_is_tells_what_was_dropped() -> None:
    images = [Image("a"), Image("b", boxes=(Box("0", 0, 0, 1, 1, "dog"), Box("1", 0, 0, 1, 1, "cat")))]
    candidates = gather_candidates(images, CountedClasses(), rotation="any")
    for choose in (select, select_randomly):
        with refusal(LimnerError):
            choose(candidates, 2)


def test_names_of_pools() -> None:
    assert [pool_of(n) for n in (2, 6, 7, 30)] == ["2", "6", "7+", "7+"]
