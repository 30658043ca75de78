"""Two plain realisers to compare with: a template, and captions that people wrote of similar images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from limner.corpus.caption import Caption, Mention
from limner.corpus.classes.class_mentions import ClassMentions
from limner.corpus.classes.class_tables import NO_CLASS
from limner.corpus.classes.class_words import built_in_synonyms
from limner.corpus.image import Image
from limner.corpus.linking import link
from limner.corpus.random_streams import random_stream
from limner.describe.realise.caption_text import Text, joints
from limner.describe.realise.described_things import things_of
from limner.describe.realise.thing_phrases import NounPhrases

if TYPE_CHECKING:
    from limner.describe.realise.caption_index import CaptionIndex


class TemplateRealiser:
    """Lists the selected things in their order: "Two dogs, a ball and a tree." Boxes of one noun are one mention."""

    name = "template"

    def __init__(self) -> None:
        self._phrases = NounPhrases(None, "low", simple=True)

    def __repr__(self) -> str:
        return "TemplateRealiser()"

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        """The chosen boxes in words: each is in exactly one mention, and nothing else is mentioned."""
        text = Text()
        things = things_of(image, selected)
        # Simple phrases leave nothing to chance: it is never asked.
        rng = random_stream("wording", 0, image.id)
        for joint, thing in zip(joints(len(things)), things, strict=True):
            text.joint(joint)
            text.refer(self._phrases.phrase(thing, rng), thing)
        if not things:
            text.say("a picture")
        text.stop()
        return text.caption(f"system:{self.name}")


class RetrievalRealiser:
    """Gives an image a training caption, word for word: what people said of images with similar labels.

    The caption depends on all of the image's boxes and on no selection. Its
    mentions are linked to the boxes by the names of their classes; one that
    names a class without a box is ungrounded.
    """

    name = "retrieval"

    def __init__(self, captions: CaptionIndex) -> None:
        self._captions = captions
        self._synonyms = built_in_synonyms()
        self._listed = ClassMentions(self._synonyms.terms)

    def __repr__(self) -> str:
        return f"RetrievalRealiser({self._captions})"

    def realise(self, image: Image, selected: Sequence[str] = ()) -> Caption:
        """The caption retrieved for the image; `selected` has no influence."""
        caption = Caption("0", self._captions.find(image), source=f"system:{self.name}")
        (linked,) = link(replace(image, captions=(caption,), chains=()), self._synonyms).captions
        grounded = [replace(mention, chain=None) for mention in linked.mentions]
        mentions = sorted([*grounded, *self._ungrounded(caption.text, grounded)], key=lambda mention: mention.start)
        return replace(caption, mentions=tuple(mentions))

    def _ungrounded(self, text: str, grounded: Sequence[Mention]) -> Iterator[Mention]:
        """What the text names beside the grounded mentions, where classes are listed."""
        for phrase in self._listed.noun_phrases(text):
            is_free = all(phrase.end <= mention.start or mention.end <= phrase.start for mention in grounded)
            if is_free and phrase.term.classes != (NO_CLASS,):
                yield Mention(phrase.start, phrase.end, origin="ungrounded")
