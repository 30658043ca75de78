"""pycocoevalcap's tokeniser."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

from limner.errors import LimnerError, shown
from limner.text.ptb import tokenise

Id = TypeVar("Id", bound=Hashable)


class PTBTokenizer:
    """Captions to tokens, as `pycocoevalcap.tokenizer.ptbtokenizer.PTBTokenizer` does it."""

    def tokenize(self, captions_for_image: Mapping[Id, Sequence[Mapping[str, Any]]]) -> dict[Id, list[str]]:
        """For each image its captions, tokens between spaces; given as `{id: [{"caption": text}, …]}`.

        The captions are taken as the lines of one file, in the order given.
        Images without captions are left out, and no caption is ever put with
        another's image.
        """
        ids = [id for id, captions in captions_for_image.items() for _ in captions]
        said = [one["caption"] for captions in captions_for_image.values() for one in captions]
        for id, caption in zip(ids, said, strict=True):
            if not isinstance(caption, str):
                raise LimnerError(f"image {shown(id)} has a caption that is no text: {shown(caption)}")
        tokenised: dict[Id, list[str]] = {}
        for id, tokens in zip(ids, tokenise(said, as_one_file=True), strict=True):
            tokenised.setdefault(id, []).append(tokens)
        return tokenised
