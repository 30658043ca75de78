"""Grounded text of vision-language models: what each model writes, read into captions, mentions and boxes."""

from limner.corpus.formats.grounded_text import box_2d, florence_2, kosmos_2, paligemma, qwen_vl

FORMATS = (kosmos_2.FORMAT, florence_2.FORMAT, paligemma.FORMAT, qwen_vl.FORMAT, box_2d.FORMAT)

__all__ = ["FORMATS"]
