"""A trained captioner: from regions of images, and what has to be said, to captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Unpack

import torch
from msgspec import structs
from torch import Tensor

from limner.arrays import Singles
from limner.caption.attention_mentions import NounFinder, attention_mentions, slot_mentions
from limner.caption.captioned import Captioned, numbered
from limner.caption.captioner_files import (
    WEIGHTS,
    CaptionerRecord,
    read_captioner_record,
    write_captioner_record,
)
from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.worded_constraints import Worded, Words, compile_words, find_mentions
from limner.caption.models.caption_model import CaptionModel
from limner.caption.models.captioner_tokens import captioner_tokens
from limner.caption.models.model_making import ModelPlan, open_model_words
from limner.caption.models.region_batches import RegionBatch, region_batch
from limner.caption.models.word_sources import WordSource, no_word
from limner.caption.region_inputs import ImageRegions, Labels
from limner.caption.search.beam_search import SearchResult, constrained_search
from limner.caption.search.search_settings import SearchOptions
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, shown
from limner.learn.model_files import file_fingerprint
from limner.learn.torch.checkpoints import model_tensors
from limner.learn.torch.processes import training_device
from limner.learn.torch.safe_tensors import TensorKind, open_tensors, write_tensors
from limner.learn.vocabulary import BOS, EOS, Vocabulary


class CaptionRequest(NamedTuple):
    """An image that is to be captioned: its regions, and what has to be said."""

    image: Image
    regions: ImageRegions
    constraints: Sequence[Worded] = ()


class WordWeights(NamedTuple):
    """Why a word of a caption is there: its log-probability, and the share of attention of each region.

    `slots` are the shares of its probability that came from slots tied to regions.
    """

    word: str
    log_prob: float
    attention: Singles
    slots: Singles


class Captioner:
    """A model with its vocabulary: it captions images from their regions."""

    def __init__(self, model: CaptionModel, record: CaptionerRecord, source: WordSource) -> None:
        self.model = model.eval()
        self.record = record
        self.labels = Labels(record.labels)
        self._source = source
        self._tokens = captioner_tokens(model, _plan(record), source)
        self._nouns = NounFinder()

    @classmethod
    def load(cls, folder: Path, words: Path | None = None) -> Captioner:
        """The captioner in a folder that training made; `words` is where its words are, if they were moved."""
        record = read_captioner_record(folder)
        plan = _plan(record)
        settings = record.config.words if words is None else record.config.words.with_source(words, record.model)
        source = open_model_words(record.model, settings, record.words, folder)
        with torch.random.fork_rng(devices=[]):
            # Without memory at first: a record may ask for any size, and the weights' file must bear it out.
            with torch.device("meta"):
                planned = plan.make(source)
            expected = {name: TensorKind.of(tensor) for name, tensor in model_tensors(planned).items()}
            with open_tensors(folder / WEIGHTS) as file:
                lacked = planned.added_later.keys() - file.kinds.keys()
                weights = file.read({name: kind for name, kind in expected.items() if name not in lacked})
            weights |= {name: torch.full(expected[name].shape, planned.added_later[name]) for name in lacked}
            model = plan.make(source)
        model.load_state_dict(weights, strict=False)
        model.to(training_device())
        return cls(model, record, source)

    def save(self, folder: Path) -> None:
        """Write the captioner: its weights, and then what they are."""
        write_tensors(folder / WEIGHTS, model_tensors(self.model))
        self.record = structs.replace(self.record, weights=file_fingerprint(folder / WEIGHTS))
        write_captioner_record(folder, self.record)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that it has by now."""
        return self._tokens.vocabulary

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

    def sayable(self, phrases: Iterable[str]) -> list[str]:
        """Those of some phrases whose words the captioner has, or can be given by their vectors."""
        return self._tokens.sayable(phrases)

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
        source: str | None = None,
        **options: Unpack[SearchOptions],
    ) -> list[Captioned]:
        """The best caption of each image that says `at_least` of its constraints, and nothing forbidden.

        Of a constraint's phrases, those count that are sayable; one without
        any is an error. A word that is added is there for this image alone.

        Words are tied to boxes: those that meet a constraint to the
        constraint's, those that slots say to the slots', other nouns to the
        boxes that the model looked at. `source` is what captions say they are
        from, by default the model.
        """
        if not requests:
            return []
        self._check(requests)
        requests = [self._worded(request) for request in requests]
        self._tokens.borrow(phrase for request in requests for item in request.constraints for phrase in item.phrases)
        self._tokens.meet([request.regions for request in requests])
        adapter = self._tokens.adapter
        known = [phrase for phrase in forbid if adapter.can_write(phrase)]
        automata = [
            compile_words(request.constraints, adapter, at_least=at_least, forbid=known) for request in requests
        ]
        regions, lacking = self._batch(requests)
        with torch.no_grad():
            decoder = self.model.decoder(regions, lacking)
            results = constrained_search(
                decoder.step, decoder.state, automata=automata, bos=BOS, eos=EOS, **self.options(options)
            )
        flat = [(row, result) for row, best in enumerate(results) for result in (best, *best.others)]
        grounds = self._grounds(regions, lacking, flat)
        source = source or f"system:{self.record.model}"
        made = iter(
            self._captioned(result, requests[row], automata[row], part, source)
            for (row, result), part in zip(flat, grounds, strict=True)
        )
        return [numbered(replace(next(made), others=tuple(next(made) for _ in best.others))) for best in results]

    def _batch(self, requests: Sequence[CaptionRequest]) -> tuple[RegionBatch, Tensor | None]:
        """The regions of images, and the words that captions of each do not have."""
        regions = [request.regions for request in requests]
        batch = region_batch(regions, self._tokens.places(regions)).to(self.model.device)
        return batch, self._tokens.lacking([request.constraints for request in requests])

    def explain(self, request: CaptionRequest, tokens: Sequence[int]) -> list[WordWeights]:
        """Why each word of a caption of this model is there, the end of the sentence included if it has one."""
        self._tokens.meet([request.regions])
        regions, lacking = self._batch([request])
        read = torch.tensor([[BOS, *tokens[:-1]]], device=self.model.device)
        said = torch.tensor([list(tokens)], device=self.model.device)
        with torch.no_grad():
            log_probs = self.model.log_probs(regions, read, lacking).gather(2, said.unsqueeze(2))[0, :, 0].tolist()
            grounds = self.model.grounds(regions, read, said, lacking)
        words = [*self.vocabulary.text(tokens), *([""] if tokens and tokens[-1] == EOS else [])]
        shares = (part[0].cpu().numpy() for part in grounds)
        return [WordWeights(*parts) for parts in zip(words, log_probs, *shares, strict=True)]

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

    def _check(self, requests: Sequence[CaptionRequest]) -> None:
        expected = self.record.regions.n_dims
        for request in requests:
            n_dims = request.regions.rows.shape[1]
            if n_dims != expected:
                problem = f"its regions have {n_dims:,} numbers, but the captioner was trained on {expected:,}"
                remedy = "give features made the same way"
                raise BadInput(f"image {shown(request.image.id)}", problem, remedy, code="other-regions")

    def _grounds(
        self, regions: RegionBatch, lacking: Tensor | None, results: Sequence[tuple[int, SearchResult]]
    ) -> list[tuple[Singles, Singles]]:
        """Where the model looked at each word of each caption, and what slots added to it, `[words, regions]` each."""
        n_most = max(len(result.tokens) for _, result in results)
        said = torch.full((len(results), n_most), EOS, device=self.model.device)
        for at, (_, result) in enumerate(results):
            said[at, : len(result.tokens)] = torch.tensor(result.tokens)
        read = torch.cat([torch.full_like(said[:, :1], BOS), said[:, :-1]], dim=1)
        rows = torch.tensor([row for row, _ in results], device=self.model.device)
        with torch.no_grad():
            taken = None if lacking is None else lacking[rows]
            grounds = self.model.grounds(regions.take(rows), read, said, taken)
        attention, slots = (part.float().cpu().numpy() for part in grounds)
        return list(zip(attention, slots, strict=True))

    def _captioned(
        self,
        result: SearchResult,
        request: CaptionRequest,
        automaton: Automaton,
        grounds: tuple[Singles, Singles],
        source: str,
    ) -> Captioned:
        image, adapter = request.image, self._tokens.adapter
        joined = adapter.joined(result.tokens)
        words = joined.text
        demanded = find_mentions(result.tokens, request.constraints, automaton, adapter, result.token_log_probs)
        phrases = self._nouns.find(words, [box.label for box in image.boxes])
        known = {box.id for box in image.boxes}
        box_ids = [id if id in known else None for id in request.regions.box_ids]
        by_slots = slot_mentions(phrases, joined, grounds[1], box_ids, demanded)
        mentions = attention_mentions(phrases, joined.starts, grounds[0], box_ids, (*demanded, *by_slots))
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


def _plan(record: CaptionerRecord) -> ModelPlan:
    n_features = record.regions.n_dims
    return ModelPlan(record.model, record.config, record.vocabulary, record.slots, record.labels, n_features)
