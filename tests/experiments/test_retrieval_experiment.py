"""Retrieval by whole pictures, by regions and phrases, and by both: the experiment's table, files and examples."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from limner.cli.experiment_retrieval import retrieval as retrieval_command
from limner.cli.score_retrieval import retrieval as score_command
from limner.corpus import open_corpus, write_corpus
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.experiments.experiment_files import Estimate
from limner.experiments.retrieval_examples import choose_examples
from limner.experiments.retrieval_experiment import RetrievalExperiment
from limner.experiments.retrieval_report import PUBLISHED
from limner.ground.encoders import open_encoders
from limner.ground.grounder import Grounder
from limner.ground.grounder_training import train_grounder
from limner.ground.held_out_images import held_out_warnings
from limner.ground.index_writing import IndexSettings, write_index
from limner.ground.retrieval_index import RetrievalIndex
from limner.ground.retriever import NO_VECTORS
from limner.ground.retriever_training import train_retriever
from limner.learn.ranking_network import RankingSettings
from limner.playground import World, write_world
from limner.report.pages.page_pictures import Pictures
from limner.score.retrieval import evaluate_retrieval
from limner.score.retrieval.retrieval_evaluation import DIRECTIONS, FIGURES, MAP, MEDIAN, RSUM
from limner.score.retrieval.retrieval_system import embedded_system
from refusals import refusal

SHORT = {"i2t": DIRECTIONS[0], "t2i": DIRECTIONS[1]}


@pytest.fixture(scope="module", autouse=True)
def _many_held_out() -> Iterator[None]:
    """A tenth of so few images would be two or three, which tell nothing of alpha."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("limner.ground.retriever_training.HELD_OUT", 0.4)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two worlds with pictures, and a grounder of the first."""
    folder = tmp_path_factory.mktemp("retrieval")
    for name, seed, n in (("train", 3, 24), ("test", 4, 31)):
        write_world(World(seed, size=(160, 120)), n, str(folder / f"{name}.jsonl"), pictures=True)
    images = list(open_corpus(folder / "train.jsonl"))
    settings = RankingSettings(n_hidden=8, n_passes=2)
    train_grounder(images, folder, settings=settings).save(folder / "mine.grounder")
    return folder


@pytest.fixture(scope="module")
def out(folder: Path) -> Path:
    """What the command wrote, with the grounder."""
    sources = [str(folder / "train.jsonl"), str(folder / "test.jsonl")]
    options = ["--pictures", str(folder), "--grounder", str(folder / "mine.grounder"), "--cache", str(folder / "cache")]
    done = CliRunner().invoke(
        retrieval_command,
        [*sources, *options, "--vectors", NO_VECTORS, "--out", str(folder / "out"), "--samples", "100"],
    )
    assert done.exit_code == 0, done.output
    assert "mixture (eq. 5), 1 crop, grounder: " in done.stdout
    return folder / "out"


def table(out: Path, name: str = "table.csv") -> list[dict[str, str]]:
    return list(csv.DictReader((out / name).read_text().splitlines()))


@pytest.mark.parametrize("space", ["windows", "grounder"])
def test_every_row_is_what_training_indexing_and_scoring_give(folder: Path, out: Path, space: str) -> None:
    """The commands `train retriever`, `index` and `score retrieval` do the same one after the other."""
    grounder = folder / "mine.grounder" if space == "grounder" else None
    images = list(open_corpus(folder / "train.jsonl"))
    retriever = train_retriever(images, folder, vectors=NO_VECTORS, grounder=grounder)
    retriever.save(folder / f"{space}.model")
    encoders = open_encoders(folder / f"{space}.model")
    index = folder / f"{space}.index"
    write_index(open_corpus(folder / "test.jsonl"), folder, encoders, index, IndexSettings(regions=True))
    done = CliRunner().invoke(
        score_command, [str(index), "--by", "whole,phrases,mixture", "--samples", "100", "--json"]
    )
    report = json.loads(done.stdout)
    by_aspect = {"whole": report, **{name: report["compared"][f"{index} ({name})"] for name in ("phrases", "mixture")}}
    rows = {row["row"]: row for row in table(out)}
    names = {
        "whole": "whole pictures, 1 crop",
        "phrases": f"regions and phrases (eq. 4), {space}",
        "mixture": f"mixture (eq. 5), 1 crop, {space}",
    }
    for aspect, name in names.items():
        expected, row = by_aspect[aspect], rows[name]
        for short, direction in SHORT.items():
            for figure in (*FIGURES, MEDIAN, MAP):
                value = float(row[f"{short}_{figure}"])
                assert value == pytest.approx(expected[direction][figure], abs=1e-6), (name, direction, figure)
                low, high = expected["intervals"][f"{direction} {figure}"]
                bounds = [float(row[f"{short}_{figure}_{end}"] or "nan") for end in ("low", "high")]
                wanted = [float("nan") if end is None else end for end in (low, high)]
                assert bounds == pytest.approx(wanted, abs=1e-6, nan_ok=True)
        assert float(row[RSUM]) == pytest.approx(expected[RSUM], abs=1e-6)
    assert float(rows[names["mixture"]]["alpha"]) == retriever.mixture.alpha
    assert float(rows[names["mixture"]]["gamma"]) == retriever.mixture.gamma


def test_the_mixture_is_tested_against_whole_pictures_alone(folder: Path, out: Path) -> None:
    tests = table(out, "tests.csv")
    assert len(tests) == 2 * 7
    assert {row["second"] for row in tests} == {"whole pictures, 1 crop"}
    rows = {row["row"]: row for row in table(out)}
    for test in tests:
        if test["figure"] == RSUM:
            apart = float(rows[test["first"]][RSUM]) - float(rows[test["second"]][RSUM])
            assert float(test["difference"]) == pytest.approx(apart, abs=2e-6)
            assert float(test["p"]) <= float(test["p_adjusted"])


def test_published_rows_stand_beside_and_are_marked(out: Path) -> None:
    """Table 7 (b) and (c) of the paper."""
    published = [row for row in table(out) if row["source"] == "published"]
    assert [row["row"] for row in published] == list(PUBLISHED)
    assert {row["n_images"] for row in published} == {"1000"}
    full = published[-1]
    recalls = [float(full[f"{short}_{figure}"]) for short in SHORT for figure in FIGURES]
    assert recalls == [0.375, 0.629, 0.751, 0.258, 0.547, 0.676]
    assert "other pictures" in (out / "table.md").read_text()


def test_the_chosen_settings_have_the_best_sum_on_images_held_out(out: Path) -> None:
    tried = table(out, "held_out.csv")
    for row in table(out, "settings.csv"):
        sums = {(t["alpha"], t["gamma"]): float(t[RSUM]) for t in tried if t["retriever"] == row["retriever"]}
        assert len(sums) == 11 * 5
        assert sums[row["alpha"], row["gamma"]] == max(sums.values()) == pytest.approx(float(row["mixture"]))
        assert float(row["whole"]) == pytest.approx(sums["1.000000", "1.000000"], abs=1e-6)


def test_examples_show_both_sentences_with_phrases_and_distances(folder: Path, out: Path) -> None:
    page = (out / "examples.html").read_text()
    assert 'src="data:image/' in page
    # Nothing is fetched, and nothing is run.
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "<script" not in page
    counts = [int(n) for n in re.findall(r"<small>(\d+) pictures?", page)]
    both = int(re.search(r"for (\d+) other pictures, both put a right one first", page)[1])  # type: ignore[index]
    assert sum(counts) + both == 31
    cards = re.findall(r'<article class="card">.*?</article>', page, flags=re.DOTALL)
    assert cards
    for card in cards:
        sides = re.findall(r"<figure>.*?</figure>", card, flags=re.DOTALL)
        assert len(sides) == 2
        for side in sides:
            # Each phrase and its region have one colour.
            phrases = re.findall(r'<span class="mention (c\d)">.*?</span> <small>\((\d\.\d\d)\)', side)
            boxes = re.findall(r'<div class="box (c\d)" style="[^"]*" title="[^"]*: (\d\.\d\d)"', side)
            assert phrases == boxes
            parts = [float(value) for value in re.findall(r"<dd>(.*?)</dd>", side)]
            alpha = float(re.search(r"alpha ([\d.]+) and", page)[1])  # type: ignore[index]
            assert parts[2] == pytest.approx(alpha * parts[0] + (1 - alpha) * parts[1], abs=1e-3)


def test_the_first_sentence_of_an_example_has_the_smallest_distance(folder: Path, out: Path) -> None:
    """Where the mixture helped, its sentence is nearer by the mixture, and the other by whole pictures."""
    page = (out / "examples.html").read_text()
    helped = page[page.index("Regions and phrases helped") : page.index("Regions and phrases did harm")]
    cards = re.findall(r'<article class="card">.*?</article>', helped, flags=re.DOTALL)
    assert cards
    for card in cards:
        wrong, right = ([float(v) for v in re.findall(r"<dd>(.*?)</dd>", side)] for side in card.split("</figure>")[:2])
        assert wrong[0] <= right[0]
        assert right[2] <= wrong[2]
        assert card.index("wrong</b>") < card.index("right</b>")


def test_what_was_seen_is_kept(folder: Path, out: Path) -> None:
    """All test pictures and the held-out tenth are in the cache, so that a second run looks at none of them again."""
    n_held_out = int(table(out, "settings.csv")[0]["n_held_out"])
    assert len(list((folder / "cache").rglob("*.regions"))) == 31 + n_held_out


def test_without_boxes_whole_pictures_are_scored_alone(folder: Path, tmp_path: Path) -> None:
    def bare(image: Image) -> Image:
        captions = tuple(Caption(caption.id, caption.text) for caption in image.captions)
        return Image(image.id, image.width, image.height, captions=captions, file=image.file)

    write_corpus([bare(image) for image in open_corpus(folder / "train.jsonl")], tmp_path / "train.jsonl")
    report = RetrievalExperiment(folder, vectors=NO_VECTORS, samples=0).run(
        str(tmp_path / "train.jsonl"), str(folder / "test.jsonl")
    )
    assert [row[0] for row in report.rows if row[1] == "measured"] == ["whole pictures, 1 crop"]
    assert any("were not learnt" in note for note in report.notes)
    assert "there is nothing to compare" in report.pages["examples.html"]
    report.draw()


def test_an_alpha_of_1_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.ground.mixture_tuning.ALPHAS", (1.0, 0.0))
    monkeypatch.setattr("limner.ground.mixture_tuning.recall_sum", lambda scores, gold: 1.0)
    report = RetrievalExperiment(folder, vectors=NO_VECTORS, samples=0).run(
        str(folder / "train.jsonl"), str(folder / "test.jsonl")
    )
    assert any("alpha is 1, too few images were held out to tell whether" in finding for finding in report.findings)
    assert "there is nothing to compare" in report.pages["examples.html"]
    whole, _, mixture = report.rows[:3]
    assert whole[5:] == mixture[5:]


def test_training_images_are_refused(folder: Path) -> None:
    train = str(folder / "train.jsonl")
    with refusal(BadInput):
        RetrievalExperiment(folder).run(train, train)


def test_images_of_the_grounder_are_refused_too(folder: Path, tmp_path: Path) -> None:
    images = list(open_corpus(folder / "train.jsonl"))
    write_corpus(images[:12], tmp_path / "first.jsonl")
    write_corpus(images[12:], tmp_path / "second.jsonl")
    experiment = RetrievalExperiment(folder, grounder=folder / "mine.grounder")
    with refusal(BadInput):
        experiment.run(str(tmp_path / "first.jsonl"), str(tmp_path / "second.jsonl"))


def test_crops_need_a_model(folder: Path, tmp_path: Path) -> None:
    with refusal(LimnerError):
        RetrievalExperiment(folder, crops=(1, 10))
    source = str(folder / "train.jsonl")
    options = ["--pictures", str(folder), "--out", str(tmp_path), "--crops", "both"]
    done = CliRunner().invoke(retrieval_command, [source, source, *options])
    assert done.exit_code == 2
    assert "--crops both needs a model by --features" in done.output


def test_images_held_out_that_the_grounder_learnt_from_are_warned_of(folder: Path) -> None:
    """Worked out from what the grounder holds out: a tenth of its images by chance, or other images."""
    images = list(open_corpus(folder / "train.jsonl")) * 2
    is_held = [random_stream("tuning", 0, image.id).random() < 0.1 for image in images]
    held_out = [image for image, is_out in zip(images, is_held, strict=True) if is_out]
    learnt = [image for image, is_out in zip(images, is_held, strict=True) if not is_out]
    assert held_out
    path = folder / "mine.grounder"
    (warning,) = held_out_warnings(images, path)
    assert f"learnt from {len(learnt)} of the 48 images" in warning
    assert learnt[0].id in warning
    assert not list(held_out_warnings(held_out * 30, path))
    assert not list(held_out_warnings(list(open_corpus(folder / "test.jsonl")), path))
    grounder = Grounder.load(path)
    trained = replace(grounder.parts.trained, tuned_on="valid.jsonl")
    Grounder(dataclasses.replace(grounder.parts, trained=trained)).save(folder / "other.grounder")
    assert "the grounder learnt from" in next(iter(held_out_warnings(held_out * 30, folder / "other.grounder")))


def test_a_missing_training_picture_is_an_error(folder: Path, tmp_path: Path) -> None:
    images = list(open_corpus(folder / "train.jsonl"))
    write_corpus([Image("lost", 10, 10, captions=(Caption("0", "A dog ."),)), *images], tmp_path / "train.jsonl")
    with refusal(BadInput):
        RetrievalExperiment(folder, vectors=NO_VECTORS).run(str(tmp_path / "train.jsonl"), str(folder / "test.jsonl"))


def test_missing_pictures_are_counted_once_and_rows_are_those_with_a_grounder(
    folder: Path, out: Path, tmp_path: Path
) -> None:
    """Several retrievers learn from one look at the pictures, and none is changed by the others."""
    images = list(open_corpus(folder / "test.jsonl"))
    write_corpus([*images, Image("lost", 10, 10, captions=(Caption("0", "A dog ."),))], tmp_path / "test.jsonl")
    experiment = RetrievalExperiment(folder, vectors=NO_VECTORS, samples=0, lenient=True)
    report = experiment.run(str(folder / "train.jsonl"), str(tmp_path / "test.jsonl"))
    assert sum(report.readings[-1].skipped.values()) == 1
    rows = {row["row"]: row for row in table(out)}
    for name, source, n_images, *_, rsum in report.rows:
        assert isinstance(rsum, Estimate)
        assert [source, str(n_images)] == [rows[str(name)][column] for column in ("source", "n_images")]
        assert float(rows[str(name)][RSUM]) == pytest.approx(rsum.value, abs=1e-6)


def test_named_pairs_are_compared_alone() -> None:
    random = np.random.default_rng(0)
    images = random.standard_normal((40, 8)).astype(np.float32)
    ids = [str(i) for i in range(40)]
    systems = [
        embedded_system(name, ids, images, ids, images + noise * random.standard_normal((40, 8)).astype(np.float32))
        for name, noise in (("a", 0.5), ("b", 1.0), ("c", 2.0))
    ]
    named = evaluate_retrieval(systems, samples=0, pairs=[("c", "a")]).differences
    assert {(test.first, test.second) for test in named} == {("c", "a")}
    all_pairs = evaluate_retrieval(systems, samples=0).differences
    opposite = {test.column: test.difference for test in all_pairs if (test.first, test.second) == ("a", "c")}
    assert all(test.difference == pytest.approx(-opposite[test.column]) for test in named)
    # Fewer tests are adjusted for.
    assert len(named) * 3 == len(all_pairs)


def test_a_tie_shows_the_wrong_sentence_that_its_section_speaks_of(folder: Path, tmp_path: Path) -> None:
    """All captions are equal, so that both ways put a wrong one first for every picture."""
    images = [
        Image(image.id, image.width, image.height, captions=(Caption("0", "a dog"),), file=image.file)
        for image in open_corpus(folder / "test.jsonl")
    ][:4]
    train_retriever(list(open_corpus(folder / "train.jsonl")), folder, vectors=NO_VECTORS).save(tmp_path / "my.model")
    write_index(images, folder, open_encoders(tmp_path / "my.model"), tmp_path / "index", IndexSettings(regions=True))
    index = RetrievalIndex(tmp_path / "index")
    whole, mixture = evaluate_retrieval([index.system("whole"), index.system("mixture")], samples=0).systems
    pictures = Pictures(folder, tmp_path / "page.html", longest_side=100)
    *_, neither = choose_examples(index, images, whole, mixture, pictures, Reading(lenient=True))
    assert neither.n_images == 4
    assert [[sentence.is_right for sentence in example.sentences] for example in neither.examples] == [
        [False, True]
    ] * 4
