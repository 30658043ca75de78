"""English nouns by their kinds, and those whose singular or plural the rules of `forms` would get wrong."""

from __future__ import annotations

from limner.text.lexicon import word_pairs, word_set

# Singular to plural, both turned by the table.
IRREGULAR = word_pairs(
    """
    person people, man men, woman women, child children, foot feet, tooth teeth, goose geese, mouse mice, louse lice,
    ox oxen, die dice, passer-by passers-by, runner-up runners-up, passerby passersby, calf calves, elf elves,
    half halves, hoof hooves, knife knives, leaf leaves, life lives, loaf loaves, scarf scarves, self selves,
    sheaf sheaves, shelf shelves, thief thieves, wharf wharves, wife wives, wolf wolves, dwarf dwarves, quiz quizzes,
    axe axes, pickaxe pickaxes, analysis analyses, axis axes, basis bases, crisis crises, diagnosis diagnoses,
    oasis oases, thesis theses, alumnus alumni, cactus cacti, fungus fungi, nucleus nuclei, stimulus stimuli,
    radius radii, syllabus syllabi, paparazzo paparazzi, alga algae, larva larvae, vertebra vertebrae,
    bacterium bacteria, criterion criteria, phenomenon phenomena, stratum strata, index indices, matrix matrices,
    vertex vertices, vortex vortices, château châteaux, bureau bureaux, plateau plateaux, tableau tableaux
    """
)

# Plurals that have a second spelling, or whose singular is not the one the table above would turn back to.
SINGULAR_OF = {plural: singular for singular, plural in IRREGULAR.items()} | word_pairs(
    """
    axes axe, bases base, persons person, peoples person, womens woman, mens man, childrens child, mouses mouse,
    hippopotami hippopotamus, octopi octopus, hoofs hoof, staves staff, kerchieves kerchief,
    handkerchieves handkerchief, beeves beef, busses bus, minibusses minibus, gasses gas, antennae antenna,
    formulae formula, appendices appendix
    """
)

# The same in the singular and the plural.
UNCHANGING = word_set(
    """
    sheep deer fish moose bison elk shrimp squid salmon trout cod tuna swine bass carp goldfish catfish jellyfish
    starfish swordfish aircraft spacecraft hovercraft watercraft series species offspring livestock cattle poultry
    police graffiti confetti spaghetti broccoli sushi sashimi chinese japanese portuguese swiss crossroads
    headquarters barracks means corps rendezvous chassis d'oeuvres debris
    """
)

# Plural in form, though it may be one thing: the singular, where there is one, is another word.
PLURAL_AS_SINGULAR = word_set(
    """
    pants jeans trousers shorts scissors glasses sunglasses eyeglasses goggles binoculars overalls coveralls tights
    leggings pajamas pyjamas clothes underclothes pliers tongs tweezers sweatpants underpants slacks khakis dungarees
    panties undies spectacles shears thanks outskirts headphones earphones briefs capris corduroys culottes knickers
    pantaloons bifocals sweats whereabouts groceries suspenders belongings surroundings furnishings suds billiards
    feces odds grits outdoors indoors upstairs downstairs themselves ourselves yourselves acoustics acrobatics
    aerobatics aerobics aerodynamics athletics ceramics economics electronics ethics gymnastics hydraulics linguistics
    mathematics olympics orthopedics paralympics pediatrics physics politics pyrotechnics robotics statistics
    theatrics
    """
)

# Singulars that end in a single s and that no ending (ss, us, is) tells.
ENDS_IN_S = word_set(
    """
    gas lens canvas atlas christmas xmas bias alias pancreas chaos cosmos asbestos rhinoceros thermos news summons
    biceps triceps quadriceps forceps ethos pathos kudos molasses diabetes rabies mumps gallows shambles iris ibis
    trellis pelvis metropolis tennis texas kansas arkansas vegas las los dallas honduras bahamas philippines
    netherlands wales athens brussels mars mercedes adidas amos carlos james charles hans jonas judas lucas nicholas
    thomas yes always perhaps as was has its hers ours yours theirs
    """
)

# Singulars in -i and -u: their plurals look like words in -is and -us.
IN_I_OR_U = word_set(
    """
    ski taxi bikini kiwi safari sari tsunami zucchini martini panini salami chili chilli rabbi alibi yeti ferrari tiki
    maxi mini midi fi wiki khaki jacuzzi lei teriyaki corgi mariachi ravioli tortellini gi pepperoni macaroni deli
    semi jedi wii menu tutu emu gnu bayou caribou haiku guru tzu sudoku thou
    """
)

# Singulars in -ie, whose plurals would otherwise be taken for those of -y.
IN_IE = word_set(
    """
    movie cookie brownie zombie selfie hoodie smoothie birdie hippie collie calorie prairie rookie genie groupie
    beanie goalie foodie newbie roadie bookie budgie magpie potpie necktie bowtie sortie freebie veggie doggie cutie
    sweetie onesie yorkie walkie talkie auntie barbie bogie bootie boogie cabbie caddie coolie coterie eyrie faerie
    girlie indie junkie kiddie laddie lassie menagerie nightie oldie ollie patisserie pinkie pixie quickie reverie
    rotisserie sharpie softie techie townie trekkie wedgie weenie wheelie yuppie aussie baggie pie tie die lie
    camaraderie lingerie frisbie cootie toughie brie
    """
)

# Singulars in -e whose plurals look as if -es were the ending.
IN_E = word_set(
    """
    shoe canoe toe hoe foe doe floe oboe aloe horseshoe snowshoe tiptoe mistletoe roe woe throe overshoe joe ache
    headache toothache backache stomachache earache heartache cache niche quiche avalanche creche cliche psyche
    pastiche brioche douche moustache mustache porsche apache microfiche gouache fuse use muse ruse excuse recluse
    abuse hypotenuse posse finesse crevasse lacrosse mousse
    """
)

# Singulars in -o whose plural takes -es.
O_TO_OES = word_set(
    """
    tomato potato hero torpedo echo mosquito volcano buffalo mango domino tornado cargo zero veto embargo superhero
    """
)

# Singulars in -men and -man that are no compounds of "man".
SINGULAR_IN_MEN = word_set("specimen abdomen omen regimen semen ramen stamen yemen carmen amen bitumen")
NOT_FROM_MAN = word_set("human german roman talisman shaman ottoman caiman norman superhuman doberman walkman oman")

# Nouns that are not counted: "grass", never "a grass"; hyphens stand for spaces.
MASS = word_set(
    """
    grass water snow sand mud dirt ice rain smoke steam fog fire food rice bread meat beef pork chicken-meat fruit
    produce broccoli spinach lettuce cabbage corn pasta spaghetti soup butter cheese cream sugar salt flour sauce
    ketchup mustard milk juice coffee tea wine beer alcohol liquor champagne soda hair fur luggage baggage furniture
    equipment machinery gear clothing attire apparel underwear swimwear sportswear footwear jewelry jewellery makeup
    lipstick camouflage denim leather lace silk paint graffiti art artwork traffic scenery vegetation foliage greenery
    shrubbery ivy moss seaweed hay straw wood lumber timber metal plastic glassware silverware cutlery tableware
    stemware kitchenware stuff trash garbage litter rubbish debris dust gravel concrete pavement asphalt cardboard
    paper newsprint string thread yarn fabric cloth tape wire mail laundry merchandise money cash cotton-candy popcorn
    candy chocolate ice-cream frosting icing honey jam salad-dressing seafood sushi shrimp asparagus celery garlic
    ginger guacamole tofu bacon ham toast cereal oatmeal granola yogurt whipped-cream shade sunlight daylight
    light-rain lightning electricity music transportation wildlife livestock cattle poultry scaffolding netting
    fencing brickwork flooring carpeting bedding lighting seating surf foam lava land soil terrain ground-cover stone
    marble rust clay facial-hair tennis soccer hockey tinsel confetti glitter
    """
)

# Nouns of which a picture has one, so that they take "the" where a corpus does not tell otherwise.
UNIQUE = word_set(
    "sky ground sun moon ocean sea air horizon shore shoreline beach water background foreground city wild"
)

# Animals that come in herds, and in flocks.
HERD_ANIMALS = word_set("cow cattle sheep goat horse elephant zebra giraffe buffalo bison deer antelope camel")
FLOCK_ANIMALS = word_set("bird pigeon seagull duck goose chicken flamingo pelican")

# Nouns for one thing with two halves: "a pair of scissors", "two pairs of skis".
PAIRS = word_set(
    """
    pants jeans trousers shorts scissors glasses sunglasses eyeglasses goggles binoculars overalls tights leggings
    pajamas pyjamas pliers tongs tweezers sweatpants underpants slacks khakis headphones earphones briefs shears
    skis chopsticks swimming-trunks boxers
    """
)

# Those of them that need neither article nor "a pair of": "wearing jeans".
WORN_PAIRS = word_set(
    """
    pants jeans trousers shorts glasses sunglasses eyeglasses goggles overalls tights leggings pajamas pyjamas
    sweatpants underpants slacks khakis headphones earphones briefs swimming-trunks boxers skis clothes
    """
)

# Nouns that make a compound with the singular noun before them; a caption then does not speak of that noun.
COMPOUND_HEADS = word_set(
    """
    area arrangement attire bar barn basket bath bathroom blanket block booth boots box boxes bread bridge brush
    bucket bun cabinet cabinets cage call camera cap carrier case cases chain chandelier cheese chips cider clothes
    clothing club coat collar color combination competition cord cords costume costumes counter counters course court
    courts cover crust cutter dashboard decoration decorations depot diamond dispenser display dock docks doll dolls
    door doors dough dress dugout enclosure equipment event exhibit factory farm feeder fence festival field fields
    figurine fixtures food frame frames fur game games garden gear goggles golf gown habitat hair handle handles
    hangar harbor hat hats helmet helmets hill holder holders house houses hut jacket jersey joint juice kitchen lane
    leash lid lift linen linens lines litter location lodge logo lot machine map market mask match meal mirror mirrors
    museum nest net number orchard outfit outfits overpass page pan panel pans paper parade park parlor pasture path
    paths pattern patties peel pen photo picture place plate plates platform pole poles post practice presentation
    print prints pudding race rack racks rail rails ramp ramps resort restaurant restroom ride rink roll roof room
    rooms route saddle salad sauce sculpture sculptures section setup shape sheet sheets shelf shelves shirt shirts
    shop shops show shower side site skin sleeve slope slopes soap soup spread stable stables stadium stall stalls
    station stations statue statues stone stop storage store stores stripes style suit sweater system tail tank tennis
    tent terminal terminals tire tires tissue topper toppings tournament tower toy toys track tracks trail tree trees
    trick tricks trough tub tunnel uniform uniforms user wall walls wash washer wheel wheels window windows wires wool
    workstation yard zone
    """
)

# Before another word these are adjectives: "an orange shirt".
NOUNS_OR_ADJECTIVES = word_set("orange glass remote model")

# Nouns that captions also use as verbs.
NOUNS_OR_VERBS = word_set(
    "ski skateboard snowboard surfboard bike kite boat bat tie cook model book phone plant drink wrap bear duck"
)
