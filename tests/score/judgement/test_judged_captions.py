"""Which references a judged caption meets, on a handful of lines and on Flickr8k itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from limner.corpus import Caption, Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.score.judgement.judged_captions import CAPTIONS_FILE, CROWD_FILE, EXPERT_FILE, flickr8k, judged_set
from limner.score.judgement.judgements import EXPERT, Judgement, Judgements
from refusals import refusal

TOKENS = "".join(f"{image}.jpg#{n}\t{image} {n} .\n" for image in "abc" for n in range(3))
EXPERTS = "a.jpg\tb.jpg#0\t1\t1\t2\na.jpg\ta.jpg#1\t4\t4\t4\nb.jpg\tc.jpg#2\t2\t3\t3\n"
CROWDS = "a.jpg\tb.jpg#0\t0\t0\t3\na.jpg\ta.jpg#1\t1\t3\t0\nb.jpg\ta.jpg#1\t0\t0\t3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / CAPTIONS_FILE).write_text(TOKENS)
    (tmp_path / EXPERT_FILE).write_text(EXPERTS)
    (tmp_path / CROWD_FILE).write_text(CROWDS)
    return tmp_path


def test_experts_pairs_whose_caption_is_a_reference_are_left_out(folder: Path) -> None:
    expert, _ = flickr8k(folder)
    assert expert.judgements.pairs == [("a.jpg", "b.jpg#0"), ("b.jpg", "c.jpg#2")]
    assert list(expert.captions) == ["b 0 .", "c 2 ."]
    assert [list(texts) for texts in expert.references] == [[f"{image} {n} ." for n in range(3)] for image in "ab"]
    assert expert.left_out == {"caption is a reference of the image": 1}
    assert (expert.kind, expert.by_rating) == ("tau_c", True)


def test_a_caption_the_crowd_judged_is_no_reference_in_any_pair_of_its_image(folder: Path) -> None:
    _, crowd = flickr8k(folder)
    assert crowd.judgements.pairs == [("a.jpg", "b.jpg#0"), ("a.jpg", "a.jpg#1"), ("b.jpg", "a.jpg#1")]
    assert list(crowd.captions) == ["b 0 .", "a 1 .", "a 1 ."]
    # b.jpg#0 was judged with a.jpg alone, and stays a reference of b.jpg.
    assert [list(texts) for texts in crowd.references] == [["a 0 .", "a 2 ."]] * 2 + [["b 0 .", "b 1 .", "b 2 ."]]
    assert (crowd.kind, crowd.by_rating) == ("tau_b", False)


def test_each_pair_is_an_image_of_a_run_and_each_sentence_is_tokenised_once(folder: Path) -> None:
    given: list[str] = []

    def tokeniser(sentences: list[str]) -> list[str]:
        given.extend(sentences)
        return [sentence.removesuffix(" .") for sentence in sentences]

    _, crowd = flickr8k(folder)
    run = crowd.run(tokeniser, "mine")  # type: ignore[arg-type]
    assert len(set(run.ids)) == len(run) == 3
    assert run.tokens.sentence(0) == ["b", "0"]
    assert len(run.tokens) == run.groups[-1] == 3 + 2 + 2 + 3
    assert sorted(given) == sorted(set(given))
    assert run.tokeniser_name == "mine"


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (EXPERT_FILE, "a.jpg\tz.jpg#0\t1\t1\t1\n"),
        (CROWD_FILE, "z.jpg\ta.jpg#0\t0\t0\t3\n"),
        (CAPTIONS_FILE, "nonsense\n"),
        (CAPTIONS_FILE, "a.jpg#1\tagain\n"),
    ],
)
def test_what_does_not_fit_together_is_told_or_counted(folder: Path, file: str, line: str) -> None:
    before = [one.judgements.pairs for one in flickr8k(folder)]
    with (folder / file).open("a") as handle:
        handle.write(line)
    with refusal(BadInput):
        flickr8k(folder)
    reading = Reading(lenient=True)
    assert [one.judgements.pairs for one in flickr8k(folder, reading)] == before
    assert sum(reading.skipped.values()) == 1


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    (folder / CROWD_FILE).unlink()
    with refusal(BadInput):
        flickr8k(folder)


def test_crowd_judgements_under_the_experts_name_are_refused(folder: Path) -> None:
    (folder / EXPERT_FILE).write_text(CROWDS)
    with refusal(BadInput):
        flickr8k(folder)


def gold(id: str, *texts: str) -> Image:
    captions = [Caption(str(n), text) for n, text in enumerate(texts)]
    return Image(id, captions=(*captions, Caption("s", "from a system", source="system:x")))


def test_judgements_of_any_corpus_meet_its_gold_captions() -> None:
    people = Judgements.of(
        EXPERT,
        [
            Judgement("a", "A dog .", 4.0),
            Judgement("a", "1", 3.0),
            Judgement("a", "a new one", 2.0),
            Judgement("b", "0", 1.0),
        ],
    )
    images = [gold("a", "A dog .", "A cat .", "A cow ."), gold("b", "Nothing ."), gold("c", "Not judged .")]
    found = judged_set(people, images)
    assert found.judgements.pairs == [("a", "A dog ."), ("a", "1"), ("a", "a new one")]
    assert list(found.captions) == ["A dog .", "A cat .", "a new one"]
    # Caption 1 was judged by its id. The text "A dog ." may be anybody's, and caption 0 stays.
    assert [list(texts) for texts in found.references] == [["A dog .", "A cow ."]] * 3
    assert found.left_out == {"no reference is left": 1}
    assert (found.n_dropped, found.n_equal) == (2, 1)


def with_id(image: str, caption: str, text: str) -> Image:
    return Image(image, captions=(Caption(caption, text), Caption(f"{image}-r", "A reference .")))


def test_an_id_may_be_of_another_images_caption() -> None:
    people = Judgements.of(EXPERT, [Judgement("a", "c-1", 1.0), Judgement("a", "a-1", 4.0), Judgement("b", "c-1", 2.0)])
    images = [with_id("a", "a-1", "A dog ."), with_id("b", "b-1", "A cat ."), with_id("c", "c-1", "A cow .")]
    judged = judged_set(people, images)
    assert list(judged.captions) == ["A cow .", "A dog .", "A cow ."]
    assert judged.check_words() == []


def test_an_id_that_several_images_have_is_refused() -> None:
    people = Judgements.of(EXPERT, [Judgement("a", "7", 1.0)])
    images = [with_id("a", "0", "A dog ."), with_id("b", "7", "A cat ."), with_id("c", "7", "A cow .")]
    with refusal(BadInput):
        judged_set(people, images)
    # An image's own caption comes first, and equal texts are no question.
    assert list(judged_set(people, [with_id("a", "7", "A dog ."), *images[1:]]).captions) == ["A dog ."]
    assert list(judged_set(people, [images[0], with_id("b", "7", "A ."), with_id("c", "7", "A .")]).captions) == ["A ."]


def test_what_looks_like_an_id_and_is_none_is_not_scored_as_a_text() -> None:
    judged = judged_set(Judgements.of(EXPERT, [Judgement("a", "z.jpg#0", 1.0)]), [gold("a", "A dog .")])
    with refusal(BadInput):
        judged.check_words()
    word = judged_set(Judgements.of(EXPERT, [Judgement("a", "Dog", 1.0)]), [gold("a", "A dog .")])
    assert word.check_words() == [
        "judgements: 1 ('Dog') judged captions are one word and nobody's id; they are scored as texts"
    ]
    # Japanese has no spaces.
    assert judged_set(Judgements.of(EXPERT, [Judgement("a", "犬が2匹", 1.0)]), [gold("a", "犬")]).check_words() == []


def test_equal_texts_of_other_ids_stay_references(folder: Path) -> None:
    # a.jpg#2 reads as a.jpg#1 does, which was judged with a.jpg; a.jpg#0 as b.jpg#0.
    tokens = TOKENS.replace("a 2 .", "a 1 .").replace("a 0 .", "b 0 .")
    (folder / CAPTIONS_FILE).write_text(tokens)
    expert, crowd = flickr8k(folder)
    assert list(expert.references[0]) == ["b 0 .", "a 1 .", "a 1 ."]
    assert (expert.n_dropped, expert.n_equal) == (0, 1)
    assert list(crowd.references[0]) == ["b 0 .", "a 1 ."]
    assert (crowd.n_dropped, crowd.n_equal) == (1, 2)


def test_one_caption_of_two_systems_is_scored_for_both() -> None:
    said = [("x", "A dog .", 4.0), ("y", "A dog .", 2.0), ("x", "s", 3.0)]
    people = Judgements.of(EXPERT, [Judgement("a", text, value, "anna", 1, system) for system, text, value in said])
    found = judged_set(people, [gold("a", "A dog .", "A cat .")])
    # A caption's id may be that of a system's caption in the corpus, which is no reference.
    assert list(found.captions) == ["A dog .", "A dog .", "from a system"]
    assert found.judgements.systems == ["x", "y", "x"]
    assert [list(texts) for texts in found.references] == [["A dog .", "A cat ."]] * 3
    assert len(set(found.run().ids)) == 3


def test_judged_images_that_have_no_references_are_told() -> None:
    people = Judgements.of(EXPERT, [Judgement("a", "0", 1.0)])
    with refusal(LimnerError):
        judged_set(people, [])
    with refusal(LimnerError):
        judged_set(people, [gold("a", "One .")])


def test_flickr8k_as_published_tables_take_it(shared_data: Path) -> None:
    expert, crowd = flickr8k(shared_data / "flickr8k_judgements")
    assert (len(expert.captions), expert.judgements.n_ratings) == (5664, 16992)
    assert dict(expert.left_out) == {"caption is a reference of the image": 158}
    assert {len(texts) for texts in expert.references} == {5}
    assert len(crowd.captions) == 47830
    # 721 of the 1,000 images were judged with one of their own captions.
    left = {pair[0]: len(texts) for pair, texts in zip(crowd.judgements.pairs, crowd.references, strict=True)}
    assert sorted(left.values()) == [4] * 721 + [5] * 279
    assert (expert.n_dropped, crowd.n_dropped) == (0, 721)


@pytest.mark.parametrize("lenient", [False, True])
def test_no_mutation_of_the_folder_makes_a_traceback(folder: Path, lenient: bool, mutations: int) -> None:
    chance = random.Random(3)
    sound = {name: (folder / name).read_bytes() for name in (CAPTIONS_FILE, EXPERT_FILE, CROWD_FILE)}
    refused = 0
    for _ in range(mutations):
        name = chance.choice(list(sound))
        raw = bytearray(sound[name])
        at = chance.randrange(len(raw))
        raw[at : at + chance.randint(0, 9)] = chance.choice(
            [b"", b"\t", b"\n", b"#", b"\xff", b"\x00", b"9", b"a.jpg#1"]
        )
        (folder / name).write_bytes(raw)
        try:
            for one in flickr8k(folder, Reading(lenient=lenient)):
                assert len(one.run()) == len(one.judgements.pairs)
        except LimnerError:
            refused += 1
        (folder / name).write_bytes(sound[name])
    assert 0 < refused < mutations
