from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from limner.errors import BadInput
from limner.score.meteor.wordnet import WordNet, base_of, find_wordnet, senses_of
from refusals import refusal

# Whether a word and its base match as synonyms, and nothing else does: java -jar meteor-1.5.jar captions references
# -l en -m synonym, one word a line, for every word of the dictionary that a rule leads from to another.
KNOWN = {"dog": [7], "bus": [1], "buss": [2], "a": [3], "man": [4], "sit": [5], "site": [6], "large": [8], "fly": [9]}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(("dogs", "dog"), ("men", "man"), ("flies", "fly"), ("larger", "large"), ("largest", "large")),
        # The first that is known: "site" before "sit".
        *(("siting", "site"), ("sites", "site"), ("sits", "sit")),
        # Words of two letters, and those that end in "ss", are no forms of others.
        *(("as", None), ("buss", None), ("xyz", None), ("dog", None), ("", None)),
    ],
)
def test_the_base_of_a_regular_word(word: str, expected: str | None) -> None:
    assert base_of(word, KNOWN) == expected


def test_a_word_has_its_own_senses_and_those_of_its_bases() -> None:
    assert senses_of("buss", KNOWN, ["dog", "bus", "unknown"]) == [1, 2, 7]
    assert senses_of("unknown", KNOWN, []) == []


TABLES = {
    "function/english.words": "the\n",
    "nonbreaking/english.prefixes": "Mr\n",
    "synonym/english.synsets": "couch\n11 12\nsofa\n11\ntennis_court\n13\n",
    "synonym/english.exceptions": "sofa\nsofae\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "meteor-1.5.jar", "w") as jar:
        for name, text in TABLES.items():
            jar.writestr(name, text)
    return tmp_path


def test_words_have_their_own_senses_and_those_of_their_bases(folder: Path) -> None:
    wordnet = find_wordnet(folder)
    assert wordnet is not None
    assert wordnet.senses("couch") == {11, 12}
    assert wordnet.senses("couches") == {11, 12}
    assert wordnet.senses("sofae") == {11}
    assert wordnet.senses("tennis court") == {13}
    assert wordnet.senses("table") == frozenset()
    # Only the senses that METEOR was published with have its name alone.
    assert re.fullmatch("meteor-1.5-[0-9a-f]{32}", wordnet.source)


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    with refusal(BadInput):
        find_wordnet(tmp_path)


def test_where_nothing_is_installed_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.score.meteor.meteor_sources.find_spec", lambda _: None)
    assert find_wordnet() is None


@pytest.mark.parametrize(("one", "other"), [("couch", "sofa"), ("bike", "bicycle"), ("two", "2"), ("photo", "picture")])
def test_synonyms_of_wordnet_share_a_sense(one: str, other: str) -> None:
    pytest.importorskip("pycocoevalcap", reason="METEOR's tables are inside pycocoevalcap")
    wordnet = find_wordnet()
    assert isinstance(wordnet, WordNet)
    assert wordnet.senses(one) & wordnet.senses(other)
    assert not wordnet.senses(one) & wordnet.senses("giraffe")
