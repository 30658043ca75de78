"""What is known of object classes: names, words, hierarchy, published lists, and where sentences mention them.

Facts are in two tables, `coco_class_words.txt` and `open_images_class_words.txt`; which of them count
is the choice of whoever asks: linking, CHAIR, constraints and benchmarks each
read captions in their own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.corpus.classes.chair_objects import ChairObjects
    from limner.corpus.classes.class_hierarchy import ClassHierarchy
    from limner.corpus.classes.class_mentions import ClassMentions, count_mentions
    from limner.corpus.classes.class_names import class_name, class_phrases
    from limner.corpus.classes.class_tables import COCO_CLASSES, EXCLUDED_CLASSES
    from limner.corpus.classes.class_words import (
        Synonyms,
        built_in_synonyms,
        name_terms,
        published_synonyms,
        read_synonyms,
    )
    from limner.corpus.classes.open_images_classes import read_class_tree

__getattr__, __dir__, __all__ = lazy_exports(__name__)
