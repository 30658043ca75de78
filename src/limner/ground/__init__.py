"""From words to regions: the noun phrases of captions, their types, and chains of those that are of one thing."""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.ground.chainer import Chainer, built_in_chainer
    from limner.ground.chainer_training import train_chains
    from limner.ground.chaining import add_chains, chain_corpus
    from limner.ground.chunking import chunk, chunk_caption, chunk_corpus, chunk_image, retype_image
    from limner.ground.colour_confusion import ColourConfusions, colour_confusions
    from limner.ground.encoders import open_encoders
    from limner.ground.fisher_vectors import FisherVectors, train_fisher_vectors
    from limner.ground.grounder import Grounder
    from limner.ground.grounder_training import train_grounder
    from limner.ground.index_writing import IndexSettings, write_index
    from limner.ground.localising import LocaliseSettings, LocaliseTally, localise_corpus
    from limner.ground.phrase_model import NOT_VISUAL, TYPES, Phrase, PhraseModel, built_in_phrases
    from limner.ground.phrase_training import train_phrases
    from limner.ground.picture_regions import RegionRecipe
    from limner.ground.retrieval_index import RetrievalIndex
    from limner.ground.retriever import Retriever
    from limner.ground.retriever_training import train_retriever
    from limner.ground.sentence_embedder import SentenceEmbedder
    from limner.ground.training_pairs import sample_pairs

__getattr__, __dir__, __all__ = lazy_exports(__name__)
