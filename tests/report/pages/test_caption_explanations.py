"""Why images score as they do, as METEOR and SPICE* tell it, and which images are told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caption_evaluations import OURS, THEIRS, evaluation
from limner.report import write_captions_page
from limner.report.pages.caption_entries import Joined
from limner.report.pages.caption_explanations import LONGEST, Explained, explain, telling
from limner.score.meteor import Meteor, Tables
from limner.score.meteor.meteor_tables import MODULES
from limner.score.metric import Metric, means
from limner.score.run import Run
from limner.score.spice import SpiceStar
from page_parts import data_of

METEOR = Meteor(Tables(None))
"""METEOR by equal words and stems, which needs no tables."""


def explained(*captions: dict[str, str], metric: Metric = METEOR, most: int = 100) -> list[Explained]:
    systems = [evaluation(str(s), said, metrics=[metric], by=None) for s, said in enumerate(captions)]
    return list(explain(Joined(systems), most))


def test_alignments_are_meteors_own() -> None:
    (found,) = explained(OURS, THEIRS)
    assert (found.metric, found.kind) == ("meteor-exact-stem", "alignment")
    assert [list(of_system) for of_system in found.by_system] == [list(OURS), list(THEIRS)]
    said, reference, matches, number, chunks, precision, recall, penalty = found.by_system[0]["d"]
    assert said == ["a", "boy", "eats", "pizza"]
    assert reference == ["a", "boy", "with", "pizza"]
    assert matches == [[0, 1, 0, 1, 0], [1, 1, 1, 1, 0], [3, 1, 3, 1, 0]]
    assert (number, chunks) == (1, 2)
    own = METEOR.explain(OURS["d"], ["a child eats a slice of pizza", "a boy with pizza"])
    assert (precision, recall, penalty) == pytest.approx((own.precision, own.recall, own.penalty), abs=1e-4)


def test_every_match_ties_words_that_match() -> None:
    (found,) = explained(OURS, THEIRS)
    n_matches = 0
    for of_system in found.by_system:
        for said, reference, matches, *_ in of_system.values():
            for start, length, there, there_length, kind in matches:
                one, other = said[start : start + length], reference[there : there + there_length]
                assert (one == other) is (MODULES[kind] == "exact")
                n_matches += 1
    assert n_matches > 20


def test_tuples_are_spices_own() -> None:
    pytest.importorskip("spacy", reason="SPICE* parses with spaCy")
    spice = SpiceStar(synonyms=False)
    (found,) = explained({"d": "a boy eats pizza"}, {"d": "a boy holds a cake"}, metric=spice)
    assert (found.metric, found.kind) == ("spice*", "tuples")
    matched, wrong, missed = found.by_system[0]["d"]
    assert [one for one in matched if len(one[0]) == 1] == [[("boy",), 0], [("pizza",), 0]]
    assert ("boy", "eat", "pizza") in wrong
    assert ("child",) in missed
    assert ("cake",) in found.by_system[1]["d"][1]


def test_metrics_that_do_not_explain_themselves_are_passed_over() -> None:
    assert list(explain(Joined([evaluation("ours", OURS)]))) == []


def test_sentences_too_long_to_draw_are_not_explained() -> None:
    long = " ".join(["word"] * (LONGEST + 1))
    (found,) = explained({"a": long, "b": "two dogs"})
    assert list(found.by_system[0]) == ["b"]


def test_explanations_are_kept_in_the_page_for_those_images(tmp_path: Path) -> None:
    systems = [evaluation("ours", OURS, metrics=[METEOR]), evaluation("theirs", {"a": THEIRS["a"]}, metrics=[METEOR])]
    write_captions_page(systems, [], tmp_path / "page.html", most_explained=2)
    data = data_of(tmp_path / "page.html")
    assert data["explained"] == [{"metric": "meteor-exact-stem", "kind": "alignment", "n": 2}]
    numbers = [number for number, image in enumerate(data["images"]) if "e" in image]
    assert len(numbers) == 2
    ((ours, theirs),) = data_of(tmp_path / "page.html", f"why-{numbers[0]}")
    assert ours == json.loads(json.dumps(explained(OURS)[0].by_system[0][data["images"][numbers[0]]["i"]]))
    assert (theirs is None) is (data["images"][numbers[0]]["i"] != "a")


def test_the_page_draws_the_kinds_of_matches_that_meteor_has(tmp_path: Path) -> None:
    write_captions_page([evaluation("ours", OURS)], [], tmp_path / "page.html")
    listed = ", ".join(f"'{module}'" for module in MODULES)
    assert f"const MATCHES = [{listed}];" in (tmp_path / "page.html").read_text()


class Fixed:
    """A metric with values of the test's choosing."""

    name, columns = "fixed", ("fixed",)

    def __init__(self, values: list[float]) -> None:
        self._values = values

    def measure(self, run: Run) -> Any:
        return means(self._values)


def test_where_there_are_many_images_the_telling_ones_are_explained() -> None:
    said = {str(i): "x" for i in range(10)}
    values = [[0.5, 0.9, 0.1, 0.5, 0.5, 0.5, 0.5, 0.0, 0.5, 1.0], [0.5, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0]]
    references = {id: ["x"] for id in said}
    made = [evaluation("s", said, references=references, images=None, metrics=[Fixed(one)]) for one in values]
    assert telling(Joined(made), "fixed", 10) == list(said)
    # The two where they differ most, then the lowest that are left.
    assert telling(Joined(made), "fixed", 4) == ["0", "1", "2", "7"]
    assert telling(Joined(made[:1]), "fixed", 2) == ["2", "7"]
