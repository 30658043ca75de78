"""English verbs as captions use them between two things: a closed list, and the forms it takes."""

from __future__ import annotations

from limner.text.lexicon import word_set
from limner.text.verb_forms import gerund, third

VERBS = word_set(
    """
    sit stand lie walk run ride hold carry wear play look watch read eat drink work talk use make sleep lean hang push
    pull throw catch kick hit swing drive fly cook cross swim climb jump chase face blow overlook point rest slide fix
    reach stare kiss leap skateboard surf write fish wave pass pour wash touch balance sweep draw hug open serve hike
    shop relax examine dive shave skate jog raise bend shovel shake feed roll lead squat pet brush paddle observe buy
    bite display lift repair float operate grill row carve share march inspect lick load toss grab bike flip chew spin
    spray weld crouch wade snowboard stretch mix view bounce handle admire follow kayak chop rollerblade approach hide
    peer lounge plant drag sniff step tie sew twirl sail stir race dance sing perform sell clean paint build dig juggle
    kneel pose listen wait cut type wipe slice browse embrace unload photograph guide fetch mow sled hammer study
    clutch fold sip crawl vacuum water stroll haul graze herd perch tow peek gaze contain surround hover guard recline
    dribble bathe nap enter exit board peel decorate squeeze wrap hop strum pitch glide cycle skip ski knit pedal gather
    travel speak smile laugh smoke light adjust drop trot gallop splash snuggle cuddle nuzzle groom sunbathe teach
    celebrate fill attend land taxi drift bark speed prepare bake frost grin glance
    """
)
"""Base forms of what people and things are said to do to, with or by others; what may hurt or offend is left out."""

PARTICIPLES = word_set(
    """
    covered filled topped surrounded parked dressed seated perched gathered lined stacked piled loaded mounted tied
    attached decorated wrapped crouched bundled strapped propped draped suspended placed followed pulled pushed ridden
    driven carried held led watched chased displayed served tucked curled huddled adorned arranged stopped docked moored
    tethered packed crowded hung stuffed garnished cooked guided accompanied lit built laid positioned anchored
    plugged sprinkled drawn garlanded fed flown worn used supported painted
    """
)
"""Past participles that tell a state or what is done to something, before a preposition: "parked on", "ridden by"."""

NOUNS_TOO = word_set(
    """
    board face fish light water type plant display drink surf bike row sled hammer step ski skateboard snowboard pet
    lounge roll paint point wave guard groom frost land taxi race grill saw shop brush bite shovel sail guide view
    park cook train fly
    """
)
"""Verbs whose base and -s forms are more often nouns in captions: of these only "fishing" is taken for an act."""

BASE_BY_FORM: dict[str, str] = {
    **{third(base): base for base in VERBS - NOUNS_TOO},
    **{base: base for base in VERBS - NOUNS_TOO},
    **{gerund(base): base for base in VERBS},
    # As captions write them.
    "laying": "lie",
    "lays": "lie",
    "lay": "lie",
    "siting": "sit",
    "travelling": "travel",
}
"""Every form that a verb of the list takes in the present tense."""

GERUNDS = frozenset([*(gerund(base) for base in VERBS), "laying", "siting", "travelling"])
