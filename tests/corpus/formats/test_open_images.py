from __future__ import annotations

import gzip
from pathlib import Path

import PIL.Image
import pytest

from limner.corpus import Box, Image, ImageLabel, open_corpus
from limner.errors import BadInput, LimnerError
from published import (
    OPEN_IMAGES_BOXES,
    OPEN_IMAGES_CLASSES,
    OPEN_IMAGES_LIST,
    OPEN_IMAGES_SIZES,
    PUBLISHED,
    publish,
    write_files,
)
from refusals import refusal

LABELS = """ImageID,Source,LabelName,Confidence
0001eeaf4aed83f9,verification,/m/0cmf2,1
0001eeaf4aed83f9,verification,/m/02wbm,0
0001eeaf4aed83f9,machine,/m/0cmf2,0.9
000fe11025f2e246,crowdsource-verification,/m/02wbm,1
"""
PLANE, FOOD, EMPTY = "0001eeaf4aed83f9", "000595fe6fee6369", "000fe11025f2e246"
FLAGGED = ("truncated", "group", "inside")
IMAGES = [
    Image(
        PLANE,
        1024,
        683,
        (Box("0", 0.022673 * 1024, 0.071038 * 683, 0.964201 * 1024, 0.800546 * 683, "Airplane", types=("Vehicle",)),),
        attributes={"rotation": 90, "split": "validation"},
    ),
    Image(
        FOOD,
        768,
        1024,
        (
            Box("0", 0, 0, 768, 1024, "Food", flags=FLAGGED),
            Box(
                "1",
                0.141384 * 768,
                0.676056 * 1024,
                0.25 * 768,
                0.73 * 1024,
                "Fruit",
                0.5,
                ("Food",),
                flags=("occluded", "depiction"),
            ),
        ),
        attributes={"split": "validation"},
    ),
    Image(EMPTY, attributes={"rotation": 0, "split": "validation"}),
]


def test_shares_become_pixels_and_ids_become_names(tmp_path: Path) -> None:
    paths = publish(tmp_path, "open-images")
    assert list(open_corpus(paths)) == IMAGES
    assert list(open_corpus(paths[::-1])) == IMAGES


def test_a_folder_of_the_files_is_as_good(tmp_path: Path) -> None:
    publish(tmp_path, "open-images")
    (tmp_path / "relations.csv").write_text("ImageID,LabelName1,LabelName2,RelationshipLabel\n")
    corpus = open_corpus(tmp_path)
    assert list(corpus) == IMAGES
    assert corpus.reading.warnings == {"file that is not read": 1}


def test_without_names_and_hierarchy_labels_are_ids_and_the_image_says_so(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"boxes.csv": OPEN_IMAGES_BOXES, "sizes.csv": OPEN_IMAGES_SIZES})
    image = next(iter(open_corpus(paths)))
    assert (image.boxes[0].label, image.boxes[0].types) == ("/m/0cmf2", ())
    assert image.provenance == {"labels": "class ids"}


def test_sizes_come_from_the_pictures_where_no_table_has_them(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    PIL.Image.new("RGB", (100, 50)).save(tmp_path / "pictures" / f"{PLANE}.jpg")
    PIL.Image.new("RGB", (10, 20)).save(tmp_path / "pictures" / f"{FOOD}.png")
    (boxes,) = write_files(tmp_path, {"boxes.csv": OPEN_IMAGES_BOXES})
    images = list(open_corpus([boxes, tmp_path / "pictures"], "open-images"))
    assert [(i.id, i.width, i.height, i.file) for i in images] == [
        (PLANE, 100, 50, f"{PLANE}.jpg"),
        (FOOD, 10, 20, f"{FOOD}.png"),
    ]
    assert images[1].boxes[0].corners == (0, 0, 10, 20)


def test_a_broken_picture_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / f"{PLANE}.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    (boxes,) = write_files(tmp_path, {"boxes.csv": OPEN_IMAGES_BOXES})
    with refusal(BadInput):
        list(open_corpus([boxes, tmp_path / "pictures"], "open-images"))


def test_other_columns_a_header_over_the_classes_and_compression_do_not_matter(tmp_path: Path) -> None:
    rows = [line.split(",") for line in OPEN_IMAGES_BOXES.splitlines()]
    clicks = ["XClick1X", *["0.1"] * 3]
    wider = "\n".join(",".join([*row[::-1], click]) for row, click in zip(rows, clicks, strict=True))
    paths = publish(
        tmp_path, "open-images", **{"class-descriptions-boxable": "LabelName,DisplayName\n" + OPEN_IMAGES_CLASSES}
    )
    paths[0].unlink()
    paths[0] = tmp_path / "boxes.csv.gz"
    paths[0].write_bytes(gzip.compress(wider.replace("\n", "\r\n").encode()))
    assert list(open_corpus(paths)) == IMAGES


def test_an_older_table_without_remarks_is_read(tmp_path: Path) -> None:
    boxes = f"ImageID,LabelName,XMin,XMax,YMin,YMax\n{PLANE},/m/0cmf2,0,0.5,0,1\n"
    paths = write_files(tmp_path, {"boxes.csv": boxes, "sizes.csv": OPEN_IMAGES_SIZES})
    (image,) = open_corpus(paths)
    assert image.boxes == (Box("0", 0, 0, 512, 683, "/m/0cmf2"),)


def test_boxes_without_sizes_are_refused_with_what_to_add(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"boxes.csv": OPEN_IMAGES_BOXES})
    for lenient in (False, True):
        with refusal(BadInput):
            list(open_corpus(path, lenient=lenient))


ROWS = OPEN_IMAGES_BOXES.splitlines()


def boxes(old: str, new: str) -> dict[str, str]:
    assert old in OPEN_IMAGES_BOXES
    return {"validation-annotations-bbox": OPEN_IMAGES_BOXES.replace(old, new)}


FAULTS: dict[str, tuple[dict[str, str], str, str]] = {
    "text for an edge": (boxes("0.141384", "left"), "bbox.csv:4", "XMin is 'left'"),
    "no number": (boxes("0.141384", "nan"), "bbox.csv:4", "XMin is 'nan'"),
    "beyond all numbers": (boxes("0.141384", "1e999"), "bbox.csv:4", "XMin is '1e999'"),
    "left of right": (boxes("0.141384", "0.9"), "bbox.csv:4", "inverted"),
    "pixels for shares": (boxes("0.250000", "25"), "bbox.csv:4", "out of the image, 768 by 1024"),
    "a score above 1": (boxes("0.5,", "1.5,"), "bbox.csv:4", "score 1.5"),
    "a remark that is none": (boxes(",1,-1\n", ",1,yes\n"), "bbox.csv:4", "IsInside is 'yes'"),
    "a class without name": (boxes("/m/02xwb", "/m/0"), "bbox.csv:4", "class '/m/0' has no name"),
    "a row that breaks off": (boxes("0.730000,1,-1,0,1,-1\n", "0.7"), "bbox.csv:4", "8 values for 13 columns"),
    "an image again": (
        {"validation-annotations-bbox": "\n".join([*ROWS, ROWS[1]])},
        "bbox.csv:5",
        f"image '{PLANE}' comes again after others",
    ),
    "no image": (boxes(f"{FOOD},activemil", ",activemil"), "bbox.csv:4", "no ImageID"),
    "an image that is not listed": (
        boxes(f"{FOOD},activemil", "x,activemil"),
        "bbox.csv:4",
        "image 'x' is in no image",
    ),
    "an image of no size": (
        {"sizes": OPEN_IMAGES_SIZES.replace(FOOD, EMPTY)},
        "bbox.csv:3",
        f"the size of image '{FOOD}' is not known",
    ),
    "an image twice": ({"sizes": OPEN_IMAGES_SIZES + f"{PLANE},1,1\n"}, "sizes.csv:4", "appears twice"),
    "a size of no pixels": ({"sizes": OPEN_IMAGES_SIZES + "x,0,5\n"}, "sizes.csv:4", "Width is '0'"),
    "half a size": ({"sizes": OPEN_IMAGES_SIZES + "x,,5\n"}, "sizes.csv:4", "only one of Width and Height"),
    "an odd rotation": (
        {"validation-images-with-rotation": OPEN_IMAGES_LIST.replace(",0.0\n", ",45\n")},
        "rotation.csv:4",
        "Rotation is '45'",
    ),
    "two names of a class": (
        {"class-descriptions-boxable": OPEN_IMAGES_CLASSES + "/m/0cmf2,Plane\n"},
        "boxable.csv:5",
        "'Plane' here and 'Airplane' before",
    ),
    "a class alone": (
        {"class-descriptions-boxable": OPEN_IMAGES_CLASSES + "/m/1\n"},
        "boxable.csv:5",
        "expected an id and a name",
    ),
}


@pytest.mark.parametrize(("changed", "where", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, changed: dict[str, str], where: str, said: str
) -> None:
    paths = publish(tmp_path, "open-images", **changed)
    with pytest.raises(BadInput) as caught:
        list(open_corpus(paths, "open-images"))
    assert where in caught.value.place
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    corpus = open_corpus(paths, "open-images", lenient=True)
    assert PLANE in [image.id for image in corpus]
    assert sum(corpus.reading.skipped.values()) >= 1


WHOLE = OPEN_IMAGES_BOXES.encode()
FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "holds neither boxes"),
    "UTF-16": (OPEN_IMAGES_BOXES.encode("utf-16"), "holds neither boxes"),
    "Latin-1": (WHOLE.replace(b"activemil", b"activem\xefl"), "not UTF-8"),
    "relationships": (b"ImageID,LabelName1,LabelName2,RelationshipLabel\nx,/m/1,/m/2,at\n", "holds neither boxes"),
    "an endless field": (WHOLE + b'"' + b"x" * 200_000, "not CSV"),
}


@pytest.mark.parametrize(("content", "said"), FILES.values(), ids=FILES.keys())
def test_a_table_that_is_none_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path, sizes = write_files(tmp_path, {"boxes.csv": content, "sizes.csv": OPEN_IMAGES_SIZES})
    with pytest.raises(BadInput) as caught:
        list(open_corpus([path, sizes], "open-images"))
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_hierarchies_and_no_boxes_are_refused(tmp_path: Path) -> None:
    paths = publish(tmp_path, "open-images")
    hierarchy = PUBLISHED["open-images"]["bbox_labels_600_hierarchy.json"]
    with refusal(BadInput):
        list(open_corpus([*paths, *write_files(tmp_path, {"again.json": hierarchy})]))
    with refusal(BadInput):
        list(open_corpus(paths[1:2]))
    with refusal(LimnerError):
        list(open_corpus("-", "open-images"))


def test_image_labels_have_their_confidence_and_source_and_absence_is_0(tmp_path: Path) -> None:
    paths = [*publish(tmp_path, "open-images"), *write_files(tmp_path, {"labels.csv": LABELS})]
    plane, food, empty = open_corpus(paths)
    assert plane.labels == (
        ImageLabel("Airplane", 1, "verification"),
        ImageLabel("Food", 0, "verification"),
        ImageLabel("Airplane", 0.9, "machine"),
    )
    assert (food.labels, empty.labels) == ((), (ImageLabel("Food", 1, "crowdsource-verification"),))


def test_labels_alone_make_images(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"labels.csv": LABELS})
    images = list(open_corpus(path))
    assert [(image.id, len(image.labels)) for image in images] == [(PLANE, 3), (EMPTY, 1)]
    assert images[0].provenance == {"labels": "class ids"}
    assert [image.id for image in open_corpus(path, ids=[EMPTY])] == [EMPTY]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            f"{PLANE},verification,/m/0cmf2,2",
            "image label 'Airplane' has confidence 2.0, outside 0 to 1; give a confidence from 0 to 1",
        ),
        (f"{PLANE},verification,/m/0cmf2,sure", "Confidence is 'sure'"),
        (f"{PLANE},verification,/m/0cmf2,0", "image '0001eeaf4aed83f9' has the label 'Airplane' twice from one source"),
        ("0000000000000000,verification,/m/0cmf2,1", "image '0000000000000000' is in no image list"),
    ],
)
def test_a_faulty_image_label_is_refused_and_left_out_when_lenient(tmp_path: Path, row: str, said: str) -> None:
    paths = [*publish(tmp_path, "open-images"), *write_files(tmp_path, {"labels.csv": LABELS + row + "\n"})]
    with pytest.raises(BadInput) as caught:
        list(open_corpus(paths))
    assert f"labels.csv:6: {said}" in str(caught.value)
    corpus = open_corpus(paths, lenient=True)
    assert sum(len(image.labels) for image in corpus) == 4
    assert corpus.reading.skipped == {"faulty image label": 1}


def test_an_image_label_of_a_class_without_a_name_keeps_its_id_and_is_counted(tmp_path: Path) -> None:
    row = f"{PLANE},verification,/m/none,1\n"
    corpus = open_corpus([*publish(tmp_path, "open-images"), *write_files(tmp_path, {"labels.csv": LABELS + row})])
    labels = [label.label for image in corpus for label in image.labels]
    assert labels.count("/m/none") == 1
    assert corpus.reading.warnings["image label whose class has no name"] == 1
