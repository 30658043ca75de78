"""The images of the novel-object experiment: detections, novel classes, domains, and what captions have to mention."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

from msgspec import structs

from limner.corpus import Box, Image, write_corpus
from limner.corpus.caption import Caption
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.errors import LimnerError
from limner.experiments.detected_views import DetectedViews, DetectorChoice
from limner.experiments.experiment_cache import ExperimentCache, images_signature, signature_of
from limner.experiments.novel_object_constraints import RowConstraints
from limner.experiments.novel_object_images import NovelObjectImages, prepare_images, split_images
from limner.experiments.novel_object_rows import ROWS, Asked, Filters, Regions, RowSpec
from limner.playground import playground
from limner.vision.detecting import with_boxes
from refusals import refusal

BOTH = Filters()


def image(id: str, labels: str, *texts: str, score: float = 1.0) -> Image:
    """An image of boxes side by side, each narrower than the one before."""
    boxes = [Box(str(i), 10 * i, 0, 10 * i + 9 - i, 50, label, score) for i, label in enumerate(labels.split())]
    captions = [Caption(str(i), text) for i, text in enumerate(texts)]
    return Image(id, 100, 50, tuple(boxes), tuple(captions))


KNOWN = [
    image("1", "dog", "a dog"),
    image("2", "zebra dog", "a dog"),
    image("3", "dog cat", "a zebra, or a horse"),
    image("4", "cat", "a cat"),
]
TESTS = [
    image("5", "dog cat", "pets"),
    image("6", "dog zebra", "a dog"),
    image("7", "zebra", "stripes"),
    image("8", "", "zebras"),
]


def given(images: list[Image], path: Path) -> DetectedViews:
    """Views with one sure box and one that is not, of a corpus of detections."""
    detected = [
        Image(one.id, 100, 50, (Box("d0", 0, 0, 9, 9, "zebra", 0.9), Box("d1", 0, 0, 9, 9, "cat", 0.3)))
        for one in images
    ]
    write_corpus(detected, path / "detections.jsonl")
    choice = DetectorChoice(corpus=[str(path / "detections.jsonl")])
    return DetectedViews(choice, images, ExperimentCache(path / "cache"))


def prepared(path: Path, novel: list[str]) -> NovelObjectImages:
    return prepare_images(KNOWN, TESTS, given([*KNOWN, *TESTS], path), novel)


def test_training_images_neither_show_nor_name_a_novel_class(tmp_path: Path) -> None:
    images = prepared(tmp_path, ["zebra"])
    assert [one.id for one in images.training] == ["1", "4"]
    assert images.n_left_out == 2
    # Captioners see detections, also where gold boxes say what is novel.
    assert [[box.label for box in one.boxes] for one in images.training] == [["zebra"], ["zebra"]]
    assert [[box.label for box in one.boxes] for one in images.tests] == [
        ["dog", "cat"],
        ["dog", "zebra"],
        ["zebra"],
        [],
    ]


def test_test_images_are_in_near_and_out_of_the_domain_by_their_gold_boxes(tmp_path: Path) -> None:
    images = prepared(tmp_path, ["zebra"])
    assert [one.attributes.get("domain") for one in images.tests] == ["in-domain", "near-domain", "out-domain", None]
    assert [one.attributes["novel"] for one in images.tests] == ["no", "yes", "yes", "yes"]
    assert images.domain_by_class["zebra"] == "out-domain"


def test_super_categories_of_a_hierarchy_count_for_no_domain(tmp_path: Path) -> None:
    parents = {"toy": ("Entity",), "kite": ("toy",), "ball": ("toy",), "cat": ("Entity",)}
    tree = ClassHierarchy("Entity", parents, {})
    known = [image("1", "ball toy", "a ball"), image("2", "cat", "a cat")]
    tests = [image("3", "kite toy", "the sky"), image("4", "ball", "a ball")]
    views = given([*known, *tests], tmp_path)
    flat, counted = (prepare_images(known, tests, views, ["kite"], tree=given_tree) for given_tree in (None, tree))
    assert [one.attributes["domain"] for one in flat.tests] == ["near-domain", "in-domain"]
    assert [one.attributes["domain"] for one in counted.tests] == ["out-domain", "in-domain"]


def test_domains_that_some_test_images_bring_are_found_anew(tmp_path: Path) -> None:
    tests = [structs.replace(one, attributes={"domain": "in-domain"}) for one in TESTS[2:]]
    images = prepare_images(KNOWN, [*TESTS[:2], *tests], given([*KNOWN, *TESTS], tmp_path), ["zebra"])
    assert [one.attributes.get("domain") for one in images.tests] == ["in-domain", "near-domain", "out-domain", None]
    assert len(images.warnings) == 1
    assert "domains are found anew for all" in images.warnings[0]


def test_domains_of_other_novel_classes_are_found_anew(tmp_path: Path) -> None:
    tests = [structs.replace(one, attributes={"domain": "in-domain"}) for one in TESTS]
    images = prepare_images(KNOWN, tests, given([*KNOWN, *tests], tmp_path), ["zebra"])
    assert [one.attributes.get("domain") for one in images.tests] == ["in-domain", "near-domain", "out-domain", None]
    assert len(images.warnings) == 1


def test_images_in_which_nothing_was_detected_are_counted_and_gold_boxes_refused(tmp_path: Path) -> None:
    images = [*KNOWN, *TESTS]
    seen = [Image(one.id, 100, 50, (Box("d0", 0, 0, 9, 9, "zebra", 0.9),)) for one in images]
    write_corpus(seen[:-1], tmp_path / "some.jsonl")
    choice = DetectorChoice(corpus=[str(tmp_path / "some.jsonl")])
    views = DetectedViews(choice, images, ExperimentCache(tmp_path))
    assert views.of(images[-1:])[0].boxes == ()
    assert "no detections of 1 of the 8 images, such as '8'" in views.warnings[0]
    merged = [structs.replace(one, boxes=(*one.boxes, *view.boxes)) for one, view in zip(images, seen, strict=True)]
    write_corpus([structs.replace(one, captions=()) for one in merged], tmp_path / "merged.jsonl")
    with refusal(LimnerError):
        DetectedViews(DetectorChoice(corpus=[str(tmp_path / "merged.jsonl")]), images, ExperimentCache(tmp_path))


def test_boxes_with_scores_below_one_are_a_detectors(tmp_path: Path) -> None:
    images = [image("1", "dog cat", "pets", score=0.7), image("2", "dog", "a dog", score=0.6)]
    views = DetectedViews(DetectorChoice(), images, ExperimentCache(tmp_path))
    assert not views.has_gold
    assert views.described == "the corpus's own detections, score from 0.5"


def test_labels_that_captions_gave_are_warned_of_though_detections_took_their_place(tmp_path: Path) -> None:
    tests = [structs.replace(one, provenance={"labels": "captions"}) for one in TESTS]
    images = prepare_images(KNOWN, tests, given([*KNOWN, *tests], tmp_path), ["zebra"])
    assert len(images.warnings) == 1
    assert "captions" in images.warnings[0]


def test_test_images_without_a_size_have_that_of_their_detections(tmp_path: Path) -> None:
    tests = [structs.replace(one, width=None, height=None) for one in TESTS]
    images = prepare_images(KNOWN, tests, given([*KNOWN, *tests], tmp_path), ["zebra"])
    assert {(one.width, one.height) for one in images.tests} == {(100, 50)}


def test_classes_of_coco_have_the_eight_of_hendricks_for_their_novel_ones(tmp_path: Path) -> None:
    labels = ("bottle", "bus", "couch", "microwave", "pizza", "tennis racket", "suitcase", "zebra")
    shown = [Image(f"t{i}", 9, 9, (Box("0", 0, 0, 9, 9, label),), KNOWN[0].captions) for i, label in enumerate(labels)]
    images = prepare_images(KNOWN, shown, given([*KNOWN, *shown], tmp_path), None)
    assert images.novel == labels
    horses = [*shown, Image("h", 9, 9, (Box("0", 0, 0, 9, 9, "unicorn"),), KNOWN[0].captions)]
    with refusal(LimnerError):
        prepare_images(KNOWN, horses, given([*KNOWN, *horses], tmp_path), None)


def test_domains_that_all_test_images_bring_are_kept(tmp_path: Path) -> None:
    tests = [structs.replace(one, attributes={"domain": "near-domain"}) for one in TESTS]
    images = prepare_images(KNOWN, tests, given([*KNOWN, *tests], tmp_path), ["zebra"])
    assert {one.attributes["domain"] for one in images.tests} == {"near-domain"}
    assert images.domains_from == "the test images' own"


def test_a_novel_class_of_all_images_leaves_nothing_to_learn_from(tmp_path: Path) -> None:
    with refusal(LimnerError):
        prepared(tmp_path, ["dog", "cat"])


def test_images_that_are_detections_have_no_gold(tmp_path: Path) -> None:
    images = [with_boxes(structs.replace(one, boxes=()), one.boxes, "mine") for one in [*KNOWN, *TESTS]]
    views = DetectedViews(DetectorChoice(), images, ExperimentCache(tmp_path))
    assert not views.has_gold
    assert views.of(images[:1]) == images[:1]
    assert not list(tmp_path.iterdir())


def test_boxes_below_the_least_score_do_not_count_whoever_gave_them(tmp_path: Path) -> None:
    boxes = (Box("0", 0, 0, 9, 9, "dog", 0.9), Box("1", 0, 0, 9, 9, "cat", 0.1))
    images = [with_boxes(Image("1", 10, 10, captions=(Caption("0", "a dog"),)), boxes, "mine")]
    views = DetectedViews(DetectorChoice(score=0.5), images, ExperimentCache(tmp_path))
    assert [box.label for box in views.of(images)[0].boxes] == ["dog"]
    # A profile that somebody names is not passed over: it needs gold boxes.
    with refusal(LimnerError):
        DetectedViews(DetectorChoice(Path("mine.json")), images, ExperimentCache(tmp_path))


def test_a_simulated_detector_errs_alike_whatever_the_case_of_labels(tmp_path: Path) -> None:
    def wrong(labels: list[str]) -> int:
        """Detections of classes that the images do not show."""
        images = [
            Image(str(i), 200, 200, (Box("0", 20, 20, 150, 150, labels[i % len(labels)]),), KNOWN[0].captions)
            for i in range(60)
        ]
        views = DetectedViews(DetectorChoice(score=0.05), images, ExperimentCache(tmp_path))
        assert {box.label for one in views.of(images) for box in one.boxes} <= set(labels)
        pairs = zip(views.of(images), images, strict=True)
        return sum(box.label != one.boxes[0].label for view, one in pairs for box in view.boxes)

    labels = ["dog", "person", "car", "gargoyle"]
    assert wrong([label.capitalize() for label in labels]) > 0
    assert wrong(labels) > 0


def test_another_order_of_the_images_finds_what_was_simulated(tmp_path: Path) -> None:
    images = list(playground(6, seed=2))
    messages: list[str] = []
    for order in (images, images[::-1]):
        DetectedViews(DetectorChoice(), order, ExperimentCache(tmp_path, messages.append))
    assert messages == ["simulating detections"]


def test_simulated_detections_have_labels_of_the_corpus_and_are_made_once(tmp_path: Path) -> None:
    images = list(playground(20, seed=2))
    messages: list[str] = []
    cache = ExperimentCache(tmp_path, messages.append)
    views = DetectedViews(DetectorChoice(score=0.1), images, cache)
    labels = {box.label for one in images for box in one.boxes}
    detected = views.of(images)
    assert {box.label for one in detected for box in one.boxes} <= labels
    assert all(box.score < 1 for one in detected for box in one.boxes)
    assert DetectedViews(DetectorChoice(score=0.1), images, cache).of(images) == detected
    assert messages == ["simulating detections"]


def test_a_simulated_detector_needs_gold_boxes(tmp_path: Path) -> None:
    with refusal(LimnerError):
        DetectedViews(DetectorChoice(), [Image("1", captions=(Caption("0", "a dog"),))], ExperimentCache(tmp_path))


def test_the_split_depends_on_ids_and_the_seed_alone() -> None:
    images = [Image(str(i)) for i in range(400)]
    known, tests = split_images(images, 0.25, 1)
    assert sorted(one.id for one in (*known, *tests)) == sorted(one.id for one in images)
    assert 70 < len(tests) < 130
    assert split_images(images[::-1], 0.25, 1)[1] == tests[::-1]
    assert split_images(images, 0.25, 2)[1] != tests


def row(asked: Asked, filters: Filters = BOTH, regions: Regions = "detected") -> RowSpec:
    return RowSpec("row", regions=regions, asked=asked, filters=filters)


def constraint_images() -> NovelObjectImages:
    tests = [image("1", "zebra dog person ball", "x"), image("2", "cat person", "x"), image("3", "kite", "x")]
    detected = [
        structs.replace(one, boxes=tuple(structs.replace(box, score=0.5 + i / 10) for i, box in enumerate(one.boxes)))
        for one in tests
    ]
    labels = ("ball", "cat", "dog", "kite", "person", "zebra")
    return NovelObjectImages(("zebra",), [], tests, detected, labels, 0, True, "", "", "", {})


def labels_of(spec: RowSpec, tree: ClassHierarchy | None = None) -> dict[str, list[str]]:
    chosen = RowConstraints(constraint_images(), tree).of(spec)
    return {id: [constraint.label for constraint in constraints] for id, constraints in chosen.items()}


def test_detections_are_ranked_by_confidence_and_gold_boxes_by_area() -> None:
    assert labels_of(row(asked="detected")) == {"1": ["ball", "dog", "zebra"], "2": ["cat"], "3": ["kite"]}
    assert labels_of(row(asked="gold")) == {"1": ["zebra", "dog", "ball"], "2": ["cat"], "3": ["kite"]}
    assert labels_of(row(asked="novel")) == {"1": ["zebra"], "2": [], "3": []}
    assert labels_of(row(asked="nothing")) == {}


def test_without_the_filter_of_classes_people_are_asked_for() -> None:
    assert labels_of(row(asked="detected", filters=Filters(classes=False)))["2"] == ["person", "cat"]


def test_without_the_filter_of_overlap_more_general_boxes_are_asked_for() -> None:
    tree = ClassHierarchy("Entity", {"Animal": ("Entity",), "Dog": ("Animal",)}, {})
    box = Box("0", 0, 0, 9, 9, "Dog", 0.9)
    both = (box, structs.replace(box, id="1", label="Animal", score=0.95))
    seen = [Image("1", 10, 10, both)]
    images = NovelObjectImages(("zebra",), [], seen, seen, ("Animal", "Dog"), 0, True, "", "", "", {})
    chosen = [
        [c.label for c in RowConstraints(images, tree).of(row(asked="detected", filters=filters))["1"]]
        for filters in (Filters(), Filters(overlap=False))
    ]
    assert chosen == [["Dog"], ["Animal", "Dog"]]


def test_random_constraints_are_as_many_and_of_other_images() -> None:
    images = constraint_images()
    drawn = RowConstraints(images).of(row(asked="random"))
    for one in images.detected:
        labels = [constraint.label for constraint in drawn[one.id]]
        assert len(set(labels)) == len(labels)
        assert not set(labels) & {box.label for box in one.boxes}
        assert all(not constraint.boxes for constraint in drawn[one.id])
    # There are two other classes for the first image, which has three constraints of its own.
    assert Counter(map(len, drawn.values())) == {2: 1, 1: 2}
    assert RowConstraints(images).of(row(asked="random")) == drawn


def test_gold_constraints_name_no_boxes_that_the_captioner_does_not_see() -> None:
    images = constraint_images()
    unseen = RowConstraints(images).of(row(asked="gold"))
    assert all(not constraint.boxes for constraints in unseen.values() for constraint in constraints)
    seen = RowConstraints(images).of(row(asked="gold", regions="gold"))
    assert seen["3"][0].boxes == ("0",)


def test_names_of_rows_and_of_their_files_differ() -> None:
    assert len({spec.name for spec in ROWS}) == len({spec.slug for spec in ROWS}) == len(ROWS)
    free = {spec.name for spec in ROWS if spec.asked == "nothing"}
    assert all(spec.free in free for spec in ROWS if spec.asked != "nothing")
    by_name = {spec.name: spec for spec in ROWS}
    for spec in ROWS:
        if spec.free:
            # It differs in what is asked for alone.
            assert (by_name[spec.free].captioner, by_name[spec.free].regions) == (spec.captioner, spec.regions)


def test_signatures_are_those_of_content_in_any_process() -> None:
    images = list(playground(3))
    assert images_signature(pickle.loads(pickle.dumps(images))) == images_signature(images)
    assert images_signature(images[::-1]) != images_signature(images)
    renamed = [structs.replace(one, id=f"{one.id}x") for one in images]
    assert images_signature(renamed) != images_signature(images)
    assert signature_of("ab", "c") != signature_of("a", "bc")
