"""Metrics against people: the files that are written, and the published figures on Flickr8k."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Caption, Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.experiments.judgement import (
    PUBLISHED,
    PUBLISHED_ROWS,
    Experiment,
    SetResult,
    compare_on_flickr8k,
    compare_with_people,
    crowd_against_expert,
    crowd_correlation,
    read_pair_scores,
)
from limner.experiments.judgement_report import SETS, TABLE, TESTS, figures, markdown, write_report
from limner.score.judgement.judged_captions import CAPTIONS_FILE, CROWD_FILE, EXPERT_FILE, flickr8k, judged_set
from limner.score.judgement.judgement_files import read_judgements
from limner.score.judgement.judgements import CROWD, EXPERT, Judgement, Judgements
from limner.score.meteor.meteor_metric import Meteor
from limner.score.metric import Statistics, means
from limner.score.run import Run
from limner.text.ptb import PTB, tokenise
from refusals import refusal

WORDS = ("a", "dog", "runs", "over", "grass", "while", "two", "men", "cook", "in", "the", "big", "red", "house")


class Overlap:
    """A stand-in for a metric: the share of a caption's words that a reference has, and one value that is flat."""

    name = "overlap"
    columns = ("overlap", "flat")

    def measure(self, run: Run) -> Statistics:
        shares = []
        for said, texts in zip(run.candidates, run.references, strict=True):
            words = said.split()
            shares.append(sum(any(word in text.split() for text in texts) for word in words) / len(words))
        found = means(np.stack([shares, np.ones(len(shares))], axis=1), {"words": "spaces"})
        return Statistics(found.rows, found.finish, found.per_image, found.choices, warnings=("it is crude",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small Flickr8k: 12 images with three captions each, judged with five others' and one of their own."""
    chance = np.random.default_rng(0)
    made = tmp_path_factory.mktemp("flickr8k")
    texts = {f"{i}.jpg#{n}": " ".join(chance.choice(WORDS, size=6)) for i in range(12) for n in range(3)}
    (made / CAPTIONS_FILE).write_text("".join(f"{id}\t{text}\n" for id, text in texts.items()))
    experts, crowd = [], []
    for i in range(12):
        for caption in (f"{i}.jpg#0", *(f"{(i + n) % 12}.jpg#1" for n in range(1, 6))):
            own = " ".join(text for id, text in texts.items() if id.startswith(f"{i}.jpg#")).split()
            good = np.mean([word in own for word in texts[caption].split()])
            ratings = sorted(int(np.clip(round(1 + 3 * good + chance.normal() / 2), 1, 4)) for _ in range(3))
            yes = int(chance.binomial(3, good))
            experts.append(f"{i}.jpg\t{caption}\t" + "\t".join(map(str, ratings)) + "\n")
            crowd.append(f"{i}.jpg\t{caption}\t{yes / 3:.6f}\t{yes}\t{3 - yes}\n")
    (made / EXPERT_FILE).write_text("".join(experts))
    (made / CROWD_FILE).write_text("".join(crowd))
    return made


@pytest.fixture(scope="module")
def found(folder: Path) -> Experiment:
    sets = compare_with_people(flickr8k(folder), [Overlap()], samples=30)
    return compare_on_flickr8k(folder, sets, Reading(), samples=30)


def test_every_metric_is_held_against_every_set(found: Experiment) -> None:
    expert, crowd = found.sets
    assert [(one.judged.name, len(one.judged.captions)) for one in found.sets] == [("expert", 60), ("crowd", 72)]
    assert [row.metric for row in expert.main()] == ["overlap", "flat"]
    assert expert.main()[0].correlation.kind == "tau_c"
    assert (expert.main()[0].correlation.n, crowd.main()[0].correlation.n) == (180, 72)
    assert (expert.main()[0].correlation.value or 0.0) > 0.1
    assert expert.main()[1].correlation.reason == "all scores are equal"
    assert expert.choices["overlap"] == {"tokeniser": "none", "words": "spaces"}
    assert expert.warnings == ["it is crude"]
    assert [at.n_pairs for at in found.thresholds] == [72] * 6
    assert found.crowd is not None
    assert found.crowd.n == 72


def test_the_table_has_the_published_figures_beside_ours(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    (expert, _) = flickr8k(folder)
    monkeypatch.setitem(PUBLISHED_ROWS, "expert", 180)
    rng = np.random.default_rng(1)
    scores = {
        name: dict(zip(expert.judgements.pairs, rng.random(60), strict=True)) for name in ("cider", "spice*", "x")
    }
    found = compare_with_people([expert], [], elsewhere=scores, samples=20)
    write_report(Experiment(found), tmp_path)
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert tuple(rows[0]) == TABLE
    assert {row["metric"]: row["published"] for row in rows} == {"cider": "0.439", "spice*": "", "x": ""}
    page = (tmp_path / "table.md").read_text()
    assert "(43.9)" in page
    assert "44.9" not in page
    figure = figures(Experiment(found))["correlations"]
    (rings,) = [drawn for drawn in figure.axes[0].collections if drawn.get_label() == "published"]
    assert [x for x, _ in rings.get_offsets().tolist()] == [pytest.approx(43.9)]


def test_published_figures_are_not_shown_beside_those_of_fewer_rows(folder: Path) -> None:
    (expert, _) = flickr8k(folder)
    scores = {"cider": dict(zip(expert.judgements.pairs, np.linspace(0, 1, 60).tolist(), strict=True))}
    (result,) = compare_with_people([expert], [], elsewhere=scores, samples=0)
    assert result.published("cider") is None
    note = "no published figures: they are of all 16,992 rows of Flickr8k, and here are 180"
    assert list(result.notes()) == [note]
    assert f"{note}." in markdown(Experiment([result]))


@pytest.mark.parametrize(("samples", "is_noted"), [(30, True), (118, True), (119, False)])
@pytest.mark.usefixtures("intervals_of_few")
def test_where_samples_are_too_few_for_any_adjusted_p_the_report_says_so(samples: int, is_noted: bool) -> None:
    chance = np.random.default_rng(2)
    people = Judgements.of(
        EXPERT, [Judgement(str(i), str(n), float(chance.integers(1, 5))) for i in range(40) for n in range(3)]
    )
    images = [Image(str(i), captions=(Caption("x", "a dog"),)) for i in range(40)]
    scores = {name: dict(zip(people.pairs, chance.random(120).tolist(), strict=True)) for name in "abc"}
    (result,) = compare_with_people([judged_set(people, images, "people")], [], elsewhere=scores, samples=samples)
    sentence = (
        f"with {samples} samples, no p_images can be below 0.05 once it is adjusted for 3 comparisons; draw 119 "
        "samples or more"
    )
    assert list(result.notes()) == [sentence] * is_noted
    assert (f"{sentence}." in markdown(Experiment([result]))) == is_noted


def test_published_figures_are_of_flickr8k_alone() -> None:
    people = Judgements.of(EXPERT, [Judgement("a", str(n), float(n)) for n in (1, 2, 3, 4)])
    judged = judged_set(people, [Image("a", captions=(Caption("x", "a dog"),))], "expert")
    (result,) = compare_with_people(
        [judged], [], elsewhere={"cider": dict(zip(people.pairs, (1, 2, 3, 4), strict=True))}
    )
    assert result.published("cider") is None
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    (legend,) = figures(Experiment([result]))["correlations"].legends
    assert "published" not in [text.get_text() for text in legend.get_texts()]


def test_the_report_is_whole_and_the_same_each_time(found: Experiment, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    written = [path.name for path in write_report(found, tmp_path / "one")]
    assert written == [
        "agreement.csv",
        "correlations.csv",
        "correlations.png",
        "correlations.svg",
        "crowd-against-expert.csv",
        "kappa.csv",
        "levels.csv",
        "sets.csv",
        "table.csv",
        "table.md",
        "tests.csv",
    ]
    write_report(found, tmp_path / "other")
    for name in written:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    tests = list(csv.DictReader((tmp_path / "one" / "tests.csv").read_text().splitlines()))
    assert tuple(tests[0]) == TESTS
    # What does not vary has no test, and its cells are empty.
    assert [(test["set"], test["metric"], test["other"], test["p"]) for test in tests] == [
        ("expert", "overlap", "flat", ""),
        ("crowd", "overlap", "flat", ""),
    ]


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_levels_kappas_and_counts_are_written(found: Experiment, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    write_report(found, tmp_path)
    levels = [row for row in rows_of(tmp_path / "levels.csv") if row["metric"] == "overlap" and row["kind"] == "tau_b"]
    assert [(row["set"], row["level"], row["unit"], row["n"]) for row in levels] == [
        ("expert", "pooled", "ratings", "180"),
        ("expert", "within_image", "captions", "12"),
        ("crowd", "pooled", "captions", "72"),
        # The crowd finds all captions of one image equal.
        ("crowd", "within_image", "captions", "11"),
    ]
    within = [row for row in rows_of(tmp_path / "levels.csv") if row["level"] == "within_image"]
    flat = [(row["value"], row["tied_images"]) for row in within if row["metric"] == "flat"]
    assert flat == [("0", "12")] * 4 + [("0", "11")] * 4
    kappa = rows_of(tmp_path / "kappa.csv")
    assert [(row["metric"], row["good_above"], row["folds"], row["seed"], row["pairs"]) for row in kappa] == [
        ("overlap", "2.5", "10", "0", "60"),
        ("flat", "2.5", "10", "0", "60"),
        ("overlap", "0.5", "10", "0", "72"),
        ("flat", "0.5", "10", "0", "72"),
    ]
    assert tuple(rows_of(tmp_path / "sets.csv")[0]) == SETS
    counts = [(row["set"], row["references_dropped"], row["pairs_left_out"]) for row in rows_of(tmp_path / "sets.csv")]
    assert counts == [("expert", "0", "12"), ("crowd", "12", "0")]


class Share:
    """A stand-in whose value of several captions is a ratio of sums, as BLEU's is."""

    name = "share"
    columns = ("share",)

    def measure(self, run: Run) -> Statistics:
        rows = np.array([[said.count("right"), len(said.split())] for said in run.candidates], dtype=float)
        return Statistics(rows, lambda sums: sums[..., :1] / sums[..., 1:], rows[:, :1] / rows[:, 1:])


def test_a_systems_value_is_that_of_all_its_captions_together() -> None:
    # Ratios of sums are 1/10, 4/8 and 8/10; the means of the captions' ratios are .5, .5 and .44.
    said = {"x": ("right", "wrong " * 9), "y": ("right right wrong wrong",) * 2, "z": ("wrong", "right " * 8 + "wrong")}
    made = [
        Judgement(image, text.strip(), value, "anna", 1, system)
        for value, (system, texts) in enumerate(said.items(), start=1)
        for image, text in zip("ab", texts, strict=True)
    ]
    people = Judgements.of(EXPERT, made)
    judged = judged_set(people, [Image(id, captions=(Caption("r", "a reference"),)) for id in "ab"])
    (result,) = compare_with_people([judged], [Share()], samples=0)
    (row,) = [row for row in result.levels if row.level == "system" and row.correlation.kind == "tau_b"]
    assert (row.correlation.n, row.correlation.n_clusters) == (3, 2)
    assert row.correlation.value == pytest.approx(1.0)


def test_without_samples_there_are_values_and_no_intervals(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots extra is not installed")
    sets = compare_with_people(flickr8k(folder), [Overlap()], samples=0)
    write_report(compare_on_flickr8k(folder, sets, Reading(), samples=0), tmp_path)
    for name in ("table.csv", "correlations.csv", "levels.csv", "kappa.csv", "agreement.csv", "tests.csv"):
        assert {(row["low"], row["high"]) for row in rows_of(tmp_path / name)} == {("", "")}
    assert all(row["tau"] for row in rows_of(tmp_path / "table.csv") if row["metric"] == "overlap")
    assert "× 100, without intervals; published" in (tmp_path / "table.md").read_text()


def test_the_page_says_what_was_left_out_and_what_was_chosen(found: Experiment) -> None:
    text = markdown(found)
    assert "with 95% intervals from 30 samples of the images, seed 0;" in text
    assert "expert: 60 pairs, 180 ratings; left out: 12 (caption is a reference of the image)." in text
    assert "crowd: 72 pairs, 216 ratings." in text
    assert "references left out, judged with their image: 12." in text
    assert "crowd: a caption is good if its mean judgement is above 0.5" in text
    assert "(10 folds, seed 0)" in text
    assert "- overlap: tokeniser none, words spaces" in text
    assert "| flat | — (all scores are equal) | — (all scores are equal) |" in text


def test_scores_from_elsewhere_say_of_which_caption_they_are(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"metric":"mine"}\n{"image":"a","caption":"0","score":0.5}\n')
    assert read_pair_scores(path) == ("mine", {("a", "0"): 0.5})
    with refusal(LimnerError):
        compare_with_people(flickr8k(folder), [], elsewhere=dict([read_pair_scores(path)]))
    path.write_text('{"metric":"mine"}\n{"image":"a","score":0.5}\n')
    with refusal(BadInput):
        read_pair_scores(path)
    path.write_text('{"metric":"mine"}\n' + '{"image":"a","caption":"0","score":0.5}\n' * 2)
    with refusal(BadInput):
        read_pair_scores(path)


# Made once with pycocoevalcap 1.2 (Java 17 for the tokeniser and METEOR) and scipy 1.17.1's kendalltau over
# `Flickr8k.token.txt`, each pair an image of its own; × 100.
REFERENCE = {
    "expert": {"bleu1": 32.3240, "bleu4": 30.7757, "rouge_l": 32.3139, "cider": 43.8908, "meteor": 41.8219},
    "crowd": {"bleu1": 17.9522, "bleu4": 16.8870, "rouge_l": 19.9100, "cider": 24.6198, "meteor": 22.2898},
}


@pytest.mark.parametrize("which", [0, 1], ids=["expert", "crowd"])
def test_metrics_follow_flickr8ks_people_as_published(which: int, shared_data: Path) -> None:
    # Not for its code: METEOR's tables are in it.
    pytest.importorskip("pycocoevalcap", reason="METEOR's tables are not installed")
    judged = flickr8k(shared_data / "flickr8k_judgements")[which]
    (found,) = compare_with_people([judged], ["bleu", "rouge_l", "cider", Meteor()], (PTB, tokenise), samples=1)
    taus = {row.metric: 100 * (row.correlation.value or 0.0) for row in found.main()}
    for metric, tau in REFERENCE[judged.name].items():
        assert taus[metric] == pytest.approx(tau, abs=0.001)
        assert taus[metric] == pytest.approx(100 * PUBLISHED[judged.name][metric], abs=0.1)
    _check_within_images(found)


def _check_within_images(result: SetResult) -> None:
    """CIDEr's τ-b within images is the mean of scipy's over the images whose captions were judged differently."""
    stats = pytest.importorskip("scipy.stats", reason="scipy, the oracle, is not installed")
    rows: dict[str, list[tuple[float, float]]] = {}
    for (image, _), score, mean in zip(
        result.judged.judgements.pairs, result.scores["cider"], result.judged.judgements.means(), strict=True
    ):
        rows.setdefault(image, []).append((score, mean))
    judged = [np.array(of_image) for of_image in rows.values() if len({mean for _, mean in of_image}) > 1]
    taus = [stats.kendalltau(of_image[:, 0], of_image[:, 1]).statistic for of_image in judged]
    (within,) = [
        row.correlation
        for row in result.levels
        if (row.metric, row.level, row.correlation.kind) == ("cider", "within_image", "tau_b")
    ]
    assert (within.n, within.value) == (len(judged), pytest.approx(np.mean(np.nan_to_num(taus))))


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
    assert found[3.5].low is not None
    assert found[3.5].low < (found[3.5].kappa or 0.0) < (found[3.5].high or 0.0)
    assert found[3.0].agreement == pytest.approx(0.889, abs=0.0005)
