from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from pathlib import Path

import pytest

from limner.corpus import Caption, Image, open_corpus, write_corpus
from limner.errors import BadInput, LimnerError
from published import NOCAPS, publish, write_files
from refusals import refusal

IMAGES = [
    Image(
        "0",
        732,
        1024,
        captions=(Caption("0", "A baby is standing in front of a house."),),
        file="0013ea2087020901.jpg",
        attributes={"domain": "in-domain", "open_images_id": "0013ea2087020901"},
    ),
    Image(
        "1",
        1024,
        768,
        captions=(Caption("1", "A dolphin leaps."),),
        file="0032257bf3cd56d0.jpg",
        attributes={"domain": "out-domain", "open_images_id": "0032257bf3cd56d0"},
    ),
]


def test_images_know_their_domain_and_their_open_images_id(tmp_path: Path) -> None:
    assert list(open_corpus(publish(tmp_path, "nocaps"))) == IMAGES


def test_image_information_without_captions_and_domains_is_read(tmp_path: Path) -> None:
    hidden = {"images": [{k: v for k, v in image.items() if k != "domain"} for image in NOCAPS["images"]]}
    (path,) = write_files(tmp_path, {"nocaps_test_image_info.json": hidden})
    images = list(open_corpus(path))
    assert [(image.id, image.captions, dict(image.attributes)) for image in images] == [
        ("0", (), {"open_images_id": "0013ea2087020901"}),
        ("1", (), {"open_images_id": "0032257bf3cd56d0"}),
    ]


def test_a_systems_results_join_when_the_format_is_named(tmp_path: Path) -> None:
    paths = publish(tmp_path, "nocaps")
    paths += write_files(tmp_path, {"updown.json": [{"image_id": 1, "caption": "a fish"}]})
    with refusal(LimnerError):
        open_corpus(paths)
    assert [c.source for image in open_corpus(paths, "nocaps") for c in image.captions] == [
        "gold",
        "gold",
        "system:updown",
    ]


def test_the_benchmark_has_its_published_domains(shared_data: Path) -> None:
    images = list(open_corpus(shared_data / "nocaps" / "nocaps_val_1500_captions.json"))
    assert Counter(image.attributes["domain"] for image in images) == {
        "in-domain": 141,
        "near-domain": 877,
        "out-domain": 482,
    }
    assert sum(len(image.captions) for image in images) == 15_000


@pytest.mark.parametrize("name", ["nocaps.json", "folder"])
def test_what_is_written_is_read_back_equal_and_recognised(tmp_path: Path, name: str) -> None:
    assert write_corpus(IMAGES, tmp_path / name, "nocaps") == 2
    assert list(open_corpus(tmp_path / name)) == IMAGES


def test_a_written_file_has_the_benchmarks_own_fields(tmp_path: Path) -> None:
    write_corpus(IMAGES, tmp_path / "nocaps.json", "nocaps")
    (image, _) = json.loads((tmp_path / "nocaps.json").read_text())["images"]
    assert image == {k: NOCAPS["images"][0][k] for k in image}
    assert {"id", "file_name", "width", "height", "domain", "open_images_id"} == image.keys()


def test_a_domain_that_is_a_list_is_refused_and_left_out_when_lenient(tmp_path: Path) -> None:
    document = deepcopy(NOCAPS)
    document["images"][1]["domain"] = ["in-domain"]
    (path,) = publish(tmp_path, "nocaps", nocaps_val_captions=document)
    with refusal(BadInput):
        list(open_corpus(path))
    corpus = open_corpus(path, lenient=True)
    assert [image.id for image in corpus] == ["0"]
    assert corpus.reading.skipped == {"faulty entry of images": 1, "annotation of an image that is not listed": 1}
