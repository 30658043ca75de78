from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from limner.corpus import Caption, Image, open_corpus, write_corpus
from limner.errors import BadInput, LimnerError
from published import KARPATHY, publish, write_files
from refusals import refusal
from strategies import corpora

IMAGES = [
    Image(
        "391895",
        captions=(Caption("770337", "A man. "), Caption("771687", "A moped")),
        file="val2014/COCO_val2014_000000391895.jpg",
        attributes={"split": "test"},
    ),
    Image("1000092795", captions=(Caption("0", "Two men."),), file="1000092795.jpg", attributes={"split": "train"}),
]


def test_images_have_their_split_and_are_called_by_cocos_number_or_their_file(tmp_path: Path) -> None:
    assert list(open_corpus(publish(tmp_path, "karpathy"))) == IMAGES


def test_a_written_file_has_the_published_fields(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    assert write_corpus(IMAGES, path, "karpathy") == 2
    written = json.loads(path.read_text())
    assert written["images"] == KARPATHY["images"]
    assert written.keys() == KARPATHY.keys()


def expressible(image: Image) -> Image:
    """What Karpathy's files can say of an image."""
    split = str(image.attributes.get("split", ""))
    captions = [Caption(c.id, c.text, source=c.source) for c in image.captions if not c.source.startswith("system")]
    return Image(image.id, captions=tuple(captions), file=image.file, attributes={"split": split} if split else {})


@given(images=corpora())
def test_what_is_written_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, images: list[Image]) -> None:
    path = tmp_path_factory.mktemp("karpathy") / "dataset.json"
    said = [expressible(image) for image in images]
    assert write_corpus(said, path, "karpathy") == len(images)
    assert list(open_corpus(path, "karpathy")) == said


@pytest.mark.parametrize(
    "image",
    [
        Image("a", file="/abs.jpg"),
        Image("a", file="folder/"),
        Image("007", file="7.jpg"),
        Image("7", file="x/y/z.jpg", attributes={"split": "restval"}),
        Image("z.tar", file="z.tar.gz"),
        Image("1", captions=(Caption("x", "a"), Caption("1", "b", source="person:w1"), Caption("01", ""))),
    ],
    ids=str,
)
def test_odd_files_and_ids_survive(tmp_path: Path, image: Image) -> None:
    write_corpus([image, Image("other", captions=(Caption("1", "the same id"),))], tmp_path / "d.json", "karpathy")
    assert next(iter(open_corpus(tmp_path / "d.json", "karpathy"))) == image
    numbers = [
        sentence["sentid"]
        for entry in json.loads((tmp_path / "d.json").read_text())["images"]
        for sentence in entry["sentences"]
    ]
    assert len(set(numbers)) == len(numbers)


def test_a_systems_captions_do_not_pass_for_references(tmp_path: Path) -> None:
    image = Image("7", captions=(Caption("3", "a", source="system:x"),))
    with refusal(LimnerError):
        write_corpus([image], tmp_path / "d.json", "karpathy")
    assert list(tmp_path.iterdir()) == []


def broken(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    document = deepcopy(KARPATHY)
    change(document["images"][1])
    return document


def sentence(**fields: Any) -> dict[str, Any]:
    return broken(lambda image: image["sentences"][0].update(fields))


FAULTS: dict[str, tuple[Any, str, str]] = {
    "no name at all": (broken(lambda i: i.pop("filename")), "", "neither a cocoid nor a filename"),
    "a list for a name": (broken(lambda i: i.update(filename=[])), "", "filename is []"),
    "a fraction for a cocoid": (broken(lambda i: i.update(cocoid=1.5)), "", "cocoid is 1.5"),
    "a number for a split": (broken(lambda i: i.update(split=1)), "", "split is 1"),
    "no sentences": (broken(lambda i: i.pop("sentences")), "", "no sentences"),
    "text for sentences": (broken(lambda i: i.update(sentences="x")), "", "sentences is 'x'"),
    "a number for a sentence": (broken(lambda i: i["sentences"].append(1)), ": sentences[1]", "1 is not a record"),
    "a sentence twice": (broken(lambda i: i.update(sentences=i["sentences"] * 2)), ": sentences[1]", "'0' already"),
    "no words": (sentence(raw=None), ": sentences[0]", "no raw"),
    "a number for words": (sentence(raw=3), ": sentences[0]", "raw is 3"),
    "half a surrogate pair": (sentence(raw="\udc00"), ": sentences[0]", "surrogate"),
    "no sentence id": (sentence(sentid=None), ": sentences[0]", "no sentid"),
}


@pytest.mark.parametrize(("document", "where", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, document: Any, where: str, said: str
) -> None:
    (path,) = publish(tmp_path, "karpathy", dataset_coco=document)
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path))
    assert str(caught.value).startswith(f"{path}: images[1]{where}: ")
    assert said in str(caught.value)
    corpus = open_corpus(path, lenient=True)
    assert next(iter(corpus)) == IMAGES[0]
    list(corpus)
    assert sum(corpus.reading.skipped.values()) == 1


WHOLE = json.dumps(KARPATHY)
FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the file is empty"),
    "UTF-16": (WHOLE.encode("utf-16"), "not UTF-8"),
    "Latin-1": (WHOLE.replace("man", "m\xe4n").encode("latin-1"), "not UTF-8"),
    "a list": (b"[1]", "there are no images"),
    "an object for images": (b'{"images": {"filename": 1}}', "is not a list"),
    "NaN": (WHOLE.replace("391895}", "NaN}").encode(), "NaN"),
    "no end": (WHOLE[:-40].encode(), "is the file complete?"),
}


@pytest.mark.parametrize(("content", "said"), FILES.values(), ids=FILES.keys())
def test_a_file_that_is_no_split_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (path,) = write_files(tmp_path, {"dataset.json": content})
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path, "karpathy"))
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
