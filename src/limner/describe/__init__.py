"""From an image's boxes to grounded captions: select, order, realise.

`describe` puts a selector and a realiser together. `find_selector` and
`find_realiser` give those that have names; `train_selector` and
`learn_phrasebook` learn from captions that are tied to boxes.
"""

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.describe.describing import DescribeSettings, describe, describe_corpus
    from limner.describe.learned.box_features import FAMILIES
    from limner.describe.learned.learned_selector import LearnedSelector
    from limner.describe.learned.selection_reasons import Explanation, render
    from limner.describe.learned.selector_training import train_selector
    from limner.describe.realise.baselines import RetrievalRealiser, TemplateRealiser
    from limner.describe.realise.caption_index import CaptionIndex
    from limner.describe.realise.constrained_realiser import ConstrainedRealiser, SentenceWriter, ThingWords
    from limner.describe.realise.fluent_realiser import FluentRealiser
    from limner.describe.realise.phrasebook import Phrasebook, read_phrasebook, write_phrasebook
    from limner.describe.realise.phrasebook_learning import learn_phrasebook
    from limner.describe.realise.realisers import PaperRealiser, Realiser, find_realiser
    from limner.describe.selectors import Concepts, Limited, Selector, find_selector

__getattr__, __dir__, __all__ = lazy_exports(__name__)
