"""Nouns of places: what one is in front of, on, or in."""

from limner.text.lexicon import word_set

UPRIGHT = word_set(
    "building house wall fence tower church castle store shop window door skyscraper barn waterfall gate mountain"
)
GROUND = word_set(
    """
    street road sidewalk path trail beach sand grass lawn field stage track court floor ground pavement hill slope
    dirt rock slide roadside shoreline platform dock pier deck roof runway highway crosswalk rink ramp patio porch
    balcony bridge mountain shore
    """
)
AROUND = word_set(
    """
    room kitchen bedroom bathroom classroom office hallway forest woods jungle desert park garden yard backyard water
    ocean sea lake river pool pond snow rain city town village alley restaurant store shop cafe bar market mall library
    museum gym stadium arena church school hospital garage barn valley tunnel lobby theater parking-lot field meadow
    pasture area wild air sky mud tent cave courtyard plaza square
    """
) | {"living room", "dining room", "parking lot", "swimming pool"}

# Places of which there is one, however many boxes are around its parts.
EXPANSES = word_set(
    "field grass lawn water ocean sea lake river snow sand beach street road sidewalk ground floor dirt sky forest"
    " woods desert park meadow pasture pavement"
)
