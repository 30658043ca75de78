from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from pycocotools.coco import COCO

from limner.corpus import Box, Caption, Image, open_corpus, write_corpus
from limner.errors import BadInput, LimnerError
from published import COCO_CAPTIONS, COCO_DETECTIONS, COCO_INSTANCES, COCO_RESULTS, publish, write_files
from refusals import refusal
from strategies import corpora


def test_captions_instances_and_results_join_in_the_order_of_the_images(tmp_path: Path) -> None:
    images = list(open_corpus(publish(tmp_path, "coco")))
    assert images == [
        Image(
            "139",
            640,
            426,
            (Box("26547", 236.98, 142.51, 236.98 + 24.7, 142.51 + 69.5, "potted plant", types=("furniture",)),),
            (Caption("67", "A woman stands in a room. "), Caption("nbt-0", "a living room", source="system:nbt")),
            file="000000000139.jpg",
        ),
        Image(
            "285",
            586,
            640,
            (
                Box("587562", 1, 69, 586, 631, "bear", types=("animal",), flags=("crowd",)),
                Box("detector-0", 2, 70, 582.5, 630, "bear", 0.97, ("animal",)),
                Box("detector-1", 0, 0, 10, 10, "potted plant", 0.236, ("furniture",)),
            ),
            (
                Caption("38", "A bear in the grass."),
                Caption("70", "Big brown bear"),
                Caption("nbt-0", "a bear", source="system:nbt"),
            ),
            file="000000000285.jpg",
        ),
    ]


def test_the_order_of_files_and_of_keys_does_not_matter(tmp_path: Path) -> None:
    paths = publish(tmp_path, "coco")
    turned = tmp_path / "turned"
    turned.mkdir()
    backwards = publish(turned, "coco", instances_val2017=dict(reversed(COCO_INSTANCES.items())))
    both = [{image.id: image for image in open_corpus(files)} for files in (paths, backwards)]
    assert both[0] == both[1]


def test_results_alone_are_images_with_ids_and_captions(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"nbt.json": COCO_RESULTS[::-1]})
    assert list(open_corpus(path)) == [
        Image("285", captions=(Caption("nbt-0", "a bear", source="system:nbt"),)),
        Image("139", captions=(Caption("nbt-0", "a living room", source="system:nbt"),)),
    ]


def test_two_results_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    paths = write_files(tmp_path, {"nbt.json": COCO_RESULTS, "a/nbt.json": COCO_RESULTS})
    with refusal(LimnerError):
        list(open_corpus(paths))


def test_coco_val2017_joins_to_its_published_counts(shared_data: Path) -> None:
    folder = shared_data / "coco"
    corpus = open_corpus([folder / "captions_val2017.json", folder / "instances_val2017_boxes.json"])
    images = list(corpus)
    assert len(images) == 5000
    assert sum(len(image.captions) for image in images) == 25_014
    assert sum(len(image.boxes) for image in images) == 36_781
    assert corpus.reading.warnings == {"box without area": 1}
    assert corpus.reading.first["box without area"].endswith("instances_val2017_boxes.json: annotations[15386]")


def broken(change: Callable[[Any], Any]) -> dict[str, Any]:
    """The instances after a change."""
    document = deepcopy(COCO_INSTANCES)
    change(document)
    return document


def annotation(**fields: Any) -> dict[str, Any]:
    return broken(lambda d: d["annotations"][1].update(fields))


FAULTS: dict[str, tuple[Any, str, str]] = {
    "text for a bbox": (annotation(bbox="x"), "annotations[1]", "bbox is 'x'"),
    "three numbers for a bbox": (annotation(bbox=[1, 2, 3]), "annotations[1]", "a list of 4 numbers"),
    "text in a bbox": (annotation(bbox=[1, 2, 3, "4"]), "annotations[1]", "bbox is"),
    "a negative width": (annotation(bbox=[10, 10, -5, 5]), "annotations[1]", "inverted"),
    "a box out of its image": (annotation(bbox=[10, 10, 900, 5]), "annotations[1]", "out of the image, 586 by 640"),
    "a box beyond all numbers": (annotation(bbox=[10, 10, 10**400, 5]), "annotations[1]", "finite"),
    "an infinite box": (annotation(bbox=[10, 10, float("1e999"), 5]), "annotations", "Infinity is not JSON"),
    "no image": (annotation(image_id=None), "annotations[1]", "no image_id"),
    "an image that is not listed": (annotation(image_id=7), "annotations[1]", "image '7' is in no list"),
    "a fraction for an id": (annotation(id=1.5), "annotations[1]", "id is 1.5"),
    "no id": (annotation(id=None), "annotations[1]", "no id"),
    "an id that was there": (
        annotation(id=26547, image_id=139, bbox=[1, 1, 2, 2]),
        "annotations[1]",
        "'26547' already",
    ),
    "no category": (annotation(category_id=None), "annotations[1]", "no category_id"),
    "an unknown category": (annotation(category_id=99), "annotations[1]", "category '99' is in no list"),
    "a list for a category": (annotation(category_id=[1]), "annotations[1]", "category_id is [1]"),
    "a crowd of two": (annotation(iscrowd=2), "annotations[1]", "iscrowd is 2"),
    "a score above 1": (annotation(score=1.5), "annotations[1]", "score 1.5"),
    "neither caption nor bbox": (annotation(bbox=None), "annotations[1]", "neither a caption nor a bbox"),
    "a caption that is not text": (annotation(bbox=None, caption=["a"]), "annotations[1]", "caption is ['a']"),
    "half a surrogate pair": (annotation(bbox=None, caption="\ud800"), "annotations[1]", "surrogate"),
    "a number for an annotation": (broken(lambda d: d["annotations"].append(7)), "annotations[2]", "7 is not a record"),
    "an object for annotations": (broken(lambda d: d.update(annotations={})), "annotations", "{} is not a list"),
    "a caption for annotations": (
        broken(lambda d: d.update(annotations={"image_id": 139, "id": 7, "caption": "a dog"})),
        "annotations",
        "is not a list",
    ),
    "an image without id": (broken(lambda d: d["images"].append({})), "images[2]", "no id"),
    "an image twice": (broken(lambda d: d["images"].append({"id": 139})), "images[2]", "image '139' appears twice"),
    "an image of no width": (broken(lambda d: d["images"].append({"id": 1, "height": 2})), "images[2]", "0 by 2"),
    "an image of text": (broken(lambda d: d["images"].append({"id": 1, "width": "2"})), "images[2]", "'2' by 0"),
    "a file name that is none": (
        broken(lambda d: d["images"].append({"id": 1, "file_name": 2})),
        "images[2]",
        "file_name",
    ),
    "a category without name": (broken(lambda d: d["categories"].append({"id": 1})), "categories[2]", "no name"),
    "two names of a category": (
        broken(lambda d: d["categories"].append({"id": 23, "name": "cow"})),
        "categories[2]",
        "'cow' here and 'bear' before",
    ),
}


@pytest.mark.parametrize(("document", "where", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, document: Any, where: str, said: str
) -> None:
    (path,) = write_files(tmp_path, {"instances.json": document})
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path))
    error = str(caught.value)
    assert error.startswith(f"{path}: {where}" if where != "annotations" else f"{path}: ")
    assert said in error
    assert "\n" not in error
    corpus = open_corpus(path, lenient=True)
    assert "139" in [image.id for image in corpus]
    assert sum(corpus.reading.skipped.values()) >= 1


WHOLE = json.dumps(COCO_CAPTIONS)
FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the file is empty"),
    "UTF-16": (WHOLE.encode("utf-16"), "not UTF-8"),
    "Latin-1": (WHOLE.replace("woman", "w\xf6man").encode("latin-1"), "not UTF-8"),
    "a string": (b'"images"', "cannot start with"),
    "other things": (b'{"things": [1]}', "neither images nor annotations"),
    "NaN": (WHOLE.replace("426", "NaN").encode(), "NaN is not JSON"),
    "no end": (WHOLE[:-40].encode(), "is the file complete?"),
    "deep brackets": (b'{"images": ' + b"[" * 100_000, "not usable JSON"),
}


@pytest.mark.parametrize(("content", "said"), FILES.values(), ids=FILES.keys())
def test_a_file_that_is_no_coco_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (path,) = write_files(tmp_path, {"captions.json": content})
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path, "coco"))
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_of_a_file_that_breaks_off_the_lenient_keep_what_is_there(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"captions.json": WHOLE[:-40]})
    corpus = open_corpus(path, lenient=True)
    assert [len(image.captions) for image in corpus] == [1, 1]
    assert corpus.reading.skipped == {"rest of a file that breaks off": 1}


def test_files_of_different_pictures_do_not_join(tmp_path: Path) -> None:
    other = deepcopy(COCO_INSTANCES)
    other["images"][0]["width"] = 641
    with refusal(BadInput):
        list(open_corpus(publish(tmp_path, "coco", instances_val2017=other)))


def test_what_one_file_leaves_out_another_may_tell(tmp_path: Path) -> None:
    bare = deepcopy(COCO_INSTANCES)
    bare["images"] = [{"id": 285}]
    bare["categories"] = [{"id": 23, "name": "bear"}, {"id": 64, "name": "potted plant"}]
    paths = write_files(tmp_path, {"a.json": COCO_CAPTIONS, "b.json": COCO_INSTANCES})
    extra = write_files(tmp_path, {"c.json": {**bare, "annotations": []}})
    assert list(open_corpus([*paths, *extra])) == list(open_corpus(paths))
    assert {i.id: i for i in open_corpus([*extra, *paths])} == {i.id: i for i in open_corpus(paths)}


def test_a_caption_with_the_id_of_another_is_left_out_alone(tmp_path: Path) -> None:
    twice = deepcopy(COCO_CAPTIONS)
    twice["annotations"][2]["id"] = 38
    (path,) = write_files(tmp_path, {"captions.json": twice})
    with refusal(BadInput):
        list(open_corpus(path))
    corpus = open_corpus(path, lenient=True)
    assert [len(image.captions) for image in corpus] == [1, 1]
    assert corpus.reading.skipped == {"caption with an id that was there already": 1}


def test_detections_need_the_names_of_their_categories(tmp_path: Path) -> None:
    detections, categories = write_files(
        tmp_path, {"d.json": COCO_DETECTIONS, "categories.json": {"categories": COCO_INSTANCES["categories"]}}
    )
    with refusal(BadInput):
        list(open_corpus(detections))
    (image,) = open_corpus([detections, categories])
    assert [(box.id, box.label) for box in image.boxes] == [("d-0", "bear"), ("d-1", "potted plant")]


def expressible(image: Image) -> Image:
    """What COCO can say of an image: see docs/formats/coco.md for what it cannot."""
    boxes = [
        Box(b.id, *b.corners, b.label, b.score, b.types[:1], flags=("crowd",) if "crowd" in b.flags else ())
        for b in image.boxes
    ]
    captions = [Caption(caption.id, caption.text, source=caption.source) for caption in image.captions]
    captions.sort(key=lambda caption: caption.source if caption.source.startswith("system") else "")
    return Image(image.id, image.width, image.height, tuple(boxes), tuple(captions), (), image.file)


@given(images=corpora())
def test_what_is_written_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, images: list[Image]) -> None:
    folder = tmp_path_factory.mktemp("coco") / "corpus"
    assert write_corpus(images, folder, "coco") == len(images)
    assert list(open_corpus(folder, "coco")) == [expressible(image) for image in images]


def test_crowds_and_classes_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    boxes = (
        Box("a", 1, 1, 2, 2, "mouse", types=("animal",), flags=("crowd",)),
        Box("b", 1, 1, 2, 2, "mouse", types=("electronic",)),
        Box("c", 1, 1, 2, 2, "mouse"),
        Box("d", 1, 1, 2, 2, "gnu", 0.5),
    )
    write_corpus([Image("x", 9, 9, boxes)], tmp_path / "out", "coco")
    (image,) = open_corpus(tmp_path / "out")
    assert image.boxes == boxes


def loaded(path: Path) -> COCO:
    with contextlib.redirect_stdout(io.StringIO()):
        return COCO(str(path))


@settings(max_examples=30)
@given(images=corpora())
def test_pycocotools_loads_every_annotation_of_what_is_written(
    tmp_path_factory: pytest.TempPathFactory, images: list[Image]
) -> None:
    folder = tmp_path_factory.mktemp("coco") / "corpus"
    write_corpus(images, folder, "coco")
    captions = loaded(folder / "captions.json")
    assert len(captions.imgs) == len(images)
    said = [c for image in images for c in image.captions]
    assert sorted(a["caption"] for a in captions.anns.values()) == sorted(
        c.text for c in said if not c.source.startswith("system")
    )
    boxes = [box for image in images for box in image.boxes]
    assert (folder / "instances.json").exists() == bool(boxes)
    if boxes:
        instances = loaded(folder / "instances.json")
        named = [instances.cats[a["category_id"]]["name"] for a in instances.anns.values()]
        assert named == [box.label for box in boxes]
        assert [tuple(a["bbox"]) for a in instances.loadAnns(instances.getAnnIds(imgIds=list(instances.imgs)))] == [
            (b.x0, b.y0, b.width, b.height) for b in boxes
        ]
    systems = [c.text for c in said if c.source == "system:nbt"]
    assert (folder / "results-nbt.json").exists() == bool(systems)
    if systems:
        with contextlib.redirect_stdout(io.StringIO()):
            results = captions.loadRes(str(folder / "results-nbt.json"))
        assert [a["caption"] for a in results.anns.values()] == systems


def test_cocos_own_ids_and_category_numbers_survive(tmp_path: Path) -> None:
    write_corpus(open_corpus(publish(tmp_path, "coco")), tmp_path / "out", "coco")
    instances = json.loads((tmp_path / "out" / "instances.json").read_text())
    assert instances["categories"] == COCO_INSTANCES["categories"]
    assert [(a["id"], a["image_id"], a["category_id"]) for a in instances["annotations"]][:2] == [
        (26547, 139, 64),
        (587562, 285, 23),
    ]
    assert json.loads((tmp_path / "out" / "results-nbt.json").read_text()) == COCO_RESULTS


@pytest.mark.parametrize(
    ("image", "written"),
    [
        (Image("7", captions=(Caption("3", "a dog"),)), ["annotations", "images", "info"]),
        (Image("7", 9, 9, (Box("3", 1, 1, 2, 2, "dog"),)), ["annotations", "categories", "images", "info"]),
        (Image("7", captions=(Caption("c", "a dog", source="system:x"),)), [{"image_id": 7, "caption": "a dog"}]),
        (Image("7x", captions=(Caption("c", "a", source="system:x"),)), [{"image_id": "7x", "caption": "a"}]),
        (Image("7"), ["annotations", "images", "info"]),
    ],
)
def test_a_file_gets_the_one_kind_there_is(tmp_path: Path, image: Image, written: list[Any]) -> None:
    path = tmp_path / "x.json"
    write_corpus([image], path, "coco")
    document = json.loads(path.read_text())
    found = (
        sorted(document)
        if isinstance(document, dict)
        else [{k: r[k] for k in ("image_id", "caption")} for r in document]
    )
    assert found == written
    assert list(open_corpus(path, "coco")) == [expressible(image)]


SYSTEM = Caption("c", "a dog", source="system:x")


@pytest.mark.parametrize(
    ("images", "name"),
    [
        ([Image("7", 9, 9, (Box("3", 1, 1, 2, 2),), (Caption("3", "a"),))], "x.json"),
        ([Image("7", captions=(Caption("3", "a"), SYSTEM))], "x.json"),
        ([Image("7", captions=(SYSTEM,)), Image("8")], "x.json"),
        ([Image("7", boxes=(Box("3", 1, 1, 2, 2),))], "x"),
        ([Image("7", captions=(Caption("3", "a", source="system:a/b"),))], "x"),
        ([Image("7", captions=(Caption("3", "\ud800"),))], "x"),
    ],
)
def test_what_would_be_wrong_is_not_written(tmp_path: Path, images: list[Image], name: str) -> None:
    with refusal(LimnerError):
        write_corpus(images, tmp_path / name, "coco")
    assert list(tmp_path.iterdir()) == []


def test_captions_and_boxes_of_other_images_are_warned_of(tmp_path: Path) -> None:
    captions = {"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "caption": "A dog ."}]}
    box = {"id": 1, "image_id": 9, "category_id": 18, "bbox": [0, 0, 1, 1]}
    boxes = {"images": [{"id": 9}], "annotations": [box], "categories": [{"id": 18, "name": "dog"}]}
    corpus = open_corpus(write_files(tmp_path, {"captions.json": captions, "instances.json": boxes}))
    assert len(list(corpus)) == 2
    assert corpus.reading.first["join of sources that have no image in common"] == "captions of '1', boxes of '9'"
