"""How well pictures find their sentences, and sentences their pictures.

`evaluate_retrieval` scores systems in both directions, with intervals and
tests between them; `open_embeddings` reads the vectors of any dual encoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.retrieval.embedding_files import open_embeddings
    from limner.score.retrieval.relevance import read_relevance
    from limner.score.retrieval.retrieval_evaluation import RetrievalScores, evaluate_retrieval
    from limner.score.retrieval.retrieval_system import RetrievalSystem, embedded_system

__getattr__, __dir__, __all__ = lazy_exports(__name__)
