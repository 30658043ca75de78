"""Which act and which setting a sentence gets: what is likely true, and then what people would likely say."""

from __future__ import annotations

from limner.arrays import Floats
from limner.corpus.image import Image
from limner.describe.realise.described_things import AGENTS, Thing, name_of
from limner.describe.realise.evidence import clues
from limner.describe.realise.remark_learning import WORDS_FOR_PEOPLE
from limner.describe.realise.remark_table import RemarkTable, truth_of
from limner.describe.realise.remarks import SURFACES, Act, Remark, Setting, act_of, setting_of
from limner.describe.realise.sentence_plan import Clause
from limner.text.lexicon import word_set
from limner.text.verb_tables import CAPTION_VERBS

# How likely it must be that people speak of a place, or of an act, for a sentence to say it.
TRUE_SETTING = 0.4
TRUE_ACT = 0.5
SURE_ACT = 0.6
TRUE_WORD = 0.5

# A setting that fewer captions than this would have is not said.
RARE = 0.001

# What has acts of its own; other things only lie about.
MOVING = AGENTS | {"vehicles"}

# How often an act must have been said of a noun.
FEWEST_ACTS = 3

# So many captions about things of a kind weigh as much as all that is known of the kind.
PRIOR = 10.0


class RemarkChooser:
    """Chooses what is said of a clause's things without naming a box."""

    def __init__(self, table: RemarkTable) -> None:
        self._table = table
        self._number = {truth: i for i, truth in enumerate(table.evidence.outcomes)}
        self._verbs = {truth: i for truth, i in self._number.items() if truth in CAPTION_VERBS}
        self._said: dict[str, int] = {}
        for text, n in table.settings[""].items():
            self._said[truth_of(text)] = self._said.get(truth_of(text), 0) + n
        self._n_prepositions = sum(table.prepositions[""].values())

    def probabilities(self, image: Image) -> Floats:
        """How likely everything is that could be said, in the order of the evidence's outcomes."""
        return self._table.evidence.probabilities(clues(image))

    def acts(self, probabilities: Floats) -> dict[str, float]:
        """How likely each known verb is to be spoken of."""
        return {verb: float(probabilities[number]) for verb, number in self._verbs.items()}

    def word(self, thing: Thing, probabilities: Floats) -> str:
        """A word for a person that says more, if it is likely enough."""
        if thing.noun != "person" or thing.n > 1 or thing.is_many:
            return thing.word
        p, word = max((float(probabilities[self._number[word]]), word) for word in WORDS_FOR_PEOPLE)
        return word if p >= TRUE_WORD else thing.word

    def complete(self, clause: Clause, image: Image, probabilities: Floats) -> None:
        """Give the clause an act and a setting, if any are likely enough."""
        head = clause.heads[0].thing
        clause.act = self._act(clause, head, probabilities)
        if not any(arm.leads_to_place for arm in clause.arms):
            words = {word for box in image.boxes for word in name_of(box.label, box.types).noun.split(" ")}
            clause.setting = self._setting(clause, head, words, probabilities)
        if clause.act is not None and clause.setting is None and not _stands_alone(clause.act.what, head):
            clause.act = None

    def _act(self, clause: Clause, head: Thing, probabilities: Floats) -> Remark | None:
        heads = [node.thing for node in clause.heads]
        if any(arm.relation.is_verbal for arm in clause.arms) or not all(thing.kind in MOVING for thing in heads):
            return None
        acts = self._table.acts.get(head.noun, {})
        by_truth: dict[str, int] = {}
        for text, n in acts.items():
            by_truth[truth_of(text)] = by_truth.get(truth_of(text), 0) + n
        best, best_score = None, 0.0
        for text, n in acts.items():
            act, truth = act_of(text), truth_of(text)
            assert act is not None
            p = float(probabilities[self._number[truth]])
            score = p * n / by_truth[truth]
            # What somebody does beside a thing must be more than being there: playing tennis, with a racket.
            is_enough = p >= TRUE_ACT if not clause.arms else p >= SURE_ACT and act.object
            if n >= FEWEST_ACTS and is_enough and score > best_score:
                best, best_score = Remark(act, p), score
        return best

    def _setting(self, clause: Clause, head: Thing, named: set[str], probabilities: Floats) -> Remark | None:
        verb = _verb(clause)
        can_lie = len(clause.heads) == 1 and not clause.arms and not clause.act
        best, best_score = None, RARE
        by_noun, by_kind, by_any = (self._table.settings.get(name, {}) for name in (head.noun, head.kind, ""))
        for text, n in by_any.items():
            truth = truth_of(text)
            p = float(probabilities[self._number[truth]])
            setting = setting_of(text)
            assert setting is not None
            is_surface = truth in SURFACES
            # What has a box is mentioned where it was selected, and only there.
            if p < TRUE_SETTING or truth.rpartition(" ")[2] in named or (is_surface and not can_lie):
                continue
            total = self._said[truth]
            share = n / total
            for level in (by_kind, by_noun):
                level_total = sum(m for other, m in level.items() if truth_of(other) == truth)
                share = (level.get(text, 0) + PRIOR * share) / (level_total + PRIOR)
            rate = total / (self._table.shown[truth] * self._table.n_captions)
            score = p * rate * share * self._fit(verb, setting.preposition)
            if score > best_score:
                best, best_score = Remark(setting, p), score
        return best

    def _fit(self, verb: str, preposition: str) -> float:
        """How much more often a setting's preposition follows a verb than it comes at all."""
        every, counts = self._table.prepositions[""], self._table.prepositions.get(verb, {})
        usual = (every.get(preposition, 0) + 1.0) / (self._n_prepositions + 10.0)
        return (counts.get(preposition, 0) + 5.0 * usual) / (sum(counts.values()) + 5.0) / usual


def _verb(clause: Clause) -> str:
    """The verb after which a setting would stand; "" for none."""
    if clause.act is not None:
        assert isinstance(clause.act.what, Act)
        return clause.act.what.verb
    verbs = [arm.relation.verb or arm.relation.participle for arm in clause.arms]
    return next((verb for verb in reversed(verbs) if verb), "")


def _stands_alone(act: Act | Setting, head: Thing) -> bool:
    """Whether an act says enough without a setting: somebody who plays, or a train that travels, does so somewhere."""
    assert isinstance(act, Act)
    return bool(act.object) or act.is_state or act.verb in _TELLING


_TELLING = word_set(
    "fly float graze ski surf skateboard snowboard sleep swim pose smile lie sit stand jump run walk eat"
)
