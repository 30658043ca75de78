"""`limner score captions`, as people call it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from limner.cli import limner
from limner.cli.remedies import worded
from limner.errors import BadInput, LimnerError

REFERENCES = {
    "1": ["A brown dog is running on a beach.", "A dog runs along the sand."],
    "2": ["A man is riding a brown horse.", "Someone on a horse in a field."],
    "3": ["Two cats sleep on a couch.", "A pair of cats on a red sofa."],
}
MINE = {"1": "A dog runs on the beach.", "2": "A man rides a horse.", "3": "Two cats on a sofa."}
OTHER = {"1": "A dog.", "2": "A horse.", "3": "A cat."}
METRICS = ["--metrics", "bleu,rouge_l,cider"]


def coco_results(path: Path, captions: dict[str, str]) -> Path:
    path.write_text(json.dumps([{"image_id": int(id), "caption": text} for id, text in captions.items()]))
    return path


def coco_captions(path: Path, facts: dict[str, dict[str, Any]] | None = None) -> Path:
    listed = [(int(id), text) for id, texts in REFERENCES.items() for text in texts]
    annotations = [{"id": n, "image_id": id, "caption": text} for n, (id, text) in enumerate(listed)]
    images = [{"id": int(id), **(facts or {}).get(id, {})} for id in REFERENCES]
    path.write_text(json.dumps({"images": images, "annotations": annotations}))
    return path


@pytest.fixture
def refs(tmp_path: Path) -> Path:
    return coco_captions(tmp_path / "captions.json")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return coco_results(tmp_path / "mine.json", MINE)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return coco_results(tmp_path / "other.json", OTHER)


def score(*arguments: object) -> Result:
    return CliRunner().invoke(limner, ["score", "captions", *map(str, arguments)])


def scored(*arguments: object) -> dict[str, Any]:
    done = score(*arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_scores_are_printed_as_a_table_with_intervals_and_signatures(mine: Path, refs: Path) -> None:
    done = score(mine, "--refs", refs, *METRICS)
    assert done.exit_code == 0
    assert "95% interval" in done.stdout
    assert "metric:cider|variant:D" in done.stdout


def test_json_holds_what_programs_ask_for(mine: Path, refs: Path) -> None:
    found = scored(mine, "--refs", refs, *METRICS)
    assert found["n_images"] == 3
    assert list(found["scores"]) == ["bleu1", "bleu2", "bleu3", "bleu4", "rouge_l", "cider"]
    assert found["signatures"].keys() == found["scores"].keys() == found["intervals"].keys()


def test_parts_by_domain_are_runs_of_their_own(tmp_path: Path, mine: Path) -> None:
    domains = {"1": {"domain": "in-domain"}, "2": {"domain": "out-domain"}, "3": {"domain": "in-domain"}}
    refs = coco_captions(tmp_path / "nocaps.json", domains)
    found = scored(mine, "--refs", refs, *METRICS, "--by", "domain")
    assert {name: part["n_images"] for name, part in found["by"]["domain"].items()} == {"in-domain": 2, "out-domain": 1}
    whole = scored(mine, "--refs", refs, *METRICS, "--by", "domain", "--df", "corpus")
    assert whole["by"]["domain"]["out-domain"]["scores"]["cider"] > 0
    assert found["by"]["domain"]["out-domain"]["scores"]["cider"] == 0
    table = score(mine, "--refs", refs, *METRICS, "--by", "domain")
    assert "out-domain" in table.stdout


def test_domains_have_tests_and_values_by_both_document_frequencies(tmp_path: Path, mine: Path, other: Path) -> None:
    domains = {"1": {"domain": "in-domain"}, "2": {"domain": "out-domain"}, "3": {"domain": "in-domain"}}
    refs = coco_captions(tmp_path / "nocaps.json", domains)
    found = scored(mine, other, "--refs", refs, *METRICS, "--by", "domain")
    whole = scored(mine, "--refs", refs, *METRICS, "--by", "domain", "--df", "corpus")
    for name, subset in found["by"]["domain"].items():
        assert subset["scores"]["cider_df_corpus"] == pytest.approx(whole["by"]["domain"][name]["scores"]["cider"])
    tested = {(item["by"], item["subset"], item["column"]) for item in found["subset_differences"]}
    assert {("domain", "in-domain", "bleu1"), ("domain", "out-domain", "cider_df_corpus")} <= tested
    assert all("by" not in item for item in found["differences"])
    table = score(mine, other, "--refs", refs, *METRICS, "--by", "domain").stdout
    assert "cider_df_corpus" in table
    assert "difference by domain" in table


@pytest.mark.parametrize(("way", "told"), [("leave-one-out", "one left out"), ("1", "1 held out, seed 4")])
def test_people_are_a_row_beside_systems(tmp_path: Path, mine: Path, other: Path, way: str, told: str) -> None:
    refs = coco_captions(tmp_path / "nocaps.json", {id: {"domain": "in" if id < "3" else "out"} for id in REFERENCES})
    given = [mine, other, "--refs", refs, *METRICS, "--by", "domain", "--human", way, "--seed", "4"]
    found = scored(*given)
    assert found["human"]["scores"].keys() == found["scores"].keys()
    assert found["human"]["by"]["domain"]["in"]["scores"]["rouge_l"] > 0
    assert list(found["matched"]) == ["mine", "other"]
    assert f"|references:{told}|" in found["human"]["signatures"]["bleu1"]
    assert found["matched"]["mine"]["scores"]["rouge_l"] <= found["scores"]["rouge_l"]
    table = score(*given).stdout
    assert "mine, matched" in table
    assert "domain, human" in table
    # Signatures say whose they are.
    lines = table.splitlines()
    of_systems, of_people = lines.index("systems:"), lines.index("human, and systems matched with people:")
    assert all("|references:" not in line for line in lines[of_systems:of_people])
    assert all("|references:" in line for line in lines[of_people + 1 :])
    rows = list(csv.DictReader(io.StringIO(score(*given, "--csv").stdout)))
    assert {row["system"] for row in rows} == {"mine", "other", "human", "mine, matched", "other, matched"}


@pytest.mark.parametrize("wrong", ["0", "two", "-1"])
def test_people_are_a_number_or_each_in_turn(mine: Path, refs: Path, wrong: str) -> None:
    done = score(mine, "--refs", refs, "--human", wrong)
    assert done.exit_code == 2
    assert f"'{wrong}' is neither a number of people nor leave-one-out" in done.output


@pytest.mark.parametrize("way", ["--compare", "argument"])
def test_systems_are_compared(mine: Path, other: Path, refs: Path, way: str) -> None:
    given = [mine, "--compare", other] if way == "--compare" else [mine, other]
    found = scored(*given, "--refs", refs, *METRICS)
    assert found["system"] == "mine"
    assert list(found["compared"]) == ["other"]
    first = found["differences"][0]
    assert (first["column"], first["first"], first["second"]) == ("bleu1", "mine", "other")
    assert first["difference"] == pytest.approx(
        found["scores"]["bleu1"] - found["compared"]["other"]["scores"]["bleu1"]
    )
    assert "mine − other" in score(*given, "--refs", refs, *METRICS).stdout


@pytest.mark.usefixtures("intervals_of_few")
def test_csv_has_a_row_for_each_value(mine: Path, other: Path, refs: Path) -> None:
    done = score(mine, other, "--refs", refs, *METRICS, "--csv", "--by", "length")
    assert "differences between systems are not in the CSV; --json has them\n" in done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["system"] for row in rows} == {"mine", "other"}
    assert {row["metric"] for row in rows if not row["by"]} >= {"bleu4", "cider"}
    assert all(float(row["low"]) <= float(row["value"]) + 1e-9 for row in rows if row["metric"] == "rouge_l")


def test_plain_text_lines_up(tmp_path: Path, mine: Path, refs: Path) -> None:
    for name, lines in (
        ("mine.txt", list(MINE.values())),
        ("r0.txt", [texts[0] for texts in REFERENCES.values()]),
        ("r1.txt", [texts[1] for texts in REFERENCES.values()]),
    ):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    plain = scored(tmp_path / "mine.txt", "--refs", tmp_path / "r0.txt", "--refs", tmp_path / "r1.txt", *METRICS)
    assert plain["scores"] == pytest.approx(scored(mine, "--refs", refs, *METRICS)["scores"])


def test_document_frequencies_are_kept_and_used(tmp_path: Path, mine: Path, refs: Path) -> None:
    kept = tmp_path / "coco.df"
    assert score(mine, "--refs", refs, *METRICS, "--save-df", kept).exit_code == 0
    again = scored(mine, "--refs", refs, *METRICS, "--df", kept)
    assert again["scores"]["cider"] == pytest.approx(scored(mine, "--refs", refs, *METRICS)["scores"]["cider"])
    assert "df_images:3" in again["signatures"]["cider"]


def test_each_image_s_own_values_are_kept_by_id(tmp_path: Path, mine: Path, refs: Path) -> None:
    out = tmp_path / "images.csv"
    found = scored(mine, "--refs", refs, *METRICS, "--per-image", out)
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["image"] for row in rows] == ["1", "2", "3"]
    assert sum(float(row["rouge_l"]) for row in rows) / 3 == pytest.approx(found["scores"]["rouge_l"])


@pytest.mark.parametrize(
    ("captions", "option", "count"),
    [
        ({"1": "x", "2": "y"}, ["--missing", "zero"], "missing"),
        ({"1": "x", "2": "y"}, ["--missing", "skip"], "missing"),
        ({**MINE, "9": "?"}, ["--extra", "skip"], "extra"),
        ({**MINE, "3": ""}, ["--empty", "score"], "empty"),
    ],
)
def test_what_does_not_fit_is_refused_unless_allowed(
    tmp_path: Path, refs: Path, captions: dict[str, str], option: list[str], count: str
) -> None:
    results = coco_results(tmp_path / "some.json", captions)
    refused = score(results, "--refs", refs, *METRICS)
    assert refused.exit_code == 1
    assert isinstance(refused.exception, LimnerError)
    assert option[0] in worded(refused.exception)
    assert scored(results, "--refs", refs, *METRICS, *option)["counts"][count] == 1


def test_a_second_caption_of_an_image_is_refused_or_passed_over(tmp_path: Path, refs: Path) -> None:
    results = tmp_path / "twice.json"
    results.write_text(json.dumps([{"image_id": int(id), "caption": text} for id, text in [*MINE.items()] * 2]))
    assert "two captions" in str(score(results, "--refs", refs, *METRICS).exception)
    assert scored(results, "--refs", refs, *METRICS, "--duplicate", "first")["counts"]["duplicate"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metrics", "cidr"], "did you mean 'cider'"),
        (["--metrics", "bleu", "--by", "domian"], "unknown attribute"),
        (["--metrics", "bleu", "--df", "nowhere.df"], "nowhere.df"),
    ],
)
def test_what_cannot_be_done_is_one_clear_error(mine: Path, refs: Path, arguments: list[str], said: str) -> None:
    done = score(mine, "--refs", refs, *arguments)
    assert done.exit_code == 1
    assert said in str(done.exception)


def test_one_image_is_warned_of_and_never_silently_nothing(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("a dog\n")
    done = score(tmp_path / "c.txt", "--refs", tmp_path / "c.txt", "--metrics", "cider")
    assert done.exit_code == 0
    assert "CIDEr of one image is 0" in done.stderr
    assert "give document frequencies with --df\n" in done.stderr


def test_a_metric_without_any_value_is_warned_of(mine: Path, refs: Path) -> None:
    done = score(mine, "--refs", refs, "--metrics", "content")
    assert done.exit_code == 0
    told = [line for line in done.stderr.splitlines() if "no value" in line]
    assert told == [
        "limner: warning: content_p, content_r, content_f have no value: no gold caption refers to a box; "
        "tie captions to boxes with `limner link`"
    ]
    assert scored(mine, "--refs", refs, "--metrics", "content")["scores"]["content_f"] is None


def test_the_same_results_twice_are_wrong_usage(mine: Path, refs: Path) -> None:
    assert score(mine, mine, "--refs", refs, *METRICS).exit_code == 2


def test_a_page_to_look_at_is_written(tmp_path: Path, mine: Path, other: Path, refs: Path) -> None:
    page = tmp_path / "page.html"
    done = score(mine, other, "--refs", refs, *METRICS, "--html", page)
    assert done.exit_code == 0
    assert f"open {page} in a browser" in done.stderr
    text = page.read_text(encoding="utf-8")
    assert "A dog runs on the beach." in text
    assert "A horse." in text


def test_a_cluster_is_asked_for_with_its_engine_alone(mine: Path, refs: Path, tmp_path: Path) -> None:
    assert score(mine, "--refs", refs, *METRICS, "--address", "auto").exit_code == 2
    assert score(mine, "--refs", refs, *METRICS, "--partitions", "3").exit_code == 2
    page = tmp_path / "page.html"
    assert score(mine, "--refs", refs, *METRICS, "--engine", "ray", "--html", page).exit_code == 2
    assert not page.exists()


def test_disjoint_ids_are_said_with_one_of_each_side(tmp_path: Path, refs: Path) -> None:
    wrong = coco_results(tmp_path / "wrong.json", {"17": "A dog.", "18": "A cat."})
    for policy in ([], ["--missing", "zero", "--extra", "skip"]):
        refused = score(wrong, "--refs", refs, *METRICS, *policy)
        assert isinstance(refused.exception, LimnerError)
        assert "no image is on both sides: here is '17', in the references '1'" in worded(refused.exception)


def test_no_samples_means_neither_intervals_nor_tests(mine: Path, other: Path, refs: Path) -> None:
    alone = score(mine, "--refs", refs, *METRICS, "--samples", "0")
    assert alone.stderr == "limner: no samples, so no intervals\n"
    both = score(mine, other, "--refs", refs, *METRICS, "--samples", "0")
    assert both.stderr == "limner: no samples, so no intervals and tests\n"
    assert "interval" not in both.stdout.replace("intervals", "")
    assert scored(mine, other, "--refs", refs, *METRICS, "--samples", "0")["differences"] == []


def test_a_second_caption_is_answered_with_the_option_that_works(tmp_path: Path, refs: Path) -> None:
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps([{"image_id": 1, "caption": text} for text in ("A dog.", "One dog.")]))
    refused = score(twice, "--refs", refs)
    assert isinstance(refused.exception, LimnerError)
    assert worded(refused.exception).endswith("or pass --duplicate first")


def test_training_captions_are_read_leniently_if_asked(tmp_path: Path, mine: Path, refs: Path) -> None:
    training = tmp_path / "training.jsonl"
    training.write_text('{"limner":2,"id":"a","captions":[{"id":"0","text":"A dog"}]}\n{"limner":2,"id":"b","no":1}\n')
    options = (mine, "--refs", refs, "--metrics", "diversity", "--training", training)
    assert isinstance(score(*options).exception, LimnerError)
    assert score(*options, "--lenient").exit_code == 0


def test_more_people_than_references_cannot_be_held_out(mine: Path, refs: Path) -> None:
    for held_out in ("9", "99"):
        done = score(mine, "--refs", refs, "--metrics", "rouge_l", "--samples", 0, "--human", held_out)
        assert isinstance(done.exception, BadInput)
        assert "no image has more than" in str(done.exception)
        assert "hold out fewer" in str(done.exception)


def test_references_as_results_are_warned_of_with_the_option_that_scores_people(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("".join(f"a dog number {n}\n" for n in range(12)))
    (tmp_path / "r.txt").write_text((tmp_path / "c.txt").read_text())
    done = score(tmp_path / "c.txt", "--refs", tmp_path / "r.txt", "--metrics", "rouge_l", "--samples", 5)
    assert (
        "12 of 12 captions are word for word among their own references, so scores are too high; "
        "for people's score pass --human leave-one-out\n"
    ) in done.stderr
    assert "warning: 5 samples are few for a 95% interval; take 1,000, or 0 for none\n" in done.stderr


def test_results_without_a_caption_are_told_so(tmp_path: Path, refs: Path) -> None:
    (tmp_path / "none.json").write_text(" []\n")
    done = score(tmp_path / "none.json", "--refs", refs)
    assert "none.json: there are no captions; give [{" in str(done.exception)
