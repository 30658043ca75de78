"""Being out and about: walking, holding, sitting, eating, camping, fishing."""

from __future__ import annotations

from collections.abc import Callable

from limner.playground.catalogue import ADULTS, CHILDREN, PEOPLE
from limner.playground.events.animals import wild_animal
from limner.playground.events.pastimes import sling_guitar
from limner.playground.figures.people import Z_HELD
from limner.playground.scene import Group, Thing
from limner.playground.stage import Stage

LEASH = "#7a4a3a"


def walk_dog(st: Stage) -> Group:
    walker = st.person("walk")
    dog = st.thing("dog", "walk").move(1.15, 0.0, 0.5)
    group = Group(walker, dog)
    st.string(group, walker, "far_hand", dog, "neck", 0.12, LEASH)
    if st.chance(0.15):
        second = group.add(st.thing("dog", "walk").move(2.2, 0.05, 0.2))
        st.string(group, walker, "far_hand", second, "neck", 0.2, LEASH)
    return group.say_all("walk dog", walker, group.things[1:])


def stroll(st: Stage) -> Group:
    walkers = st.people("walk", st.pick((1, 2, 2, 3)))
    group = Group()
    for i, walker in enumerate(walkers):
        group.add(walker.move(i * 0.85, 0.03 * i, -i))
    return group.say("walk", *walkers)


def stand(st: Stage) -> Group:
    pose = st.pick(("stand", "stand", "hands on hips", "wave"))
    people = st.people(pose, st.pick((1, 1, 2, 3)))
    group = Group()
    for i, person in enumerate(people):
        person.flip = st.chance(0.3)
        group.add(person.move(i * 0.75, 0.03 * i, -i))
    return group.say("wave" if pose == "wave" else "stand", *people)


HELD: dict[str, tuple[str, ...]] = {
    "park": ("balloon", "balloon", "umbrella", "flower", "ball", "teddy bear", "cup", "basket", "book"),
    "beach": ("balloon", "bucket", "ball", "umbrella", "bucket", "bottle"),
    "street": ("umbrella", "umbrella", "balloon", "cup", "flower", "suitcase", "newspaper", "bottle"),
    "snow": ("cup", "umbrella", "basket", "flower", "teddy bear"),
    "lake": ("umbrella", "flower", "basket", "cup", "camera"),
    "living room": ("cup", "teddy bear", "book", "flower", "balloon"),
    "bedroom": ("teddy bear", "book", "cup", "suitcase"),
}
HANGING = frozenset(("basket", "suitcase", "bucket"))


def hold(st: Stage) -> Group:
    return _hold(st, st.pick_available(*HELD.get(st.setting.name, HELD["park"])))


def _hold(st: Stage, name: str) -> Group:
    if name in HANGING:
        holder = st.person(st.pick(("stand", "walk")))
        item = st.give(holder, name, hand="near_hand", anchor="grip")
        # It hangs behind the leg.
        item.z = -1.0
        return Group(holder, item).say("carry", holder, object=item)
    if name == "umbrella":
        holder = st.person("shelter")
        item = st.give(holder, name, "open", anchor="grip")
        return Group(holder, item).say("hold umbrella", holder, object=item)
    holder = st.person("hold")
    group = Group(holder)
    if name == "balloon":
        colours = st.pick((1, 1, 2, 3))
        hand = holder.anchor("far_hand")
        balloons: list[Thing] = []
        for i in range(colours):
            item = st.thing("balloon").move(
                hand[0] + 0.14 * i + st.between(-0.05, 0.15), hand[1] + st.between(0.5, 0.8), 1 + i
            )
            group.add(item)
            balloons.append(item)
            st.string(group, holder, "far_hand", item, "string", 0.02, "#efeae0")
        return group.say_all("hold", holder, balloons)
    variant = {"flower": "bunch", "book": "closed", "umbrella": "open"}.get(name)
    item = st.give(holder, name, variant)
    group.add(item)
    return group.say("hold", holder, object=item)


def carry(st: Stage) -> Group:
    return _hold(
        st,
        st.pick_available("suitcase", "basket", "bucket", "flower")
        if st.setting.name != "farm"
        else st.pick_available("bucket", "basket"),
    )


def hold_food(st: Stage) -> Group:
    cook = st.person("carry", wear=("apron",) if st.chance(0.5) else ())
    name = st.pick_available("cake", "pizza", "bowl", "bread", "pot")
    item = st.give(cook, name)
    item.dy = cook.anchor("far_hand")[1] - 0.03
    return Group(cook, item).say("hold", cook, object=item)


SNACKS = ("ice cream", "ice cream", "apple", "sandwich", "banana", "hamburger", "pizza", "watermelon")


def eat(st: Stage) -> Group:
    eater = st.person("eat")
    name = st.pick_available(*SNACKS)
    item = st.give(eater, name, "slice" if name == "pizza" else None)
    return Group(eater, item).say("eat", eater, object=item)


def seat_people(st: Stage, seat: Thing, count: int, spread: float) -> tuple[Group, list[Thing]]:
    """People side by side on a bench or sofa, the first of them perhaps busy with something."""
    group = Group(seat)
    poses = ["sit"] * count
    # On a full bench there is no room for a newspaper or a guitar.
    busy = st.pick(("", "", "read", "eat", "strum")) if count < 3 else ""
    if busy == "read" and (st.can("book") or st.can("newspaper")):
        poses[0] = "sit reading"
    elif busy == "eat":
        poses[0] = "sit eating"
    elif busy == "strum" and st.can("guitar"):
        poses[0] = "sit strumming"
    sitters = [st.person(pose) for pose in poses]
    x, y = seat.anchor("seat")
    places = sorted(st.pick(_PLACES[count]))
    for sitter, share in zip(sitters, places, strict=True):
        sitter.flip = share > 0.3
        group.add(sitter.move(x + share * spread, y - 0.05, 1.0))
    first = sitters[0]
    if poses[0] == "sit reading":
        item = st.give(first, st.pick_available("book", "newspaper"), "open", size=0.9)
        item.move(first.dx - 0.02, first.anchor("chest")[1] - 0.12, Z_HELD)
        group.add(item)
        group.say("read", first, object=item)
    elif poses[0] == "sit eating":
        item = group.add(st.give(first, name := st.pick_available(*SNACKS), "slice" if name == "pizza" else None))
        group.say("eat", first, object=item)
    elif poses[0] == "sit strumming":
        item = group.add(sling_guitar(st, first))
        group.say("play", first, object=item)
    group.say("sit on", *sitters, object=seat)
    return group, sitters


_PLACES = {1: ((0.0,), (-0.45,), (0.45,)), 2: ((-0.4, 0.4), (-0.3, 0.35)), 3: ((-0.55, 0.0, 0.55),)}


def sit_on_bench(st: Stage) -> Group:
    group, _ = seat_people(st, st.thing("bench"), st.pick((1, 1, 2, 2, 3)), 1.0)
    if st.chance(0.25) and st.can("dog"):
        dog = st.thing("dog", st.pick(("sit", "lie"))).move(1.45, -0.02, 2.0)
        dog.flip = True
        group.add(dog)
        group.say("sit" if dog.pose == "sit" else "lie", dog)
    return group


def talk(st: Stage) -> Group:
    first, second = st.people(st.pick(("stand", "hands on hips", "hold out")), 2)
    second.flip = True
    group = Group(first, second.move(st.between(1.05, 1.35)))
    return group.say("talk", first, second).say("stand", first, second)


def push(st: Stage) -> Group:
    if st.setting.name == "farm":
        pusher = st.person("haul", who=ADULTS)
        cart = st.thing("wheelbarrow", size=1.28)
    else:
        pusher = st.person("push", who=ADULTS)
        cart = st.thing("stroller", size=1.12)
    hand = pusher.anchor("far_hand")
    cart.attach("bar", hand)
    # The hand tells how far ahead it is; its wheels are on the ground.
    cart.dy, cart.z = 0.0, 1.0
    return Group(pusher, cart).say("push", pusher, object=cart)


def read(st: Stage) -> Group:
    reader = st.person("sit cross-legged")
    item = st.give(reader, st.pick_available("book", "book", "newspaper"), "open", size=0.9)
    item.move(reader.dx, reader.anchor("chest")[1] - 0.14, Z_HELD)
    return Group(reader, item).say("read", reader, object=item).say("sit", reader)


def photograph(st: Stage) -> Group:
    taker = st.person("photograph")
    camera = st.give(taker, "camera")
    group = Group(taker, camera)
    if st.setting.name in ("savanna", "forest", "snow", "lake") or st.chance(0.3):
        model = wild_animal(st)
    else:
        model = st.person(st.pick(("stand", "wave", "hands on hips")))
    model.flip = True
    group.add(model.move(1.5 - model.bounds[0] * model.size, 0.0, -0.5))
    return group.say("photograph", taker, object=model, other=camera)


def picnic(st: Stage) -> Group:
    blanket = st.thing("blanket", size=1.15)
    group = Group(blanket)
    people = st.people("sit cross-legged", st.pick((1, 2, 2)))
    for i, person in enumerate(people):
        person.flip = i == 1
        group.add(person.move(-0.7 + 1.35 * i, 0.02, 1.0))
    foods: list[Thing] = []
    for i in range(st.pick((1, 2, 3))):
        item = st.thing(st.pick_available("basket", "apple", "sandwich", "bottle", "watermelon", "cake", "bread"))
        item.on = blanket
        foods.append(group.add(item.move(-0.2 + 0.34 * i, -0.12 + 0.05 * (i % 2), 2.0)))
    group.say("picnic", *people)
    return group.say("sit on", *people, object=blanket)


def water(st: Stage) -> Group:
    gardener = st.person("hold out", wear=("hat",) if st.chance(0.5) else ())
    can = st.give(gardener, "watering can", anchor="grip")
    plant = st.thing(st.pick_available("flower", "sunflower", "potted plant", "bush"))
    plant.move(can.dx + 0.75, 0.0, 0.5)
    return Group(gardener, can, plant).say("water", gardener, object=plant, other=can)


def sandcastle(st: Stage) -> Group:
    castle = st.thing("sandcastle").move(1.25, 0.0, 0.5)
    builders = [st.person("kneel", who=CHILDREN if st.chance(0.75) else PEOPLE)]
    group = Group(builders[0], castle)
    if st.chance(0.4):
        second = st.person("kneel", who=CHILDREN)
        second.flip = True
        builders.append(group.add(second.move(2.5, 0.0, 0.2)))
    if st.chance(0.5) and st.can("bucket"):
        group.add(st.thing("bucket").move(0.45, -0.1, 2.0))
    return group.say("build", *builders, object=castle)


def snowman(st: Stage) -> Group:
    man = st.thing("snowman").move(1.25, 0.0, 0.3)
    builders = [st.person(st.pick(("carry", "hold out", "point")))]
    group = Group(builders[0], man)
    if st.chance(0.45):
        second = st.person(st.pick(("carry", "stand", "wave")), who=CHILDREN)
        second.flip = True
        builders.append(group.add(second.move(2.4, 0.0, 0.2)))
    return group.say("build", *builders, object=man).say("stand by", *builders, object=man)


def camp(st: Stage) -> Group:
    fire = st.thing("campfire").move(0.0, 0.0, 1.0)
    group = Group(fire)
    count = st.pick((1, 2, 2, 3))
    sitters: list[Thing] = []
    for i in range(count):
        side = (-1, 1, -1)[i]
        sitter = st.person("sit cross-legged" if st.chance(0.5) else "sit on ground")
        sitter.flip = side > 0
        sitters.append(group.add(sitter.move(side * (1.0 + 0.95 * (i // 2)), 0.04 * i, 0.5)))
    if st.chance(0.7) and st.can("tent"):
        group.add(st.thing("tent", size=1.05).move(st.pick((-1.6, 1.7)), 0.55, -5.0))
    return group.say("sit by", *sitters, object=fire).say("camp", *sitters)


def hike(st: Stage) -> Group:
    walkers = st.people("walk", st.pick((1, 2, 2, 3)), wear=("backpack",))
    group = Group()
    for i, walker in enumerate(walkers):
        group.add(walker.move(i * 1.05, 0.02 * i, -i))
    return group.say("hike", *walkers)


def fish(st: Stage) -> Group:
    if st.chance(0.4) and (st.can("rock") or st.can("log")):
        angler = st.person("sit sideways")
        seat = st.thing(st.pick_available("rock", "log"), size=1.001)
        x, y = seat.anchor("seat")
        angler.move(x, y - 0.04, 1.0)
        group = Group(seat, angler)
        group.say("sit on", angler, object=seat)
    else:
        angler = st.person("hold")
        group = Group(angler)
    rod = group.add(st.give(angler, "fishing rod", anchor="grip"))
    group.say("fish", angler, object=rod)
    group.facts.reverse()
    group.where = "shore"
    return group


def lounge(st: Stage) -> Group:
    chair = st.thing("chair")
    sitter = st.person("sit sideways", who=ADULTS)
    x, y = chair.anchor("seat")
    sitter.move(x, y - 0.04, 1.0)
    group = Group(chair, sitter).say("sit on", sitter, object=chair)
    if st.chance(0.6) and st.can("umbrella"):
        group.add(st.thing("umbrella", "open", size=1.6).move(-0.62, 0.0, -1.0))
    return group


def shade(st: Stage) -> Group:
    """Somebody, or an animal, resting under a tree."""
    palm = st.setting.name == "beach"
    tree = st.thing("palm tree" if palm else "tree", size=0.9).move(0.0, 0.12, -5.0)
    beasts = {"farm": ("cow", "cow"), "savanna": ("lion", "lion"), "park": ("dog", "cat")}.get(st.setting.name, ())
    if beasts and (st.setting.name == "savanna" or st.chance(0.3)):
        rester = st.thing(st.pick_available(*beasts), "lie")
    else:
        rester = st.person(st.pick(("sit cross-legged", "sit on ground", "stand")))
    rester.flip = st.chance(0.5)
    group = Group(tree, rester.move(st.between(-0.35, 0.35), 0.0, 0.0))
    verb = {"stand": "stand under", "lie": "lie under"}.get(rester.pose, "rest under")
    return group.say(verb, rester, object=tree)


def farming(st: Stage) -> Group:
    tractor = st.thing("tractor")
    group = Group(tractor)
    if st.chance(0.5):
        farmer = st.person(st.pick(("stand", "wave", "hands on hips")), who=ADULTS, wear=("hat",))
        group.add(farmer.move(1.85, -0.05, 1.0))
        return group.say("stand by", farmer, object=tractor)
    return group.say("park", tractor)


EVENTS: dict[str, Callable[[Stage], Group]] = {
    "walk dog": walk_dog,
    "stroll": stroll,
    "stand": stand,
    "hold": hold,
    "carry": carry,
    "hold food": hold_food,
    "eat": eat,
    "sit on bench": sit_on_bench,
    "talk": talk,
    "push": push,
    "read": read,
    "photograph": photograph,
    "picnic": picnic,
    "water": water,
    "sandcastle": sandcastle,
    "snowman": snowman,
    "camp": camp,
    "hike": hike,
    "fish": fish,
    "lounge": lounge,
    "farming": farming,
    "shade": shade,
}
