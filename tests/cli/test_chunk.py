"""`limner chunk` and `limner score phrases` in processes of their own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from command_line import limner

LIMNER = [sys.executable, "-m", "limner"]
CAPTIONS = ("A man's red hat, on a table.", "", "It is raining.", "Two dogs and three cats play in the background.")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    captions = [{"id": str(i), "text": text} for i, text in enumerate(CAPTIONS)]
    path.write_text(json.dumps({"limner": 2, "id": "a", "captions": captions}) + "\n")
    return path


def phrases(caption: dict[str, object]) -> list[str]:
    text = str(caption["text"])
    return [text[mention["start"] : mention["end"]] for mention in caption.get("mentions", [])]  # type: ignore[attr-defined]


def test_phrases_become_mentions_with_types(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = limner("chunk", corpus, "-o", out)
    assert done.returncode == 0, done.stderr
    image = json.loads(out.read_text())
    assert [caption["text"] for caption in image["captions"]] == list(CAPTIONS)
    assert phrases(image["captions"][1]) == phrases(image["captions"][2]) == []
    assert phrases(image["captions"][3]) == ["Two dogs", "three cats"]
    assert [mention["types"] for mention in image["captions"][3]["mentions"]] == [["animals"]] * 2
    assert image["provenance"] == {"mentions": "chunked"}
    assert "1 of 4 captions are empty" in done.stderr
    assert "2 captions without any" in done.stderr


def test_captions_with_mentions_keep_them_unless_asked_again(corpus: Path, tmp_path: Path) -> None:
    gold, kept, again = tmp_path / "gold.jsonl", tmp_path / "kept.jsonl", tmp_path / "again.jsonl"
    image = json.loads(corpus.read_text())
    image["captions"][3]["mentions"] = [{"start": 4, "end": 8, "types": ["other"], "chain": "c"}]
    image["chains"] = [{"id": "c"}]
    gold.write_text(json.dumps(image) + "\n")
    done = limner("chunk", gold, "-o", kept)
    assert "1 of 4 captions have mentions already and kept them; pass --again to replace them" in done.stderr
    partly = json.loads(kept.read_text())
    assert partly["captions"][3] == image["captions"][3]
    assert partly["provenance"] == {"mentions": "chunked in part"}
    assert partly["chains"] == image["chains"]
    assert limner("chunk", gold, "-o", again, "--again").returncode == 0
    replaced = json.loads(again.read_text())
    assert phrases(replaced["captions"][3]) == ["Two dogs", "three cats"]
    assert "chains" not in replaced


def test_retyping_keeps_spans(corpus: Path, tmp_path: Path) -> None:
    image = json.loads(corpus.read_text())
    image["captions"][3]["mentions"] = [{"start": 4, "end": 8, "types": ["other"]}]
    done = limner("chunk", "-", "-o", "-", "--retype", given=json.dumps(image))
    (mention,) = json.loads(done.stdout)["captions"][3]["mentions"]
    assert mention == {"start": 4, "end": 8, "types": ["animals"]}
    assert limner("chunk", corpus, "-o", "-", "--retype", "--again").returncode == 2


def test_plain_text_has_a_caption_a_line(tmp_path: Path) -> None:
    lines = tmp_path / "captions.txt"
    lines.write_text("A dog runs.\n\nTwo cats\n")
    done = limner("chunk", lines, "-o", "-")
    images = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(image["id"], phrases(image["captions"][0])) for image in images] == [
        ("1", ["A dog"]),
        ("2", []),
        ("3", ["Two cats"]),
    ]


def test_a_model_of_another_kind_is_refused(corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "selector.json"
    model.write_text('{"limner_model": "selector", "version": 1}')
    done = limner("chunk", corpus, "-o", tmp_path / "out.jsonl", "--model", model)
    assert done.returncode == 1
    assert done.stderr == (
        f"limner: {model}: is a model of kind 'selector', not 'phrases'; train one with `limner train phrases`\n"
    )
    assert not (tmp_path / "out.jsonl").exists()


def test_phrases_are_scored(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert limner("chunk", corpus, "-o", out).returncode == 0
    done = limner("score", "phrases", out, "--gold", out, "--json")
    assert json.loads(done.stdout)["F"] == 1
    printed = limner("score", "phrases", out, "--gold", out).stdout
    assert "\nF " in printed
    assert "1.0000" in printed
    refused = limner("score", "phrases", out, "--gold", corpus)
    assert refused.returncode == 1
    assert "no gold caption has a phrase to score" in refused.stderr


def test_captions_of_an_image_are_tied_together(tmp_path: Path) -> None:
    texts = ("A man rides a brown horse.", "A man is on a horse.")
    captions = [{"id": str(i), "text": text} for i, text in enumerate(texts)]
    done = limner("chunk", "-", "-o", "-", "--chains", given=json.dumps({"limner": 2, "id": "a", "captions": captions}))
    image = json.loads(done.stdout)
    first, second = ([mention["chain"] for mention in caption["mentions"]] for caption in image["captions"])
    assert first == second
    assert len(set(first)) == 2
    assert "2 chains" in done.stderr
    assert limner("chunk", "-", "-o", "-", "--chain-model", "model.json").returncode == 2


def test_the_error_for_an_unknown_format_names_plain_text(tmp_path: Path) -> None:
    done = limner("chunk", "-", "-o", tmp_path / "out.jsonl", given="A dog runs.\nA cat.\n")
    assert done.returncode == 1
    assert done.stderr.endswith("; lines of plain text as text:-\n")


def test_nothing_on_standard_input_is_the_fault_of_the_command_before(tmp_path: Path) -> None:
    done = limner("chunk", "-", "-o", tmp_path / "out.jsonl")
    assert done.stderr == "limner: standard input: there is nothing in it; did the command before it fail?\n"


def test_retyping_captions_without_mentions_is_warned_of(corpus: Path, tmp_path: Path) -> None:
    done = limner("chunk", corpus, "-o", tmp_path / "out.jsonl", "--retype")
    assert "warning: no caption has mentions that --retype could give types" in done.stderr


def test_training_on_phrases_that_were_found_is_warned_of(corpus: Path, tmp_path: Path) -> None:
    found = tmp_path / "found.jsonl"
    limner("chunk", corpus, "-o", found)
    done = limner("train", "phrases", found, "--out", tmp_path / "phrases.json")
    assert "warning: 1 of 1 images have mentions that a model predicted; train on what people marked" in done.stderr
