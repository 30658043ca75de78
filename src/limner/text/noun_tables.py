"""English nouns whose singular or plural the rules of `forms` would get wrong."""

from __future__ import annotations

from limner.text.lexicon import word_set

# Singular to plural, both turned by the table.
IRREGULAR: dict[str, str] = {
    "person": "people",
    "man": "men",
    "woman": "women",
    "child": "children",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "louse": "lice",
    "ox": "oxen",
    "die": "dice",
    "brother-in-law": "brothers-in-law",
    "passer-by": "passers-by",
    "passerby": "passersby",
    "calf": "calves",
    "elf": "elves",
    "half": "halves",
    "hoof": "hooves",
    "knife": "knives",
    "leaf": "leaves",
    "life": "lives",
    "loaf": "loaves",
    "scarf": "scarves",
    "self": "selves",
    "sheaf": "sheaves",
    "shelf": "shelves",
    "thief": "thieves",
    "wharf": "wharves",
    "wife": "wives",
    "wolf": "wolves",
    "dwarf": "dwarves",
    "quiz": "quizzes",
    "axe": "axes",
    "pickaxe": "pickaxes",
    "analysis": "analyses",
    "axis": "axes",
    "basis": "bases",
    "crisis": "crises",
    "diagnosis": "diagnoses",
    "oasis": "oases",
    "thesis": "theses",
    "alumnus": "alumni",
    "cactus": "cacti",
    "fungus": "fungi",
    "nucleus": "nuclei",
    "stimulus": "stimuli",
    "radius": "radii",
    "syllabus": "syllabi",
    "paparazzo": "paparazzi",
    "alga": "algae",
    "larva": "larvae",
    "vertebra": "vertebrae",
    "bacterium": "bacteria",
    "criterion": "criteria",
    "phenomenon": "phenomena",
    "stratum": "strata",
    "index": "indices",
    "matrix": "matrices",
    "vertex": "vertices",
    "vortex": "vortices",
    "château": "châteaux",
    "bureau": "bureaux",
    "plateau": "plateaux",
    "tableau": "tableaux",
}

# Plurals that have a second spelling, or whose singular is not the one the table above would turn back to.
SINGULAR_OF: dict[str, str] = {
    **{many: one for one, many in IRREGULAR.items()},
    "axes": "axe",
    "bases": "base",
    "persons": "person",
    "peoples": "people",
    "womens": "woman",
    "mens": "man",
    "childrens": "child",
    "peolple": "person",
    "mouses": "mouse",
    "hippopotami": "hippopotamus",
    "octopi": "octopus",
    "hoofs": "hoof",
    "staves": "staff",
    "kerchieves": "kerchief",
    "handkerchieves": "handkerchief",
    "beeves": "beef",
    "busses": "bus",
    "minibusses": "minibus",
    "gasses": "gas",
    "antennae": "antenna",
    "formulae": "formula",
    "appendices": "appendix",
    "grandkids": "grandkid",
}

# The same in the singular and the plural.
UNCHANGING = word_set(
    """
    sheep deer fish moose bison elk shrimp squid salmon trout cod tuna swine bass carp goldfish catfish jellyfish
    starfish swordfish aircraft spacecraft hovercraft watercraft series species offspring livestock cattle poultry
    police graffiti confetti spaghetti ravioli broccoli tortellini linguine sushi sashimi tempura chinese japanese
    portuguese swiss crossroads headquarters barracks means corps rendezvous chassis hors d'oeuvres
    """
)

# Plural in form, though it may be one thing: the singular, where there is one, is another word.
PLURAL_AS_SINGULAR = word_set(
    """
    pants jeans trousers shorts scissors glasses sunglasses eyeglasses goggles binoculars overalls coveralls tights
    leggings pajamas pyjamas clothes pliers tongs tweezers sweatpants underpants slacks khakis dungarees panties undies
    spectacles shears thanks outskirts remains earnings congratulations headphones earphones swimtrunks boxers briefs
    capris corduroys culottes knickers pantyhose sweats tidings whereabouts festivities groceries refreshments
    suspenders nunchucks stockings acoustics acrobatics aerobics aerodynamics aerosols athletics economics electronics
    ethics gymnastics hydraulics linguistics mathematics olympics paralympics physics politics pyrotechnics robotics
    statistics theatrics
    """
)

# Singulars that end in a single s and that no ending (ss, us, is) tells.
ENDS_IN_S = word_set(
    """
    gas lens canvas atlas christmas xmas bias alias pancreas texas kansas arkansas chaos cosmos asbestos rhinoceros
    albatros thermos yes vegas las los adidas always perhaps news summons biceps triceps quadriceps forceps mars ethos
    pathos kudos molasses diabetes rabies mumps gallows shambles amos carlos james charles hans jonas judas lucas
    nicholas thomas dallas honduras bahamas philippines netherlands wales athens brussels marines pus its as was has
    does this his us is s versus plus ours yours hers theirs afros cos trans
    """
) - {"does", "afros", "marines"}

# Singulars in -i and -u: their plurals look like words in -is and -us.
IN_I_OR_U = word_set(
    """
    ski taxi bikini kiwi safari sari tsunami zucchini martini panini salami chili rabbi alibi kimchi yeti ferrari
    tiki maxi mini midi hi-fi wiki selfi khaki jacuzzi graffiti lei origami teriyaki water-ski jetski
    menu tutu emu gnu bayou caribou tofu haiku guru impromptu thou you shih-tzu tiramisu flu shitzu sudoku ecu
    """
)

# Singulars in -ie, whose plurals would otherwise be taken for those of -y.
IN_IE = word_set(
    """
    movie cookie brownie zombie selfie hoodie smoothie birdie hippie collie calorie prairie rookie genie groupie beanie
    goalie foodie newbie roadie bookie budgie magpie potpie necktie bowtie sortie freebie veggie doggie cutie sweetie
    onesie yorkie eerie walkie talkie walkie-talkie sweetie auntie barbie bowtie bogie bootie boogie cabbie caddie
    camaraderie cowrie coolie coterie dearie dixie dogie druggie eyrie faerie girlie gillie hogtie indie junkie
    kiddie laddie lassie lingerie menagerie moxie nightie oldie patisserie pinkie pixie preemie quickie reverie
    rotisserie softie specie sweetpie techie toughie townie trekkie untie wedgie weenie wheelie yuppie zombie
    aussie bourgeoisie brie eagle-eyrie laddie organdie pie tie die lie vie hie belie cooperie camie underlie tootsie
    """
)

# Singulars in -e whose plurals look as if -es were the ending.
IN_E = word_set(
    """
    shoe canoe toe hoe foe doe floe oboe aloe horseshoe snowshoe tiptoe mistletoe roe woe throe sloe gumshoe overshoe
    tennis-shoe ache headache toothache backache stomachache earache heartache cache niche quiche avalanche creche
    cliche psyche pastiche brioche douche moustache mustache porsche apache attache microfiche panache gouache
    pistache ceviche ranche fuse use muse ruse excuse recluse refuse abuse accuse hypotenuse deluxe luxe
    bronze size prize breeze maze gaze blaze sneeze freeze glaze haze craze doze ooze booze snooze fuze seize squeeze
    """
)

# Singulars in -o whose plural takes -es.
O_TO_OES = word_set(
    """
    tomato potato hero torpedo echo mosquito volcano buffalo mango domino tornado cargo zero veto embargo superhero
    antihero negro go no mulatto
    """
)

# Singulars in -men and -man that are no compounds of "man".
SINGULAR_IN_MEN = word_set(
    "specimen abdomen omen regimen semen acumen ramen stamen yemen carmen amen women hymen bitumen lumen"
)
NOT_FROM_MAN = word_set(
    """
    human german roman talisman shaman ottoman caiman norman brahman mussulman turkoman superhuman doberman pullman
    walkman
    """
)
