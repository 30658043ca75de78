from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.lazy import kernel
from limner.score import pycocoevalcap
from limner.score.meteor import Meteor, Tables, meteor_alignment, meteor_sentences
from limner.score.meteor.meteor_cache import cached
from limner.score.meteor.meteor_metric import CHUNKS, measures, summable
from limner.score.meteor.meteor_sources import PARAPHRASES, find_source
from limner.score.metric import Statistics
from limner.score.run import Run
from refusals import refusal

# What meteor-1.5.jar answers (Java 17; -stdio -l en -norm; for meteor-no-paraphrase also -m 'exact stem synonym'): for
# SCORE its 23 statistics, for EVAL its score. The last of EVAL is the score of all.
SEGMENTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("segments.json").read_text(encoding="utf-8"))
OF_ALL = {"meteor": 0.41401495015409906, "meteor-no-paraphrase": 0.3928250770882185}


def run_of(*images: tuple[str, list[str]]) -> Run:
    return Run([str(i) for i in range(len(images))], [one for one, _ in images], [some for _, some in images])


RECORDED = run_of(*((segment["caption"], segment["references"]) for segment in SEGMENTS))


def assert_as_recorded(found: Statistics, column: str) -> None:
    rows, scores = zip(*(segment[column] for segment in SEGMENTS), strict=True)
    assert found.rows.tolist() == summable(np.array(rows, dtype=np.float64)).tolist()
    np.testing.assert_allclose(found.per_image[:, 0], scores, rtol=0, atol=1e-14)
    assert found.value()[0] == pytest.approx(OF_ALL[column], abs=1e-14)


@pytest.mark.usefixtures("way")
def test_segments_score_as_by_the_reference_tool(real: Tables) -> None:
    metric = Meteor(real)
    assert (metric.name, metric.columns) == ("meteor", ("meteor",))
    found = metric.measure(RECORDED)
    assert_as_recorded(found, "meteor")
    assert found.choices == {
        "version": "1.5",
        "modules": "exact+stem+synonym+paraphrase",
        "tables": "pycocoevalcap-1.2",
    }
    assert not found.depends_on_run
    assert not found.warnings


@pytest.fixture(scope="module")
def no_paraphrases(real: Tables) -> Tables:
    """The real tables without the paraphrases."""
    source = find_source()
    assert source is not None
    found = cached(source)
    starts = np.zeros_like(found.arrays["paraphrase_starts"])
    none = {"paraphrases": np.zeros(0, dtype=np.uint32), "paraphrase_starts": starts}
    return Tables(replace(found, arrays={**found.arrays, **none}))


@pytest.mark.usefixtures("way")
def test_without_paraphrases_it_is_another_metric(no_paraphrases: Tables) -> None:
    metric = Meteor(no_paraphrases)
    assert metric.columns == ("meteor-no-paraphrase",)
    found = metric.measure(RECORDED)
    assert_as_recorded(found, "meteor-no-paraphrase")
    assert found.choices["modules"] == "exact+stem+synonym"
    (warning,) = found.warnings
    assert "paraphrase table" in warning
    assert "pip install 'limner[meteor]'" in warning


@pytest.mark.usefixtures("way")
def test_without_any_table_equal_words_and_stems_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.score.meteor.meteor_sources.find_spec", lambda name: None)
    metric = Meteor()
    assert metric.columns == ("meteor-exact-stem",)
    found = metric.measure(run_of(("a dog runs fast", ["a dog is running", "the hound"]), ("a", ["a"])))
    assert found.rows[0, :12].tolist() == [4, 4, 0, 0, 2, 2, 0, 0, 1, 1, 0, 0]
    assert found.per_image[1, 0] == 1.0
    assert found.choices == {"version": "1.5", "modules": "exact+stem", "tables": "none"}
    assert found.warnings
    with refusal(LimnerError):
        pycocoevalcap.Meteor().compute_score({"1": ["a"]}, {"1": ["a"]})


@pytest.mark.usefixtures("real")
def test_the_reference_tool_answers_as_recorded(ask_jar: Callable[..., Any], words: list[str]) -> None:
    segments = [(segment["caption"], segment["references"]) for segment in SEGMENTS]
    made = [(sentence(words, i), [sentence(words, 7 * i + 1), sentence(words, 3 * i + 2)]) for i in range(240)]
    expected = ask_jar([*segments, *made])
    assert expected[: len(segments)] == [segment["meteor"][0] for segment in SEGMENTS]
    found = Meteor().measure(run_of(*segments, *made))
    assert found.rows.tolist() == summable(np.array(expected, dtype=np.float64)).tolist()


def sentence(words: list[str], seed: int) -> str:
    random = np.random.default_rng(seed)
    return " ".join(random.choice(words, size=random.integers(1, 30)))


@st.composite
def runs(draw: st.DrawFn, words: list[str]) -> Run:
    sentences = st.lists(st.sampled_from(words), max_size=9).map(" ".join)
    return run_of(*draw(st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3)), max_size=4)))


@given(st.data())
def test_kernels_and_python_align_alike(small: Tables, words: list[str], data: st.DataObject) -> None:
    run = data.draw(runs(words))
    answers = []
    with pytest.MonkeyPatch.context() as patch:
        for built in (True, False):
            for module, name in ((meteor_alignment, "_align"), (meteor_sentences, "_trie")):
                found = kernel(f"limner.score.meteor.{name}")
                if found is None:
                    pytest.skip("the kernels are not built")
                patch.setattr(module, "KERNEL", found if built else None)
            answers.append(Meteor(small).measure(run))
    assert answers[0].rows.tolist() == answers[1].rows.tolist()
    assert answers[0].per_image.tolist() == answers[1].per_image.tolist()


@given(st.data())
def test_what_holds_of_every_score(small: Tables, words: list[str], data: st.DataObject) -> None:
    run = data.draw(runs(words))
    found = Meteor(small).measure(run)
    assert found.rows.shape == (len(run), 23)
    assert ((found.per_image >= 0.0) & (found.per_image <= 1.0)).all()
    for i, (caption, references) in enumerate(zip(run.candidates, run.references, strict=True)):
        alone = Meteor(small).measure(run.subset([i]))
        assert alone.value()[0] == pytest.approx(found.per_image[i, 0], abs=1e-15)
        turned = Meteor(small).measure(run_of((caption, list(references)[::-1])))
        assert turned.per_image[0, 0] == found.per_image[i, 0]
        if caption.strip():
            same = Meteor(small).measure(run_of((caption, [*references, caption])))
            assert same.per_image[0, 0] == pytest.approx(1.0, abs=1e-15)


@given(st.data())
def test_an_explanation_adds_up_to_the_score(small: Tables, words: list[str], data: st.DataObject) -> None:
    run = data.draw(runs(words))
    metric = Meteor(small)
    found = metric.measure(run)
    for i, one in enumerate(metric.explanations(run)):
        assert one == metric.explain(run.candidates[i], run.references[i])
        assert one.reference == run.references[i][one.reference_number].split()
        assert one.score == found.per_image[i, 0]
        assert one.score == pytest.approx(one.f_mean * (1.0 - one.penalty), abs=1e-15)
        assert one.chunks == (one.matches[-1].chunk + 1 if one.matches else 0)
        assert sum(match.end - match.start for match in one.matches) == found.rows[i, 21]
        assert sum(match.reference_end - match.reference_start for match in one.matches) == found.rows[i, 22]
        assert one.caption == run.candidates[i].split()


def test_an_explanation_names_what_was_matched_and_how(small: Tables) -> None:
    found = Meteor(small).explain("The hounds rode a big dog!", ["xyz", "the hound rides a large dog of size"])
    assert found.caption == ["the", "hounds", "rode", "a", "big", "dog", "!"]
    assert found.reference_number == 1
    said = [
        (
            " ".join(found.caption[match.start : match.end]),
            match.module,
            " ".join(found.reference[match.reference_start : match.reference_end]),
        )
        for match in found.matches
    ]
    assert said == [
        ("the", "exact", "the"),
        ("hounds", "stem", "hound"),
        ("rode", "synonym", "rides"),
        ("a", "exact", "a"),
        ("dog", "exact", "dog"),
        ("big", "paraphrase", "of size"),
    ]
    assert [match.chunk for match in found.matches] == [0, 0, 0, 0, 1, 2]


@pytest.mark.usefixtures("way")
def test_texts_of_any_length_and_kind(small: Tables) -> None:
    odd = ["\ud800", "\x00", "a\x0bb", "İ", "😀" * 20, "." * 99, "'" * 99, "-" * 99, "a" * 10_000, "\xa0", " ", "\t"]
    images = [(one, [other]) for one in odd for other in odd]
    found = Meteor(small).measure(run_of(*images))
    assert np.isfinite(found.per_image).all()
    long = "a dog is on the dogs " * 2_000
    found = Meteor(small).measure(run_of((long, ["the hound is big", ""]), ("the hound is big", [long])))
    assert found.rows[0, 0] == found.rows[1, 1] == 12_000
    some = Meteor(small).measure(run_of(("a dog is on the dogs " * 4, ["the hound rides a big dog on " * 4] * 50)))
    assert 0.0 < some.per_image[0, 0] < 1.0


@pytest.mark.usefixtures("way")
def test_more_matches_than_are_held_give_the_same(small: Tables) -> None:
    n = 1_100
    found = Meteor(small).measure(run_of(("xyz " * n, ["xyz " * (n - 1) + "size", "big xyz " * n])))
    # With the first reference all but one word of either, in one chunk.
    assert found.rows[0, [0, 1, 4, 5, 20, 21, 22]].tolist() == [n, n, n - 1, n - 1, 1, n - 1, n - 1]


def test_no_image_is_no_score(small: Tables) -> None:
    found = Meteor(small).measure(run_of())
    assert found.rows.shape == (0, 23)
    assert found.value().tolist() == [0.0]


def test_a_copy_for_another_process_opens_the_same_tables(
    write_tables: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMNER_CACHE", str(tmp_path / "cache"))
    folder = write_tables(tmp_path / "tables")
    run = run_of(("a dog rides a big goose", ["the hound is riding the geese"]))
    metric = Meteor(folder, progress=lambda what, done, total: None)
    expected = metric.measure(run)
    sent = pickle.dumps(metric)
    assert len(sent) < 1_000
    assert pickle.loads(sent).measure(run).rows.tolist() == expected.rows.tolist()
    given = pickle.loads(pickle.dumps(Meteor(metric.tables)))
    assert given.measure(run).rows.tolist() == expected.rows.tolist()
    (folder / PARAPHRASES).unlink()
    with refusal(LimnerError):
        pickle.loads(sent).measure(run)


def test_it_answers_as_pycocoevalcap_does(real: Tables) -> None:
    gts = {"b": ["this is a test", "this is also a test"], "a": ["the cat sat on the mat"]}
    res = {"a": ["the cat was sat on |||the mat"], "b": ["this is a good test"]}
    whole, each = pycocoevalcap.Meteor().compute_score(gts, res)
    recorded = {segment["caption"]: segment["meteor"][1] for segment in SEGMENTS}
    assert type(whole) is float
    assert type(each) is list
    assert each == pytest.approx([recorded["this is a good test"], recorded["the cat was sat on the mat"]], abs=1e-15)
    assert pycocoevalcap.Meteor().method() == "METEOR"


def test_a_comma_for_decimals_changes_nothing(real: Tables) -> None:
    program = """
import locale
for name in ("de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", ""):
    try:
        locale.setlocale(locale.LC_ALL, name)
        break
    except locale.Error:
        pass
from limner.score.pycocoevalcap import Meteor
print(Meteor().compute_score({"1": ["the cat sat on the mat"]}, {"1": ["the cat was sat on the mat"]})[0])
"""
    environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert float(said.stdout) == pytest.approx(0.5119556177223324, abs=1e-12)


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
