"""Coarse kinds of things by their nouns: people, animals, vehicles, places and so on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from limner.text.lexicon import word_set
from limner.text.noun_forms import singular

# Every kind, in the order in which sentences tend to name them. The types of Flickr30k Entities are among them.
KINDS = ("people", "animals", "vehicles", "instruments", "food", "furniture", "clothing", "bodyparts", "other", "scene")


def kind_of(noun: str, types: Iterable[str] = ()) -> str:
    """The kind of a thing: one of its types if that is a kind, otherwise the kind of its noun, otherwise `other`.

    A noun of several words that is in no list has the kind of its last word: a
    "fire truck" is a vehicle. A "hot dog", which is listed, is food.
    """
    for name in types:
        if name in _TELLING:
            return name
    return kind_of_noun(noun)


@lru_cache(maxsize=1 << 16)
def kind_of_noun(noun: str) -> str:
    """The kind of a noun, `other` if it is in no list."""
    name = singular(noun).replace(" ", "-")
    last = name.rpartition("-")[2]
    return _KIND_BY_NOUN.get(name) or _KIND_BY_NOUN.get(last) or _KIND_BY_NOUN.get(singular(last)) or "other"


_TELLING = frozenset(KINDS) - {"other"}

# Words of several parts are written with hyphens here.
_NOUNS = {
    "people": """
    person man woman boy girl child kid baby toddler infant teenager adult human lady gentleman guy male female people
    player worker couple family crowd audience group team band class choir orchestra crew gathering friend student
    runner dancer vendor officer policeman policewoman cop firefighter fireman soldier guard rider biker bicyclist
    cyclist cowboy bride groom bridesmaid parent mother father mom dad son daughter brother sister sibling grandmother
    grandfather musician guitarist drummer singer performer artist photographer cameraman referee umpire batter pitcher
    catcher hitter goalie athlete swimmer surfer skier snowboarder skateboarder skater hiker climber jockey driver
    passenger pedestrian passerby bystander spectator onlooker observer customer shopper tourist visitor guest
    attendee doctor nurse surgeon patient chef cook baker waiter waitress bartender barista butcher farmer fisherman
    carpenter plumber mechanic electrician welder scientist teacher professor coach judge clown mime magician
    ballerina gymnast wrestler boxer cheerleader racer motorcyclist kayaker rower diver teammate opponent member
    employee businessman businesswoman citizen protester individual someone somebody newborn youth youngster tween
    elder senior monk nun priest pilot astronaut sailor pirate santa snowman-builder knight king queen princess prince
    neighbor tailor barber hairdresser painter sculptor carver male-child female-child grandparent conductor violinist
    trainer trick-or-treater goalkeeper fencer archer bowler golfer mailman postman scout
    """,
    "animals": """
    animal dog puppy cat kitten horse pony foal donkey mule cow bull calf ox cattle buffalo bison sheep lamb ram goat
    pig piglet hog boar chicken hen rooster chick duck duckling goose swan turkey bird pigeon dove seagull gull
    pelican parrot parakeet owl eagle hawk falcon crow raven penguin flamingo peacock ostrich stork heron crane-bird
    sparrow robin woodpecker magpie blue-jay canary hummingbird elephant giraffe zebra lion tiger leopard jaguar
    cheetah panther lynx bear panda koala kangaroo monkey ape gorilla chimpanzee camel llama alpaca deer moose elk
    antelope gazelle hippopotamus rhinoceros fox wolf coyote raccoon skunk squirrel rabbit bunny hare hamster rat
    hedgehog porcupine otter beaver badger bat-animal seal walrus sea-lion whale dolphin shark fish goldfish ray
    jellyfish starfish octopus squid crab lobster shrimp turtle tortoise frog toad lizard snake crocodile alligator
    dinosaur insect bee wasp ant beetle ladybug butterfly moth dragonfly spider scorpion snail worm caterpillar
    centipede seahorse armadillo tick mammal reptile carnivore invertebrate shellfish oyster poodle terrier retriever
    greyhound beagle collie bulldog dalmatian husky flock herd livestock poultry
    """,
    "vehicles": """
    vehicle car truck van bus minibus taxi cab limousine suv jeep automobile sedan ambulance fire-truck tractor
    bulldozer excavator forklift trailer train locomotive tram trolley subway monorail bicycle bike tricycle unicycle
    motorcycle motorbike moped scooter atv four-wheeler snowmobile golf-cart cart wagon carriage rickshaw wheelbarrow
    stroller wheelchair airplane plane aircraft jet helicopter glider rocket hot-air-balloon boat ship sailboat yacht
    ferry canoe kayak raft rowboat motorboat speedboat gondola submarine barge jet-ski vessel watercraft sled tank
    go-cart segway traffic snowplow land-vehicle
    """,
    "instruments": """
    instrument guitar drum violin viola cello bass accordion trumpet trombone saxophone horn tuba piano flute clarinet
    oboe harp harmonica tambourine banjo mandolin organ xylophone bagpipe fiddle ukulele maraca cymbal drum-set
    french-horn musical-keyboard
    """,
    "food": """
    food meal breakfast lunch dinner dessert snack fruit vegetable apple orange banana pear peach plum grape cherry
    strawberry blueberry raspberry lemon lime grapefruit mango pineapple pomegranate watermelon melon cantaloupe
    coconut kiwi avocado tomato potato carrot broccoli lettuce cabbage cucumber onion garlic pepper bell-pepper zucchini
    squash pumpkin corn mushroom bean pea asparagus artichoke radish turnip celery salad sandwich burger hamburger
    hot-dog sausage pizza taco burrito wrap pasta spaghetti noodle rice soup stew sushi bread toast baguette bagel
    croissant muffin pancake waffle donut doughnut pastry pie cake cupcake cookie pretzel popcorn candy chocolate
    ice-cream cheese egg omelet meat steak beef pork ham bacon chicken-wing french-fries fry seafood milk juice coffee
    tea wine beer cocktail drink beverage soda ketchup sauce butter cream yogurt honey submarine-sandwich guacamole
    tart baked-goods fast-food common-fig winter-melon milkshake smoothie slice
    """,
    "furniture": """
    furniture table dining-table desk coffee-table chair armchair stool bench couch sofa loveseat bed crib bunk-bed
    futon ottoman bookcase shelf bookshelf cabinet cupboard dresser drawer chest-of-drawers wardrobe closet nightstand
    counter countertop rug carpet mat mattress hammock highchair throne pew bleacher infant-bed kitchen-table
    cat-furniture studio-couch filing-cabinet sofa-bed billiard-table
    """,
    "clothing": """
    clothing clothes shirt t-shirt blouse sweater sweatshirt hoodie jacket coat blazer suit tuxedo vest dress gown
    skirt kilt pants trousers jeans shorts leggings tights overalls jumpsuit uniform costume outfit attire robe kimono
    sari apron bib swimsuit bikini wetsuit trunks underwear bra pajamas sock shoe boot sandal sneaker slipper
    flip-flop high-heels heel glove mitten hat cap helmet beanie beret turban sombrero fedora headband headscarf
    headdress bandana bandanna visor hood crown tiara wig mask glasses sunglasses goggles scarf shawl tie necktie
    bowtie belt suspenders collar backpack watch necklace bracelet earring ring jewelry brassiere miniskirt poncho
    cape cloak leotard tutu turtleneck polo jersey raincoat life-jacket life-vest harness sash headphones earphones
    wristband knee-pad swim-cap cowboy-hat sun-hat football-helmet bicycle-helmet sports-uniform swimwear garb scrub
    headgear footwear lifejacket diaper
    """,
    "bodyparts": """
    hand arm leg foot face head hair eye ear nose mouth lip tongue tooth chin cheek forehead neck shoulder chest
    back-part stomach belly waist hip lap knee elbow finger thumb toe fingernail beard mustache moustache goatee
    ponytail pigtail braid mohawk dreadlock tattoo smile tail paw hoof wing beak snout trunk-nose mane horn-part
    antler tusk feather body skin blond-hair red-hair eyebrow eyelash makeup
    """,
    "scene": """
    street road highway sidewalk crosswalk intersection path trail pavement alley driveway parking-lot lot field grass
    lawn park garden yard backyard playground forest woods jungle desert beach shore sand ocean sea water lake river
    stream pond pool puddle wave waterfall mountain hill cliff valley snow slope sky ground floor dirt room kitchen
    bedroom bathroom living-room dining-room classroom office hallway building house skyscraper church castle tower
    barn store shop market restaurant bar cafe mall library museum hospital school stadium arena court tennis-court
    basketball-court baseball-field stage track runway airport station platform subway-station dock pier harbor
    bridge tunnel city town village area wall fence background farm pasture ranch zoo meadow countryside plaza square
    courtyard patio porch balcony deck rooftop roof boardwalk walkway corner gym ice-rink rink skate-park ski-slope
    marina dune island bay coast horizon theater auditorium lobby garage alleyway hallway scene landscape
    construction-site gas-station outdoors swimming-pool
    """,
    "other": """
    sheet wine-glass baseball-glove teddy-bear sports-ball stuffed-animal toy-car toy-truck toy-train rubber-duck
    toy-dog rocking-horse computer-mouse car-seat shower-curtain traffic-light stop-sign fire-hydrant parking-meter
    cell-phone street-sign light-pole tree-branch grocery-bag goal-post cake-stand coffee-cup coffee-mug tea-cup
    coffeemaker pizza-cutter bottle-opener egg-carton dog-bed bird-house cat-toy boat-ramp hand-bag vehicle-part
    bicycle-wheel tree-house piano-bench animal-print horse-statue train-track wine-bottle beer-bottle water-bottle
    milk-carton fruit-bowl salad-bowl bread-box pepper-grinder salt-and-pepper-shaker wine-rack fish-tank hot-tub
    mouse cassette-deck washing-machine coffee-machine mechanical-fan ceiling-fan hand-dryer toilet-paper door-handle
    car-door window-blind
    """,
}

_KIND_BY_NOUN = {noun: kind for kind, listed in _NOUNS.items() for noun in word_set(listed)}
