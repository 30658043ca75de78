from __future__ import annotations

import csv
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from limner.corpus import Caption, Image, write_corpus
from limner.describe.learned import train_selector
from limner.describe.selectors import Concepts
from limner.errors import BadInput
from limner.experiments.content_selection import (
    COMBINED,
    RANKED,
    Experiment,
    K,
    compare_systems,
    content_selection_experiment,
)
from limner.experiments.content_selection_report import COLUMNS, summary_rows, write_report
from limner.playground import playground
from limner.score.content import gold_sets, score_selection
from limner.score.content_evaluation import evaluate
from refusals import refusal


@pytest.fixture(scope="module")
def test_images() -> list[Image]:
    return [*playground(80, seed=5), Image("silent", 10, 10)]


class Everything:
    """A stand-in for a trained selector: mentions every box of many images at once."""

    def select_many(self, images: list[Image]) -> list[list[str]]:
        return [[box.id for box in image.boxes] for image in images]


@pytest.fixture(scope="module")
def found(test_images: list[Image]) -> Experiment:
    return compare_systems(Concepts.count(playground(150, seed=4)), test_images, learned=Everything())


def test_every_system_is_scored_at_every_k(found: Experiment) -> None:
    assert [(run.system, run.k) for run in found.runs] == [
        *((system, k) for system in (*RANKED, *COMBINED) for k in K),
        *((system, None) for system in ("all", "learned", "human", "oracle")),
    ]
    assert {run.scores.n_images for run in found.runs} == {80}
    assert found.n_left_out == 1


def test_scores_are_those_of_the_boxes_chosen(found: Experiment, test_images: list[Image]) -> None:
    image = test_images[3]
    chosen = sorted(image.boxes, key=lambda box: -box.area)[:2]
    expected = score_selection([box.id for box in chosen], gold_sets(image))
    assert found.find("size", 2).per_image[image.id] == expected


def test_classes_are_scored_beside_boxes(found: Experiment, test_images: list[Image]) -> None:
    assert [(run.system, run.k) for run in found.class_runs] == [(run.system, run.k) for run in found.runs]
    image = max(test_images, key=lambda image: len(image.boxes) - len({box.label for box in image.boxes}))
    label = {box.id: box.label for box in image.boxes}
    gold = [frozenset(map(label.__getitem__, boxes)) for boxes in gold_sets(image)]
    chosen = found.chosen["size"][image.id][:3]
    score = next(run.scores for run in found.class_runs if (run.system, run.k) == ("size", 3)).per_image[image.id]
    assert score == score_selection(map(label.__getitem__, chosen), gold)
    assert score != found.find("size", 3).per_image[image.id]
    # Two boxes of a class count once, so mentioning all of them is no longer imprecise.
    assert found.best("all", by_class=True).scores.P > found.find("all").P


def test_what_is_left_out_is_counted_in_every_output(tmp_path: Path) -> None:
    images = [*playground(20, seed=5), Image("silent", 10, 10)]
    mute = replace(images[0].captions[0], mentions=())
    images[0] = replace(images[0], captions=(mute, *images[0].captions[1:]))
    concepts = Concepts.count(playground(50, seed=4))
    said, counted = (compare_systems(concepts, images, all_captions=flag) for flag in (False, True))
    n_without_box = sum(not any(m.boxes for m in c.mentions) for i in images for c in i.captions)
    assert (said.n_left_out, said.n_without_box) == (counted.n_left_out, counted.n_without_box) == (1, n_without_box)
    assert n_without_box > 0
    for level in ("box", "class"):
        assert f"|dropped:1 images|no_box:{n_without_box} captions left out|" in said.signatures[level]
        assert f"|no_box:{n_without_box} captions lower precision|" in counted.signatures[level]
    write_report(said, images, tmp_path)
    table = (tmp_path / "table.md").read_text()
    assert "\nLeft out: 1 images without a gold caption that refers to a box; " in table
    assert f"gold captions that refer to no box: {n_without_box}, left out." in table
    assert all(f"`{signature}`" in table for signature in said.signatures.values())
    # M of precision is 5 for the first image, of which 4 captions refer to boxes.
    first = images[0].id
    shares = [run.find("all").per_image[first] for run in (said, counted)]
    n_grounded, n_all = len(gold_sets(images[0])), len(images[0].captions)
    assert pytest.approx(shares[0].P * n_grounded / n_all) == shares[1].P
    assert shares[1].R == shares[0].R


def test_what_must_hold_of_any_corpus_holds(found: Experiment) -> None:
    oracle = found.find("oracle")
    assert all(run.scores.F <= oracle.F + 1e-9 for run in found.runs)
    assert pytest.approx(1) == found.find("all").R
    assert found.find("learned")[:4] == found.find("all")[:4]
    for system in RANKED:
        recalls = [found.find(system, k).R for k in K]
        assert recalls == sorted(recalls)


def test_without_a_trained_selector_the_others_are_compared(test_images: list[Image]) -> None:
    found = compare_systems(Concepts.count(test_images), test_images)
    assert "learned" not in found.systems
    assert "oracle" in found.systems


def test_captions_that_refer_to_no_box_are_refused(test_images: list[Image]) -> None:
    plain = [
        replace(image, captions=tuple(replace(caption, mentions=()) for caption in image.captions), chains=())
        for image in test_images
    ]
    with refusal(BadInput) as error:
        compare_systems(Concepts.count(test_images), plain)
    assert error.value.code == "no-mentions"


def test_the_files_are_written_and_equal_seeds_write_equal_ones(
    found: Experiment, test_images: list[Image], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        write_report(found, test_images, tmp_path / name, seed=1)
    one, two = tmp_path / "one", tmp_path / "two"
    assert {path.name for path in one.iterdir()} == {
        *("table.csv", "table-class.csv", "table.md", "tests.csv", "tests-class.csv", "examples.md"),
        *(
            f"{name}.{kind}"
            for name in ("figure3", "figure4", "figure6-position", "figure6-size")
            for kind in ("svg", "png")
        ),
    }
    assert all(path.read_bytes() == (two / path.name).read_bytes() for path in one.iterdir())
    with (one / "table.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert tuple(rows[0]) == COLUMNS
    assert [row["k"] for row in rows if row["system"] in ("all", "human")] == ["", ""]
    assert "| size | 4 |" in (one / "table.md").read_text()
    assert (one / "examples.md").read_text().count("## ") == 5


def test_labels_from_held_out_captions_cost_recall_and_are_told(tmp_path: Path) -> None:
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(60, seed=seed), tmp_path / f"{name}.jsonl")
    sources = str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl")
    known = content_selection_experiment(*sources)
    honest = content_selection_experiment(*sources, labels_from=2, seed=1)
    assert honest.hidden_share is not None
    assert 0 < honest.hidden_share < 1
    # Nobody can mention what is hidden, so even mentioning everything misses it.
    assert honest.find("all").R < 0.95 < known.find("all").R
    write_report(honest, honest.test, tmp_path / "out")
    table = (tmp_path / "out/table.md").read_text()
    assert "Labels: 2 held-out captions, seed 1." in table
    assert "of gold's mentions refer to boxes that no system saw" in table


def test_test_images_that_were_trained_on_are_refused_unless_allowed(tmp_path: Path) -> None:
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(40, seed=seed), tmp_path / f"{name}.jsonl")
    train, test = str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl")
    with refusal(BadInput):
        content_selection_experiment(train, train)
    allowed = content_selection_experiment(train, train, allow_overlap=True)
    assert "40 of 40 images are training" in allowed.warnings[0]
    assert all("|training:40 seen of 40 images|" in signature for signature in allowed.signatures.values())
    assert content_selection_experiment(train, test).warnings == []
    ids = [image.id for image in playground(40, seed=4)]
    renamed = [replace(image, id=id) for image, id in zip(playground(40, seed=5), ids, strict=True)]
    write_corpus(renamed, test)
    assert "40 of 40 images have the id of a training" in content_selection_experiment(train, test).warnings[0]


def test_the_k_that_is_tested_is_chosen_on_training_images(tmp_path: Path) -> None:
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(40, seed=seed), tmp_path / f"{name}.jsonl")
    experiment = content_selection_experiment(str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl"))
    on_training = compare_systems(Concepts.count(playground(40, seed=4)), playground(40, seed=4))
    assert experiment.k_by_system == {system: on_training.best(system).k for system in (*RANKED, *COMBINED)}
    write_report(experiment, experiment.test, tmp_path / "out")
    rows = list(csv.DictReader((tmp_path / "out/tests.csv").read_text().splitlines()))
    assert {(row["system"], row["k"]) for row in rows if row["k"]} <= {
        (system, str(k)) for system, k in experiment.k_by_system.items()
    }
    assert "the one with the highest F on 40 training images" in (tmp_path / "out/table.md").read_text()


def test_classes_are_tested_like_boxes_at_a_k_of_their_own(tmp_path: Path) -> None:
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(40, seed=seed), tmp_path / f"{name}.jsonl")
    experiment = content_selection_experiment(str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl"))
    on_training = compare_systems(Concepts.count(playground(40, seed=4)), playground(40, seed=4))
    best = {system: on_training.best(system, by_class=True).k for system in (*RANKED, *COMBINED)}
    assert experiment.class_k_by_system == best != experiment.k_by_system
    write_report(experiment, experiment.test, tmp_path / "out")
    boxes, classes = (
        list(csv.DictReader((tmp_path / f"out/{name}.csv").read_text().splitlines()))
        for name in ("tests", "tests-class")
    )
    assert [(row["system"], row["other"]) for row in classes] == [(row["system"], row["other"]) for row in boxes]
    assert {(row["system"], row["k"]) for row in classes if row["k"]} <= {(name, str(k)) for name, k in best.items()}
    f = {system: experiment.tested(system, by_class=True).scores.F for system in ("size", "learned")}
    row = next(row for row in classes if (row["system"], row["other"]) == ("size", "learned"))
    assert float(row["difference"]) == pytest.approx(f["size"] - f["learned"], abs=1e-6)
    assert float(row["p"]) <= float(row["p_adjusted"]) <= 1


def data_of(signature: str) -> str:
    return signature.partition("|data:")[2].partition("|")[0]


def test_signatures_tell_the_test_images_and_the_training_apart(tmp_path: Path) -> None:
    images = list(playground(20, seed=5))
    concepts = Concepts.count(playground(50, seed=4))
    first = compare_systems(concepts, images).signatures
    moved = replace(images[0].boxes[0], x1=images[0].boxes[0].x1 - 1)
    changed = [replace(images[0], boxes=(moved, *images[0].boxes[1:])), *images[1:]]
    silent = replace(images[0].captions[0], mentions=images[0].captions[0].mentions[1:])
    unsaid = [replace(images[0], captions=(silent, *images[0].captions[1:])), *images[1:]]
    others = [compare_systems(concepts, test).signatures for test in (playground(20, seed=6), changed, unsaid)]
    for level in ("box", "class"):
        assert compare_systems(concepts, images[::-1]).signatures[level] == first[level]
        assert len({data_of(signatures[level]) for signatures in (first, *others)}) == 4
    # The same images have one fingerprint, whichever command scores them.
    said = [Image(image.id, captions=(Caption("0", "A man .", source="system:s"),)) for image in images]
    assert data_of(evaluate(said, images).signature()) == data_of(first["box"])

    for name, seed in (("train", 4), ("other", 6), ("test", 5)):
        write_corpus(playground(15, seed=seed), tmp_path / f"{name}.jsonl")
    of_training = [
        content_selection_experiment(str(tmp_path / f"{name}.jsonl"), str(tmp_path / "test.jsonl"), seed=seed)
        for name, seed in (("train", 0), ("other", 0), ("train", 1))
    ]
    signatures = [experiment.signatures["box"] for experiment in of_training]
    assert len(set(signatures)) == 3
    assert len(set(map(data_of, signatures))) == 1


def test_a_model_that_was_trained_before_signs_with_its_file(tmp_path: Path) -> None:
    for name, seed in (("train", 4), ("test", 5)):
        write_corpus(playground(15, seed=seed), tmp_path / f"{name}.jsonl")
    signatures = []
    for seed in (0, 1):
        train_selector(playground(15, seed=6 + seed), seed=0).save(tmp_path / "model.json")
        sources = str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl")
        experiment = content_selection_experiment(*sources, model=tmp_path / "model.json")
        digest = sha256((tmp_path / "model.json").read_bytes()).hexdigest()
        assert f"|learned:trained before|model:{digest[:12]}|" in experiment.signatures["box"]
        signatures.append(experiment.signatures["box"])
    assert signatures[0] != signatures[1]


def test_images_with_too_few_captions_for_labels_are_counted_for_each_corpus(tmp_path: Path) -> None:
    for name, seed, n_short in (("train", 4, 7), ("test", 5, 3)):
        images = list(playground(40, seed=seed))
        short = [replace(image, captions=image.captions[:2]) for image in images[:n_short]]
        write_corpus([*short, *images[n_short:]], tmp_path / f"{name}.jsonl")
    sources = str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl")
    experiment = content_selection_experiment(*sources, labels_from=2)
    assert experiment.too_few == (7, 3)
    assert all("|too_few:7 training images and 3 test images|" in text for text in experiment.signatures.values())
    write_report(experiment, experiment.test, tmp_path / "out")
    counted = "Left out: 7 training images and 3 test images without a caption besides those that give labels."
    assert counted in (tmp_path / "out/table.md").read_text()
    whole = content_selection_experiment(*sources)
    assert whole.too_few is None
    assert "too_few" not in whole.signatures["box"]


def test_people_have_no_score_where_nobody_can_be_compared(tmp_path: Path) -> None:
    images = [replace(image, captions=image.captions[:1]) for image in playground(20, seed=5)]
    experiment = compare_systems(Concepts.count(images), images)
    write_report(experiment, images, tmp_path)
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert next(row for row in rows if row["system"] == "human")["F"] == ""
    assert ["human", "", "—", "—", "—", ""] in summary_rows(experiment)
