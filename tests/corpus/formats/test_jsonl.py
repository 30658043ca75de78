from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from limner.corpus import Candidate, Image, open_corpus, write_corpus
from limner.errors import BadInput
from refusals import refusal
from strategies import corpora


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst"])
@given(images=corpora())
def test_what_is_written_is_read_back_equal(tmp_path: Path, suffix: str, images: list[Image]) -> None:
    path = tmp_path / f"corpus{suffix}"
    assert write_corpus(images, path) == len(images)
    if images:
        assert list(open_corpus(path, "jsonl")) == images


def mentioning(fields: str) -> str:
    return f'{{"limner":2,"id":"a","captions":[{{"id":"0","text":"ab","mentions":[{{"start":0,"end":1,{fields}}}]}}]}}'


BOX = {"id": "0", "x0": 0, "y0": 0, "x1": 5, "y1": 5}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id":"a"}', 'the field "limner", the version of the schema, is missing'),
        ('{"limner":3,"id":"a"}', "the schema version is not known"),
        ('{"limner":1}', "missing required field `id`"),
        ('{"limner":1,"id":"a","boxs":[]}', "did you mean 'boxes'?"),
        ('{"limner":1,"id":7}', "id: expected a string, got a whole number"),
        ("[1]", "expected an object, got a list"),
        ('{"limner":1,"id":"a"', "not JSON"),
        ('{"limner":1,"id":"a","width":' + "9" * 400 + ',"height":9,"boxes":[]}', "cannot measure"),
        ('{"limner":1,"id":"a","width":9}', "cannot measure 9 by None"),
        ('{"limner":1,"id":"\\ud800"}', "not JSON"),
        ('{"limner":1,"id":"a","attributes":{"x":NaN}}', "not JSON"),
        (json.dumps({"limner": 1, "id": "a", "boxes": [BOX, BOX]}), "the box id '0' twice"),
        (json.dumps({"limner": 1, "id": "a", "boxes": [{**BOX, "x1": -1}]}), "inverted"),
        (
            json.dumps({"limner": 1, "id": "a", "boxes": [{**BOX, "x1": "5"}]}),
            "boxes[0].x1: expected a number, got a string",
        ),
        (json.dumps({"limner": 1, "id": "a", "width": 3, "height": 9, "boxes": [BOX]}), "out of the image"),
        ('{"limner":1,"id":"a","captions":[{"id":"0","text":"ab","mentions":[{"start":0,"end":3}]}]}', "character 3"),
        ('{"limner":1,"id":"a","captions":[{"id":"0","text":"ab","mentions":[{"start":1,"end":1}]}]}', "1 to 1"),
        ('{"limner":1,"id":"a","captions":[{"id":"0","text":"ab","source":"who"}]}', "source 'who'"),
        ('{"limner":1,"id":"a","id":"b"}', "'id' appears twice in one object"),
        ('{"limner":1,"id":"a","captions":[],"captions":[]}', "'captions' appears twice in one object"),
        ('{"limner":1,"id":"a","captions":[{"id":"0","text":"x","text":"y"}]}', "'text' appears twice in one object"),
        ('{"limner":2,"id":"a","labels":[{"label":"Dog","confidence":2}]}', "confidence 2, outside 0 to 1"),
        ('{"limner":2,"id":"a","labels":[{"label":"Dog"},{"label":"Dog"}]}', "the same label twice"),
        (
            mentioning('"origin":"guessed"'),
            "mentions[0].origin: origin 'guessed' is unknown; choose from: gold",
        ),
        (mentioning('"origin":"ungrounded","boxes":["0"]'), "ungrounded but refers to boxes"),
        (mentioning('"probability":0.5'), "a probability but no origin"),
        (
            mentioning('"candidates":[{"box":"0","score":1},{"box":"1","score":2}]'),
            "not in order; sort them by score, highest first",
        ),
        (mentioning('"candidates":[{"box":"0","score":1' + "0" * 400 + "}]"), "which is not finite"),
        ("[" * 100_000, "not JSON: maximum recursion depth"),
    ],
)
def test_a_faulty_line_is_refused_with_its_place_and_left_out_when_lenient(
    tmp_path: Path, line: str, said: str
) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"limner":1,"id":"before"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        list(open_corpus(path))
    assert str(caught.value).startswith(f"{path}:2")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    corpus = open_corpus(path, lenient=True)
    assert "before" in [image.id for image in corpus]
    assert sum(corpus.reading.skipped.values()) == 1


@pytest.mark.parametrize("before", ['{"limner":2,"id":"before"}', '{"limner": 2, "id": "before"}'])
@pytest.mark.parametrize("twice", ['"width":5,"width":5,"height":5', '"attributes":{"split":"val","split":"val"}'])
def test_a_name_twice_is_refused_after_lines_that_limner_and_that_others_wrote(
    tmp_path: Path, before: str, twice: str
) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(f'{before}\n{{"limner":2,"id":"a",{twice}}}\n{{"limner":2,"id":"after"}}\n')
    with refusal(BadInput):
        list(open_corpus(path))
    assert [image.id for image in open_corpus(path, lenient=True)] == ["before", "after"]


def test_names_of_fields_may_be_words_of_captions(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"limner":1,"id":"id","captions":[{"id":"text","text":"\\"text\\" \\"captions\\" text"}]}\n')
    assert [image.captions[0].text for image in open_corpus(path)] == ['"text" "captions" text']


def test_an_empty_file_is_no_corpus(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    with refusal(BadInput):
        open_corpus(path)


def test_a_file_of_version_1_is_read_and_written_as_version_2(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text('{"limner":1,"id":"a","captions":[{"id":"0","text":"ab","mentions":[{"start":0,"end":1}]}]}\n')
    images = list(open_corpus(old))
    assert [type(image) for image in images] == [Image]
    assert images[0].captions[0].mentions[0].origin is None
    write_corpus(images, new)
    assert new.read_text() == old.read_text().replace('"limner":1', '"limner":2')
    assert list(open_corpus(new)) == images


def test_a_candidate_that_is_not_there_goes_when_lenient(tmp_path: Path) -> None:
    candidates = [{"box": "gone", "score": 0.9}, {"box": "0", "score": 0.5}]
    mention = {"start": 0, "end": 1, "candidates": candidates, "origin": "localised"}
    caption = {"id": "0", "text": "ab", "mentions": [mention]}
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"limner": 2, "id": "a", "boxes": [BOX], "captions": [caption]}) + "\n")
    with refusal(BadInput):
        list(open_corpus(path))
    corpus = open_corpus(path, lenient=True)
    assert [m.candidates for image in corpus for _, m in image.mentions()] == [(Candidate("0", 0.5),)]
    assert corpus.reading.skipped == {"reference to a box that is not there": 1}


def test_a_line_of_version_1_that_carries_newer_fields_is_read_as_version_2(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(mentioning('"origin":"linked"').replace('"limner":2', '"limner":1') + "\n")
    assert [mention.origin for image in open_corpus(path) for _, mention in image.mentions()] == ["linked"]
