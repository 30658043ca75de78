"""Captions scored: values, intervals, signatures, parts, and systems against each other."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError
from limner.score import evaluate
from limner.score.bleu import Bleu
from limner.score.caption_evaluation import compare_systems, evaluate_systems
from limner.score.document_frequencies import document_frequencies
from limner.score.given_captions import read_captions, read_references
from limner.score.leave_one_out import human_bound
from limner.score.metric import Settings, Statistics, means
from limner.score.metrics import METRICS
from limner.score.paired import holm
from limner.score.pairing import Policy
from limner.score.run import Run
from refusals import refusal

WORDS = ("a", "the", "dog", "cat", "man", "woman", "horse", "beach", "runs", "rides", "red", "brown", "on", "with")


def world(n: int = 40, seed: int = 0) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Sentences of a few words, of which a system's share some with the references."""
    generator = np.random.default_rng(seed)

    def sentence() -> str:
        return " ".join(generator.choice(WORDS, size=int(generator.integers(4, 12))))

    references = {str(i): [sentence() for _ in range(int(generator.integers(2, 5)))] for i in range(n)}
    said = {id: (sentence() + " " + texts[0])[:60].strip() for id, texts in references.items()}
    return said, references


SAID, REFERENCES = world()
METRIC_NAMES = ("bleu", "rouge_l", "cider")


class Length:
    """A metric of one's own: how long captions are."""

    name = "length"
    columns = ("length",)

    def measure(self, run: Run) -> Statistics:
        return means([len(caption.split()) for caption in run.candidates], {"unit": "words"})


def test_values_come_by_name_with_intervals_that_hold_them() -> None:
    found = evaluate(SAID, REFERENCES, metrics=METRIC_NAMES)
    assert list(found.scores) == ["bleu1", "bleu2", "bleu3", "bleu4", "rouge_l", "cider"]
    assert all(found.intervals[name].low < value < found.intervals[name].high for name, value in found.scores.items())


def test_images_keep_their_own_values_by_id_whatever_the_order_of_captions() -> None:
    found = evaluate(SAID, REFERENCES, metrics=METRIC_NAMES)
    again = evaluate(dict(reversed(SAID.items())), REFERENCES, metrics=METRIC_NAMES)
    for column in found.scores:
        assert found.per_image(column) == again.per_image(column)
    alone = evaluate({"7": SAID["7"]}, {"7": REFERENCES["7"]}, metrics=["bleu", "rouge_l"])
    for column, value in alone.scores.items():
        assert found.per_image(column)["7"] == pytest.approx(value, abs=1e-12)


def test_a_metric_of_ones_own_gets_everything_the_others_get() -> None:
    found = evaluate(SAID, REFERENCES, metrics=["bleu", Length()], by=["length"])
    assert found.scores["length"] == pytest.approx(np.mean([len(text.split()) for text in SAID.values()]))
    assert found.intervals["length"].low < found.scores["length"] < found.intervals["length"].high
    assert "|unit:words|" in found.signatures["length"]
    assert all("length" in part.scores for part in found.by["length"].values())


def test_signatures_tell_apart_whatever_could_change_a_value() -> None:
    one = evaluate(SAID, REFERENCES, metrics=["cider"]).signatures["cider"]
    assert one == evaluate(SAID, REFERENCES, metrics=["cider"]).signatures["cider"]
    fewer = {id: texts[:1] for id, texts in REFERENCES.items()}
    part = dict(list(SAID.items())[:9])
    others = [
        evaluate(SAID, fewer, metrics=["cider"]),
        evaluate(SAID, REFERENCES, metrics=["cider"], settings=Settings("corpus")),
        evaluate(part, REFERENCES, metrics=["cider"], policy=Policy(missing="zero")),
        evaluate(part, REFERENCES, metrics=["cider"], policy=Policy(missing="skip")),
    ]
    signatures = {one, *(other.signatures["cider"] for other in others)}
    assert len(signatures) == 5


def test_signatures_tell_apart_test_sets_of_the_same_size() -> None:
    """Two disjoint sets, and other references of the same images; the order of either does not matter."""
    halves = [dict(list(SAID.items())[start::2]) for start in (0, 1)]
    references = {id: (texts * 2)[:2] for id, texts in REFERENCES.items()}
    first, second = (
        evaluate(half, {id: references[id] for id in half}, metrics=["bleu"]).signatures["bleu1"] for half in halves
    )
    assert first != second
    assert first.rpartition("|data:")[0] == second.rpartition("|data:")[0]
    again = {id: references[id][::-1] for id in reversed(list(halves[0]))}
    assert evaluate(halves[0], again, metrics=["bleu"]).signatures["bleu1"] == first
    changed = {id: [*references[id][:1], "a dog"] for id in halves[0]}
    assert evaluate(halves[0], changed, metrics=["bleu"]).signatures["bleu1"] != first


def test_boxes_belong_to_the_signature_of_metrics_that_look_at_them() -> None:
    caption = (Caption("0", "a dog"),)
    images = [Image("1", captions=caption, boxes=(Box("b", 0, 0, 9, 9, label),)) for label in ("dog", "cat")]
    first, second = (evaluate({"1": "a cat"}, [image], metrics=["bleu", "chair"]).signatures for image in images)
    assert first["bleu1"] == second["bleu1"]
    assert first["chair_i"] != second["chair_i"]


def parts(n: int = 40) -> list[Image]:
    return [
        Image(
            id,
            captions=tuple(Caption(str(k), text) for k, text in enumerate(texts)),
            attributes={"domain": "in" if i % 3 else "out"},
        )
        for i, (id, texts) in enumerate(REFERENCES.items())
    ]


def test_every_part_is_a_run_of_its_own_as_published_tables_have_it() -> None:
    found = evaluate(SAID, parts(), metrics=METRIC_NAMES, by=["domain"], samples=50)
    assert list(found.by["domain"]) == ["in", "out"]
    for name, part in found.by["domain"].items():
        ids = [image.id for image in parts() if image.attributes["domain"] == name]
        alone = evaluate({id: SAID[id] for id in ids}, {id: REFERENCES[id] for id in ids}, metrics=METRIC_NAMES)
        assert {name: part.scores[name] for name in alone.scores} == pytest.approx(alone.scores, abs=1e-12)


@pytest.mark.usefixtures("intervals_of_few")
def test_subsets_have_values_by_their_own_and_by_shared_document_frequencies() -> None:
    own = evaluate(SAID, parts(), metrics=["rouge_l", "cider"], by=["domain"], samples=50)
    shared = evaluate(SAID, parts(), metrics=["cider"], by=["domain"], settings=Settings("corpus"), samples=50)
    for name, subset in own.by["domain"].items():
        of_corpus = shared.by["domain"][name]
        assert list(subset.scores) == ["rouge_l", "cider", "cider_df_corpus"]
        assert subset.scores["cider_df_corpus"] == pytest.approx(of_corpus.scores["cider"])
        assert subset.scores["cider_df_corpus"] != pytest.approx(subset.scores["cider"])
        assert subset.intervals["cider_df_corpus"] == pytest.approx(of_corpus.intervals["cider"])
        assert "|df:run|" in subset.signatures["cider"]
        assert "|df:corpus|" in subset.signatures["cider_df_corpus"]
        assert list(of_corpus.scores) == ["cider"]
    assert "cider_df_corpus" not in own.scores


def test_document_frequencies_of_the_whole_corpus_serve_its_parts_where_asked() -> None:
    found = evaluate(SAID, parts(), metrics=["cider"], by=["domain"], settings=Settings("corpus"), samples=50)
    whole = found.per_image("cider")
    assert found.scores["cider"] == pytest.approx(evaluate(SAID, REFERENCES, metrics=["cider"]).scores["cider"])
    for part in found.by["domain"].values():
        assert part.per_image("cider") == pytest.approx({id: whole[id] for id in part.run.ids})


def test_frequencies_counted_before_give_one_image_a_value() -> None:
    run = evaluate(SAID, REFERENCES, metrics=["cider"]).run
    kept = Settings(document_frequencies(run))
    one, refs = {"3": SAID["3"]}, {"3": REFERENCES["3"]}
    assert evaluate(one, refs, metrics=["cider"], settings=kept).scores["cider"] > 0
    bare = evaluate(one, refs, metrics=["cider"])
    assert bare.scores["cider"] == 0
    assert "one image" in bare.warnings[0]


def test_a_missing_caption_scores_nothing_or_is_left_out() -> None:
    part = {id: text for id, text in SAID.items() if id != "5"}
    with refusal(BadInput):
        evaluate(part, REFERENCES, metrics=["bleu"])
    zero = evaluate(part, REFERENCES, metrics=METRIC_NAMES, policy=Policy(missing="zero"))
    assert (len(zero.run), zero.counts["missing"]) == (40, 1)
    assert all(zero.per_image(column)["5"] == pytest.approx(0, abs=1e-6) for column in zero.scores)
    skip = evaluate(part, REFERENCES, metrics=["rouge_l"], policy=Policy(missing="skip"))
    assert (len(skip.run), skip.counts["missing"]) == (39, 1)


def test_systems_are_compared_by_every_value_and_p_allows_for_their_number() -> None:
    worse = dict.fromkeys(SAID, "two")
    better = {id: texts[-1] for id, texts in REFERENCES.items()}
    given = [read_captions(said, name=name) for name, said in (("a", SAID), ("b", worse), ("c", better))]
    systems = evaluate_systems(given, read_references(REFERENCES), metrics=METRIC_NAMES, samples=100)
    found = compare_systems(systems, swaps=300)
    assert [(one.first, one.second) for one in found[::6]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.column for one in found[:6]] == list(systems[0].scores)
    for one in found:
        first, second = (next(s for s in systems if s.name == name) for name in (one.first, one.second))
        assert one.difference == pytest.approx(first.scores[one.column] - second.scores[one.column])
        assert one.p <= one.p_adjusted
    assert next(one for one in found if one.column == "cider" and one.second == "b").p < 0.01


def test_systems_are_compared_on_their_common_images() -> None:
    skip = Policy(missing="skip")
    first = {id: text for id, text in SAID.items() if id != "5"}
    second = {id: texts[-1] for id, texts in reversed(REFERENCES.items()) if id not in ("0", "9")}
    given = [read_captions(first, name="a"), read_captions(second, name="b")]
    systems = evaluate_systems(given, read_references(REFERENCES), metrics=METRIC_NAMES, policy=skip)
    common = first.keys() & second.keys()
    references = read_references({id: texts for id, texts in REFERENCES.items() if id in common})
    given = [read_captions({id: said[id] for id in common}, name=name) for name, said in (("a", first), ("b", second))]
    on_common = evaluate_systems(given, references, metrics=METRIC_NAMES)
    found, expected = (compare_systems(of, swaps=200) for of in (systems, on_common))
    assert {comparison.n_images for comparison in found} == {37}
    # CIDEr's document frequencies too are those of the common images.
    for comparison, of_common in zip(found, expected, strict=True):
        assert comparison.difference == pytest.approx(of_common.difference)
        assert comparison.p == pytest.approx(of_common.p)


def test_systems_without_a_common_image_are_not_compared() -> None:
    parts_of = [{id: text for id, text in SAID.items() if (int(id) < 20) == is_low} for is_low in (True, False)]
    given = [read_captions(part, name=name) for part, name in zip(parts_of, "ab", strict=True)]
    systems = evaluate_systems(given, read_references(REFERENCES), metrics=["bleu"], policy=Policy(missing="skip"))
    with refusal(LimnerError):
        compare_systems(systems)


def test_systems_are_compared_on_subsets_and_p_allows_for_all_that_is_tested() -> None:
    given = [read_captions(SAID, name="a"), read_captions({id: t[-1] for id, t in REFERENCES.items()}, name="b")]
    systems = evaluate_systems(given, read_references(parts(), keep_images=True), metrics=METRIC_NAMES, by=["domain"])
    whole = compare_systems(systems, swaps=200)
    found = compare_systems(systems, swaps=200, with_subsets=True)
    assert list(dict.fromkeys((item.by, item.subset, item.n_images) for item in found)) == [
        ("", "", 40),
        ("domain", "in", 26),
        ("domain", "out", 14),
    ]
    assert [item.p for item in found[:6]] == [item.p for item in whole]
    assert [item.p_adjusted for item in found] == holm([item.p for item in found])
    first, second = (system.by["domain"]["out"].scores["cider"] for system in systems)
    of_subset = next(item for item in found if (item.subset, item.column) == ("out", "cider"))
    assert of_subset.difference == pytest.approx(first - second)


def test_what_is_printed_is_json_without_nan() -> None:
    found = evaluate(SAID, REFERENCES, metrics=["bleu", "diversity"], by=["length"], samples=20).to_json()
    text = json.dumps(found, allow_nan=False)
    assert list(json.loads(text)) == ["n_images", "scores", "intervals", "confidence", "signatures", "counts", "by"]
    assert found["intervals"]["vocabulary"] == [None, None]
    assert found["by"]["length"]["9 to 11 words"].keys() >= {"n_images", "scores", "signatures"}


def test_results_and_references_may_be_paths(tmp_path: Path) -> None:
    results, captions = tmp_path / "mine.json", tmp_path / "captions.json"
    results.write_text(json.dumps([{"image_id": int(id), "caption": text} for id, text in SAID.items()]))
    listed = [(id, text) for id, texts in REFERENCES.items() for text in texts]
    annotations = [{"id": n, "image_id": int(id), "caption": text} for n, (id, text) in enumerate(listed)]
    captions.write_text(json.dumps({"images": [{"id": int(id)} for id in SAID], "annotations": annotations}))
    found = evaluate(str(results), captions, metrics=METRIC_NAMES, samples=0)
    assert found.scores == pytest.approx(evaluate(SAID, REFERENCES, metrics=METRIC_NAMES, samples=0).scores)
    assert found.intervals == {}


@pytest.mark.parametrize("name", ["bleu", "rouge_l", "cider", "cider-plain", "chair", "diversity"])
def test_odd_captions_have_values_and_no_trouble(name: str) -> None:
    odd = {
        "0": "a\nb\r\nc\u2028d",
        "1": "🐕 on a 🏖️",
        "2": "",
        "3": " ".join(["dog"] * 10_000),
        "4": "ein Hund mit «1,5» Bällen",
        "5": "x" * 50_000,
    }
    references = {id: ["a dog runs", "two dogs", odd[id] or "b"] * (17 if id == "1" else 1) for id in odd}
    found = evaluate(odd, references, metrics=[name], policy=Policy(empty="score"), samples=10)
    assert not any(isnan(value) for value in found.scores.values())
    assert found.counts["empty"] == 1


def test_a_metric_that_is_not_there_is_answered_with_the_nearest() -> None:
    with refusal(LimnerError):
        evaluate(SAID, REFERENCES, metrics=["cidr"])
    with refusal(LimnerError):
        evaluate(SAID, REFERENCES, metrics=[])
    assert {"bleu", "rouge_l", "cider"} <= METRICS.keys()


class CountingParser:
    """A metric that parses every sentence it has not met, as SPICE* does."""

    name = "parsed"
    columns = ("parsed",)

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.n_parsed = 0

    def measure(self, run: Run) -> Statistics:
        for sentence in run.sentences():
            if sentence not in self.known:
                self.known[sentence] = len(sentence)
                self.n_parsed += 1
        return means([self.known[caption] for caption in run.candidates])


def test_metrics_are_made_once_for_all_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Settings] = []

    class Made(Bleu):
        @classmethod
        def from_settings(cls, settings: Settings) -> Made:
            made.append(settings)
            return cls()

    monkeypatch.setattr("limner.score.bleu.Bleu", Made)
    systems = [read_captions(SAID, name="a"), read_captions(dict(reversed(SAID.items())), name="b")]
    evaluate_systems(systems, read_references(REFERENCES), metrics=["bleu"], by=["length"])
    assert len(made) == 1


def test_references_are_parsed_once_for_all_systems() -> None:
    parser = CountingParser()
    systems = [read_captions(SAID, name=name) for name in "abc"]
    evaluate_systems(systems, read_references(REFERENCES), metrics=[parser], by=["length"])
    assert parser.n_parsed == len({*SAID.values(), *(text for texts in REFERENCES.values() for text in texts)})


def test_spice_star_parses_references_once_for_all_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy", reason="SPICE* parses with spaCy")
    from limner.score.spice.spice_parser import Parser

    given: list[str] = []
    parse = Parser.parse

    def watched(parser: Parser, captions: Sequence[str]) -> Iterator[Any]:
        given.extend(captions)
        return parse(parser, captions)

    monkeypatch.setattr(Parser, "parse", watched)
    systems = [read_captions({"1": text}, name=text) for text in ("a dog runs", "a cat sleeps")]
    evaluate_systems(systems, read_references({"1": ["a brown dog", "one dog runs"]}), metrics=["spice*"])
    assert sorted(given) == ["a brown dog", "a cat sleeps", "a dog runs", "one dog runs"]


def test_an_evaluation_shows_itself_in_a_line_and_in_a_table() -> None:
    found = evaluate(SAID, REFERENCES, metrics=["bleu", "rouge_l"], samples=50)
    assert repr(found).startswith("<Evaluation of 'results': 40 images; bleu1=0.")
    assert len(repr(found)) < 200
    assert "interval" not in found._repr_html_()
    assert found.intervals
    table = found._repr_html_()
    assert table.count("<tr>") == 1 + 5
    assert f"{found.scores['rouge_l']:.4f}" in table
    assert "95% interval" in table
    assert "interval" not in evaluate(SAID, REFERENCES, metrics=["bleu"], samples=0)._repr_html_()


def test_what_did_not_fit_is_part_of_how_an_evaluation_shows_itself() -> None:
    references = {"1": ["a dog"], "2": ["a cat"], "3": ["a man"]}
    policy = Policy(missing="skip", empty="score")
    mine = [Image("1", captions=(Caption("0", "", source="system:mine"),))]
    found = evaluate(mine, references, metrics="rouge_l,cider", policy=policy)
    remarks = "2 missing, 1 empty; 1 warning"
    assert repr(found) == f"<Evaluation of 'mine': 1 image; rouge_l=0.0000, cider=0.0000; {remarks}>"
    assert f"mine: 1 image; {remarks}" in found._repr_html_()


def test_subsets_may_be_asked_for_by_one_name() -> None:
    assert list(evaluate(SAID, REFERENCES, metrics="bleu", by="length", samples=0).by) == ["length"]


def test_results_and_references_that_are_swapped_are_refused() -> None:
    results: Any = REFERENCES
    with refusal(BadInput):
        evaluate(results, SAID)
    policy: Any = "skip"
    with refusal(LimnerError):
        evaluate(SAID, REFERENCES, policy=policy)


def test_an_evaluation_becomes_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    found = evaluate(SAID, REFERENCES, metrics=["bleu", "rouge_l"])
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(found.scores)
    assert frame["rouge_l"].to_dict() == found.per_image("rouge_l")


def test_a_data_frame_gets_a_row_for_each_image(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = SimpleNamespace(
        DataFrame=lambda columns, index: (columns, index), Index=lambda ids, name: (name, list(ids))
    )
    monkeypatch.setitem(sys.modules, "pandas", frames)
    found = evaluate(SAID, REFERENCES, metrics=["rouge_l"])
    columns, index = found.to_pandas()
    assert index == ("image", list(SAID))
    assert dict(zip(SAID, columns["rouge_l"], strict=True)) == found.per_image("rouge_l")


def test_without_pandas_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refusal(LimnerError):
        evaluate(SAID, REFERENCES, metrics=["rouge_l"]).to_pandas()


def test_what_the_system_was_told_is_in_the_signature_and_warned_of() -> None:
    facts = {"labels": "captions", "labels_from": 2, "labels_seed": 1, "training": "yes"}
    for provenance, told, caveats in (
        ({}, "", []),
        ({"labels": "captions"}, "|labels:captions", ["labels are nouns of the captions themselves"]),
        (facts, "|labels:2 held-out captions, seed 1|training:yes", ["3 of 3 images were seen in training"]),
    ):
        gold = [Image(str(i), captions=(Caption("0", "a dog runs"),), provenance=provenance) for i in range(3)]
        said = (Caption("0", "a dog", source="system:x"),)
        results = [Image(image.id, captions=said, provenance=provenance) for image in gold]
        evaluation = evaluate(results, gold, metrics="bleu")
        assert f"missing:error{told}|limner" in evaluation.signatures["bleu4"]
        assert [warning[: len(caveat)] for warning, caveat in zip(evaluation.warnings, caveats, strict=True)] == caveats


def test_lists_are_joined_by_position() -> None:
    whole = evaluate(SAID, REFERENCES, metrics=METRIC_NAMES)
    texts, references = [[text] for text in SAID.values()], list(REFERENCES.values())
    for captions in (list(SAID.values()), tuple(SAID.values()), texts, dict(zip(SAID, texts, strict=True))):
        given = REFERENCES if isinstance(captions, dict) else references
        assert evaluate(captions, given, metrics=METRIC_NAMES).scores == whole.scores
    first = [texts[0] for texts in references]
    one = evaluate(list(SAID.values()), first, metrics=METRIC_NAMES)
    assert one.scores == evaluate(SAID, dict(zip(SAID, first, strict=True)), metrics=METRIC_NAMES).scores


def test_a_list_is_not_joined_to_ids() -> None:
    with refusal(BadInput):
        evaluate(list(SAID.values()), REFERENCES)
    with refusal(BadInput):
        evaluate(SAID, list(REFERENCES.values()))


@pytest.mark.parametrize("path", ["mine.json", "data/mine", "coco:mine", Path("mine")])
def test_a_list_of_paths_that_are_not_there_is_no_list_of_captions(path: str | Path) -> None:
    with refusal(BadInput):
        evaluate([path], ["refs.json"])


def test_captions_that_say_nothing_of_labels_are_not_said_to_be_told_them() -> None:
    gold = [Image("i", captions=(Caption("0", "a dog runs"),), provenance={"labels": "captions"})]
    evaluation = evaluate([Image("i", captions=(Caption("0", "a dog", source="system:x"),))], gold, metrics="bleu")
    assert "labels" not in evaluation.signatures["bleu4"]
    assert not any("labels" in warning for warning in evaluation.warnings)


def test_labels_count_as_held_out_only_where_gold_holds_the_same_captions_out() -> None:
    facts = {"labels": "captions", "labels_from": 2, "labels_seed": 1}
    results = [Image("i", captions=(Caption("0", "a dog", source="system:x"),), provenance=facts)]
    for of_gold, told in (
        (facts, "2 held-out captions, seed 1"),
        ({}, "captions"),
        ({**facts, "labels_seed": 2}, "captions"),
    ):
        gold = [Image("i", captions=(Caption("0", "a dog runs"),), provenance=of_gold)]
        evaluation = evaluate(results, gold, metrics="bleu")
        assert f"|labels:{told}|" in evaluation.signatures["bleu4"]
        assert any("too high" in warning for warning in evaluation.warnings) == (told == "captions")


def test_people_were_told_nothing_but_their_mentions_may_be_linked() -> None:
    facts = {"labels": "captions", "mentions": "linked", "training": "yes"}
    results = [Image("i", captions=(Caption("0", "a dog", source="system:x"),), provenance=facts)]
    gold = [Image("i", captions=(Caption("0", "a dog runs"), Caption("1", "a dog")))]
    both = evaluate(results, gold, metrics=["rouge_l", human_bound("rouge_l")], samples=0)
    assert "|labels:captions|mentions:linked|training:yes|limner" in both.signatures["rouge_l"]
    assert "|missing:error|mentions:linked|limner" in both.signatures["human_rouge_l"]
    people = evaluate(results, gold, metrics=[human_bound("rouge_l")], samples=0)
    assert people.warnings == ["mentions were linked by the names of classes, not by people"]


def test_linked_gold_is_told_of_metrics_that_need_mentions() -> None:
    caption = Caption("0", "a dog", (Mention(2, 5, ("1",)),))
    linked = {"mentions": "linked"}
    gold = [Image("i", 9, 9, boxes=(Box("1", 0, 0, 5, 5, "dog"),), captions=(caption,), provenance=linked)]
    results = [Image("i", captions=(replace(caption, source="system:x"),))]
    both = evaluate(results, gold, metrics=["content", "rouge_l"], samples=0)
    assert "|mentions:linked|" in both.signatures["content_f"]
    # Words are compared as they are, whoever tied them to boxes.
    assert "mentions" not in both.signatures["rouge_l"]
    assert both.warnings == ["mentions were linked by the names of classes, not by people"]
    assert evaluate(results, gold, metrics="rouge_l", samples=0).warnings == []


def test_captions_that_are_their_own_references_are_warned_of() -> None:
    references = {str(n): [f"a dog number {n} .", "something else"] for n in range(20)}
    for n_equal, is_warned in ((20, True), (10, True), (9, False)):
        said = {id: f"A dog number {id}" if int(id) < n_equal else "a cat" for id in references}
        warnings = evaluate(said, references, metrics="rouge_l", samples=0).warnings
        assert any(f"{n_equal} of 20 captions are word for word among" in text for text in warnings) == is_warned
    few = {id: texts for id, texts in references.items() if int(id) < 9}
    assert not evaluate({id: texts[0] for id, texts in few.items()}, few, metrics="rouge_l", samples=0).warnings


def test_boxes_that_all_miss_are_warned_of() -> None:
    boxes = tuple(Box(str(n), 100 * n, 0, 100 * n + 90, 90, "dog") for n in range(5))
    mentions = tuple(Mention(4 * n, 4 * n + 3, (str(n),)) for n in range(5))
    caption = Caption("0", "dog dog dog dog dog", mentions)
    gold = [Image("i", 500, 100, boxes=boxes, captions=(caption,))]
    small = tuple(replace(box, x0=box.x0 / 500, x1=box.x1 / 500, y1=0.9) for box in boxes)
    for drawn, is_warned in ((small, True), ((*small[:4], boxes[4]), False), (small[:4], False)):
        said = replace(caption, source="system:x", mentions=mentions[: len(drawn)])
        results = [Image("i", 500, 100, boxes=drawn, captions=(said,))]
        warnings = evaluate(results, gold, metrics="content", samples=0).warnings
        assert any("no box of the results matches one of gold's (0 of 5)" in text for text in warnings) == is_warned


def test_few_joined_images_are_warned_of() -> None:
    references = {str(n): ["a dog"] for n in range(100)}
    for said, is_warned in ((range(95, 200), True), (range(95, 100), False), (range(50, 150), False)):
        skipping = Policy(missing="skip", extra="skip")
        evaluation = evaluate(
            {str(n): "a cat" for n in said}, references, metrics="rouge_l", samples=0, policy=skipping
        )
        assert any("only 5 images are on both sides" in text for text in evaluation.warnings) == is_warned


def test_nothing_to_score_is_refused() -> None:
    for results, references in (({}, {}), ({}, {"a": ["a dog"]}), ({"a": "a dog"}, {}), ({"a": "a dog"}, {"a": []})):
        with refusal(BadInput):
            evaluate(results, references)
    with refusal(BadInput):
        evaluate(None, {"a": ["a dog"]})  # type: ignore[arg-type]


def test_records_of_coco_are_taken_from_memory() -> None:
    results = [{"image_id": 1, "caption": "a dog"}, {"image_id": 2, "caption": "a cat"}]
    references = [*results, {"image_id": 2, "caption": "a cow", "id": 7}]
    evaluation = evaluate(results, references, metrics="rouge_l", samples=0)
    assert (evaluation.run.ids, evaluation.scores) == (["1", "2"], {"rouge_l": 1.0})
    assert evaluation.run.references == [["a dog"], ["a cat", "a cow"]]
    with refusal(BadInput):
        evaluate(references, results, metrics="rouge_l")


def test_a_subset_tells_of_its_own_images() -> None:
    said = (Caption("0", "a dog", source="system:x"),)
    seen = {"training": "yes"}
    results = [Image(str(i), captions=said, provenance=seen if i == 0 else {}) for i in range(4)]
    written = (Caption("0", "a dog runs"), Caption("1", "a dog"))
    gold = [Image(str(i), captions=written, attributes={"domain": "in" if i < 2 else "out"}) for i in range(4)]
    evaluation = evaluate(results, gold, metrics="bleu", by="domain", samples=0)
    assert "training:yes in 1 of 4 images" in evaluation.signatures["bleu4"]
    inside, outside = evaluation.by["domain"]["in"], evaluation.by["domain"]["out"]
    assert "training:yes in 1 of 2 images" in inside.signatures["bleu4"]
    assert "training" not in outside.signatures["bleu4"]
    assert outside.warnings == []


def test_results_that_do_not_know_what_was_trained_on_are_warned_of_and_others_say_nothing() -> None:
    said = (Caption("0", "a dog", source="system:x"),)
    gold = [Image(str(i), captions=(Caption("0", "a dog runs"), Caption("1", "two dogs"))) for i in range(3)]
    results = [Image(str(i), captions=said, provenance={"training": "unknown"} if i else {}) for i in range(3)]
    unknown = evaluate(results, gold, metrics="bleu", samples=0)
    assert "|training:unknown in 2 of 3 images|" in unknown.signatures["bleu4"]
    assert unknown.warnings == ["it is unknown whether 2 of 3 images were seen in training"]
    outside = evaluate([replace(image, provenance={}) for image in results], gold, metrics="bleu", samples=0)
    assert "training" not in outside.signatures["bleu4"]
    assert outside.warnings == []
