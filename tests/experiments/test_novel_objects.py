"""Captions of novel objects: the experiment from a playground to its tables, stopped, resumed and from its cache."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec import structs
from sklearn.neighbors import NearestNeighbors

from captioner_runs import CONFIG
from limner.caption.training.captioner_training import CaptionerTraining
from limner.cli.experiment_novel_objects import novel_objects as command
from limner.cli.playground import command as make_playground
from limner.corpus import open_corpus, write_corpus
from limner.errors import BadInput, LimnerError
from limner.experiments.detected_views import DetectorChoice
from limner.experiments.experiment_files import ExperimentReport
from limner.experiments.image_distances import deciles, mean_distances
from limner.experiments.novel_object_images import split_images
from limner.experiments.novel_object_rows import HUMAN, ROWS, filter_rows, table_rows
from limner.experiments.novel_objects import NovelObjectExperiment
from limner.playground import playground
from limner.score.caption_job import CaptionJob
from limner.vision.detecting import bare, with_boxes
from limner.vision.features.feature_recipe import FeatureRecipe
from limner.vision.features.feature_run import make_features
from limner.vision.features.region_source import RegionSource
from refusals import refusal

NOVEL = ("dog", "ball")
METRICS = ("cider", "bleu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground, word vectors of its captions, and a config that trains in a second."""
    folder = tmp_path_factory.mktemp("novel")
    images = list(playground(90, seed=5))
    write_corpus(images, folder / "world.jsonl")
    words = sorted({word for image in images for c in image.captions for word in c.text.lower().strip(".").split()})
    rng = np.random.default_rng(0)
    labels = {word for image in images for box in image.boxes for word in (*box.label.split(), f"{box.label}s")}
    lines = [f"{w} {' '.join(f'{x:.3f}' for x in rng.normal(size=6))}" for w in sorted({*words, *labels})]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    config = CONFIG.replace("[words]\n", f"[words]\nvectors = {json.dumps(str(folder / 'vectors.txt'))}\n")
    (folder / "tiny.toml").write_text(config)
    return folder


def experiment(folder: Path, cache: str, **options: Any) -> NovelObjectExperiment:
    settings: dict[str, Any] = {
        "novel": NOVEL,
        "test_share": 0.4,
        "config": str(folder / "tiny.toml"),
        "metrics": METRICS,
        "samples": 100,
    }
    return NovelObjectExperiment(folder / cache, **{**settings, **options})


def report(folder: Path, cache: str, **options: Any) -> ExperimentReport:
    return experiment(folder, cache, **options).run([str(folder / "world.jsonl")])


def assert_same(made: ExperimentReport, out: Path) -> None:
    """A report is that of which files were written, to the byte; figures take seconds to draw, and are left out."""
    assert json.dumps(made.to_json(), indent=2, ensure_ascii=False) + "\n" == (out / "novel-objects.json").read_text()
    assert made.pages["examples.html"] == (out / "examples.html").read_text()


@pytest.fixture(scope="module")
def out(folder: Path) -> Path:
    """What the command wrote."""
    options = ["--novel", ",".join(NOVEL), "--test-share", "0.4", "--config", str(folder / "tiny.toml")]
    options += ["--metrics", ",".join(METRICS), "--samples", "100", "--out", str(folder / "out")]
    done = CliRunner().invoke(command, [str(folder / "world.jsonl"), *options, "--cache", str(folder / "cache")])
    assert done.exit_code == 0, done.output
    assert "Up-Down + embeddings + CBS" in done.stdout
    assert "training up-down on" in done.stderr
    return folder / "out"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_table_has_every_row(out: Path) -> None:
    assert [row["row"] for row in table(out / "table.csv")] == [row.name for row in ROWS]
    boxes = {row["row"]: row["boxes"] for row in table(out / "table.csv")}
    assert boxes["Up-Down + embeddings + CBS + GT"] == "detected; constraints gold"
    assert boxes["NBT + CBS + GT"] == "gold"
    assert boxes[HUMAN] == "pictures"
    page = (out / "novel-objects.html").read_text()
    assert "examples.html" in page
    assert "simulated detector" in page
    assert (out / "mentions.svg").exists()


def test_constraints_make_captions_name_novel_classes_that_no_training_caption_named(folder: Path, out: Path) -> None:
    recalls = {
        row["row"]: float(row["recall"])
        for row in table(out / "novel.csv")
        if (row["truth"], row["images"], row["class"]) == ("boxes", "with novel", "mean")
    }
    assert recalls["Up-Down"] == recalls["Up-Down + embeddings"] == recalls["Consensus retrieval"] == 0
    assert recalls["Up-Down + embeddings + CBS, novel classes only"] > 0
    (captions,) = (folder / "cache" / "captions").glob("*novel-classes-only-*.jsonl")
    asked = [image for image in open_corpus(captions) if image.attributes["asked"]]
    assert asked
    for image in asked:
        classes = str(image.attributes["asked"]).split("; ")
        assert set(classes) <= set(NOVEL)
        assert sum(name in image.captions[0].text.lower() for name in classes) == image.attributes["n_met"]
        assert image.attributes["n_met"] == len(classes)


def test_cider_of_the_table_is_that_of_score_captions_on_the_captions_of_a_row(folder: Path, out: Path) -> None:
    (captions,) = (folder / "cache" / "captions").glob("up-down-cbs-*.jsonl")
    (tests,) = (folder / "cache" / "tests").glob("*.jsonl")
    scores = CaptionJob([str(captions)], [str(tests)], metrics=["cider"], by=["domain"], samples=0).run()
    row = next(row for row in table(out / "table.csv") if row["row"] == "Up-Down + CBS")
    (system,) = scores.systems
    assert float(row["overall_CIDEr"]) == pytest.approx(system.scores["cider"], abs=1e-6)
    near = system.by["domain"]["near-domain"]
    assert float(row["near_CIDEr"]) == pytest.approx(near.scores["cider"], abs=1e-6)
    human = CaptionJob([str(captions)], [str(tests)], metrics=["cider"], samples=0, human="leave-one-out").run()
    people = next(row for row in table(out / "table.csv") if row["row"] == HUMAN)
    assert float(people["overall_CIDEr"]) == pytest.approx(human.human[0].scores["cider"], abs=1e-6)


def test_cider_of_domains_with_common_frequencies_averages_to_that_of_all_images(folder: Path, out: Path) -> None:
    (tests,) = (folder / "cache" / "tests").glob("*.jsonl")
    domains = [image.attributes.get("domain") for image in open_corpus(tests)]
    main = {row["row"]: row for row in table(out / "table.csv")}
    for row in table(out / "domains.csv"):
        assert float(row["overall_CIDEr"]) == pytest.approx(float(main[row["row"]]["overall_CIDEr"]), abs=2e-6)
        n_by_domain = {name: domains.count(f"{name}-domain") for name in ("in", "near", "out")}
        parts = [(float(row[f"{name}_CIDEr"]), n) for name, n in n_by_domain.items() if n]
        assert len(parts) > 1
        assert sum(n for _, n in parts) == len(domains)
        mean = sum(value * n for value, n in parts) / len(domains)
        assert mean == pytest.approx(float(row["overall_CIDEr"]), abs=2e-6)


def test_training_images_neither_show_nor_name_a_novel_class(folder: Path, out: Path) -> None:
    notes = json.loads((out / "novel-objects.json").read_text())["notes"]
    images = list(open_corpus(folder / "world.jsonl"))
    known, tests = split_images(images, 0.4, 0)
    is_novel = [
        any(box.label in NOVEL for box in image.boxes)
        or any(re.search(r"\b(dogs?|pups?|pupp(y|ies)|balls?)\b", c.text.lower()) for c in image.captions)
        for image in known
    ]
    assert f"{len(known) - sum(is_novel)} training images; {sum(is_novel)} others" in " ".join(notes)
    assert f"{len(tests)} test images" in " ".join(notes)


def test_a_second_run_makes_nothing_and_writes_the_same(
    folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a captioner was trained anew")

    monkeypatch.setattr(CaptionerTraining, "train", refuse)
    messages: list[str] = []
    assert_same(report(folder, "cache", notice=messages.append), out)
    assert messages == []


@pytest.mark.slow
def test_two_processes_make_what_one_makes(folder: Path, out: Path) -> None:
    messages: list[str] = []
    assert_same(report(folder, "parallel", workers=2, notice=messages.append), out)
    assert sorted(m for m in messages if m.startswith("training")) == [
        "training nbt on 45 images",
        "training up-down on 45 images",
        "training up-down-embeddings on 45 images",
    ]


def test_an_error_in_a_process_is_told_as_any_other(folder: Path) -> None:
    with refusal(BadInput):
        report(folder, "parallel", workers=2, features=str(folder / "nowhere"))


class Killed(Exception):
    """The run was stopped here."""


def killing(fatal: str, at: int = 1) -> Callable[..., None]:
    """A listener that stops the run at the n-th message that begins so."""
    met = 0

    def listen(message: str, done: int = 1, total: int | None = None) -> None:
        nonlocal met
        if message.startswith(fatal) and done:
            met += 1
            if met == at:
                raise Killed(message)

    return listen


def test_a_killed_run_goes_on_and_ends_with_the_same_table(folder: Path, out: Path) -> None:
    stops: list[dict[str, Any]] = [
        {"progress": killing("detections", 5)},
        {"notice": killing("up-down: epoch 1")},
        {"progress": killing("images by Up-Down + CBS", 3)},
        {"notice": killing("up-down-embeddings: epoch 2")},
        {"notice": killing("scoring")},
    ]
    for stop in stops:
        with pytest.raises(Killed):
            report(folder, "stopped", **stop)
    assert_same(report(folder, "stopped"), out)


def test_ablations_have_filters_and_deciles(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [pair for pair in filter_rows() if "grammar" not in pair[0]]
    # Grammar needs a parser, which takes seconds to load.
    monkeypatch.setattr("limner.experiments.novel_objects.filter_rows", lambda: iter(kinds))
    monkeypatch.setattr("limner.experiments.novel_objects.FILTER_METRICS", ("cider",))
    ablated = report(folder, "cache", ablations=True).to_json()
    rows = ablated["filters"]
    assert [row["filters"] for row in rows[:4]] == ["w/o both", "w/o class", "w/o overlap", "both filters"]
    main = {row["row"]: row for row in table(out / "table.csv")}
    cider = float(main["Up-Down + CBS"]["overall_CIDEr"])
    assert rows[3]["overall_CIDEr"]["value"] == pytest.approx(cider, abs=1e-6)
    found = ablated["deciles"]
    distances = [found[0][f"decile_{number}"]["value"] for number in range(1, 11)]
    assert distances == sorted(distances)
    assert [row["row"] for row in found[1:]] == ["Up-Down", "Up-Down + embeddings + CBS", HUMAN]
    assert found[1]["overall"]["value"] == pytest.approx(float(main["Up-Down"]["overall_CIDEr"]), abs=1e-6)


@pytest.mark.parametrize("novel", [("dgo",), None, 1000, ()])
def test_classes_that_cannot_be_novel_are_told(folder: Path, novel: Sequence[str] | int | None) -> None:
    with refusal(LimnerError):
        experiment(folder, "cache", novel=novel).run([str(folder / "world.jsonl")])


def test_a_class_that_no_test_image_has_is_told(folder: Path, tmp_path: Path) -> None:
    images = list(open_corpus(folder / "world.jsonl"))
    with_dogs = [image for image in images if any(box.label == "dog" for box in image.boxes)]
    others = [
        image
        for image in images
        if image not in with_dogs and not any("dog" in c.text or "pup" in c.text for c in image.captions)
    ]
    write_corpus([*with_dogs, *others[:30]], tmp_path / "known.jsonl")
    write_corpus(others[30:], tmp_path / "tests.jsonl")
    with refusal(BadInput):
        experiment(folder, "cache", novel=("dog",), test=str(tmp_path / "tests.jsonl")).run(
            [str(tmp_path / "known.jsonl")]
        )


def test_a_corpus_without_captions_is_told(folder: Path, tmp_path: Path) -> None:
    images = [structs.replace(image, captions=(), chains=()) for image in open_corpus(folder / "world.jsonl")]
    write_corpus(images, tmp_path / "bare.jsonl")
    with refusal(BadInput):
        experiment(folder, "cache").run([str(tmp_path / "bare.jsonl")])


def test_detections_of_other_images_and_test_images_that_were_trained_on_are_told(folder: Path, tmp_path: Path) -> None:
    images = list(open_corpus(folder / "world.jsonl"))
    write_corpus(images[50:], tmp_path / "some.jsonl")
    choice = DetectorChoice(corpus=[str(tmp_path / "some.jsonl")])
    with refusal(BadInput):
        experiment(folder, "cache", detector=choice).run([str(folder / "world.jsonl")])
    with refusal(BadInput):
        experiment(folder, "cache", test=str(tmp_path / "some.jsonl")).run([str(folder / "world.jsonl")])


def test_without_gold_boxes_there_are_no_rows_of_them(folder: Path) -> None:
    names = [row.name for row in table_rows(has_gold=False)]
    assert "Up-Down + CBS" in names
    assert not any("GT" in name for name in names)


def test_a_store_of_features_has_no_rows_of_gold_regions() -> None:
    names = [row.name for row in table_rows(has_gold=True, has_gold_regions=False)]
    assert "Up-Down + embeddings + CBS + GT" in names
    assert not any("NBT" in name and "GT" in name for name in names)


def test_metrics_that_no_table_shows_or_that_cannot_be_measured_are_told_first(folder: Path) -> None:
    with refusal(LimnerError):
        report(folder, "nothing", metrics=("cider", "diversity"))
    assert not (folder / "nothing").exists()


def test_what_can_be_measured_now_is_measured_whatever_an_earlier_run_lacked(
    folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        return ["cider"], {"bleu": "not installed"}

    with monkeypatch.context() as patched:
        patched.setattr("limner.experiments.novel_objects.measurable", lacking)
        fewer = report(folder, "cache")
    assert "not measured: bleu (not installed)" in fewer.notes
    assert_same(report(folder, "cache"), out)


def test_another_beam_gives_other_captions_of_captioners_of_the_same_weights(folder: Path, out: Path) -> None:
    narrow = (folder / "tiny.toml").read_text().replace("beam = 2", "beam = 1")
    assert narrow != (folder / "tiny.toml").read_text()
    (folder / "narrow.toml").write_text(narrow)
    before = set((folder / "cache" / "captions").iterdir())
    report(folder, "cache", config=str(folder / "narrow.toml"), metrics=("cider",), samples=0)
    made = set((folder / "cache" / "captions").iterdir()) - before
    for path in made:
        path.unlink()
    assert {path.name.rpartition("-")[0] for path in made} >= {"up-down", "nbt", "nbt-cbs-gt"}


def test_the_cost_of_constraints_is_that_of_the_images_without_novel_objects(folder: Path, out: Path) -> None:
    (tests,) = (folder / "cache" / "tests").glob("*.jsonl")
    slug_by_name = {row.name: row.slug for row in ROWS}

    def cider(name: str) -> float:
        files = (folder / "cache" / "captions").iterdir()
        (captions,) = (path for path in files if path.name.rpartition("-")[0] == slug_by_name[name])
        job = CaptionJob([str(captions)], [str(tests)], metrics=["cider"], by=["novel"], samples=0)
        return float(job.run().systems[0].by["novel"]["no"].scores["cider"])

    rows = table(out / "captioned.csv")
    assert len(rows) == sum(bool(row.free) for row in ROWS)
    assert any(row["lost_share"] for row in rows)
    for row in rows:
        free, asked = cider(row["without_constraints"]), cider(row["row"])
        assert float(row["CIDEr_without"]) == pytest.approx(free, abs=1e-6)
        assert float(row["difference"]) == pytest.approx(asked - free, abs=1e-6)
        # Nothing can be lost of nothing.
        assert float(row["lost_share"] or "nan") == pytest.approx(
            1 - asked / free if free else math.nan, abs=1e-5, nan_ok=True
        )


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of pictures whose boxes are a detector's."""
    folder = tmp_path_factory.mktemp("pictured")
    done = CliRunner().invoke(make_playground, ["60", str(folder / "gold.jsonl"), "--pictures", "--size", "160x120"])
    assert done.exit_code == 0, done.output
    images = [
        with_boxes(bare(image), [structs.replace(box, score=0.8) for box in image.boxes], "mine")
        for image in open_corpus(folder / "gold.jsonl")
    ]
    write_corpus(images, folder / "detected.jsonl")
    return folder


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_captioners_see_pictures_of_a_detectors_boxes(folder: Path, pictured: Path, workers: int) -> None:
    messages: list[str] = []
    made = experiment(
        folder,
        f"seen-{workers}",
        features="colour",
        pictures=pictured,
        workers=workers,
        novel=("dog",),
        metrics=("cider",),
        samples=0,
        notice=messages.append,
    ).run([str(pictured / "detected.jsonl")])
    rows = [str(row[0]) for row in made.rows]
    assert rows == [row.name for row in table_rows(has_gold=False)]
    assert any("no gold boxes" in note for note in made.notes)
    # The training pictures and the test pictures, once for all captioners.
    assert sum(message.startswith("features of") for message in messages) == 2


def test_a_store_of_gold_boxes_is_refused_where_captioners_see_a_detectors(folder: Path, pictured: Path) -> None:
    images = list(open_corpus(pictured / "gold.jsonl"))
    recipe = FeatureRecipe("colour", by="crop")
    make_features(images, pictured, pictured / "store", recipe, regions=RegionSource("mixed", most=12))
    with refusal(BadInput):
        experiment(folder, "leak", features=str(pictured / "store"), novel=("dog",)).run([str(pictured / "gold.jsonl")])


def test_distances_are_those_of_scikit_learn_and_deciles_have_equal_sizes() -> None:
    rng = np.random.default_rng(1)
    tests, training = rng.normal(size=(57, 6)), rng.normal(size=(40, 6))
    nearest = NearestNeighbors(n_neighbors=10, metric="cosine").fit(training)
    expected = nearest.kneighbors(tests)[0].mean(axis=1)
    measured = mean_distances(tests, training)
    np.testing.assert_allclose(measured, expected, atol=1e-12)
    found = deciles(measured, "numbers")
    sizes = np.bincount(found.numbers)[1:]
    assert sizes.sum() == 57
    assert sizes.max() - sizes.min() <= 1
    assert max(measured[np.array(found.numbers) == 1]) <= min(measured[np.array(found.numbers) == 2])


def test_an_image_without_boxes_is_far_from_all() -> None:
    assert mean_distances(np.zeros((1, 3)), np.eye(3)).tolist() == [1.0]
