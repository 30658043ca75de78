"""What the documentation once showed can still be imported; what moved says where it is now."""

from __future__ import annotations

import warnings
from importlib import import_module

import pytest

from limner.moved import MOVED, RENAMED, moved_names

SHOWN = [
    "limner.bench.build:build",
    "limner.bench.contents:gather",
    "limner.bench.contents:per_image",
    "limner.bench.counted:CountedClasses",
    "limner.bench.domains:find_domains",
    "limner.bench.mentions:count_mentions",
    "limner.caption.class_words:class_phrases",
    "limner.caption.excluded_classes:EXCLUDED_CLASSES",
    "limner.caption.hugging_face:Captioned",
    "limner.caption.hugging_face:constrained_captions",
    "limner.caption.hugging_face_step:HuggingFaceStep",
    "limner.caption.mentions:Words",
    "limner.caption.wording:Wording",
    "limner.caption:Automaton",
    "limner.caption:BadConstraints",
    "limner.caption:ConstraintChooser",
    "limner.caption:Found",
    "limner.caption:Phrase",
    "limner.caption:choose_constraints",
    "limner.caption:compile_constraints",
    "limner.caption:constrained_search",
    "limner.corpus.box:Box",
    "limner.corpus.class_hierarchy:ClassHierarchy",
    "limner.corpus.formats.open_images_classes:read_class_tree",
    "limner.corpus.link:link",
    "limner.corpus.link:link_corpus",
    "limner.corpus.playground.drawing.picture:draw",
    "limner.corpus.playground:KINDS",
    "limner.corpus.playground:World",
    "limner.corpus.playground:playground",
    "limner.corpus.statistics:compare",
    "limner.corpus.statistics:statistics",
    "limner.corpus.synonyms:Synonyms",
    "limner.corpus.synonyms:built_in_synonyms",
    "limner.corpus.synonyms:read_synonyms",
    "limner.corpus:Box",
    "limner.corpus:Caption",
    "limner.corpus:Chain",
    "limner.corpus:Corpus",
    "limner.corpus:Image",
    "limner.corpus:Mention",
    "limner.corpus:geometry",
    "limner.corpus:open_corpus",
    "limner.corpus:write_corpus",
    "limner.describe.describing:describe",
    "limner.describe.learned:LearnedSelector",
    "limner.describe.learned:render",
    "limner.describe.learned:train_selector",
    "limner.describe.realise.fluent:FluentRealiser",
    "limner.describe.realise:FluentRealiser",
    "limner.describe.realise:PaperRealiser",
    "limner.describe.realise:learn_phrasebook",
    "limner.describe.realise:read_phrasebook",
    "limner.describe.realise:write_phrasebook",
    "limner.describe.selection:Limited",
    "limner.describe.selection:find_selector",
    "limner.errors:LimnerError",
    "limner.report.captions_page:write_captions_page",
    "limner.report.page:Pictures",
    "limner.report.page:write_page",
    "limner.report.statistics:text_of",
    "limner.report.statistics_plots:draw",
    "limner.report:bench_plots",
    "limner.report:plots",
    "limner.score.bleu:Bleu",
    "limner.score.caption_evaluation:compare_systems",
    "limner.score.caption_evaluation:evaluate_systems",
    "limner.score.chair:Chair",
    "limner.score.cider:Cider",
    "limner.score.clip:ClipScore",
    "limner.score.content:human",
    "limner.score.content:oracle",
    "limner.score.content:score_selection",
    "limner.score.content_evaluation:evaluate_content",
    "limner.score.diversity:Diversity",
    "limner.score.document_frequencies:DocumentFrequencies",
    "limner.score.document_frequencies:document_frequencies",
    "limner.score.external:function_metric",
    "limner.score.external:scores_file",
    "limner.score.grounded:CONTENT",
    "limner.score.grounded:FINER",
    "limner.score.grounded_words:GroundedWords",
    "limner.score.judgement.agreement:agreement",
    "limner.score.judgement.files:read_judgements",
    "limner.score.judgement.files:write_judgements",
    "limner.score.judgement.judgements:Judgement",
    "limner.score.judgement.judgements:Judgements",
    "limner.score.judgement.ratings:Ratings",
    "limner.score.judgement.scale:Scale",
    "limner.score.judgement.table:AgainstJudgements",
    "limner.score.meteor:Meteor",
    "limner.score.metric:means",
    "limner.score.paired:compare",
    "limner.score.pairing:read_captions",
    "limner.score.pairing:read_references",
    "limner.score.pycocoevalcap:Bleu",
    "limner.score.pycocoevalcap:Cider",
    "limner.score.pycocoevalcap:Meteor",
    "limner.score.pycocoevalcap:PTBTokenizer",
    "limner.score.pycocoevalcap:Rouge",
    "limner.score.pycocoevalcap:Spice",
    "limner.score.rouge_l:RougeL",
    "limner.score.run:Run",
    "limner.score.sharded.ray_engine:evaluate_with_ray",
    "limner.score.spice.original:OriginalSpice",
    "limner.score.spice:SpiceStar",
    "limner.score:Evaluation",
    "limner.score:evaluate",
    "limner.text.articles:article",
    "limner.text.articles:is_mass",
    "limner.text.connectives:connective",
    "limner.text.forms:is_plural",
    "limner.text.forms:plural",
    "limner.text.forms:singular",
    "limner.text.kinds:kind_of",
    "limner.text.labels:first_lemma",
    "limner.text.labels:many",
    "limner.text.labels:noun",
    "limner.text.labels:one",
    "limner.text.phrases:count",
    "limner.text.phrases:head_noun",
    "limner.text.phrases:is_plural_phrase",
    "limner.text.phrases:modifiers",
    "limner.text.phrases:thing_noun",
    "limner.text.ptb:PTB",
    "limner.text.ptb:ptb_tokens",
    "limner.text.ptb:tokenise",
    "limner.text.tagging:nouns_and_adjectives",
    "limner.text.verb_forms:gerund",
    "limner.text.verb_forms:third",
    "limner.text.verb_forms:verb_lemma",
    "limner.text.words:ngrams",
    "limner.text.words:word_spans",
    "limner.text.words:words",
]


@pytest.mark.parametrize("shown", SHOWN)
def test_a_name_that_was_documented_can_be_imported(shown: str) -> None:
    module, _, name = shown.partition(":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            getattr(import_module(module), name)
        except AttributeError:
            import_module(f"{module}.{name}")


@pytest.mark.parametrize("old", MOVED)
def test_the_old_name_of_a_module_is_not_a_module_any_more(old: str) -> None:
    assert all(import_module(home).__name__ == home for home in MOVED[old])
    assert type(import_module(old)).__name__ == "MovedModule"


def test_using_an_old_name_warns_and_tells_the_new_one() -> None:
    playground = import_module("limner.corpus.playground")
    with pytest.warns(DeprecationWarning, match=r"limner\.corpus\.playground\.World is now limner\.playground\.World"):
        assert playground.World.__name__ == "World"


@pytest.mark.parametrize("old", RENAMED)
def test_a_renamed_name_warns(old: str) -> None:
    module, _, name = old.rpartition(".")
    with pytest.warns(DeprecationWarning, match="is now"):
        getattr(import_module(module), name)


@pytest.mark.parametrize("line", ["from limner.caption import Found", "from limner.bench.build import Benchmark"])
def test_importing_an_old_name_warns_once(line: str) -> None:
    with pytest.warns(DeprecationWarning, match="is now") as warned:
        exec(line, {})
    assert len(warned) == 1


def test_an_unknown_name_of_a_moved_module_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        moved_names("limner.corpus.playground")("nothing")


@pytest.mark.parametrize("name", ["limner.corpus.playground.nothing", "limner.report.page.nothing"])
def test_a_module_that_never_was_cannot_be_imported(name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module(name)


def test_a_star_import_from_an_old_name_brings_the_same_names() -> None:
    names: dict[str, object] = {}
    with pytest.warns(DeprecationWarning, match="is now"):
        exec("from limner.corpus.playground import *", names)
    assert {"World", "playground", "KINDS"} <= names.keys()
