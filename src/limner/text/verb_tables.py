"""English verbs by their kinds, and the forms that the rules of `verb_forms` would get wrong."""

from __future__ import annotations

from limner.text.lexicon import word_pairs, word_set

# Verbs that only help another verb, or link a subject to what it is.
AUXILIARIES = word_set("be am is are was were been being will would can could should may might must shall 're 've")

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
OTHER_WORDS = word_set("left ground found bound wound bit rose saw felt lit bore shorn setting living parking")

# Forms that the rules would get wrong, and misspellings that captions have.
ODD_FORMS = {
    **dict.fromkeys(("lay", "lays", "laying", "laid", "layed", "lying", "lies", "lie", "lain"), "lie"),
    **dict.fromkeys(("sawing", "saws", "sawed"), "saw"),
    **dict.fromkeys(("dove", "diving"), "dive"),
    **dict.fromkeys(("practise", "practises", "practising", "practised"), "practice"),
    **dict.fromkeys(("colouring", "coloured"), "color"),
    **word_pairs("lassos lasso, leaped leap, shined shine, hanged hang, kneeled kneel, lighted light, sneaked sneak"),
}

# Base forms of what captions say that people and things do to, with or by others. What may hurt or offend is left out.
CAPTION_VERBS = word_set(
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

# Past participles before a preposition, for a state or what is done to something: "parked on", "ridden by".
STATE_PARTICIPLES = word_set(
    """
    covered filled topped surrounded parked dressed seated perched gathered lined stacked piled loaded mounted tied
    attached decorated wrapped crouched bundled strapped propped draped suspended placed followed pulled pushed ridden
    driven carried held led watched chased displayed served tucked curled huddled adorned arranged stopped docked moored
    tethered packed crowded hung stuffed garnished cooked guided accompanied lit built laid positioned anchored
    plugged sprinkled drawn garlanded fed flown worn used supported painted
    """
)

# Verbs whose base and -s forms are more often nouns in captions: only "fishing" is an act, "fish" is not.
MORE_OFTEN_NOUNS = word_set(
    """
    board face fish light water type plant display drink surf bike row sled hammer step ski skateboard snowboard pet
    lounge roll paint point wave guard groom frost land taxi race grill saw shop brush bite shovel sail guide view
    park cook train fly
    """
)

# Acts of which a body does one at a time.
POSTURES = word_set(
    """
    sit stand lie walk run ride kneel crouch sleep swim jump climb dance perch squat rest lounge recline jog fly
    drive skateboard surf ski snowboard skate float graze lean wade row sail crawl
    """
)

# Verbs that take an object without a preposition.
TRANSITIVE_VERBS = word_set(
    """
    ride hold carry wear play watch read eat drink use make push pull throw catch kick hit swing drive fly cook
    cross climb chase face blow overlook fix kiss wash touch balance sweep draw hug open serve examine shave raise
    shovel shake feed roll lead pet brush paddle observe buy bite display lift repair operate grill row carve share
    inspect lick load toss grab flip chew spin spray weld mix view bounce handle admire follow chop approach plant
    drag sniff tie sew twirl sail stir race sell clean paint build dig juggle cut type wipe slice embrace unload
    photograph guide fetch mow hammer study clutch fold sip vacuum water haul herd tow contain surround guard
    dribble bathe enter exit board peel decorate squeeze wrap strum pitch knit pedal adjust drop groom teach prepare
    bake frost walk jump wave point pour perform surf
    """
)
