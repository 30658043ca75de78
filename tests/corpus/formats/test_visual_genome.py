from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.corpus.formats import visual_genome
from limner.errors import BadInput
from published import (
    VISUAL_GENOME_ATTRIBUTES,
    VISUAL_GENOME_IMAGES,
    VISUAL_GENOME_OBJECTS,
    VISUAL_GENOME_REGIONS,
    VISUAL_GENOME_RELATIONSHIPS,
    publish,
    write_files,
)
from refusals import refusal

CLOCK, GREY = ("clock.n.01",), ("grey",)


def region(id: str, *corners: float) -> Box:
    return Box(f"r{id}", *corners, "region", flags=("region",))


def description(id: str, text: str) -> Caption:
    return Caption(id, text, (Mention(0, len(text), (f"r{id}",)),))


IMAGES = [
    Image(
        "1",
        800,
        600,
        (
            Box("1058498", 421, 91, 500, 430, "clock", types=CLOCK, attributes=("green", "tall")),
            Box("5046", 77, 328, 791, 428, "monitor", attributes=GREY),
            Box("9", 0, 300, 800, 600, "street", types=("street.n.01",)),
            region("1382", 421, 57, 503, 196),
        ),
        (description("1382", "the clock is green in colour"),),
        file="VG_100K_2/1.jpg",
    ),
    Image(
        "2",
        500,
        281,
        (region("7", 0, 0, 20, 10), region("8", 0, 5, 30, 15)),
        (description("7", "a dog"), description("8", "grass ")),
        file="VG_100K/2370463.jpg",
        attributes={"coco_id": 547168, "flickr_id": 8505158818},
    ),
]


def test_objects_attributes_and_regions_join(tmp_path: Path) -> None:
    corpus = open_corpus(publish(tmp_path, "visual-genome"))
    assert list(corpus) == IMAGES
    assert corpus.reading.warnings == {"object of several names, of which the first is kept": 1}


def test_a_folder_is_as_good_and_relationships_in_it_are_told_of(tmp_path: Path) -> None:
    publish(tmp_path, "visual-genome")
    write_files(tmp_path, {"relationships.json": VISUAL_GENOME_RELATIONSHIPS, "qa.json": [{"id": 1, "qas": []}]})
    corpus = open_corpus(tmp_path)
    assert list(corpus) == IMAGES
    assert corpus.reading.warnings["file of relationships, which are not read"] == 1


def test_images_keep_the_order_of_the_image_data_whatever_the_others_have(tmp_path: Path) -> None:
    paths = publish(
        tmp_path,
        "visual-genome",
        objects=VISUAL_GENOME_OBJECTS[::-1],
        attributes=VISUAL_GENOME_ATTRIBUTES[:1],
        region_descriptions=VISUAL_GENOME_REGIONS[::-1],
    )
    assert list(open_corpus(paths[::-1])) == IMAGES


def test_nothing_waits_where_the_files_agree_on_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[bytes] = []
    monkeypatch.setattr(visual_genome.zlib, "compress", lambda *given: packed.append(given[0]) or b"")
    list(open_corpus(publish(tmp_path, "visual-genome")))
    assert packed == []


@pytest.mark.parametrize("names", [["objects.json"], ["region_descriptions.json", "objects.json"], ["attributes.json"]])
def test_without_image_data_sizes_are_not_known(tmp_path: Path, names: list[str]) -> None:
    paths = [path for path in publish(tmp_path, "visual-genome") if path.name in names]
    images = list(open_corpus(paths))
    assert [(image.id, image.width) for image in images] == [("1", None), ("2", None)]
    assert {b.id for b in images[0].boxes} <= {b.id for b in IMAGES[0].boxes} | {"5047"}


def test_the_first_releases_names_of_keys_are_read(tmp_path: Path) -> None:
    def renamed(value: Any, names: dict[str, str]) -> Any:
        if isinstance(value, list):
            return [renamed(item, names) for item in value]
        if isinstance(value, dict):
            return {names.get(key, key): renamed(item, names) for key, item in value.items()}
        return value

    paths = publish(
        tmp_path,
        "visual-genome",
        image_data=renamed(VISUAL_GENOME_IMAGES, {"image_id": "id"}),
        objects=renamed(VISUAL_GENOME_OBJECTS, {"image_id": "id", "object_id": "id"}),
        attributes=renamed(VISUAL_GENOME_ATTRIBUTES, {"image_id": "id", "object_id": "id", "names": "object_names"}),
        region_descriptions=renamed(VISUAL_GENOME_REGIONS, {"region_id": "id", "image_id": "image"}),
    )
    assert list(open_corpus(paths)) == IMAGES


def test_a_region_out_of_its_image_takes_its_box_but_not_its_words_when_lenient(tmp_path: Path) -> None:
    regions = deepcopy(VISUAL_GENOME_REGIONS)
    regions[1]["regions"][0]["x"] = -3
    paths = publish(tmp_path, "visual-genome", region_descriptions=regions)
    with refusal(BadInput):
        list(open_corpus(paths))
    corpus = open_corpus(paths, lenient=True)
    image = list(corpus)[1]
    assert [box.id for box in image.boxes] == ["r8"]
    assert image.captions[0] == Caption("7", "a dog", (Mention(0, 5),))
    assert corpus.reading.skipped == {"box out of the image": 1, "reference to a box that is not there": 1}


def changed(document: Any, change: Callable[[Any], Any]) -> Any:
    copy = deepcopy(document)
    change(copy)
    return copy


def an_object(**fields: Any) -> dict[str, Any]:
    return {"objects": changed(VISUAL_GENOME_OBJECTS, lambda d: d[0]["objects"][1].update(fields))}


def an_attribute(**fields: Any) -> dict[str, Any]:
    return {"attributes": changed(VISUAL_GENOME_ATTRIBUTES, lambda d: d[0]["attributes"][2].update(fields))}


def a_region(**fields: Any) -> dict[str, Any]:
    return {"region_descriptions": changed(VISUAL_GENOME_REGIONS, lambda d: d[1]["regions"][1].update(fields))}


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "text for x": (an_object(x="7"), "objects.json: [0]: objects[1]", "x is '7'"),
    "no width": (an_object(w=None), "objects.json: [0]: objects[1]", "no w"),
    "a negative width": (an_object(w=-1), "objects.json: [0]: objects[1]", "inverted"),
    "an object far out": (an_object(w=10**6), "objects.json: [0]: objects[1]", "out of the image"),
    "a width beyond all": (an_object(w=10**400), "objects.json: [0]: objects[1]", "finite"),
    "no names": (an_object(names=[]), "objects.json: [0]: objects[1]", "no name"),
    "an empty name": (an_object(names=[""]), "objects.json: [0]: objects[1]", "empty label"),
    "a number for a name": (an_object(names=[1]), "objects.json: [0]: objects[1]", "names is [1]"),
    "half a surrogate pair": (an_object(names=["\ud800"]), "objects.json: [0]: objects[1]", "names is"),
    "text for synsets": (an_object(synsets="x"), "objects.json: [0]: objects[1]", "synsets is 'x'"),
    "text for merged ids": (an_object(merged_object_ids="x"), "objects.json: [0]: objects[1]", "merged_object_ids"),
    "an object twice": (an_object(object_id=1058498), "objects.json: [0]: objects[1]", "'1058498' already"),
    "no object id": (an_object(object_id=None), "objects.json: [0]: objects[1]", "no object_id"),
    "attributes of text": (
        an_attribute(attributes="red"),
        "attributes.json: [0]: attributes[2]",
        "attributes is 'red'",
    ),
    "attributes of nothing": (an_attribute(x=None), "attributes.json: [0]: attributes[2]", "no x"),
    "no phrase": (a_region(phrase=None), "region_descriptions.json: [1]: regions[1]", "no phrase"),
    "an empty phrase": (a_region(phrase=" "), "region_descriptions.json: [1]: regions[1]", "phrase is empty"),
    "a region twice": (a_region(region_id=7), "region_descriptions.json: [1]: regions[1]", "'7' already"),
    "a number for a region": (
        {"region_descriptions": changed(VISUAL_GENOME_REGIONS, lambda d: d[1]["regions"].append(7))},
        "region_descriptions.json: [1]: regions[2]",
        "7 is not a record",
    ),
    "no list of objects": (
        {"objects": changed(VISUAL_GENOME_OBJECTS, lambda d: d[1].update(objects=3))},
        "objects.json: [1]",
        "objects is 3",
    ),
    "an image twice": (
        {"objects": [*VISUAL_GENOME_OBJECTS, {"image_id": 1}]},
        "objects.json: [2]",
        "'1' appears twice",
    ),
    "an unlisted image": (
        {"objects": [*VISUAL_GENOME_OBJECTS, {"image_id": 3, "objects": []}]},
        "objects.json: [2]",
        "image '3' is not in the image data",
    ),
    "a number for an image": ({"objects": [*VISUAL_GENOME_OBJECTS, 7]}, "objects.json: [2]", "7 is not a record"),
    "no image id": ({"objects": [*VISUAL_GENOME_OBJECTS, {}]}, "objects.json: [2]", "no id"),
    "an image of no size": (
        {"image_data": changed(VISUAL_GENOME_IMAGES, lambda d: d[1].update(width=0))},
        "image_data.json: [1]",
        "0 by 281",
    ),
    "a url that is none": (
        {"image_data": changed(VISUAL_GENOME_IMAGES, lambda d: d[1].update(url=1))},
        "image_data.json: [1]",
        "url is 1",
    ),
}


@pytest.mark.parametrize(("files", "where", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, files: dict[str, Any], where: str, said: str
) -> None:
    paths = publish(tmp_path, "visual-genome", **files)
    with pytest.raises(BadInput) as caught:
        list(open_corpus(paths))
    assert str(caught.value).startswith(f"{tmp_path / where}: ")
    assert said in str(caught.value)
    corpus = open_corpus(paths, lenient=True)
    assert "1" in [image.id for image in corpus]
    assert sum(corpus.reading.skipped.values()) >= 1


WHOLE = json.dumps(VISUAL_GENOME_OBJECTS)
FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "holds neither image data"),
    "UTF-16": (WHOLE.encode("utf-16"), "holds neither image data"),
    "Latin-1": (WHOLE.replace("clock", "cl\xf6ck").encode("latin-1"), "not UTF-8"),
    "NaN": (WHOLE.replace("339", "NaN").encode(), "NaN"),
    "no end": (WHOLE[:-20].encode(), "is the file complete?"),
    "questions": (b'[{"id": 1, "qas": []}]', "holds neither image data"),
}


@pytest.mark.parametrize(("content", "said"), FILES.values(), ids=FILES.keys())
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (path,) = write_files(tmp_path, {"objects.json": content})
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path, "visual-genome"))
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_files_of_a_kind_and_none_at_all_are_refused(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"a.json": VISUAL_GENOME_OBJECTS, "b.json": VISUAL_GENOME_OBJECTS})
    with refusal(BadInput):
        list(open_corpus(paths))
    (path,) = write_files(tmp_path, {"r.json": VISUAL_GENOME_RELATIONSHIPS})
    with refusal(BadInput):
        list(open_corpus(path))
