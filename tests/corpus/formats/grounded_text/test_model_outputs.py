"""The file that models' outputs come in."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from limner.corpus import Caption, Image, Mention, open_corpus, write_corpus
from limner.corpus.formats import FORMATS, recognise
from limner.corpus.formats.format import Head
from limner.errors import BadInput, LimnerError
from refusals import refusal

FIXTURES = Path(__file__).parent / "fixtures"
MODELS = ["kosmos-2", "florence-2", "paligemma", "qwen-vl", "box-2d"]
DOG = "<ref>the dog</ref><box>(0,0),(500,500)</box>"


def lay(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_several_lines_of_an_image_are_several_captions_with_boxes_of_their_own(tmp_path: Path) -> None:
    size = {"width": 100, "height": 100}
    path = lay(
        tmp_path / "out.jsonl",
        {"image_id": 7, "text": DOG, **size},
        {"image_id": 7, "text": f"{DOG} runs", "source": "qwen-vl-chat", "file_name": "7.jpg", **size},
        {"image_id": "b", "text": "Nothing .", "prompt": "Describe it", **size},
    )
    corpus = open_corpus(path, "qwen-vl")
    first, second = corpus
    assert (first.id, first.file, [box.id for box in first.boxes]) == ("7", "7.jpg", ["0", "1"])
    assert first.captions == (
        Caption("0", "the dog", (Mention(0, 7, ("0",)),), "system:qwen-vl"),
        Caption("1", "the dog runs", (Mention(0, 7, ("1",)),), "system:qwen-vl-chat"),
    )
    assert second == Image("b", 100, 100, captions=(Caption("0", "Nothing .", source="system:qwen-vl"),))
    assert corpus.reading.warnings == {"field that is not read": 1}


def test_several_files_of_the_same_images_are_joined(tmp_path: Path) -> None:
    size = {"width": 100, "height": 100}
    one = lay(tmp_path / "1.jsonl", {"image_id": "a", "text": DOG, **size}, {"image_id": "b", "text": DOG, **size})
    two = lay(tmp_path / "2.jsonl", {"image_id": "b", "text": "A dog", **size}, {"image_id": "a", "text": DOG, **size})
    a, b = open_corpus([one, two], "qwen-vl")
    assert [c.mentions[0].boxes for c in a.captions] == [("0",), ("1",)]
    assert [c.text for c in b.captions] == ["the dog", "A dog"]
    assert [image.id for image in open_corpus([one, two], "qwen-vl", ids=["b"])] == ["b"]


def test_a_missing_size_is_read_from_the_picture_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    PIL.Image.new("RGB", (40, 20)).save(tmp_path / "pictures" / "a.png")
    path = lay(tmp_path / "out.jsonl", {"image_id": "a", "file_name": "pictures/a.png", "text": DOG})
    (image,) = open_corpus(path)
    assert (image.width, image.height, image.boxes[0].corners) == (40, 20, (0, 0, 20, 10))


def test_a_picture_outside_the_folder_is_not_opened(tmp_path: Path) -> None:
    PIL.Image.new("RGB", (40, 20)).save(tmp_path / "secret.png")
    (tmp_path / "folder").mkdir()
    for name in ("../secret.png", "a/../../secret.png", str(tmp_path / "secret.png")):
        path = lay(tmp_path / "folder" / "out.jsonl", {"image_id": "a", "file_name": name, "text": DOG})
        with pytest.raises(BadInput) as caught:
            list(open_corpus(path))
        assert caught.value.place == f"{path}:1"


def test_outputs_may_be_compressed(tmp_path: Path) -> None:
    for model in MODELS:
        with gzip.open(tmp_path / f"{model}.jsonl.gz", "wb") as handle:
            handle.write((FIXTURES / f"{model}.jsonl").read_bytes())
        assert recognise(tmp_path / f"{model}.jsonl.gz").name == model
        assert list(open_corpus(tmp_path / f"{model}.jsonl.gz")) == list(open_corpus(FIXTURES / f"{model}.jsonl"))


GOOD = {"image_id": "a", "width": 9, "height": 9, "text": "x"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[1]", "[1] is not a record"),
        ("{", "not JSON"),
        ("[" * 100_000, "usable JSON"),
        (json.dumps({**GOOD, "image_id": None}), "it has no image_id"),
        (json.dumps({**GOOD, "image_id": ""}), "image_id is ''"),
        (json.dumps({**GOOD, "image_id": 1.5}), "image_id is 1.5"),
        (json.dumps({**GOOD, "text": None}), "it has no text"),
        (json.dumps({**GOOD, "text": 7}), "text is 7"),
        (json.dumps({**GOOD, "text": "\ud800"}), "half a surrogate pair"),
        (json.dumps({**GOOD, "text": "x" * 1_000_001}), "the text has 1000001 characters"),
        (json.dumps({**GOOD, "width": None}), "measures 0 by 9"),
        (json.dumps({**GOOD, "width": -1}), "measures -1 by 9"),
        (json.dumps({**GOOD, "width": 10**400}), "measures 1000"),
        (json.dumps({**GOOD, "source": 7}), "source is 7"),
        (json.dumps({"image_id": "a", "text": "x"}), 'the image\'s size is not given; give "width" and "height"'),
        (json.dumps({"image_id": "a", "text": "x", "file_name": "no.jpg"}), "there is no picture 'no.jpg'"),
        (json.dumps({"image_id": "a", "text": "x", "file_name": "long" * 100}), "there is no picture 'longlong"),
        (json.dumps({"image_id": "a", "text": "x", "file_name": "nul\0.jpg"}), "there is no picture 'nul\\x00.jpg'"),
        (json.dumps({"image_id": "a", "text": "x", "file_name": "broken.jpg"}), "'broken.jpg' cannot be read"),
        (json.dumps({**GOOD, "image_id": "before", "width": 8}), "measures 8 by 9 here and 9 by 9 at"),
        (json.dumps({**GOOD, "image_id": "earlier"}), "'earlier' had its lines before; put the lines of an image"),
    ],
)
@pytest.mark.parametrize("model", ["kosmos-2", "box-2d"])
def test_a_faulty_line_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, model: str, line: str, said: str
) -> None:
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    path = tmp_path / "out.jsonl"
    good = [json.dumps({**GOOD, "image_id": id}) for id in ("earlier", "before")]
    path.write_text("\n".join([*good, line]) + "\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path, model))
    assert str(caught.value).startswith(f"{path}:3")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    corpus = open_corpus(path, model, lenient=True)
    assert [image.id for image in corpus][:2] == ["earlier", "before"]
    assert sum(corpus.reading.skipped.values()) == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe{\0"])
def test_a_file_that_is_none_is_refused_also_when_lenient(tmp_path: Path, model: str, content: bytes) -> None:
    (tmp_path / "out.jsonl").write_bytes(content)
    for lenient in (False, True):
        with refusal(BadInput):
            list(open_corpus(tmp_path / "out.jsonl", model, lenient=lenient))


@pytest.mark.parametrize("model", MODELS)
def test_exactly_one_format_claims_a_file_even_if_it_begins_with_plain_text(tmp_path: Path, model: str) -> None:
    plain = json.dumps({**GOOD, "text": "no marks here"}) + "\n"
    (tmp_path / "out.jsonl").write_text(
        plain + (FIXTURES / f"{model}.jsonl").read_text(encoding="utf-8"), encoding="utf-8"
    )
    for path in (FIXTURES / f"{model}.jsonl", tmp_path / "out.jsonl"):
        assert [name for name, format in FORMATS.items() if format.recognise(Head(path))] == [model]
    expected = FIXTURES / f"{model}.expected.jsonl"
    assert [name for name, format in FORMATS.items() if format.recognise(Head(expected))] == ["jsonl"]


def test_no_model_claims_text_without_marks_or_another_format(tmp_path: Path) -> None:
    lay(tmp_path / "plain.jsonl", {**GOOD, "text": "a dog"})
    lay(tmp_path / "native.jsonl", {"limner": 1, "id": "a", "captions": [{"id": "0", "text": "<loc_1><ref>"}]})
    lay(tmp_path / "both.jsonl", {"limner": 1, "id": "a", "image_id": "a", "text": "<ref>"})
    lay(tmp_path / "other.jsonl", {"image_id": 1, "caption": "<ref>"})
    (tmp_path / "results.json").write_text('[{"image_id": 1, "text": "<ref>"}]', encoding="utf-8")
    (tmp_path / "cut.jsonl").write_text('{"image_id": 1, "text": "<ref>', encoding="utf-8")
    for path in tmp_path.iterdir():
        assert not [name for name in MODELS if FORMATS[name].recognise(Head(path))]
    with refusal(BadInput):
        open_corpus(tmp_path / "plain.jsonl")


def test_models_outputs_are_not_written(tmp_path: Path) -> None:
    with refusal(LimnerError):
        write_corpus([], tmp_path / "out.jsonl", "kosmos-2")


@pytest.mark.parametrize("model", MODELS)
def test_mutated_outputs_never_raise_anything_but_a_limner_error(tmp_path: Path, model: str) -> None:
    """Half of the mutations are in the text itself, so that they pass the JSON and reach the parser."""
    path = tmp_path / "out.jsonl"
    lines = [json.loads(line) for line in (FIXTURES / f"{model}.jsonl").read_text(encoding="utf-8").splitlines()]
    whole = (FIXTURES / f"{model}.jsonl").read_bytes()
    rng = random.Random(model)
    read = 0
    for turn in range(300):
        if turn % 2:
            line = dict(rng.choice(lines))
            line["text"] = mutated(line["text"], list('<>(){}[],;:"\\|/_0129ax \n\t\ud800é'), rng)
            path.write_text(json.dumps(line), encoding="utf-8")
        else:
            path.write_bytes(bytes(mutated(list(whole), range(256), rng)))
        try:
            read += len(list(open_corpus(path, model, lenient=rng.random() < 0.5)))
        except LimnerError as error:
            said = str(error)
            if "\n" in said:
                pytest.fail(said)
    assert read > 150


def mutated(given: Any, alphabet: Any, rng: random.Random) -> Any:
    """The text or the bytes with a few places cut, doubled or replaced."""
    items = list(given)
    for _ in range(rng.choice([1, 2, 5])):
        at = rng.randrange(len(items) + 1)
        cut = rng.choice([0, 1, 1, 5, 30])
        items[at : at + cut] = rng.choice([[], [rng.choice(alphabet)], items[at : at + cut] * 2, items[at:]])
    return "".join(items) if isinstance(given, str) else items


def test_a_picture_that_is_a_link_out_of_the_folder_is_told_of_as_that(tmp_path: Path) -> None:
    PIL.Image.new("RGB", (40, 20)).save(tmp_path / "a.png")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.png").symlink_to(tmp_path / "a.png")
    path = lay(tmp_path / "folder" / "out.jsonl", {"image_id": "a", "file_name": "a.png", "text": DOG})
    with refusal(BadInput):
        list(open_corpus(path))
