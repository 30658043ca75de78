"""A captioner as a writer of sentences about selected things, as the describe room asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from limner.caption.captioning import CaptionSettings, CorpusCaptioner
from limner.caption.constraints.worded_constraints import Worded
from limner.corpus.image import Image

# All that is asked for has to be said.
ALL = CaptionSettings(at_least=None)


class CaptionerWriter:
    """Writes sentences in which every thing is named that the captioner has words for.

    A thing that the search could not bring into a sentence is not in it either.
    """

    def __init__(self, captioner: CorpusCaptioner, settings: CaptionSettings = ALL) -> None:
        self._captioner = captioner
        self._settings = settings

    def write(self, image: Image, things: Sequence[Worded]) -> str:
        """A sentence about an image."""
        texts = [text for _, text in self.write_each([(image, things)])]
        return texts[0] if texts else ""

    def write_each(self, asked: Iterable[tuple[Image, Sequence[Worded]]]) -> Iterator[tuple[Image, str]]:
        """Each image with a sentence about it, in batches; images that the captioner leaves out are not among them."""
        things_by_image: dict[str, Sequence[Worded]] = {}

        def images() -> Iterator[Image]:
            for image, things in asked:
                things_by_image[image.id] = things
                yield image

        def sayable(image: Image) -> list[Worded]:
            things = things_by_image.pop(image.id, ())
            return [thing for thing in things if self._captioner.can_say(thing.phrases)]

        for image, captioned in self._captioner.caption_images(images(), sayable, self._settings):
            yield image, captioned.text
