"""The forms of English verbs, as captions use them: rides, riding and ridden are ride, and back."""

from __future__ import annotations

from functools import cache

from limner.text.lexicon import ING_NOUNS, PREPOSITIONS, word_set

AUXILIARIES = word_set(
    """
    be am is are was were been being will would can could should may might must shall 're 've
    """
)
"""What only helps another verb, or links a subject to what it is."""


def verb_lemma(word: str) -> str | None:
    """The base form of the verb that a lower-case word is a form of, or None where it is no verb that is known.

    A word in -ing that is in no list is taken for a verb unless it is known as
    a noun. Auxiliaries are no verbs here. "laying" is "lie": captions say it
    of what lies.
    """
    known = _lemma_by_form().get(word)
    if known is not None:
        return known
    if (
        len(word) > 5
        and word.endswith("ing")
        and not (word in ING_NOUNS or word in PREPOSITIONS or word in _OTHER_WORDS)
    ):
        return _without_ing(word)
    return None


def is_participle(word: str) -> bool:
    """Whether a lower-case word is the past participle of a verb that is known: ridden, parked, held."""
    return word in _participles()


def third(base: str) -> str:
    """The verb with he, she or it: rides, watches, flies."""
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and not _is_vowel(base[-2]) else base + "s"


def gerund(base: str) -> str:
    """The verb's -ing form: riding, sitting, lying."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + "ing"
    return _doubled(base) + "ing"


@cache
def _lemma_by_form() -> dict[str, str]:
    lemmas: dict[str, str] = {}
    for base in REGULAR:
        # British spelling doubles an l whatever the stress: pedalling, travelled.
        british = (base + "ling", base + "led") if base.endswith("l") and _is_vowel(base[-2]) else ()
        for form in (base, third(base), gerund(base), _past(base), *british):
            lemmas.setdefault(form, base)
    for base, (past, participle) in _irregular().items():
        for form in (base, third(base), gerund(base), past, participle):
            lemmas[form] = base
    return {**{form: lemma for form, lemma in lemmas.items() if form not in _OTHER_WORDS}, **_ODD_FORMS}


@cache
def _participles() -> frozenset[str]:
    regular = {_past(base) for base in REGULAR}
    return frozenset(regular | {participle for _, participle in _irregular().values()}) - _OTHER_WORDS


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    """The base of each irregular verb, with its past and its participle."""
    table = {}
    for line in IRREGULAR.split(","):
        base, *rest = line.split()
        table[base] = (rest[0], rest[-1]) if rest else (base, base)
    return table


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and not _is_vowel(base[-2]):
        return base[:-1] + "ied"
    return _doubled(base) + "ed"


def _doubled(base: str) -> str:
    """The base as endings with a vowel find it: run becomes runn-, open stays."""
    if base.endswith("ic"):
        return base + "k"
    sounds = base.replace("qu", "q")
    closed = len(base) > 2 and base[-1] not in "aeiouwxyh" and _is_vowel(base[-2])
    return base + base[-1] if closed and (sum(map(_is_vowel, sounds)) == 1 or base in STRESSED_LAST) else base


def _is_vowel(letter: str) -> bool:
    return letter in "aeiou"


def _without_ing(word: str) -> str:
    """A guess at the base of a form in -ing: what matters is that it is the same each time."""
    stem = word.removesuffix("ing")
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsfz":
        return stem[:-1]
    return stem


REGULAR = word_set(
    """
    accept act add address adjust admire advertise aim align allow analyze announce answer appear applaud apply
    approach argue arrange arrive ascend ask assemble assist attach attack attempt attend avoid await award backpack
    bake balance bang barbecue bark bask bat bathe battle beg bicycle bike billow blend block blossom board boat bob
    boil bounce bow bowl box braid brandish break-dance breakdance breastfeed breathe browse brush buck bump bundle
    burn bury bus butcher button call camp canoe capture care caress carry carve cause celebrate change charge chase
    chat chatter check cheer cheerlead chew chip chisel choke chop circle clap clasp clean clear climb close clutch
    coach coast collect collide color comb comfort communicate compare compete complete concentrate conduct confront
    congregate connect construct contain contemplate control converse cook cool cover cradle craft cram crash crawl
    create crochet cross crouch crowd cruise crumble cry cuddle curl cycle dance dangle dart debark decide decorate
    defend deliver demonstrate depict descend detail dine dip direct discuss display dive dock don drag dress
    dribble drift drill drip drop drum dry duck duel dump dunk dust eject elevate embrace emerge empty encourage end
    engage enjoy enter entertain erect erupt examine exchange exercise exhale exit explain explore express extend
    face fan fasten feature fence fetch fiddle fill film finish fire fish fix flap flash flex flip float flow focus
    fold follow form frolic frost frown fry gallop gamble garden garnish gather gaze gesture giggle glance glare
    glide glow gnaw golf grab grasp graze greet grill grimace grin grip groom growl guard guide gulp guzzle hail
    hammer hand handle happen harvest haul head help herd hike hitch hoist hook hop hope hover huddle hug hula-hoop
    hunch hunt hurdle hurry ice-skate ignore illuminate include indicate inflate insert inspect install instruct
    interact intercept interview investigate iron jam jog join joke juggle jump kayak kick kickbox kiss knead knit
    knock label lasso laugh launch lean learn lick lift line link listen litter load lob lock loiter look lounge
    love lower lunge maneuver manipulate march mark marry match measure meditate merge milk mill mingle miss mix
    model monitor mop motion mount move munch nail nap navigate need nestle nibble nurse observe offer open operate
    order organize overflow overlook pack package paddle paint parachute parade parasail park participate party pass
    pat patrol pause peck pedal peddle peek peel peep peer perch perform peruse pet photograph pick picnic pierce
    pile pilot pin pitch place plan plant play plow pluck plug point poke pole-vault polish pop pose post pound pour
    power practice prance pray preach prep prepare present press pretend process promote prop propel protect protest
    pull pump punch punt purchase push race raft rain raise rake rappel reach receive recline record reflect
    rehearse relax release remove repaint repair replace rescue resemble rest retrieve return review rinse roam
    roast rock rock-climb roll roller-blade roller-skate rollerblade rollerskate rope round row rub rummage rush
    sail salute sample save scale scan scatter scoop scoot score scramble scrape scratch scream scrub sculpt search
    seat secure seem select separate serve service shade shape share sharpen shave shelter shift shop shout shovel
    shower shuffle sift sightsee sign signal silhouette sip skate skateboard sketch ski skid skip skydive sled slice
    slip slump slurp smash smell smile smoke smooth snack snap sniff snorkel snow snowboard snuggle soak soar
    socialize solder sort spar spike splash splatter sport spot sprawl spray sprinkle sprint squash squat squeeze
    squint squirt stack stage stamp stare start stay steer step stir stitch stock stomp stoop stop store straddle
    straighten strap stretch strip stroke stroll struggle strum study stuff stumble suck sunbathe supervise support
    surf surround survey suspend swaddle swallow swat sway swerve tackle tag talk tap target taste taunt taxi tease
    tend test text throng tickle tie tilt tip toast top toss totter touch tour tow tower trail train trample
    transport trap travel traverse treat trek trick trim trot trudge try tug tumble tune turn tutor twirl twist type
    uncover unload unpack unplug unwrap unzip use vacuum vault veer vend verify videotape view visit wade wag wait
    wakeboard walk wander want warm warn wash watch water water-ski waterski wave weigh welcome weld wheel whip
    whisper whistle wield windsurf wink wipe wish work wrangle wrap wrestle yank yawn yell zigzag zip zoom
    """
)

IRREGULAR = """
    babysit babysat, bear bore borne, begin began begun, bend bent, bet, bind bound, bite bit bitten, bleed bled,
    blow blew blown, break broke broken, breed bred, bring brought, build built, burst, buy bought, cast, catch
    caught, choose chose chosen, cling clung, come came come, creep crept, cut, deal dealt, dig dug, do did done,
    draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt,
    fight fought, find found, fit, flee fled, fling flung, fly flew flown, freeze froze frozen, get got gotten, give
    gave given, go went gone, grind ground, grow grew grown, hang hung, have had, hear heard, hide hid hidden, hit,
    hold held, keep kept, kneel knelt, know knew known, lead led, leap leapt, leave left, lend lent, let, lie lay
    lain, light lit, lose lost, make made, meet met, mow mowed mown, overcome overcame overcome, oversee oversaw
    overseen, pay paid, prove proved proven, put, quit, read, ride rode ridden, ring rang rung, rise rose risen, run
    ran run, saw sawed sawn, say said, see saw seen, seek sought, sell sold, send sent, set, sew sewed sewn, shake
    shook shaken, shear sheared shorn, shine shone, shoot shot, show showed shown, shut, sing sang sung, sink sank
    sunk, sit sat, slay slew slain, sleep slept, slide slid, sling slung, slit, sneak snuck, speak spoke spoken,
    spend spent, spin spun, spit spat, split, spread, stand stood, steal stole stolen, stick stuck, sting stung,
    strike struck, string strung, swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken,
    teach taught, tear tore torn, tell told, think thought, throw threw thrown, thrust, undergo underwent undergone,
    understand understood, unwind unwound, wake woke woken, wear wore worn, weave wove woven, weep wept, win won,
    wind wound, withdraw withdrew withdrawn, write wrote written
"""

# Verbs of several syllables whose last is stressed, or that double all the same.
STRESSED_LAST = word_set("babysit begin patrol propel rappel unplug unwrap unzip zigzag")

# Forms that in captions are another word far more often.
_OTHER_WORDS = word_set("left ground found bound wound bit rose saw felt lit bore shorn setting living parking")

_ODD_FORMS = {
    **dict.fromkeys(("lay", "lays", "laying", "laid", "layed", "lying", "lies", "lie", "lain"), "lie"),
    **dict.fromkeys(("sawing", "saws", "sawed"), "saw"),
    **dict.fromkeys(("dove", "diving"), "dive"),
    **dict.fromkeys(("practise", "practises", "practising", "practised"), "practice"),
    **dict.fromkeys(("colouring", "coloured"), "color"),
    "lassos": "lasso",
    "leaped": "leap",
    "shined": "shine",
    "hanged": "hang",
    "kneeled": "kneel",
    "lighted": "light",
    "sneaked": "sneak",
}
