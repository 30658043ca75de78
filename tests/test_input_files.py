"""Files that are read: whatever is in the place of a regular file is refused by one error, and never waited for."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limner
from limner.bench.class_domains import read_captioned_classes
from limner.caption.captioner_config import read_captioner_config
from limner.caption.captioner_files import read_captioner_record
from limner.caption.constraints.constraint_files import read_choices, read_excluded_classes
from limner.caption.models.language_models import open_language_model
from limner.corpus import Box, Image, open_corpus
from limner.corpus.classes.class_words import read_synonyms
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.corpus.picture_files import open_header, open_picture, picture_size
from limner.corpus.reading import Reading
from limner.describe.learned.learned_selector import LearnedSelector
from limner.describe.realise.phrasebook import read_phrasebook
from limner.errors import BadInput
from limner.files import check_file, open_bytes, open_file, open_kept, read_lines
from limner.ground.chainer import Chainer
from limner.ground.encoders import model_kind
from limner.ground.fisher_vectors import FisherVectors
from limner.ground.grounder_file import read_grounder
from limner.ground.index_files import open_array
from limner.ground.index_files import read_header as read_index_header
from limner.ground.phrase_model import PhraseModel
from limner.ground.region_cache import RegionCache
from limner.learn import transformers_folders
from limner.learn.cca import NormalisedCCA
from limner.learn.torch.safe_tensors import read_tensors
from limner.score.document_frequencies import DocumentFrequencies
from limner.score.judgement.judged_captions import read_flickr8k_captions
from limner.score.judgement.judgement_files import read_judgements
from limner.score.localisation.cue_explanations import read_explanations
from limner.score.meteor.meteor_digests import Digests
from limner.score.retrieval.embedding_files import open_embeddings
from limner.score.retrieval.relevance import read_relevance
from limner.score.score_file import read_head
from limner.score.spice.parse_store import ParseStore
from limner.text.word_vectors import WordVectors, open_word_vectors
from limner.vision.class_labels import read_labels
from limner.vision.error_profile import read_profile
from limner.vision.features.feature_cache import FeatureCache
from limner.vision.features.feature_store import open_features
from limner.vision.features.foreign_features import import_features, read_features
from limner.vision.features.store_writer import write_store
from limner.vision.runtimes.tensor_models import read_model

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")


# Ends when its standard input does. If that takes so long that somebody must be waiting for a writer of the pipe, it is
# one, and fails. In a process of its own: libraries may hold the interpreter's lock while they wait.
RELEASE = """
import os, select, sys
if not select.select([sys.stdin], [], [], 60)[0]:
    os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
    sys.exit("the pipe was waited for")
"""


@contextmanager
def not_waited_for(pipe: Path) -> Iterator[None]:
    """Fails if the block waits for a writer of the pipe, instead of waiting forever."""
    command = [sys.executable, "-I", "-S", "-c", RELEASE, str(pipe)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        yield
    assert process.returncode == 0


def make_store(folder: Path) -> None:
    """A store of features of one image."""
    with write_store(folder, "test", 3) as writer:
        writer.append(Image("a", 9, 9, (Box("0", 1, 1, 5, 5),)), np.ones((1, 3), np.float32))


def written(path: Path, text: str = "") -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    return path


def resume(folder: Path) -> None:
    with write_store(folder, "test", 3, resume=True) as writer:
        list(writer.written())


# By what is read: the name of the file, and the call that reads it, given its path.
PLACES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "open_file": ("f", open_file),
    "check_file": ("f", check_file),
    "open_kept": ("f", open_kept),
    "open_bytes": ("f", lambda path: open_bytes(path).__enter__()),
    "lines": ("f", lambda path: list(read_lines(path))),
    "compressed lines": ("f.gz", lambda path: list(read_lines(path))),
    "detector's classes": ("f", DetectorClasses.read),
    "synonyms": ("f", read_synonyms),
    "class hierarchy": ("f", read_class_tree),
    "class labels": ("f", read_labels),
    "class labels as CSV": ("f.csv", read_labels),
    "captioned classes": ("f", read_captioned_classes),
    "excluded classes": ("f", read_excluded_classes),
    "constraints": ("f", read_choices),
    "corpus of Open Images": ("f.csv", lambda path: list(open_corpus(path, "open-images"))),
    "corpus in a folder of TSV": ("tsv/boxes.tsv", lambda path: list(open_corpus(path.parent, "tsv"))),
    "results of COCO": (
        "coco/results-a.json",
        lambda path: written(path.parent / "captions.json") and list(open_corpus(path.parent, "coco")),
    ),
    "annotation of Flickr30k": (
        "Annotations/1.xml",
        lambda path: written(path.parents[1] / "Sentences/1.txt") and list(open_corpus(path.parents[1])),
    ),
    "shard of Parquet": ("shards/a.parquet", lambda path: list(open_corpus(path.parent, "parquet"))),
    "size of a picture": ("f.jpg", picture_size),
    "picture": ("f.jpg", lambda path: open_picture(path).__enter__()),
    "header of a picture": ("f.jpg", open_header),
    "phrase model": ("f", PhraseModel.load),
    "chainer": ("f", Chainer.load),
    "selector": ("f", LearnedSelector.load),
    "phrasebook": ("f", read_phrasebook),
    "detector's profile": ("f", read_profile),
    "Fisher vectors": (
        "f",
        lambda path: FisherVectors.load(path, WordVectors(["a"], np.ones((1, 2), np.float32), "s")),
    ),
    "CCA": ("f", NormalisedCCA.load),
    "grounder": ("f", read_grounder),
    "kind of a model": ("f", model_kind),
    "config": ("f.toml", read_captioner_config),
    "tensors": ("f.safetensors", read_tensors),
    "captioner": ("captioner.json", lambda path: read_captioner_record(path.parent)),
    "language model": ("language_model.json", lambda path: open_language_model(path.parent)),
    "model of transformers": (
        "tokenizer.json",
        lambda path: written(path.parent / "config.json") and transformers_folders.check_folder(path.parent),
    ),
    "model of tensors": ("f.onnx", read_model),
    "index": ("index.json", lambda path: read_index_header(path.parent)),
    "array of an index": ("images.npy", lambda path: open_array(path.parent, "images", (2, 2), "<f4")),
    "header of a store": ("store/store.json", lambda path: open_features(path.parent)),
    "index of a store": ("store/shard-00000.index", lambda path: open_features(path.parent)),
    "rows of a store": ("store/shard-00000.npy", lambda path: open_features(path.parent)),
    "index of a store that is resumed": ("store/shard-00000.index", lambda path: resume(path.parent)),
    "boxes of a store that is resumed": ("store/shard-00000.jsonl", lambda path: resume(path.parent)),
    "features as TSV": ("f.tsv", lambda path: list(read_features(path))),
    "features as npz": ("f.npz", lambda path: list(read_features(path))),
    "features as HDF5": ("f.h5", lambda path: list(read_features(path))),
    "features to import": ("f.h5", lambda path: import_features(path, path.parent / "store")),
    "word vectors": ("f.txt", open_word_vectors),
    "word vectors of word2vec": ("f.bin", open_word_vectors),
    "judgements": ("f", read_judgements),
    "captions of Flickr8k": ("f", lambda path: read_flickr8k_captions(path, Reading())),
    "explanations": ("f", lambda path: read_explanations(path, Reading())),
    "embeddings as npz": ("f.npz", open_embeddings),
    "embeddings as safetensors": ("f.safetensors", open_embeddings),
    "relevance": ("f", read_relevance),
    "file of scores": ("f.csv", read_head),
    "document frequencies": ("f", DocumentFrequencies.load),
    "cached features": ("aa/aaa.npy", lambda path: FeatureCache(path.parents[1], "s", 3).get("aaa", 1)),
    "cached regions": ("aa/aaa.regions", lambda path: RegionCache(path.parents[1], "s").get("aaa")),
    "METEOR's digests": ("meteor-digests.json", lambda path: Digests(path.parent)),
    "parses": ("parses.sqlite", lambda path: ParseStore(path, "p")),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path, place: str) -> None:
    name, read = PLACES[place]
    path = tmp_path / name
    if path.parent.name == "store":
        make_store(path.parent)
    path.parent.mkdir(exist_ok=True, parents=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with not_waited_for(path), pytest.raises(BadInput) as caught:
        read(path)
    assert caught.value.code == "not-a-file"
    assert Path(caught.value.place).samefile(path)


def test_what_stands_in_the_way_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for path, code in (
            (tmp_path / "nothing", "cannot-read"),
            (tmp_path / "folder", "not-a-file"),
            (tmp_path / "socket", "not-a-file"),
            (Path("/dev/null"), "not-a-file"),
        ):
            for read in (open_file, check_file, lambda path: list(read_lines(path))):
                with pytest.raises(BadInput) as caught:
                    read(path)
                assert (caught.value.place, caught.value.code) == (str(path), code)


def test_a_file_that_fails_while_it_is_read_is_named() -> None:
    # A regular file, nothing of which can be read where no memory is mapped.
    path = Path("/proc/self/mem")
    if not path.is_file():
        pytest.skip("there is no such file here")
    for read in (lambda handle: handle.read(), lambda handle: handle.read(10)):
        with open_file(path) as handle, pytest.raises(BadInput) as caught:
            read(handle)
        assert (caught.value.place, caught.value.code) == (str(path), "cannot-read")


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    (tmp_path / "link").symlink_to("file")
    with open_file(tmp_path / "link") as handle:
        assert handle.read() == b"a"


READING = """
import sys
from pathlib import Path
from limner.files import read_lines
print(*read_lines(Path(sys.argv[1])))
"""


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "-"])
def test_a_pipe_that_a_process_was_started_with_is_read(name: str) -> None:
    command = [sys.executable, "-c", READING, name]
    done = subprocess.run(command, input="a\nb\n", capture_output=True, text=True, check=False)
    assert done.stdout == "(1, 'a') (2, 'b')\n", done.stderr


# What opens a path to read it. Files of the package are read by `files(...)`.
DIRECT = re.compile(
    r'\.open\("r|mode="rb|\.read_(?:bytes|text)\(|(?<![.\w])open\(|FileIO\(|np\.(?:load|fromfile)\(|np\.memmap\((?!handle)'
    r"|pq\.read_|OSFile\(|h5py\.File\(|sqlite3\.connect\(|Picture\.open\("
)

# Where that is right.
ALLOWED = {
    "zip_files.py": "a descriptor that is open",
    "corpus/formats/parquet_tables.py": "checked before",
    "corpus/picture_files.py": "checked before",
    "experiments/experiment_files.py": "a plot that was just drawn",
    "experiments/label_protocols_report.py": "a plot that was just drawn",
    "score/spice/original_spice.py": "what a program wrote into a folder of its own",
    "score/spice/parse_store.py": "checked before",
    "text/glove_package.py": "files of an installed package",
    "vision/features/hdf5_features.py": "checked before",
    "vision/runtimes/litert_models.py": "the null device, to write",
}


def test_nothing_else_opens_files_that_are_read() -> None:
    folder = Path(limner.__file__).parent
    lines = {
        path.relative_to(folder).as_posix(): [
            f"{number}: {line.strip()}"
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if DIRECT.search(line) and "files(" not in line and not line.lstrip().startswith(("def ", "class "))
        ]
        for path in sorted(folder.rglob("*.py"))
    }
    assert {name: found for name, found in lines.items() if found and name not in ALLOWED} == {}
    assert {name for name in ALLOWED if not lines[name]} == set()
