from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from msgspec.structs import replace

from limner.corpus import Box, Caption, Chain, Image, Mention, open_corpus, write_corpus
from limner.corpus.formats import recognise
from limner.errors import BadInput, LimnerError
from refusals import refusal
from strategies import corpora

IMAGES = "image\twidth\theight\tfile\nb\t8\t8\tb.jpg\na\t640\t480\t\n"
BOXES = (
    "image\tbox\tx0\ty0\tx1\ty1\tlabel\n"
    "a\t0\t10\t20\t110.5\t220\tdress.n.01\n"
    "a\t2\t0\t0\t200\t400\tmale child.n.01\n"
    "c\tx\t1\t1\t2\t2\tdog\n"
)
SENTENCES = "image\tsentence\na\tA [woman]2 in a [dress]0 .\na\t[Both]0,2 under [the sky]\nd\tNothing\n"

A = Image(
    "a",
    640,
    480,
    (Box("0", 10, 20, 110.5, 220, "dress.n.01"), Box("2", 0, 0, 200, 400, "male child.n.01")),
    (
        Caption("0", "A woman in a dress .", (Mention(2, 7, ("2",)), Mention(13, 18, ("0",)))),
        Caption("1", "Both under the sky", (Mention(0, 4, ("0", "2")), Mention(11, 18))),
    ),
)


def lay(folder: Path, **tables: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in tables.items():
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_of_three_tables_is_a_corpus(tmp_path: Path) -> None:
    folder = lay(tmp_path / "own", images=IMAGES, boxes=BOXES, sentences=SENTENCES)
    assert recognise(folder).name == "tsv"
    assert list(open_corpus(folder)) == [
        Image("b", 8, 8, file="b.jpg"),
        A,
        Image("c", boxes=(Box("x", 1, 1, 2, 2, "dog"),)),
        Image("d", captions=(Caption("0", "Nothing"),)),
    ]


def test_the_pair_of_tables_is_enough_in_either_order_and_under_any_name(tmp_path: Path) -> None:
    lay(tmp_path, objects=BOXES, texts=SENTENCES)
    for names in (("objects.tsv", "texts.tsv"), ("texts.tsv", "objects.tsv")):
        paths = [tmp_path / name for name in names]
        assert next(iter(open_corpus(paths))) == replace(A, width=None, height=None)


def test_sentences_alone_may_name_boxes_that_another_file_holds(tmp_path: Path) -> None:
    folder = lay(tmp_path / "own", sentences=SENTENCES)
    assert [image.id for image in open_corpus(folder)] == ["a", "d"]
    assert [image.id for image in open_corpus(folder / "sentences.tsv", ids=["d"])] == ["d"]


def test_columns_come_in_any_order_and_tables_may_be_compressed(tmp_path: Path) -> None:
    lines = [line.split("\t")[::-1] for line in BOXES.splitlines()]
    lay(tmp_path / "own", sentences=SENTENCES)
    with gzip.open(tmp_path / "own" / "boxes.tsv.gz", "wt", encoding="utf-8", newline="") as handle:
        handle.write("".join("\t".join(line) + "\r\n" for line in lines))
    assert next(iter(open_corpus(tmp_path / "own"))).boxes == A.boxes


def test_optional_columns_are_read(tmp_path: Path) -> None:
    lay(
        tmp_path,
        boxes="image\tbox\tx0\ty0\tx1\ty1\tlabel\tscore\ttypes\tattributes\tflags\n"
        "a\t0\t0\t0\t1\t1\tman\t.5\tpeople\tred, very\\, very tall\tcrowd\n"
        "a\t1\t0\t0\t1\t1\tman\t\t\t\t\n",
        sentences="image\tcaption\tsource\tsentence\na\tc9\tperson:w1\tA man\na\t\t\t[He]0\n",
    )
    (image,) = open_corpus(tmp_path)
    assert image.boxes == (
        Box("0", 0, 0, 1, 1, "man", 0.5, ("people",), ("red", "very, very tall"), ("crowd",)),
        Box("1", 0, 0, 1, 1, "man"),
    )
    assert image.captions == (Caption("c9", "A man", source="person:w1"), Caption("1", "He", (Mention(0, 2, ("0",)),)))


@given(images=corpora())
def test_what_the_tables_can_hold_is_read_back_equal(tmp_path: Path, images: list[Image]) -> None:
    held = [plain(image) for image in images]
    assert write_corpus(images, tmp_path / "out", "tsv", replace=True) == len(images)
    assert recognise(tmp_path / "out").name == "tsv"
    assert list(open_corpus(tmp_path / "out")) == held


def plain(image: Image) -> Image:
    """The image without what the tables do not hold: chains, all but the boxes of mentions, labels, facts."""
    captions = tuple(
        replace(c, mentions=tuple(Mention(m.start, m.end, m.boxes) for m in c.mentions)) for c in image.captions
    )
    return replace(image, captions=captions, chains=(), attributes={}, provenance={}, labels=())


def test_what_is_awkward_is_written_and_read_back(tmp_path: Path) -> None:
    image = Image(
        "a b",
        boxes=(Box("7-x, {y}", 0.1, -0.5, 1e20, 1e21, "[label]", 1 / 3, (" a ", "b\\,")),),
        captions=(
            Caption("0", "dogs\n\t[x] \\ ", (Mention(0, 3, ("7-x, {y}",)), Mention(6, 9))),
            Caption("1", "", source="system:s"),
        ),
        file="c:\\new.jpg",
    )
    write_corpus([image], tmp_path / "out", "tsv")
    assert list(open_corpus(tmp_path / "out")) == [image]


HEAD = "image\tbox\tx0\ty0\tx1\ty1\tlabel\n"


@pytest.mark.parametrize(
    ("table", "text", "said"),
    [
        ("boxes", HEAD + "a\t0\t1\t1\t2\n", "boxes.tsv:2: 5 columns where the first line names 7"),
        ("boxes", HEAD + "a\t0\t1\tone\t2\t2\tdog\n", "boxes.tsv:2: top edge is 'one'; give a finite number"),
        ("boxes", HEAD + "a\t0\t1\tnan\t2\t2\tdog\n", "boxes.tsv:2: top edge is 'nan'"),
        ("boxes", HEAD + "a\t0\t5\t1\t2\t2\tdog\n", "boxes.tsv:2: box '0' is inverted"),
        ("boxes", HEAD + "a\t0\t5\t1\t999\t2\tdog\n", "boxes.tsv:2: box '0' (5.0, 1.0, 999.0, 2.0) reaches out"),
        ("boxes", HEAD + "a\t0\t1\t1\t2\t2\t\n", "boxes.tsv:2: box '0' has an empty label"),
        ("boxes", HEAD + "a\t\t1\t1\t2\t2\tdog\n", "boxes.tsv:2: a box needs an id"),
        ("boxes", HEAD + "\t0\t1\t1\t2\t2\tdog\n", "boxes.tsv:2: the image's id is empty"),
        ("boxes", HEAD + "a\t0\t1\t1\t2\t2\tdog\n" * 2, "boxes.tsv:3: its image has the box id '0' already"),
        ("sentences", "image\tsentence\na\tA [dog\n", "sentences.tsv:2: character 6: a bracket is not closed"),
        ("sentences", "image\tsentence\na\tA [dog]9\n", "sentences.tsv:2: a mention names box '9'"),
        ("sentences", "image\tsentence\na\t[dog]s\n", "sentences.tsv:2: a mention names box 's', which its image"),
        ("sentences", "image\tsentence\tsource\na\tA\twho\n", "sentences.tsv:2: caption '0' has source 'who'"),
        ("sentences", "image\tsentence\tcaption\na\tA\tx\na\tB\tx\n", "sentences.tsv:3: its image has the caption id"),
        ("images", "image\twidth\theight\na\t0\t5\n", "images.tsv:2: width is '0'; give width and height"),
        ("images", "image\twidth\theight\na\t5\t\n", "images.tsv:2: height is ''"),
        ("images", "image\twidth\theight\na\t5\t5\na\t5\t5\n", "images.tsv:3: image 'a' appears twice"),
    ],
)
def test_a_faulty_row_is_refused_with_its_line_and_left_out_when_lenient(
    tmp_path: Path, table: str, text: str, said: str
) -> None:
    tables = {
        "images": "image\twidth\theight\nbefore\t5\t5\na\t90\t90\n",
        "boxes": HEAD,
        "sentences": "image\tsentence\n",
    }
    folder = lay(tmp_path, **{**tables, table: text})
    with pytest.raises(BadInput) as caught:
        list(open_corpus(folder))
    assert str(caught.value).startswith(f"{folder}/{said}")
    assert "\n" not in str(caught.value)
    corpus = open_corpus(folder, lenient=True)
    assert table == "images" or "before" in [image.id for image in corpus]
    list(corpus)
    assert sum(corpus.reading.skipped.values()) == 1


@pytest.mark.parametrize(
    ("boxes", "said"),
    [
        (b"", "boxes.tsv: the file is empty"),
        (b"\n\n", "boxes.tsv: the file is empty"),
        (
            b"a\t0\t1\t1\t2\t2\tdog\n",
            "boxes.tsv:1: there is no column image; the first line names the columns image, box",
        ),
        (b"image,box,x0,y0,x1,y1,label\n", "boxes.tsv:1: there is no column image"),
        (HEAD.replace("label", "label\tscor").encode(), "boxes.tsv:1: unknown column 'scor'; did you mean 'score'?"),
        (HEAD.replace("label", "label\tlabel").encode(), "boxes.tsv:1: the column label appears twice"),
        (HEAD.encode() + "a\t0\t1\t1\t2\t2\tcafé\n".encode("latin-1"), "boxes.tsv:2: byte 15 is not UTF-8"),
        (HEAD.encode("utf-16"), "boxes.tsv:1: byte 0 is not UTF-8"),
    ],
)
def test_a_table_that_is_none_is_refused_also_when_lenient(tmp_path: Path, boxes: bytes, said: str) -> None:
    lay(tmp_path, sentences=SENTENCES)
    (tmp_path / "boxes.tsv").write_bytes(boxes)
    for lenient in (False, True):
        with pytest.raises(BadInput) as caught:
            list(open_corpus(tmp_path, lenient=lenient))
        assert str(caught.value).startswith(f"{tmp_path}/{said}")


def test_a_folder_and_a_file_without_tables_are_refused(tmp_path: Path) -> None:
    with refusal(BadInput):
        list(open_corpus(tmp_path, "tsv"))
    (tmp_path / "x.tsv").write_text("a\tb\n", encoding="utf-8")
    with refusal(BadInput):
        list(open_corpus(tmp_path / "x.tsv", "tsv"))


@pytest.mark.parametrize(
    "image",
    [
        Image("a\tb"),
        Image("a", file="a\nb"),
        Image("a", boxes=(Box("0", 0, 0, 1, 1, "a\rb"),)),
        Image("a", boxes=(Box("0", 0, 0, 1, 1, types=("",)),)),
        Image("a", captions=(Caption("0", "a", (Mention(0, 1, ("b\tc",)),)),)),
        Image("a", captions=(Caption("0", "\ud800"),)),
    ],
)
def test_what_a_table_cannot_hold_is_named_and_nothing_is_left(tmp_path: Path, image: Image) -> None:
    with refusal(LimnerError):
        write_corpus([Image("first"), image], tmp_path / "out", "tsv")
    assert list(tmp_path.iterdir()) == []


def test_a_single_table_is_no_target(tmp_path: Path) -> None:
    with refusal(LimnerError):
        write_corpus([], tmp_path / "out.tsv", "tsv")


def test_chains_are_lost_and_nothing_else(tmp_path: Path) -> None:
    image = Image("a", captions=(Caption("0", "x", (Mention(0, 1, (), "c", ("t",)),)),), chains=(Chain("c"),))
    write_corpus([image], tmp_path / "out", "tsv")
    assert list(open_corpus(tmp_path / "out")) == [Image("a", captions=(Caption("0", "x", (Mention(0, 1),)),))]
