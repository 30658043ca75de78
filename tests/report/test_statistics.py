"""Statistics as text."""

from __future__ import annotations

import re

from hypothesis import given, settings

from limner.corpus import Box, Caption, Chain, Image, Mention
from limner.corpus.statistics import statistics
from limner.report.statistics import text_of
from strategies import corpora

DOG = Image(
    "dog",
    100,
    80,
    boxes=(Box("0", 0, 0, 10, 10, "dog", flags=("crowd",)), Box("1", 5, 0, 15, 10, "dog")),
    captions=(
        Caption("0", "Two big dogs .", (Mention(0, 12, ("0", "1"), "1", ("animals",)),)),
        Caption("1", "dogs", source="system:nbt"),
        Caption("2", "dogs", source="person:w1"),
        Caption("3", "dogs", source="person:w2"),
    ),
    chains=(Chain("1", ("0", "1"), ("animals",)),),
    attributes={"split": "val"},
    provenance={"labels": "captions"},
)
TEXTS_ONLY = Image("plain", captions=(Caption("0", "A cat ."),))

ONE = """\
                                                       dogs

Corpus
  images                                                  1
  objects per image                                    2.00
  object categories                                       1 (phrases)
  objects per category                                 2.00
  sentences per image                                  4.00
  expressions per image                                1.00

Pictures
  of known size                                           1 (100.0%)
  width: lowest, median, highest                100–100–100
  height: lowest, median, highest                  80–80–80
  split: val                                              1 (100.0%)
  labels: captions                                        1 (100.0%)

Captions
  captions                                                4
  of people                                               2
  of gold                                                 1
  of system:nbt                                           1
  words per caption                                    1.50
  words: lowest, median, highest                      1–1–3
  captions that refer to no box                           3 (75.0%)

Boxes
  boxes                                                   2
  labels                                                  1
  boxes per image                                      2.00
  classes per image                                    1.00
  images with a single class                         100.0%
  images with more than 6 classes                      0.0%
  mean of the largest IoU with another                 0.33
  boxes wholly inside another                          0.0%
  boxes nobody mentions                                   0 (0.0%)
  flagged crowd                                           1

Mentions
  mentions                                                1
  of nothing to be seen                                   0 (0.0%)
  expressions (all others)                                1 (100.0%)
  expressions with a box                                  1 (100.0%)
  expressions per caption                              0.25
  words per expression                                 3.00
  distinct noun phrases                                   1

Chains
  chains                                                  1
  chains per image                                     1.00
  chains with several mentions                         0.0%
  chains with one box                                  0.0%
  chains with several boxes                          100.0%
  chains with no box                                   0.0%
  images with a chain of several boxes               100.0%

Distinct n-grams
  in images                                               1
  in captions                                             4
  1-grams                                                 3
  2-grams                                                 2
  3-grams                                                 1
  4-grams                                                 0

Chains by type
  type     chains  mentions  boxes  mentions/chain  boxes/chain  in images
  animals       1         1      2            1.00         2.00     100.0%
  total         1         1      2            1.00         2.00

Most frequent labels
  label  boxes
  dog        2  100.0%

Most frequent head nouns and modifiers
  head noun   boxes  expressions    modifier   boxes  expressions
  dog        100.0%       100.0%    big       100.0%       100.0%
"""


def test_one_corpus_is_told_whole() -> None:
    assert text_of([statistics([DOG], name="dogs")]) == ONE


def test_what_applies_to_no_corpus_is_left_out() -> None:
    text = text_of([statistics([TEXTS_ONLY], name="plain")])
    assert "Boxes" not in text
    assert "Chains" not in text
    assert "Mentions" not in text
    assert "—" not in text
    assert "words per caption                                    2.00" in text


def test_two_corpora_of_different_kinds_stand_side_by_side() -> None:
    lines = text_of([statistics([DOG], name="dogs"), statistics([TEXTS_ONLY], name="plain")]).splitlines()
    assert lines[0].split() == ["dogs", "plain"]
    cells = {line[:40].strip(): line[40:].split() for line in lines if line.startswith("  ")}
    assert cells["images"] == ["1", "1"]
    assert cells["boxes"] == ["2", "—"]
    assert cells["chains"] == ["1", "—"]
    assert cells["split: val"] == ["1", "(100.0%)", "—"]
    assert "Chains by type: dogs" in lines


def test_two_corpora_of_one_kind_have_their_tables_side_by_side() -> None:
    text = text_of([statistics([DOG], name="dogs"), statistics([DOG], name="dogs")])
    assert "  dogs                                     dogs\n" in text
    assert "  type     chains  ment.  boxes  images    type     chains  ment.  boxes  images\n" in text
    assert "  head noun   boxes  expressions    head noun   boxes  expressions\n" in text


def test_a_count_that_one_of_two_corpora_has_is_0_in_the_other() -> None:
    plain = Image("a", boxes=(Box("0", 0, 0, 1, 1, "dog"),))
    text = text_of([statistics([DOG], name="dogs"), statistics([plain], name="plain")])
    (line,) = (line for line in text.splitlines() if "flagged crowd" in line)
    assert line.split() == ["flagged", "crowd", "1", "0"]


def test_no_image_gives_a_short_answer() -> None:
    assert text_of([statistics([], name="none")]).split() == ["none", "Corpus", "images", "0"]


def test_many_values_are_told_together() -> None:
    images = [Image(str(i), attributes={"album": f"a{min(i, 20):02}", "url": str(i)}) for i in range(200)]
    text = text_of([statistics(images, name="albums")])
    assert "album: a20" in text
    assert "album: a10" in text
    assert "album: a11" not in text
    assert re.search(r"album: other values +9\n", text)
    assert "many values" in text


def test_no_word_of_a_corpus_reaches_the_terminal_as_a_command() -> None:
    nasty = "red\x1b[31m\nnew line"
    boxes = (Box("0", 0, 0, 1, 1, nasty), Box("1", 0, 0, 1, 1, "dog"))
    image = Image("a", boxes=boxes, attributes={nasty: nasty}, captions=(Caption("0", "x", source=f"system:{nasty}"),))
    text = text_of([statistics([image], name=nasty)])
    assert "\x1b" not in text
    assert all(line.isprintable() for line in text.splitlines())
    assert "red\\x1b[31m\\nnew line" in text


@settings(max_examples=25)
@given(corpora(), corpora())
def test_text_fits_100_columns(one: list[Image], other: list[Image]) -> None:
    both = [statistics(one, name="a-long-name-of-a-corpus.jsonl"), statistics(other, name="b")]
    for some in ([both[0]], both):
        assert all(len(line) <= 100 and line == line.rstrip() for line in text_of(some).splitlines())


def test_the_total_of_chains_is_told_where_nobody_mentions_some() -> None:
    silent = Image("cat", boxes=(Box("0", 0, 0, 1, 1, "cat"),), chains=(Chain("9", ("0",)), Chain("10")))
    told = text_of([statistics([DOG, silent], name="both")])
    assert re.search(r"^  chains +1$", told, re.MULTILINE)
    assert re.search(r"^  chains nobody mentions +2$", told, re.MULTILINE)
    assert re.search(r"^  chains, with those nobody mentions +3$", told, re.MULTILINE)
    assert "with those nobody mentions" not in text_of([statistics([DOG], name="dogs")])
