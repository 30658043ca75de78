"""From sentences to facts about things."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.spice.parse_tree import Parse
from limner.score.spice.spice_rules import scene_graph

Facts = set[str]

# What each sentence says, facts between semicolons: "dog" is there, a "dog brown" is brown, and "dog | chase | cat".
SENTENCES = {
    # adjectives, participles, nouns and numbers before a noun
    "A parked car .": "car; car park",
    "A smiling woman .": "woman; woman smile",
    "a dark-haired man": "man; man dark-haired",
    "two t-shirts": "shirt; shirt two; shirt t-shirt",
    "a red and white striped umbrella": "umbrella; umbrella red; umbrella white; umbrella striped",
    "A football player": "player; player football",
    "A red brick building": "building; building brick; building red",
    "2 cats": "cat; cat two",
    "two men and one woman": "man; woman; man two; woman one",
    "A half eaten sandwich .": "sandwich; sandwich eat",
    # verbs with and without an object
    "A woman smiles .": "woman; woman smile",
    "A man riding a horse .": "man; horse; man | ride | horse",
    "A man is sitting and eating a sandwich .": "man; sandwich; man sit; man | eat | sandwich",
    "A man standing while holding a sign .": "man; sign; man stand; man | hold | sign",
    "A man wearing a hat and glasses": "man; hat; glasses; man | wear | hat; man | wear | glasses",
    "A boy and a girl are eating ice cream .": "boy; girl; cream; cream ice; boy | eat | cream; girl | eat | cream",
    "a man is throwing a frisbee to a dog": "man; frisbee; dog; man | throw | frisbee; man | throw to | dog",
    "people are ice skating": "person; person skate",
    # prepositions
    "A man on a motorcycle .": "man; motorcycle; man | on | motorcycle",
    "A bird flying over water": "bird; water; bird fly; bird | fly over | water",
    "Two dogs are playing with a red ball .": "dog; ball; dog two; ball red; dog play; dog | play with | ball",
    "A young girl standing on top of a tennis court .": (
        "girl; court; girl young; court tennis; girl stand; girl | stand on top of | court"
    ),
    "A clock on the side of a building": "clock; building; clock | on side of | building",
    "A cat looking out of a window": "cat; window; cat look; cat | look out of | window",
    "A slice of pizza on a white plate .": "slice; pizza; plate; plate white; slice | of | pizza; slice | on | plate",
    "A girl in a white shirt and blue jeans .": (
        "girl; shirt; jeans; shirt white; jeans blue; girl | in | shirt; girl | in | jeans"
    ),
    # groups and amounts
    "A group of people standing in front of a building .": (
        "person; building; person group; person stand; person | stand in front of | building"
    ),
    "A couple of men sit on a bench .": "man; bench; man two; man sit; man | sit on | bench",
    "A group of men and women sit": "man; woman; man group; man sit; woman sit",
    "A lot of people watching a game": "person; game; person | watch | game",
    # passives
    "A dog is chased by a cat .": "dog; cat; cat | chase | dog",
    "The car is parked near a tree .": "car; tree; car park; car | park near | tree",
    # what something is
    "The sky is blue .": "sky; sky blue",
    "The man looks happy .": "man; man look; man happy",
    "The man is a chef .": "man; chef; man chef",
    "The dog is brown and the cat is black .": "dog; cat; dog brown; cat black",
    "A giraffe is taller than a tree .": "giraffe; tree; giraffe taller; giraffe | taller than | tree",
    "There is a cat on the bed .": "cat; bed; cat | on | bed",
    "There are three cups next to a plate .": "cup; plate; cup three; cup | next to | plate",
    # possessives and pronouns
    "A man's hat .": "man; hat; man | have | hat",
    "The woman is wearing her hat .": "woman; hat; woman | have | hat; woman | wear | hat",
    "A man and his dog walk down the street .": (
        "man; dog; street; man walk; dog walk; man | have | dog; man | walk down | street; dog | walk down | street"
    ),
    # relative clauses
    "A dog that is running .": "dog; dog run",
    "A stick that a man holds .": "stick; man; man | hold | stick",
    "A bench on which a man sits .": "bench; man; man sit; man | sit on | bench",
    # nothing to be seen
    "it is raining": "",
    "": "",
    "😀": "",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_facts_of_a_sentence(sentence: str, facts_of: Callable[[str], Facts]) -> None:
    assert facts_of(sentence) == {fact for fact in SENTENCES[sentence].split("; ") if fact}


def test_capitals_full_stops_and_spaces_make_no_difference(facts_of: Callable[[str], Facts]) -> None:
    said = facts_of("A brown dog chases two cats .")
    assert said == {"dog", "cat", "dog brown", "cat two", "dog | chase | cat"}
    for other in ("a brown dog chases two cats", "A BROWN DOG CHASES TWO CATS!", " A brown dog\nchases  two cats.."):
        assert facts_of(other) == said


# Parses as written here, right or wrong, and what the rules make of them.
BY_HAND = {
    "what is joined shares subject and object": (
        "boys/NNS/nsubj/3 and/CC/cc/0 girls/NNS/conj/0 eat/VBP/ROOT/3 apples/NNS/dobj/3 and/CC/cc/4 pears/NNS/conj/4",
        "boy; girl; apple; pear; boy | eat | apple; boy | eat | pear; girl | eat | apple; girl | eat | pear",
    ),
    "one noun may be left out where it only counts another": (
        "two/CD/nsubj/4 of/IN/prep/0 the/DT/det/3 dogs/NNS/pobj/1 run/VBP/ROOT/4",
        "dog; dog run",
    ),
    "a particle belongs to its verb": (
        "men/NNS/nsubj/1 pick/VBP/ROOT/1 up/RP/prt/1 boxes/NNS/dobj/1",
        "man; box; man | pick up | box",
    ),
    "what is seen to act is seen": (
        "men/NNS/nsubj/1 watch/VBP/ROOT/1 dogs/NNS/nsubj/3 run/VB/ccomp/1",
        "man; dog; dog run; man | watch | dog",
    ),
    "with what does something": (
        "man/NN/ROOT/0 with/IN/prep/0 his/PRP$/poss/3 head/NN/nsubj/4 hanging/VBG/pcomp/1",
        "man; head; head hang; man | with | head; man | have | head",
    ),
    "a stranded preposition makes no object of the noun": (
        "bench/NN/ROOT/0 men/NNS/nsubj/2 sit/VBP/relcl/0 on/IN/prep/2",
        "bench; man; man sit",
    ),
    "nobody that the caption names does what you do": (
        "men/NNS/nsubj/1 eat/VBP/ROOT/1 and/CC/cc/1 you/PRP/nsubj/5 can/MD/aux/5 see/VB/conj/1 dogs/NNS/dobj/5",
        "man; dog; man eat",
    ),
    "each other is nobody else": (
        "dogs/NNS/nsubj/1 chase/VBP/ROOT/1 each/DT/det/3 other/JJ/dobj/1",
        "dog; dog chase",
    ),
    "one of several is one of them": (
        "dogs/NNS/ROOT/0 ,/,/punct/0 one/CD/appos/0 wearing/VBG/acl/2 a/DT/det/5 hat/NN/dobj/3",
        "dog; hat; dog | wear | hat",
    ),
    "other dogs are dogs": ("other/JJ/amod/1 dogs/NNS/ROOT/1", "dog"),
    "a pronoun means the subject rather than what is nearer": (
        "man/NN/nsubj/3 near/IN/prep/0 girls/NNS/pobj/1 waves/VBZ/ROOT/3 his/PRP$/poss/5 hat/NN/dobj/3",
        "man; girl; hat; man | near | girl; man | have | hat; man | wave | hat",
    ),
    "it is a thing, not a person": (
        "men/NNS/nsubj/1 wash/VBP/ROOT/1 a/DT/det/3 car/NN/dobj/1 and/CC/cc/1 its/PRP$/poss/6 wheels/NNS/conj/3",
        "man; car; wheel; man | wash | car; man | wash | wheel; car | have | wheel",
    ),
    "what is added after a comma is one more": (
        "girl/NN/ROOT/0 in/IN/prep/0 jeans/NNS/pobj/1 ,/,/punct/2 a/DT/det/5 top/NN/appos/2",
        "girl; jeans; top; girl | in | jeans; girl | in | top",
    ),
    "where somebody does something is not what it is done to": (
        "field/NN/ROOT/0 where/WRB/advmod/3 men/NNS/nsubj/3 play/VBP/relcl/0",
        "field; man; man play",
    ),
    "an article makes a noun of an adjective": (
        "the/DT/det/1 old/JJ/nsubj/2 sleep/VBP/ROOT/2",
        "old; old sleep",
    ),
    # repairs
    "after a comes no plural, so it is a verb": (
        "a/DT/det/2 boy/NN/compound/2 skateboards/NNS/ROOT/2 down/IN/prep/2 streets/NNS/pobj/3",
        "boy; street; boy skateboard; boy | skateboard down | street",
    ),
    "and who wears the dress does it": (
        "girl/NN/ROOT/0 in/IN/prep/0 a/DT/det/4 dress/NN/compound/4 stares/NNS/pobj/1",
        "girl; dress; girl stare; girl | in | dress",
    ),
    "skating is done": (
        "people/NNS/nsubj/1 are/VBP/ROOT/1 ice/NN/compound/3 skating/NN/attr/1",
        "person; person skate",
    ),
    "flowers are held, not of a sort": (
        "woman/NN/ROOT/0 in/IN/prep/0 a/DT/det/5 dress/NN/compound/4 holding/VBG/amod/5 flowers/NNS/pobj/1",
        "woman; dress; flower; woman | in | dress; woman | hold | flower",
    ),
    "a dress and a belt are two": (
        "woman/NN/ROOT/0 in/IN/prep/0 a/DT/det/7 green/JJ/amod/4 dress/NN/nmod/7 and/CC/cc/4 black/JJ/conj/4 "
        "belt/NN/pobj/1",
        "woman; dress; belt; dress green; belt black; woman | in | dress; woman | in | belt",
    ),
    "but silver and blue are of one can": (
        "a/DT/det/4 silver/NN/nmod/4 and/CC/cc/1 blue/JJ/conj/1 can/NN/ROOT/4",
        "can; can silver; can blue",
    ),
    "what is joined to a verb is its object": (
        "woman/NN/ROOT/0 wearing/VBG/acl/0 a/DT/det/3 coat/NN/dobj/1 and/CC/cc/1 headphones/NNS/conj/1",
        "woman; coat; headphones; woman | wear | coat; woman | wear | headphones",
    ),
    "pants do not stand": (
        "girl/NN/nsubj/6 in/IN/prep/0 jackets/NNS/pobj/1 and/CC/cc/0 beige/JJ/amod/5 pants/NNS/nsubj/6 "
        "stands/VBZ/ROOT/6",
        "girl; jacket; pants; pants beige; girl stand; girl | in | jacket; girl | in | pants",
    ),
    "a sink is in the kitchen": (
        "kitchen/NN/ROOT/0 with/IN/prep/0 stoves/NNS/pobj/1 and/CC/cc/0 sinks/NNS/conj/0",
        "kitchen; stove; sink; kitchen | with | stove; kitchen | with | sink",
    ),
    "women are not worn": (
        "man/NN/ROOT/0 in/IN/prep/0 pants/NNS/pobj/1 and/CC/cc/2 woman/NN/conj/2 in/IN/prep/4 skirts/NNS/pobj/5",
        "man; pants; woman; skirt; man | in | pants; woman | in | skirt",
    ),
    "shirts do not stand": (
        "boy/NN/ROOT/0 in/IN/prep/0 shirts/NNS/pobj/1 standing/VBG/acl/2 in/IN/prep/3 crowds/NNS/pobj/4",
        "boy; shirt; crowd; boy stand; boy | in | shirt; boy | stand in | crowd",
    ),
    "but a road leads": (
        "man/NN/ROOT/0 on/IN/prep/0 roads/NNS/pobj/1 leading/VBG/acl/2 to/IN/prep/3 towns/NNS/pobj/4",
        "man; road; town; road lead; man | on | road; road | lead to | town",
    ),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_the_facts_of_a_parse(case: str, facts_by_hand: Callable[[str], Facts]) -> None:
    line, expected = BY_HAND[case]
    assert facts_by_hand(line) == set(expected.split("; "))


ARCS = (
    *("ROOT", "nsubj", "nsubjpass", "dobj", "pobj", "prep", "pcomp", "conj", "cc", "amod", "compound", "nmod", "poss"),
    *("det", "acl", "relcl", "advcl", "xcomp", "ccomp", "agent", "appos", "attr", "acomp", "expl", "prt", "aux"),
)
TAGS = ("NN", "NNS", "VBG", "VBZ", "VBN", "VB", "JJ", "DT", "IN", "PRP", "PRP$", "WDT", "CD", "RP", "HYPH", "CC", ".")
WORDS = (
    "a",
    "man",
    "dogs",
    "group",
    "of",
    "shirt",
    "kitchen",
    "with",
    "holding",
    "runs",
    "it",
    "one",
    "-",
    "next",
    "to",
)


@st.composite
def parses(draw: st.DrawFn) -> Parse:
    """Any parse at all, circles among them."""
    n = draw(st.integers(0, 12))
    return Parse(
        tuple(draw(st.sampled_from(WORDS)) for _ in range(n)),
        tuple(draw(st.sampled_from(TAGS)) for _ in range(n)),
        tuple(draw(st.sampled_from(ARCS)) for _ in range(n)),
        tuple(draw(st.integers(0, n - 1)) for _ in range(n)),
    )


@given(parses())
def test_any_parse_makes_a_graph_of_things_that_it_names(parse: Parse) -> None:
    graph = scene_graph(parse)
    things = {name for (name,) in graph.objects}
    assert {name for name, _ in graph.attributes} <= things
    assert {name for one, _, other in graph.relations for name in (one, other)} <= things
    facts = list(graph.facts())
    assert len(facts) == len(set(facts))
    assert all(part.strip() == part != "" for fact in facts for part in fact)


def test_a_list_without_end_is_followed_for_a_while(by_hand: Callable[[str], Parse]) -> None:
    letters = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "klmn"]
    nouns = " ".join(f"{word}/NN/{'nsubj/80' if i == 0 else f'conj/{i - 1}'}" for i, word in enumerate(letters))
    graph = scene_graph(by_hand(f"{nouns} run/VBP/ROOT/80"))
    assert len(graph.objects) == 80
    assert [name for name, _ in graph.attributes] == letters[:16]
