"""Which act and which setting a sentence gets: of what is likely true, what people would likely say.

Whatever is less likely true than a threshold is not considered. The rest may be
said, in the ways that people most often say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import NamedTuple

from limner.arrays import Floats
from limner.corpus.image import Image
from limner.describe.realise.described_things import Thing
from limner.describe.realise.remark_table import NO_VERB, WORDS_FOR_PEOPLE, RemarkTable, alike, truth_of
from limner.describe.realise.remarks import SURFACES, Act, Remark, Setting, act_of, setting_of
from limner.describe.realise.sentence_plan import Clause
from limner.describe.realise.thing_names import AGENTS, name_of
from limner.text.lexicon import ADJECTIVE_ORDER, COMMON_COLOURS, word_set
from limner.text.noun_forms import singular
from limner.text.verb_tables import CAPTION_VERBS

# How likely it must be that people speak of a place, of an act, or of a person by such a word.
TRUE_SETTING = 0.64
TRUE_ACT = 0.7
TRUE_WORD = 0.75

# The best so many acts, and settings after each, are candidates.
MOST_ACTS = 2
MOST_SETTINGS = 3

# What has acts of its own; other things only lie about.
MOVING = AGENTS | {"vehicles"}

# More people than this do not all play a game or ride a wave.
MOST_ACTING = 3

# How often an act must have been said of a noun.
FEWEST_ACTS = 3

# So many captions about things of a kind weigh as much as all that is known of the kind.
PRIOR = 10.0

# Entries after which the cache of wordings begins anew: labels may be anything.
_CACHED = 1 << 14


class _Option(NamedTuple):
    """Something to say, and how likely people say it so if it is true, as a logarithm."""

    remark: Remark
    wording: float

    @property
    def score(self) -> float:
        return self.wording + log(self.remark.probability)


class RemarkChooser:
    """Chooses what is said of a clause's things without naming a box."""

    def __init__(self, table: RemarkTable) -> None:
        self._table = table
        self._number = {truth: i for i, truth in enumerate(table.evidence.outcomes)}
        self._verbs = {truth: i for truth, i in self._number.items() if truth in CAPTION_VERBS}
        self._by_truth: dict[str, list[tuple[str, Setting]]] = {}
        for text in table.settings[""]:
            setting = setting_of(text)
            assert setting is not None
            if claims_little(setting):
                self._by_truth.setdefault(truth_of(text), []).append((text, setting))
        self._n_prepositions = sum(table.prepositions[""].values())
        self._wordings: dict[tuple[str, str], float] = {}

    def probabilities(self, clues: Sequence[str]) -> Floats:
        """How likely everything is that could be said, in the order of the evidence's outcomes."""
        return self._table.evidence.probabilities(clues)

    def acts(self, probabilities: Floats) -> dict[str, float]:
        """How likely each known verb is to be spoken of."""
        return {verb: float(probabilities[number]) for verb, number in self._verbs.items()}

    def word(self, thing: Thing, probabilities: Floats) -> str:
        """A word for a person that says more, if it is likely enough."""
        if thing.noun != "person" or thing.is_many:
            return thing.word
        p, word = max((float(probabilities[self._number[word]]), word) for word in WORDS_FOR_PEOPLE)
        return word if p >= TRUE_WORD else thing.word

    def completions(
        self, clause: Clause, image: Image, probabilities: Floats
    ) -> Iterator[tuple[Remark | None, Remark | None]]:
        """The acts and settings that could be said, at least one of the two, the likeliest first."""
        named = {word for box in image.boxes for word in name_of(box.label, box.types).noun.split(" ")}
        acts = sorted(self._acts(clause, probabilities), key=lambda option: -option.score)[:MOST_ACTS]
        for act in (*acts, None):
            settings = sorted(self._settings(clause, act, named, probabilities), key=lambda option: -option.score)
            for setting in settings[:MOST_SETTINGS]:
                yield act and act.remark, setting.remark
            if act is not None and _stands_alone(act.remark.what):
                yield act.remark, None

    def _acts(self, clause: Clause, probabilities: Floats) -> Iterator[_Option]:
        heads = [node.thing for node in clause.heads]
        if any(arm.relation.is_verbal for arm in clause.arms) or not all(thing.kind in MOVING for thing in heads):
            return
        acts = self._table.acts.get(heads[0].noun, {})
        by_truth: dict[str, int] = {}
        for text, n in acts.items():
            by_truth[truth_of(text)] = by_truth.get(truth_of(text), 0) + n
        for text, n in acts.items():
            act, truth = act_of(text), truth_of(text)
            assert act is not None
            p = float(probabilities[self._number[truth]])
            # What somebody does beside a thing must be more than being there: playing tennis, with a racket.
            is_enough = p >= TRUE_ACT and (act.object or not clause.arms)
            can_act = all(text in self._table.acts.get(thing.noun, {}) for thing in heads[1:])
            can_act &= heads[0].kind != "people" or act.verb not in _NOT_OF_PEOPLE
            # Of a crowd, most look on.
            can_act &= not act.object or sum(thing.n for thing in heads) <= MOST_ACTING
            if n >= FEWEST_ACTS and is_enough and can_act:
                yield _Option(Remark(act, p), log(n / by_truth[truth]))

    def _settings(
        self, clause: Clause, act: _Option | None, named: set[str], probabilities: Floats
    ) -> Iterator[_Option]:
        if any(arm.leads_to_place for arm in clause.arms):
            return
        head, verb = clause.heads[0].thing, _verb(clause, act)
        can_lie = len(clause.heads) == 1 and not clause.arms and act is None
        # Where there is a boat, people and their dogs are on it, or on the bank.
        is_afloat = head.kind in AGENTS and not _AFLOAT.isdisjoint(named)
        for truth, texts in self._by_truth.items():
            p = float(probabilities[self._number[truth]])
            # What has a box is mentioned where it was selected, and only there: a road is a street.
            if p < TRUE_SETTING or not named.isdisjoint(alike(_head(truth))) or (truth in SURFACES and not can_lie):
                continue
            for text, setting in texts:
                if setting.preposition in _OF_MOTION and verb not in _MOTIONS:
                    continue
                if is_afloat and setting.noun in WATERS:
                    continue
                wording = self._wording(text, truth, head) * self._fit(verb, setting.preposition)
                yield _Option(Remark(setting, p), log(wording))

    def _wording(self, text: str, truth: str, head: Thing) -> float:
        """The share of captions with a setting, of those of images of which it is true, about things of a noun."""
        key = text, head.noun
        if key not in self._wordings:
            if len(self._wordings) > _CACHED:
                self._wordings.clear()
            self._wordings[key] = self._wording_of(text, truth, head.noun, head.kind)
        return self._wordings[key]

    def _wording_of(self, text: str, truth: str, noun: str, kind: str) -> float:
        share = 1.0
        totals = []
        for name in ("", f"kind {kind}", noun):
            counts = self._table.settings.get(name, {})
            total = sum(counts.get(other, 0) for other, _ in self._by_truth[truth])
            totals.append(total)
            share = (counts.get(text, 0) + PRIOR * share) / (total + PRIOR) if name else counts[text] / total
        return share * totals[0] / (self._table.shown[truth] * self._table.n_captions)

    def _fit(self, verb: str, preposition: str) -> float:
        """How much more often a setting's preposition follows a verb than it comes at all."""
        every, counts = self._table.prepositions[""], self._table.prepositions.get(verb, {})
        usual = (every.get(preposition, 0) + 1.0) / (self._n_prepositions + 10.0)
        return (counts.get(preposition, 0) + 5.0 * usual) / (sum(counts.values()) + 5.0) / usual


def claims_little(setting: Setting) -> bool:
    """Whether a setting says where something is, and nothing else that could be wrong: no colour, no exact spot."""
    return (
        setting.preposition in _VAGUE_PREPOSITIONS
        and setting.noun not in _RIDDEN_PLACES
        and _CLAIMS.isdisjoint(setting.phrase.split(" "))
    )


_VAGUE_PREPOSITIONS = word_set("in on at near down along by over through")
# What may be wrong of a place: its colour, its size, its age, and what somebody thinks of it.
_CLAIMS = COMMON_COLOURS.union(*ADJECTIVE_ORDER[:4])
# Prepositions of somebody or something that moves, and the acts that do.
_OF_MOTION = word_set("down along over through")
_MOTIONS = word_set(
    "walk drive travel run ride ski skate skateboard snowboard surf fly sail hike race move swim jump roll go"
)
_RIDDEN_PLACES = frozenset({"wave"})
WATERS = word_set("water ocean sea lake river pond harbor")
_AFLOAT = word_set("boat ship canoe kayak raft ferry sailboat")


def _verb(clause: Clause, act: _Option | None) -> str:
    """The verb after which a setting would stand."""
    if act is not None:
        assert isinstance(act.remark.what, Act)
        return act.remark.what.verb
    verbs = [arm.relation.verb or arm.relation.participle for arm in clause.arms]
    return next((verb for verb in reversed(verbs) if verb), NO_VERB)


def _head(place: str) -> str:
    """What a place is, as boxes are named: "track" of "train tracks"."""
    return singular(place.rpartition(" ")[2])


def _stands_alone(act: Act | Setting) -> bool:
    """Whether an act says enough without a setting: somebody who plays, or a train that travels, does so somewhere."""
    assert isinstance(act, Act)
    return bool(act.object) or act.verb in _TELLING


# What people do only with or in something, which captions leave out now and then.
_NOT_OF_PEOPLE = word_set("fly float graze drive travel hang parked docked")

_TELLING = word_set("fly float graze ski surf skateboard snowboard sleep swim pose smile lie jump run eat")
