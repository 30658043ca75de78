"""Lists of English words: the closed classes (determiners, pronouns, prepositions …) and adjectives.

Nouns are in `noun_tables`, verbs in `verb_tables`, the nouns of each kind of
thing in `kinds`. A list that only one algorithm can use stays beside it.
"""

from __future__ import annotations


def word_set(listed: str) -> frozenset[str]:
    """The words of a list that is written with spaces between them."""
    return frozenset(listed.split())


def word_pairs(listed: str) -> dict[str, str]:
    """The pairs of a list that is written with commas between them: "goose geese, mouse mice"."""
    return dict(map(str.split, listed.split(",")))


ARTICLES = frozenset({"a", "an", "the"})

# Determiners that nothing but the phrase's own words can follow.
SPECIFIERS = ARTICLES | word_set("my your his its our their whose every")

DETERMINERS = SPECIFIERS | word_set(
    """
    this that these those her some any no each either neither another all both such what several many few much more
    most enough numerous
    """
)

# Pronouns that stand for a person or thing by themselves, as captions use them.
PERSONAL_PRONOUNS = word_set("it he she they them him i we us you me")

# What a pronoun of the third person may refer to: a person, a thing, or any of them.
REFERENT_BY_PRONOUN: dict[str, str] = {
    **dict.fromkeys(word_set("he she him her his hers himself herself"), "person"),
    **dict.fromkeys(word_set("it its itself"), "thing"),
    **dict.fromkeys(word_set("they them their theirs themselves"), "any"),
}

# What a word before a noun says of its number: one, several, none, or nothing.
NUMBER_BY_DETERMINER: dict[str, str] = {
    **dict.fromkeys(word_set("the his her its their my our your any some much"), ""),
    **dict.fromkeys(word_set("a an one this another each every either"), "one"),
    **dict.fromkeys(
        word_set("both all several many few most more these those numerous multiple various couple pair"), "several"
    ),
    **dict.fromkeys(word_set("no zero neither"), "none"),
    "1": "one",
    "0": "none",
}

_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMBERS = {
    **{word: number for number, word in enumerate(_UP_TO_TWENTY.split())},
    "dozen": 12,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "hundred": 100,
    "thousand": 1000,
}

# Words for a set of things, and how many it holds where the word says so.
COLLECTIVES: dict[str, int | None] = dict.fromkeys(
    word_set(
        """
    group crowd bunch lot row line pile set team band herd flock pack cluster collection bundle stack number variety
    array assortment plenty gathering swarm throng mob mass army crew gang series trio quartet dozens hundreds
    thousands lots tons rows lines groups crowds piles stacks herds flocks bunches gaggle
    """
    )
) | {"couple": 2, "pair": 2, "duo": 2, "trio": 3, "threesome": 3, "foursome": 4, "quartet": 4, "dozen": 12}

PREPOSITIONS = word_set(
    """
    of in on at by for from to with without into onto upon over under underneath beneath below above across along
    around through between among amongst against behind beside besides near inside outside within off up down about
    before after during toward towards past beyond atop amid amidst aboard like unlike per via next as
    """
)

# What begins a clause, or is a verb that no noun phrase holds.
CLAUSE_WORDS = word_set(
    """
    who whom whose which that where when while because if although though so but than is are was were be been being
    am has have had do does did will would can could should may might must 're 've
    """
)

CONJUNCTIONS = frozenset({"and", "or", "nor", "&", "but"})

# Adverbs that may stand after a noun without being one.
ADVERBS = word_set(
    """
    there here together alone outside inside outdoors indoors away nearby up down off out over too also very so not yet
    quite really else both each all only just almost about approximately nearly
    """
)

# What may follow a participle and still describe: "a fenced off park".
PARTICLES = word_set("in off up out down on over")

# Adjectives that stand after their noun: "his mouth open".
AFTER_NOUNS = word_set("open closed shut lit airborne outstretched afloat aloft high low")

# What is described by what follows it: "something red".
INDEFINITE = word_set("something anything nothing everything someone somebody anyone anybody everyone everybody")

OPINIONS = word_set("beautiful pretty nice cute ugly funny strange adorable handsome fancy")
COMMON_SIZES = word_set(
    "big large huge giant massive enormous small little tiny tall short long wide narrow thin thick"
)
SIZES = COMMON_SIZES | word_set(
    """
    gigantic immense miniature mini petite high low oversized medium bigger biggest larger largest smaller smallest
    taller tallest shorter shortest longer longest
    """
)
SHAPES = word_set("round square rectangular oval circular flat curved")
COMMON_COLOURS = word_set(
    """
    black white red blue green yellow brown orange pink purple gray grey tan beige golden silver gold maroon teal
    navy turquoise violet cream blond blonde
    """
)
SHADES = word_set("dark-brown light-blue dark-blue light-brown dark-green")
COLOURS = COMMON_COLOURS | word_set("khaki burgundy lavender magenta aqua cyan olive lime mauve ivory crimson scarlet")
MATERIALS = word_set("wooden metal plastic leather denim brick concrete glass stone steel rubber woolen")

# Kinds of adjectives in the order in which English puts them before a noun: "a big old round red wooden table".
ADJECTIVE_ORDER = (
    OPINIONS,
    COMMON_SIZES,
    word_set("young old older elderly new ancient antique vintage adult baby"),
    word_set("dirty clean wet dry empty full open closed broken bald bearded"),
    SHAPES,
    COMMON_COLOURS | SHADES,
    word_set("striped plaid checkered floral spotted polka-dotted"),
    MATERIALS,
)

# Adjectives that no ending tells. Nouns that only sometimes describe (baby, police, soccer) are not among them.
ADJECTIVES = (
    OPINIONS
    | COMMON_SIZES
    | SHAPES
    | COMMON_COLOURS
    | MATERIALS
    | word_set(
        """
    khaki brunette dark light bright pale colored coloured multicolored multi-colored colourful neon burgundy
    lavender magenta aqua cyan peach olive lime mauve rust ivory charcoal young old older younger elderly
    middle-aged adult teenage juvenile oldest youngest smaller smallest bigger biggest larger largest taller shorter
    longer fat skinny slim deep shallow high higher low lower broad great miniature mini medium medium-sized
    heavyset heavy overweight obese chubby slender lean new fresh modern ancient antique vintage clean dirty wet dry
    hot cold warm cool soft hard rough smooth steep triangular straight crooked sharp bent open closed shut full
    empty bare naked nude plain good bad better best poor rich cheap old-fashioned casual formal asian african
    american african-american european hispanic latino indian chinese japanese caucasian oriental mexican british
    german french italian english spanish russian korean thai arab muslim christian catholic foreign native local
    public private urban rural male female human same different various other own single lone lonely solitary sole
    only certain busy happy sad angry attractive odd weird unusual interesting beloved famous popular professional
    amateur tough strong weak fast slow quick quiet loud calm wild tame live dead alive asleep awake ill sick blind
    deaf mute shy bald pregnant homeless metallic woollen straw wood outdoor indoor northern southern eastern
    western upper inner outer front rear back left right bottom middle central main major minor next last first
    second third fourth fifth final electric electronic acoustic musical medical military martial religious
    traditional tropical floral plaid checkered argyle paisley camouflage camo tie-dye clear transparent opaque
    see-through shiny dull bmx barefoot shirtless topless sleeveless long-sleeve short-sleeve tight loose baggy
    inflatable ornate elaborate intricate abstract artificial fake real true natural raw ripe rotten sweet sour
    bitter spicy extreme aerial aquatic nearby far distant hilly average aged grown-up grown lit fallen torn worn
    broken frozen hidden stolen woven drawn sunken shorn shaven upset intent nearer farther further opposite reverse
    rocky sandy snowy grassy muddy dusty sunny cloudy rainy foggy hairy curly furry fuzzy shaggy bushy leafy wavy
    bumpy hazy icy stormy windy rusty greasy lacy frilly fluffy mossy woody stony flowery silky crispy juicy tasty
    upside-down upright parallel vertical horizontal diagonal adjacent neat tidy messy rustic
    """
    )
)

# Those of them that are nouns where no noun follows.
NOUNS_TOO = word_set("male female adult human native local amateur professional christian muslim blond brunette")

# Endings of adjectives, safe enough for words that are in no list.
ADJECTIVE_ENDINGS = ("less", "ful", "ous", "ish", "able", "ible", "ical", "ive", "haired", "skinned", "sized")
NOT_ADJECTIVES = word_set(
    """
    table vegetable cable stable fable fish dish jellyfish goldfish catfish starfish parish polish radish rubbish finish
    dive drive hive olive detective executive native relative archive representative mouthful handful spoonful
    basketful armful bowlful cupful constable syllable detergent locomotive collective walrus plateful bucketful
    octopus citrus swordfish crayfish shellfish angelfish five crucible bible collectible convertible dirigible
    """
)

# Nouns in -ing and -ed, which the rules for participles must leave alone.
ING_NOUNS = word_set(
    """
    building clothing railing painting ceiling crossing clearing wedding string ring king wing swing thing evening
    morning awning lightning something anything nothing everything icing earring sibling duckling being human-being
    drawing opening landing parking meeting spring sling offspring carving marking writing reading gathering
    beginning ending covering lighting siding flooring scaffolding bedding dressing frosting filling topping stuffing
    training boxing wrestling skateboarding snowboarding surfing skiing swimming fishing camping cooking shopping
    bowling sailing rowing cycling skating sledding dancing singing hiking climbing racing knitting sewing welding
    acting farming painting viking pudding outing sterling trimming wiring tubing piping planking paving padding
    backing lining setting sitting serving helping drawing engraving etching greeting hearing inning ironing king
    looting lodging mooring offering packaging piercing recording rigging saying seating sibling sibling steering
    stocking stretching styling tying wording yearling zing plaything upbringing dumpling seedling sapling darling
    gosling starling weakling underling fledgling hatchling bring fling ding bling ping king-ring o-ring onion-ring
    """
)
ED_NOUNS = word_set(
    """
    bed shed sled weed seed hundred red moped bobsled steed reed breed feed speed deed tweed seaweed bloodshed riverbed
    flowerbed waterbed sunbed bunkbed thoroughbred purebred shred homestead head bread thread lead dead newlywed
    """
)

# Participles that take an object without an article, and so end the noun phrase before them.
TRANSITIVE = word_set(
    """
    wearing holding riding playing carrying using eating drinking watching making doing selling wielding catching
    throwing kicking hitting pulling pushing reading having giving taking preparing cutting washing cleaning painting
    showing displaying featuring containing including crossing climbing chasing facing performing practicing enjoying
    driving feeding serving buying getting putting blowing swinging lifting touching covering surrounding
    """
)

# Who acts: after one of these, a participle is a clause and not part of a compound.
ACTORS = word_set(
    """
    man woman men women boy girl boys girls child children kid kids baby babies person people lady ladies guy guys
    player players dog dogs cat cats horse horses couple group crowd team male female males females adult adults
    toddler teenager student worker workers individual individuals bird birds cow cows someone somebody
    """
)
