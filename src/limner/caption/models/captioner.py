"""A trained captioner: from regions of images, and what has to be said, to captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
import torch
from msgspec import structs
from torch import Tensor

from limner.arrays import Singles
from limner.caption.attention_mentions import NounFinder, attention_mentions
from limner.caption.captioned import Captioned, numbered
from limner.caption.captioner_files import (
    WEIGHTS,
    CaptionerRecord,
    read_captioner_record,
    write_captioner_record,
)
from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.vocabulary_adapter import VocabularyAdapter, has_words, missing_words, phrase_words
from limner.caption.constraints.worded_constraints import Worded, Words, compile_words, find_mentions
from limner.caption.models.region_batches import RegionBatch, region_batch
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_inputs import sayable_log_probs
from limner.caption.models.word_sources import WordSource, no_word, open_word_source
from limner.caption.region_inputs import ImageRegions, Labels
from limner.caption.search.beam_search import SearchResult, constrained_search
from limner.caption.search.search_settings import SearchOptions
from limner.caption.word_joining import is_sayable
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, shown
from limner.learn.model_files import file_fingerprint
from limner.learn.torch.checkpoints import model_tensors
from limner.learn.torch.processes import training_device
from limner.learn.torch.safe_tensors import TensorKind, read_tensors, write_tensors
from limner.learn.vocabulary import BOS, EOS, Vocabulary


class CaptionRequest(NamedTuple):
    """An image that is to be captioned: its regions, and what has to be said."""

    image: Image
    regions: ImageRegions
    constraints: Sequence[Worded] = ()


class WordWeights(NamedTuple):
    """Why a word of a caption is there: its log-probability, and the share of attention of each region."""

    word: str
    log_prob: float
    attention: Singles


class Captioner:
    """A model with its vocabulary: it captions images from their regions."""

    def __init__(self, model: UpDown, vocabulary: Vocabulary, record: CaptionerRecord, source: WordSource) -> None:
        self.model = model.eval()
        self.record = record
        self.labels = Labels(record.labels)
        self.vocabulary = vocabulary
        self._source = source
        self._adapter = VocabularyAdapter(vocabulary)
        self._nouns = NounFinder()
        # Numbers of words that were added for constraints of some images, and are not there for others.
        self._borrowed: set[int] = set()
        # Brackets and symbols, which were read in captions and are not to be said.
        self._silent = set(vocabulary.numbers(word for word in vocabulary.words if not is_sayable(word)))

    @classmethod
    def load(cls, folder: Path, words: Path | None = None) -> Captioner:
        """The captioner in a folder that training made; `words` is where its words are, if they were moved."""
        record = read_captioner_record(folder)
        vocabulary = Vocabulary(record.vocabulary)
        settings = record.config.words if words is None else record.config.words.with_source(words)
        source = open_word_source(settings, record.words, folder)

        def make() -> UpDown:
            words = source.make(vocabulary.words, record.config.model.hidden)
            return UpDown(words, record.regions.n_dims, len(Labels(record.labels)), record.config.model)

        with torch.random.fork_rng(devices=[]):
            # Without memory at first: a record may ask for any size, and the weights' file must bear it out.
            with torch.device("meta"):
                expected = {name: TensorKind.of(tensor) for name, tensor in model_tensors(make()).items()}
            weights = read_tensors(folder / WEIGHTS, expected)
            model = make()
        model.load_state_dict(weights, strict=False)
        model.to(training_device())
        return cls(model, vocabulary, record, source)

    def save(self, folder: Path) -> None:
        """Write the captioner: its weights, and then what they are."""
        write_tensors(folder / WEIGHTS, model_tensors(self.model))
        self.record = _with_weights(self.record, file_fingerprint(folder / WEIGHTS))
        write_captioner_record(folder, self.record)

    @property
    def signature(self) -> str:
        """What could change its captions, in a line."""
        return f"captioner:{self.record.model}|weights:{self.record.weights}|{self.record.regions.signature}"

    @property
    def training_images(self) -> SeenImages | None:
        """The images it has learnt from; None if they were too many to keep."""
        return None if self.record.seen is None else SeenImages(self.record.seen)

    def options(self, asked: SearchOptions) -> SearchOptions:
        """The options of a search: those asked for, and the captioner's own for the rest.

        The beam is at least `n_best` wide, unless `beam` is given.
        """
        decoding = self.record.config.decoding
        usual: SearchOptions = {
            "beam": max(decoding.beam, asked.get("n_best", 1)),
            "max_len": decoding.max_len,
            "length_penalty": decoding.length_penalty,
        }
        return {**usual, **asked}

    def add_words(self, phrases: Iterable[str]) -> list[str]:
        """Add the words of phrases that the vocabulary lacks, by their vectors, and return them.

        A captioner whose vectors are learnt cannot know a word that it never
        met, nor can one whose source of vectors lacks it: that is an error.
        """
        asked = [*phrases]
        new = self._add(asked)
        self._borrowed -= self._numbers(asked)
        return new

    def _add(self, phrases: Iterable[str]) -> list[str]:
        new = missing_words(phrases, self.vocabulary)
        if new:
            self.model.words = self._source.extended(self.model.words, new)
            self.vocabulary = self.vocabulary.extended(new)
            self._adapter = VocabularyAdapter(self.vocabulary)
        return new

    def sayable(self, phrases: Iterable[str]) -> list[str]:
        """Those of some phrases whose words the captioner has, or can be given by their vectors."""
        return [
            phrase
            for phrase in phrases
            if has_words(phrase) and all(map(self._source.can_add, missing_words([phrase], self.vocabulary)))
        ]

    def unsayable(self, image: Image, constraint: Worded) -> BadInput:
        """The error for a constraint of an image, none of whose phrases is sayable."""
        problem = no_word(constraint.phrases, self._source)
        return BadInput(f"image {shown(image.id)}", problem, "ask for other words", code="no-word")

    def caption(
        self,
        requests: Sequence[CaptionRequest],
        *,
        at_least: int | None = None,
        forbid: Sequence[str] = (),
        source: str = "system:up-down",
        **options: Unpack[SearchOptions],
    ) -> list[Captioned]:
        """The best caption of each image that says `at_least` of its constraints, and nothing forbidden.

        Of a constraint's phrases, those count that are sayable; one without
        any is an error. A word that is added is there for this image alone.

        Words are tied to boxes: those that meet a constraint to the
        constraint's, other nouns to the boxes that the model looked at.
        """
        if not requests:
            return []
        self._check(requests)
        requests = [self._worded(request) for request in requests]
        asked = [phrase for request in requests for item in request.constraints for phrase in item.phrases]
        added = self._add(asked)
        self._borrowed.update(self.vocabulary.numbers(added))
        known = [phrase for phrase in forbid if not missing_words([phrase], self.vocabulary)]
        automata = [
            compile_words(request.constraints, self._adapter, at_least=at_least, forbid=known) for request in requests
        ]
        regions = region_batch([request.regions for request in requests]).to(self.model.device)
        with torch.no_grad():
            decoder = self.model.decoder(regions, self._lacking(requests))
            results = constrained_search(
                decoder.step, decoder.state, automata=automata, bos=BOS, eos=EOS, **self.options(options)
            )
        flat = [(row, result) for row, best in enumerate(results) for result in (best, *best.others)]
        attention = self._attention(regions, flat)
        made = iter(
            self._captioned(result, requests[row], automata[row], weights, source)
            for (row, result), weights in zip(flat, attention, strict=True)
        )
        return [numbered(replace(next(made), others=tuple(next(made) for _ in best.others))) for best in results]

    def explain(self, request: CaptionRequest, tokens: Sequence[int]) -> list[WordWeights]:
        """Why each word of a caption of this model is there, the end of the sentence included if it has one."""
        regions = region_batch([request.regions]).to(self.model.device)
        read = torch.tensor([[BOS, *tokens[:-1]]], device=self.model.device)
        with torch.no_grad():
            scores = self.model(regions, read)
            if (lacking := self._lacking([request])) is not None:
                scores = scores.masked_fill(lacking, -float("inf"))
            scores[:, 0, EOS] = -float("inf")
            log_probs = sayable_log_probs(scores)[0]
            weights = self.model.attention(regions, read)[0].cpu().numpy()
        words = [*self.vocabulary.text(tokens), *([""] if tokens and tokens[-1] == EOS else [])]
        said = log_probs[torch.arange(len(tokens)), torch.tensor(tokens)].tolist()
        return [WordWeights(*parts) for parts in zip(words, said, weights, strict=True)]

    def _worded(self, request: CaptionRequest) -> CaptionRequest:
        """The request with those phrases of its constraints that can be said, and boxes that its image has."""
        box_ids = {box.id for box in request.image.boxes}
        constraints = []
        for constraint in request.constraints:
            if not (phrases := self.sayable(constraint.phrases)):
                raise self.unsayable(request.image, constraint)
            boxes = tuple(id for id in constraint.boxes if id in box_ids)
            constraints.append(Words(tuple(phrases), boxes))
        return request._replace(constraints=constraints)

    def _lacking(self, requests: Sequence[CaptionRequest]) -> Tensor | None:
        """The words that images do not have, `[images, n_vocab]`: symbols, and words that were added for other images.

        So captions do not depend on the batch. What an image's constraints ask for, it has.
        """
        withheld = self._borrowed | self._silent
        if not withheld:
            return None
        lacking = torch.zeros(len(requests), len(self.vocabulary), dtype=torch.bool)
        for row, request in enumerate(requests):
            asked = self._numbers(phrase for item in request.constraints for phrase in item.phrases)
            lacking[row, sorted(withheld - asked)] = True
        return lacking

    def _numbers(self, phrases: Iterable[str]) -> set[int]:
        return {number for phrase in phrases for number in self.vocabulary.numbers(phrase_words(phrase))}

    def _check(self, requests: Sequence[CaptionRequest]) -> None:
        expected = self.record.regions.n_dims
        for request in requests:
            n_dims = request.regions.rows.shape[1]
            if n_dims != expected:
                problem = f"its regions have {n_dims:,} numbers, but the captioner was trained on {expected:,}"
                remedy = "give features made the same way"
                raise BadInput(f"image {shown(request.image.id)}", problem, remedy, code="other-regions")

    def _attention(self, regions: RegionBatch, results: Sequence[tuple[int, SearchResult]]) -> list[Singles]:
        """Where the model looked at each word of each caption, `[words, regions]`."""
        n_most = max(len(result.tokens) for _, result in results)
        read = torch.full((len(results), n_most), EOS, device=self.model.device)
        for at, (_, result) in enumerate(results):
            read[at, : len(result.tokens)] = torch.tensor([BOS, *result.tokens[:-1]])
        rows = torch.tensor([row for row, _ in results])
        with torch.no_grad():
            weights: Tensor = self.model.attention(regions.take(rows), read)
        return [np.asarray(part, dtype=np.float32) for part in weights.cpu().numpy()]

    def _captioned(
        self, result: SearchResult, request: CaptionRequest, automaton: Automaton, attention: Singles, source: str
    ) -> Captioned:
        image = request.image
        words, starts = self._adapter.joined(result.tokens)
        demanded = find_mentions(result.tokens, request.constraints, automaton, self._adapter, result.token_log_probs)
        phrases = self._nouns.find(words, [box.label for box in image.boxes])
        known = {box.id for box in image.boxes}
        box_ids = [id if id in known else None for id in request.regions.box_ids]
        mentions = attention_mentions(phrases, starts, attention, box_ids, demanded)
        # A capital and a full stop move no character between them; the capital of "ß" would.
        capital = words[:1].upper() if len(words[:1].upper()) == 1 else words[:1]
        text = f"{capital}{words[1:]}." if words else "A picture."
        return Captioned(
            text=text,
            tokens=result.tokens,
            log_prob=result.log_prob,
            score=result.score,
            satisfied=result.satisfied,
            met=result.met,
            caption=Caption("0", text, mentions, source),
        )


def _with_weights(record: CaptionerRecord, weights: str) -> CaptionerRecord:
    return structs.replace(record, weights=weights)
