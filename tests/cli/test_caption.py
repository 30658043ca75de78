"""`limner caption`, in this process: captions of small captioners, and what it says to bad input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

import tiny_captioners
from captioner_runs import CONFIG, train_captioner
from command_line import Done, limner
from limner.caption.search import search_memory
from limner.corpus import Box, Image, open_corpus, write_corpus
from limner.corpus.classes.class_names import class_phrases
from limner.playground import World, playground, write_world


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes, and captioners of learnt and of given word vectors."""
    folder = tmp_path_factory.mktemp("caption")
    write_corpus(playground(40), folder / "world.jsonl")
    others = list(playground(12, seed=1))
    write_corpus(others, folder / "gold.jsonl")
    # Without captions, as pictures of one's own are.
    write_corpus([Image(i.id, i.width, i.height, i.boxes) for i in others], folder / "others.jsonl")
    (folder / "tiny.toml").write_text(CONFIG)
    words = {
        word
        for image in [*open_corpus(folder / "world.jsonl"), *others]
        for text in [*(c.text for c in image.captions), *(p for b in image.boxes for p in class_phrases(b.label))]
        for word in text.lower().replace(".", " ").replace(",", " ").split()
    }
    noise = np.random.default_rng(0)
    lines = [f"{word} {' '.join(map(str, noise.normal(size=12).round(3)))}" for word in sorted(words | {"zebra"})]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    glove = f'kind = "glove"\nvectors = "{folder / "vectors.txt"}"\n'
    (folder / "glove.toml").write_text(CONFIG.replace("[words]\n", f"[words]\n{glove}"))
    assert train_captioner(folder, "model").returncode == 0
    assert train_captioner(folder, "glove", "--config", folder / "glove.toml").returncode == 0
    return folder


def caption(folder: Path, out: str, *options: object, corpus: str = "others.jsonl", model: str = "model") -> Done:
    return limner("caption", folder / corpus, "--model", folder / model, "-o", folder / out, *options)


def test_images_without_captions_are_captioned_and_gold_has_no_influence(folder: Path) -> None:
    done = caption(folder, "free.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"limner: 12 images written to {folder / 'free.jsonl'}\n"
    assert caption(folder, "gold-free.jsonl", corpus="gold.jsonl").returncode == 0
    texts = [
        [image.captions[0].text for image in open_corpus(folder / name)] for name in ("free.jsonl", "gold-free.jsonl")
    ]
    assert texts[0] == texts[1]
    assert all(len(image.captions) == 1 for image in open_corpus(folder / "free.jsonl"))


def test_captions_are_the_same_whatever_the_batch(folder: Path) -> None:
    caption(folder, "free.jsonl")
    assert caption(folder, "small.jsonl", "--batch", 5).returncode == 0
    assert (folder / "free.jsonl").read_bytes() == (folder / "small.jsonl").read_bytes()


def test_constraints_from_boxes_are_said_and_tied_to_them(folder: Path) -> None:
    done = caption(folder, "boxes.jsonl", "--constrain", "boxes", model="glove")
    assert done.returncode == 0, done.stderr
    assert "captions that meet enough constraints: 12 of 12\n" in done.stderr
    label_by_box = {(i.id, box.id): box.label for i in open_corpus(folder / "others.jsonl") for box in i.boxes}
    n_met = 0
    for image in open_corpus(folder / "boxes.jsonl"):
        for said, mention in image.mentions():
            if mention.origin == "constraint":
                n_met += 1
                labels = {label_by_box[image.id, id] for id in mention.boxes}
                assert said.phrase(mention).lower() in {p for label in labels for p in class_phrases(label)}
    # Two of each image, unless it has but one.
    assert n_met > 12


def test_constraints_of_a_file_are_said(folder: Path) -> None:
    ids = [image.id for image in open_corpus(folder / "others.jsonl")]
    asked = [{"image": id, "constraints": [{"phrases": ["man", "men"]}, {"phrases": ["woman"]}]} for id in ids[:3]]
    (folder / "asked.jsonl").write_text("".join(json.dumps(choice) + "\n" for choice in asked))
    done = caption(folder, "asked-said.jsonl", "--constrain", folder / "asked.jsonl", "--search", "banks", "--beam", 4)
    assert done.returncode == 0, done.stderr
    assert "captions that meet enough constraints: 3 of 3\n" in done.stderr
    said = {
        image.id: image.captions[0].text.lower().strip(".").split()
        for image in open_corpus(folder / "asked-said.jsonl")
    }
    assert all("woman" in said[id] and {"man", "men"} & set(said[id]) for id in ids[:3])
    # Of what `limner constraints` chose.
    assert limner("constraints", folder / "others.jsonl", "--json", "-o", folder / "chosen.jsonl").returncode == 0
    chosen = caption(folder, "c.jsonl", "--constrain", folder / "chosen.jsonl", model="glove")
    assert chosen.returncode == 0, chosen.stderr
    assert caption(folder, "d.jsonl", "--constrain", "boxes", model="glove").returncode == 0
    assert (folder / "c.jsonl").read_bytes() == (folder / "d.jsonl").read_bytes()


def test_faults_of_a_constraint_file_have_their_line_or_are_left_out(folder: Path) -> None:
    constraints = [{"phrases": ["...", "man"], "boxes": ["no-such"]}]
    (folder / "faulty.jsonl").write_text(json.dumps({"image": "p1-000000", "constraints": constraints}) + "\n")
    refused = caption(folder, "x.jsonl", "--constrain", folder / "faulty.jsonl")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert f"{folder / 'faulty.jsonl'}:1: there is no word in the phrase '...'" in refused.stderr
    assert "or pass --lenient to leave it out" in refused.stderr
    lenient = caption(folder, "x.jsonl", "--constrain", folder / "faulty.jsonl", "--lenient")
    assert lenient.returncode == 0
    assert "left out: 1 × phrase without a word" in lenient.stderr
    assert "left out: 1 × unknown box of a constraint" in lenient.stderr
    first = next(iter(open_corpus(folder / "x.jsonl"))).captions[0]
    assert "man" in first.text.lower().strip(".").split()
    assert "no-such" not in {id for mention in first.mentions for id in mention.boxes}


def test_captions_are_no_longer_than_asked_for(folder: Path) -> None:
    assert caption(folder, "short.jsonl", "--max-len", 3).returncode == 0
    assert all(len(image.captions[0].text.split()) <= 3 for image in open_corpus(folder / "short.jsonl"))


def test_one_constraint_is_enough_if_one_is_asked_for(folder: Path) -> None:
    (folder / "few.jsonl").write_text(
        '{"image": "p1-000000", "constraints": [{"phrases": ["man"]}, {"phrases": ["woman"]}]}\n'
    )
    options = ("--constrain", folder / "few.jsonl", "--explain", "--json")
    met = [
        json.loads(caption(folder, "few-said.jsonl", *options, "--at-least", n).stdout.splitlines()[0])["constraints"]
        for n in (1, 2)
    ]
    assert [sum(constraint["met"] for constraint in constraints) for constraints in met] == [1, 2]


def test_the_n_best_are_different_and_the_first_is_the_best(folder: Path) -> None:
    caption(folder, "free.jsonl", "--beam", 3)
    assert caption(folder, "three.jsonl", "--n-best", 3, "--beam", 3).returncode == 0
    for best, image in zip(open_corpus(folder / "free.jsonl"), open_corpus(folder / "three.jsonl"), strict=True):
        assert image.captions[0].text == best.captions[0].text
        assert [caption.id for caption in image.captions] == ["0", "1", "2"]
        assert len({caption.text for caption in image.captions}) == 3


def test_a_search_is_as_wide_as_captions_are_asked_for(folder: Path) -> None:
    assert caption(folder, "nine.jsonl", "--n-best", 9).returncode == 0
    assert {len(image.captions) for image in open_corpus(folder / "nine.jsonl")} == {9}
    done = caption(folder, "few.jsonl", "--n-best", 3, "--beam", 2)
    assert done.returncode == 2
    assert "--n-best 3 needs a beam at least as wide; --beam is 2" in done.stderr


def test_explanations_are_text_or_json(folder: Path) -> None:
    done = caption(folder, "e.jsonl", "--explain", "--constrain", "boxes", model="glove")
    assert done.returncode == 0
    assert done.stdout.startswith("p1-000000: ")
    assert "\n  said: " in done.stdout
    first, _, lines = done.stdout.partition("\n")
    words = first.partition(": ")[2].partition(".")[0].lower().split()
    assert [line.split()[0] for line in lines.splitlines() if "%" in line][: len(words)] == words
    rows = [json.loads(line) for line in caption(folder, "e.jsonl", "--explain", "--json").stdout.splitlines()]
    images = list(open_corpus(folder / "e.jsonl"))
    assert [(row["image"], row["caption"]) for row in rows] == [(i.id, i.captions[0].text) for i in images]
    for row in rows:
        assert sum(word["log_prob"] for word in row["words"]) == pytest.approx(row["log_prob"], abs=0.01)
        assert all(0 <= region["attention"] <= 1.0001 for word in row["words"] for region in word["regions"])
        assert [mention["origin"] for mention in row["mentions"]] == ["attention"] * len(row["mentions"])


def test_results_can_be_scored_and_explained_mentions_are_in_them(folder: Path) -> None:
    caption(folder, "free.jsonl")
    scored = limner(
        *("score", "captions", folder / "free.jsonl", "--refs", folder / "gold.jsonl"),
        *("--metrics", "cider", "--samples", 0, "--json"),
    )
    assert scored.returncode == 0, scored.stderr


def test_training_images_are_warned_of(folder: Path) -> None:
    done = caption(folder, "seen.jsonl", corpus="world.jsonl")
    assert "40 of 40 images are training images" in done.stderr


def test_a_word_is_added_by_its_vector_or_refused(folder: Path) -> None:
    (folder / "zebra.jsonl").write_text(
        '{"image": "p1-000000", "constraints": [{"phrases": ["zebra", "zebrafoal"]}]}\n'
    )
    added = caption(folder, "zebra-said.jsonl", "--constrain", folder / "zebra.jsonl", model="glove")
    assert added.returncode == 0, added.stderr
    assert "zebra" in next(iter(open_corpus(folder / "zebra-said.jsonl"))).captions[0].text.lower()
    refused = caption(folder, "x.jsonl", "--constrain", folder / "zebra.jsonl")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "image 'p1-000000': the captioner has no word for 'zebra' or 'zebrafoal'" in refused.stderr
    assert "or pass --lenient to leave the constraint out" in refused.stderr
    lenient = caption(folder, "x.jsonl", "--constrain", folder / "zebra.jsonl", "--lenient")
    assert (lenient.returncode, "constraint that the captioner has no words for" in lenient.stderr) == (0, True)


def test_a_captioner_of_hugging_face_says_what_it_must(folder: Path, tmp_path: Path) -> None:
    write_world(World(captions=(1, 1), size=(120, 120)), 3, str(tmp_path / "seen.jsonl"), pictures=True)
    tiny_captioners.blip(tmp_path / "blip")
    (first, *_) = open_corpus(tmp_path / "seen.jsonl")
    (tmp_path / "dog.jsonl").write_text(json.dumps({"image": first.id, "constraints": [{"phrases": ["dog"]}]}) + "\n")
    run = ("caption", tmp_path / "seen.jsonl", "--model", tmp_path / "blip", "-o", tmp_path / "said.jsonl")
    refused = limner(*run)
    assert (refused.returncode, "pass --pictures" in refused.stderr) == (1, True)
    looking = (*run, "--pictures", tmp_path / "seen_pictures")
    done = limner(*looking, "--constrain", tmp_path / "dog.jsonl", "--beam", 2, "--explain")
    assert done.returncode == 0, done.stderr
    said = list(open_corpus(tmp_path / "said.jsonl"))
    assert [image.captions[0].source for image in said] == ["system:hugging-face"] * 3
    assert "dog" in said[0].captions[0].text
    assert done.stdout.count("\n") >= 3
    refused = limner(*looking, "--features", "store")
    assert (refused.returncode, "leave --features out" in refused.stderr) == (1, True)
    explained = limner(*looking, "--constrain", tmp_path / "dog.jsonl", "--beam", 2, "--explain", "--json")
    assert json.loads(explained.stdout.splitlines()[0])["constraints"] == [{"words": "dog", "met": True}]


def test_captions_of_hugging_face_are_numbered_and_as_long_as_asked_for(tmp_path: Path) -> None:
    write_world(World(captions=(1, 1), size=(120, 120)), 2, str(tmp_path / "seen.jsonl"), pictures=True)
    tiny_captioners.blip(tmp_path / "blip")
    run = ("caption", tmp_path / "seen.jsonl", "--model", tmp_path / "blip", "-o", tmp_path / "said.jsonl")
    looking = (*run, "--pictures", tmp_path / "seen_pictures", "--beam", 3)
    assert limner(*looking, "--n-best", 3, "--max-len", 4).returncode == 0
    for image in open_corpus(tmp_path / "said.jsonl"):
        assert [caption.id for caption in image.captions] == ["0", "1", "2"]
    n_words = []
    for options in (["--max-len", 3], ["--max-len", 30], []):
        assert limner(*looking, "--beam", 1, *options).returncode == 0
        n_words.append(max(len(image.captions[0].text.split()) for image in open_corpus(tmp_path / "said.jsonl")))
    assert n_words[0] <= 3 < n_words[1] <= n_words[2]


def test_a_picture_that_the_model_refuses_is_named_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    pictures = tiny_captioners.pictures((40, 30), (900, 3), (30, 40))
    for name, pixels in zip("abc", pictures, strict=True):
        PillowImage.fromarray(pixels).save(tmp_path / "pictures" / f"{name}.png")
    write_corpus([Image(name) for name in "abc"], tmp_path / "seen.jsonl")
    tiny_captioners.CHATTING["qwen2-vl"](tmp_path / "qwen")
    run = ("caption", tmp_path / "seen.jsonl", "--model", tmp_path / "qwen", "-o", tmp_path / "said.jsonl")
    looking = (*run, "--pictures", tmp_path / "pictures", "--beam", 1, "--max-len", 3)
    refused = limner(*looking)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "picture b: the model's processor does not take a picture of 900 by 3" in refused.stderr
    assert "or pass --lenient to leave it out" in refused.stderr
    lenient = limner(*looking, "--lenient")
    assert (lenient.returncode, "left out: 1 × image without a usable picture" in lenient.stderr) == (0, True)
    assert [(image.id, image.captions[0].id) for image in open_corpus(tmp_path / "said.jsonl")] == [
        ("a", "0"),
        ("c", "0"),
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "none"], "there is no such captioner; give a folder that `limner train captioner` made"),
        (["--model", "empty"], "there is no captioner.json: it is not a captioner, or its training has not ended"),
        (["--model", "world.jsonl"], "there is no such captioner"),
        (["--model", "cut"], "train one with `limner train captioner`"),
        (["--model", "changed"], "is not the file that captioner.json was written with; train one with"),
        (["--model", "unweighted"], "there is no weights.safetensors"),
        (["--model", "model", "--constrain", "none.jsonl"], "none.jsonl: cannot read"),
        (["--model", "model", "--constrain", "vectors.txt"], "give a file that `limner constraints --json` wrote"),
        (["--model", "model", "--prompt", "a"], "leave --prompt out"),
        (["--model", "selector.json"], "there is no such captioner"),
    ],
)
def test_faults_are_one_line_with_a_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "empty").mkdir(exist_ok=True)
    for name in ("cut", "changed", "unweighted"):
        shutil.copytree(folder / "model", folder / name, dirs_exist_ok=True)
    record = (folder / "model" / "captioner.json").read_text()
    (folder / "cut" / "captioner.json").write_text(record[: len(record) // 2])
    weights = bytearray((folder / "model" / "weights.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "changed" / "weights.safetensors").write_bytes(weights)
    (folder / "unweighted" / "weights.safetensors").unlink(missing_ok=True)
    done = limner("caption", "others.jsonl", "-o", "x.jsonl", *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_search_that_cannot_fit_has_options_as_its_remedy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_memory, "memory_of", lambda device: 10_000)
    done = caption(folder, "x.jsonl", "--constrain", "boxes", "--search", "per_state", model="glove")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    remedy = "GB of memory; lower --batch, or lower --beam, or pass --search banks, or ask for fewer constraints\n"
    assert done.stderr.endswith(remedy)
    banks = caption(folder, "x.jsonl", "--constrain", "boxes", "--search", "banks", model="glove")
    assert banks.stderr.endswith("GB of memory; lower --batch, or lower --beam, or ask for fewer constraints\n")


def test_boxes_need_a_size_of_their_image(folder: Path) -> None:
    write_corpus([Image("a", boxes=(Box("0", 1, 1, 5, 5, "dog"),)), Image("b")], folder / "sizeless.jsonl")
    refused = caption(folder, "x.jsonl", corpus="sizeless.jsonl")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "image 'a': it has no width and height" in refused.stderr
    done = caption(folder, "x.jsonl", "--lenient", corpus="sizeless.jsonl")
    assert (done.returncode, [image.id for image in open_corpus(folder / "x.jsonl")]) == (0, ["b"])


def test_a_store_must_have_the_images_and_the_features_of_training(folder: Path, tmp_path: Path) -> None:
    write_world(World(captions=(2, 2), size=(120, 120)), 12, str(tmp_path / "seen.jsonl"), pictures=True)
    images = list(open_corpus(tmp_path / "seen.jsonl"))
    write_corpus(images[:10], tmp_path / "world.jsonl")
    write_corpus(images[10:], tmp_path / "others.jsonl")
    (tmp_path / "tiny.toml").write_text(CONFIG)
    for name, corpus, model in (
        ("store", "world.jsonl", "shape"),
        ("new", "others.jsonl", "shape"),
        ("colours", "others.jsonl", "colour"),
    ):
        made = limner(
            *("features", tmp_path / corpus, "--model", model, "--boxes", "mixed", "-o", tmp_path / name),
            *("--pictures", tmp_path / "seen_pictures"),
        )
        assert made.returncode == 0, made.stderr
    assert train_captioner(tmp_path, "model", "--features", tmp_path / "store").returncode == 0
    refused = caption(tmp_path, "x.jsonl")
    assert refused.returncode == 1
    assert f"there are no features of image '{images[10].id}'; make them with `limner features`" in refused.stderr
    assert caption(tmp_path, "x.jsonl", "--features", tmp_path / "new").returncode == 0
    refused = caption(tmp_path, "x.jsonl", "--features", tmp_path / "colours")
    assert (refused.returncode, "its features are not those of training" in refused.stderr) == (1, True)
    lenient = caption(tmp_path, "x.jsonl", "--lenient", corpus="seen.jsonl")
    assert (
        lenient.returncode,
        "2 images without features" in lenient.stderr or "image without features" in lenient.stderr,
    ) == (
        0,
        True,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--json"], "pass --explain too"),
        (["--at-least", "1"], "pass --constrain too"),
        (["--features", "nowhere"], "this captioner looks at boxes alone, without features; leave --features out"),
        (["--pictures", "."], "this captioner looks at boxes, not at pictures; leave --pictures out"),
        (["--explain", "-o", "-"], "name a file"),
        (["-o", "others.jsonl"], "is read as well"),
    ],
)
def test_options_that_do_not_go_together(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    done = limner("caption", "others.jsonl", "--model", "model", "-o", "x.jsonl", *options)
    assert done.returncode in (1, 2)
    assert said in done.stderr


def test_words_that_are_added_for_an_image_are_no_others(folder: Path) -> None:
    options = ("--constrain", "boxes", "--explain", "--json")
    runs = [caption(folder, "x.jsonl", *options, "--batch", n, model="glove").stdout.splitlines() for n in (32, 1)]
    for row, other in zip(*(map(json.loads, lines) for lines in runs), strict=True):
        assert row["caption"] == other["caption"]
        assert row["log_prob"] == pytest.approx(other["log_prob"], abs=2e-4)
        assert sum(word["log_prob"] for word in row["words"]) == pytest.approx(row["log_prob"], abs=0.01)


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("regions", "n_dims", -5),
        ("regions", "n_dims", 1 << 40),
        ("words", "n_dims", 0),
        ("config", "model", {"hidden": 65_536}),
        ("config", "model", {"hidden": 1 << 40}),
        ("config", "words", {"size": 65_536}),
        ("", "vocabulary", ["a", "a"]),
        ("", "vocabulary", ["a b"]),
        ("", "vocabulary", []),
        ("", "labels", ["dog"] * 100_000),
        ("", "seen", [1]),
        ("", "version", 99),
        ("", "weights", ""),
    ],
)
def test_a_hostile_record_is_one_line(folder: Path, tmp_path: Path, table: str, key: str, value: object) -> None:
    shutil.copytree(folder / "model", tmp_path / "model")
    record = json.loads((tmp_path / "model" / "captioner.json").read_text())
    (record[table] if table else record)[key] = value
    (tmp_path / "model" / "captioner.json").write_text(json.dumps(record))
    done = limner("caption", folder / "others.jsonl", "--model", tmp_path / "model", "-o", tmp_path / "x.jsonl")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"limner: {tmp_path / 'model'}/")
