"""Taggers against brute force: every sequence of tags is tried."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from limner.learn.chain_tagger import LARGEST, ChainRecord, ChainTagger, chain_faults
from limner.learn.chain_training import Sequences, fit_chain, slopes, train_chain

TAGS = ["O", "B", "I"]
FORBIDDEN = (("O", "I"), (None, "I"))


def random_record(generator: np.random.Generator, n_features: int = 6) -> ChainRecord:
    weights = generator.integers(-300, 300, (n_features, 3)).tolist()
    transitions = generator.integers(-300, 300, (4, 3)).tolist()
    return ChainRecord(TAGS, [f"f{i}" for i in range(n_features)], weights, transitions)


def score(record: ChainRecord, items: list[list[str]], path: tuple[int, ...]) -> int:
    """The score of tags, straight from the definition."""
    row_by_feature = dict(zip(record.features, record.weights, strict=True))
    emitted = sum(row_by_feature[name][tag] for features, tag in zip(items, path, strict=True) for name in features)
    return emitted + record.transitions[-1][path[0]] + sum(record.transitions[a][b] for a, b in pairwise(path))


def test_no_other_tags_score_higher() -> None:
    generator = np.random.default_rng(0)
    for _ in range(50):
        record = random_record(generator)
        items = [[f"f{i}" for i in generator.integers(0, 6, 2)] for _ in range(int(generator.integers(1, 6)))]
        tagged = tuple(TAGS.index(tag) for tag in ChainTagger(record).tag(items))
        assert score(record, items, tagged) == max(
            score(record, items, path) for path in product(range(3), repeat=len(items))
        )


def test_nothing_has_no_tags_and_unknown_features_say_nothing() -> None:
    record = random_record(np.random.default_rng(1))
    tagger = ChainTagger(record)
    assert tagger.tag([]) == []
    assert tagger.tag_alone([]) == []
    assert tagger.scores([["never seen"], ["f0"]]).tolist() == [[0, 0, 0], record.weights[0]]
    assert tagger.tag_alone([["f0", "never seen"]]) == tagger.tag_alone([["f0"]]) == tagger.tag([["f0"]])


def random_sequences(generator: np.random.Generator) -> Sequences:
    lengths = generator.integers(1, 5, 7)
    n_items = int(lengths.sum())
    # The fifth of four features stands for none.
    rows = generator.integers(0, 5, (n_items, 3)).astype(np.int32)
    return Sequences(rows, generator.integers(0, 3, n_items), lengths)


def brute_force(data: Sequences, weights: np.ndarray, transitions: np.ndarray) -> float:
    """The log likelihood, by the sum over all tags of every sequence."""
    total, start = 0.0, 0
    padded = np.concatenate([weights, np.zeros((1, 3))])
    for length in data.lengths.tolist():
        emitted = padded[data.rows[start : start + length]].sum(axis=1)

        def scored(path: tuple[int, ...], emitted: np.ndarray = emitted) -> float:
            own = sum(emitted[i, tag] for i, tag in enumerate(path))
            return own + transitions[-1][path[0]] + sum(transitions[a][b] for a, b in pairwise(path))

        every = np.array([scored(path) for path in product(range(3), repeat=length)])
        total += scored(tuple(data.tags[start : start + length].tolist())) - np.log(np.exp(every).sum())
        start += length
    return total


def test_slopes_are_those_of_the_likelihood() -> None:
    generator = np.random.default_rng(2)
    data = random_sequences(generator)
    weights, transitions = generator.normal(size=(4, 3)), generator.normal(size=(4, 3))
    starts = np.cumsum(data.lengths) - data.lengths
    padded = np.concatenate([weights, np.zeros((1, 3))])
    of_weights, of_transitions = slopes(data, starts, np.arange(7), padded, transitions)
    step = 1e-5
    for array, slope in ((weights, of_weights), (transitions, of_transitions)):
        for at in np.ndindex(array.shape):
            before = array[at]
            array[at] = before + step
            above = brute_force(data, weights, transitions)
            array[at] = before - step
            below = brute_force(data, weights, transitions)
            array[at] = before
            assert slope[at] == pytest.approx(-(above - below) / (2 * step), abs=1e-6)


def test_a_rule_is_learnt_that_needs_the_tag_before() -> None:
    # After "a" and any number of "x", the next "y" is inside; elsewhere "y" is outside.
    generator = np.random.default_rng(3)
    sentences = []
    for _ in range(400):
        words = generator.choice(["a", "x", "y", "z"], size=6).tolist()
        tags, within = [], False
        for word in words:
            within = word == "a" or (within and word in "xy")
            tags.append("B" if word == "a" else "I" if within else "O")
            within = within and word != "y"
        sentences.append([((f"w={word}",), tag) for word, tag in zip(words, tags, strict=True)])
    trained = train_chain(sentences[:300], TAGS, forbidden=FORBIDDEN, fewest=1, sparsity=0.01, epochs=30)
    tagger = ChainTagger(trained)
    right = [tagger.tag([f for f, _ in sentence]) == [tag for _, tag in sentence] for sentence in sentences[300:]]
    assert np.mean(right) > 0.9
    assert train_chain(sentences[:300], TAGS, forbidden=FORBIDDEN, fewest=1, sparsity=0.01, epochs=30) == trained


def test_forbidden_transitions_never_happen() -> None:
    sentences = [[(("w=q",), "O"), (("w=r",), "B"), (("w=s",), "I")]] * 20
    tagger = ChainTagger(train_chain(sentences, TAGS, forbidden=FORBIDDEN, fewest=1))
    for words in product("qrst", repeat=3):
        tags = tagger.tag([[f"w={word}"] for word in words])
        assert tags[0] != "I"
        assert ("O", "I") not in pairwise(tags)


def test_rare_features_are_left_out_and_a_penalty_leaves_out_more() -> None:
    sentences = [[((f"w={i % 10}", "any", f"rare={i}"), "B" if i % 10 < 5 else "O")] for i in range(200)]
    little = train_chain(sentences, ["O", "B"], fewest=2, sparsity=0.1)
    assert not [name for name in little.features if name.startswith("rare")]
    much = train_chain(sentences, ["O", "B"], fewest=2, sparsity=1000.0)
    assert len(much.features) < len(little.features)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"tags": []}, "distinct tags"),
        ({"tags": ["O", "O", "I"]}, "distinct tags"),
        ({"features": ["f0"] * 6}, "distinct features"),
        ({"weights": [[1, 2, 3]]}, "distinct features, and weights for each"),
        ({"weights": [[1, 2]] * 6}, "a row of weights"),
        ({"weights": [[1, 2, LARGEST + 1]] * 6}, "a row of weights"),
        ({"transitions": [[0, 0, 0]] * 3}, "transitions"),
    ],
)
def test_faulty_records_are_told(change: dict[str, object], problem: str) -> None:
    record = random_record(np.random.default_rng(4))
    assert list(chain_faults(record, "chunks")) == []
    fields = {name: getattr(record, name) for name in ("tags", "features", "weights", "transitions")}
    faults = list(chain_faults(ChainRecord(**{**fields, **change}), "chunks"))  # type: ignore[arg-type]
    assert faults
    assert problem in faults[0]


def test_training_raises_the_likelihood() -> None:
    data = random_sequences(np.random.default_rng(5))
    fitted = fit_chain(data, 4, 3, sparsity=0.0, epochs=20)
    assert brute_force(data, fitted.weights, fitted.transitions) > brute_force(data, np.zeros((4, 3)), np.zeros((4, 3)))
