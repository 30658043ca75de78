"""What is known of object classes: names, words, hierarchy, published lists, and where sentences mention them.

Facts are in two tables, `coco.txt` and `open_images.txt`; which of them count
is the choice of whoever asks: linking, CHAIR, constraints and benchmarks each
read captions in their own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.corpus.classes.chair_objects import Objects as Objects
    from limner.corpus.classes.class_hierarchy import ClassHierarchy as ClassHierarchy
    from limner.corpus.classes.class_mentions import ClassMentions as ClassMentions
    from limner.corpus.classes.class_mentions import count_mentions as count_mentions
    from limner.corpus.classes.class_names import class_name as class_name
    from limner.corpus.classes.class_names import class_phrases as class_phrases
    from limner.corpus.classes.class_tables import COCO_CLASSES as COCO_CLASSES
    from limner.corpus.classes.class_tables import EXCLUDED_CLASSES as EXCLUDED_CLASSES
    from limner.corpus.classes.class_words import Synonyms as Synonyms
    from limner.corpus.classes.class_words import built_in_synonyms as built_in_synonyms
    from limner.corpus.classes.class_words import name_terms as name_terms
    from limner.corpus.classes.class_words import read_synonyms as read_synonyms
    from limner.corpus.classes.open_images_classes import read_class_tree as read_class_tree

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.corpus.classes.chair_objects": ["Objects"],
        "limner.corpus.classes.class_hierarchy": ["ClassHierarchy"],
        "limner.corpus.classes.class_mentions": ["ClassMentions", "count_mentions"],
        "limner.corpus.classes.class_names": ["class_name", "class_phrases"],
        "limner.corpus.classes.class_tables": ["COCO_CLASSES", "EXCLUDED_CLASSES"],
        "limner.corpus.classes.class_words": ["Synonyms", "built_in_synonyms", "name_terms", "read_synonyms"],
        "limner.corpus.classes.open_images_classes": ["read_class_tree"],
    },
)
