"""Words: tokenisers, n-grams, noun phrases, word forms and word lists: rules and tables, nothing trained on images.

Nothing is imported until it is used. `limner.text.ptb` has the tokeniser of
published scores, and `limner.text.tagging` a statistical tagger, which needs
the `nlp` extra.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.text.articles import article, is_mass
    from limner.text.connectives import connective
    from limner.text.kinds import kind_of
    from limner.text.labels import first_lemma, noun
    from limner.text.noun_forms import is_plural, plural, singular
    from limner.text.phrases import colours, count, head_noun, is_plural_phrase, modifiers, thing_noun
    from limner.text.ptb import ptb_tokens, tokenise
    from limner.text.sentence_tokens import sentence_tokens
    from limner.text.verb_forms import gerund, third, verb_lemma
    from limner.text.words import ngrams, word_spans

__getattr__, __dir__, __all__ = lazy_exports(__name__)
