"""Words for classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.corpus.classes.class_names import class_name, term_key
from limner.corpus.classes.class_words import Synonyms, built_in_synonyms, published_synonyms, read_synonyms, word_list
from limner.errors import BadInput, LimnerError
from refusals import refusal


def test_the_80_classes_of_coco_have_words() -> None:
    built_in = built_in_synonyms()
    assert len(built_in.words_by_class.keys() - {"-"}) == 80
    assert built_in.terms["firetruck",].classes == ("truck",)
    assert built_in.terms["mice",].classes == ("mouse",)
    assert built_in.terms["bike",].classes == ("bicycle", "motorcycle")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Person", "person"),
        ("male child.n.01", "male child"),
        ("dogs", "dog"),
        ("traffic_light", "traffic light"),
        ("T-shirts", "t shirt"),
        ("people", "person"),
        ("scissors", "scissors"),
        ("?!", "?!"),
    ],
)
def test_labels_are_compared_by_their_words(label: str, name: str) -> None:
    assert class_name(label) == name


def test_a_word_has_a_singular_and_a_plural() -> None:
    terms = Synonyms({"knife": ["pocket-knife", "blade"]}).terms
    assert {" ".join(key): term.several for key, term in terms.items()} == {
        "knife": False,
        "knives": True,
        "pocket knife": False,
        "pocket knives": True,
        "blade": False,
        "blades": True,
    }


def test_marks_and_forms_say_several() -> None:
    terms = Synonyms({"sheep": ["flock+", "lambs", "head of sheep"]}).terms
    assert terms["sheep",].several is None
    assert terms["flock",].several
    assert terms["flock",].is_collective
    assert terms["flocks",].several
    assert terms["lambs",].several
    assert ("lamb",) not in terms
    assert terms[term_key("heads of sheep")].several


def test_a_class_beats_the_words_that_are_none() -> None:
    terms = Synonyms({"-": ["dog house"], "kennel": ["dog house"], "dog": []}).terms
    assert terms["dog", "house"].classes == ("kennel",)


def test_labels_in_no_list_are_called_by_their_own_words() -> None:
    synonyms = Synonyms({"dog": ["puppy"]})
    assert synonyms.vocabulary(["dog"]) is synonyms.terms
    added = synonyms.vocabulary(["dog", "lamp post", "puppy", "?!", " ".join(["long"] * 11)])
    assert added.keys() - synonyms.terms.keys() == {("lamp", "post"), ("lamp", "posts")}


def test_a_file_replaces_the_words_of_the_classes_it_names(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("# mine\n\nDog, Pooch , ,bow-wow\nunicorn\n")
    terms = read_synonyms(path).terms
    assert terms["pooch",].classes == ("dog",)
    assert terms["bow", "wows"].classes == ("dog",)
    assert ("puppy",) not in terms
    assert terms["unicorns",].classes == ("unicorn",)
    assert terms["kitten",].classes == ("cat",)


def test_the_word_list_of_the_chair_metric_is_read_as_it_is(shared_data: Path) -> None:
    listed = read_synonyms(shared_data / "word_lists" / "chair_synonyms.txt")
    assert len(listed.words_by_class.keys() - {"-"}) == 80
    assert listed.terms["minivan",].classes == ("car",)
    assert "person" not in listed.terms.get(("grandma",), listed.terms["car",]).classes


def test_the_words_that_chair_s_authors_list_come_with_limner(shared_data: Path) -> None:
    listed = read_synonyms(shared_data / "word_lists" / "chair_synonyms.txt", alone=True).terms
    published = published_synonyms().terms
    assert {key: term.classes for key, term in published.items()} == {key: term.classes for key, term in listed.items()}


def test_a_word_list_is_named_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "limner"
    path.write_text("dog, hound\n")
    assert word_list("published") is published_synonyms()
    assert word_list("limner") is built_in_synonyms()
    assert set(word_list(path).words_by_class) == set(word_list(str(path)).words_by_class) == {"dog"}
    assert word_list(path).name == "given"
    with refusal(LimnerError):
        word_list("publshed")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "words.txt: it names no class; a line is a class and other words for it, between commas"),
        (b"# only this\n", "words.txt: it names no class; a line is a class and other words for it, between commas"),
        (b"dog\n, puppy\n", "words.txt:2: the line starts with no class; the first word is the class"),
        (b"dog, ?!\n", "words.txt:1: invalid word '?!'; give words between commas"),
        (
            b"dog, a b c d e f g h i j k\n",
            "words.txt:1: invalid word 'a b c d e f g h i j k'; give words between commas",
        ),
        (b"dog, \xff\n", "words.txt:1: byte 5 is not UTF-8; convert the file to UTF-8"),
    ],
)
def test_a_faulty_file_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_synonyms(path)
    assert str(caught.value) == f"{tmp_path}/{message}"


def test_a_file_may_stand_for_all_words_there_are(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("dog, hound\n")
    assert set(read_synonyms(path, alone=True).words_by_class) == {"dog"}
    assert {"dog", "cat"} < set(read_synonyms(path).words_by_class)
