"""At home and at the table: sitting, cooking, eating, sleeping, playing on the floor."""

from __future__ import annotations

from collections.abc import Callable

from limner.playground.catalogue import ADULTS, CHILDREN
from limner.playground.events.outing import seat_people
from limner.playground.figures.people import Z_HELD
from limner.playground.scene import Group, Thing
from limner.playground.stage import Stage

MEALS = (
    "cup",
    "cup",
    "pizza",
    "cake",
    "bowl",
    "bottle",
    "sandwich",
    "bread",
    "apple",
    "hamburger",
    "banana",
    "watermelon",
)


def sit_on_sofa(st: Stage) -> Group:
    count = st.pick((1, 1, 2, 2, 3))
    group, sitters = seat_people(st, sofa := st.thing("sofa"), count, 1.0)
    if count < 3 and st.chance(0.3):
        name = st.pick_available("cat", "cat", "dog", "teddy bear")
        taken = [s.dx for s in sitters]
        # As far as can be from those who sit there.
        spot = max((-0.55, 0.0, 0.55), key=lambda x: min(abs(x - t) for t in taken))
        beast = st.thing(name, {"cat": st.pick(("sit", "sleep")), "dog": "sit"}.get(name), size=0.9)
        beast.on = sofa
        group.add(beast.move(spot, 0.47, 1.0))
        if name != "teddy bear":
            group.say("sleep on" if beast.pose == "sleep" else "sit on", beast, object=sofa)
    return group


def nap(st: Stage) -> Group:
    seat = st.thing(
        st.pick_available("sofa", "rug", "rug") if st.setting.name == "living room" else st.pick_available("bed", "rug")
    )
    sleeper = st.thing(st.pick_available("cat", "cat", "dog"), "lie")
    if sleeper.kind.name == "cat":
        sleeper = st.thing("cat", "sleep")
    y = {"sofa": 0.47, "bed": 0.56, "rug": 0.0}[seat.kind.name]
    sleeper.on = seat
    verb = "sleep on" if sleeper.pose == "sleep" else "lie on"
    return Group(seat, sleeper.move(st.between(-0.3, 0.4), y, 1.0)).say(verb, sleeper, object=seat)


def bed(st: Stage) -> Group:
    bed = st.thing("bed")
    x, y = bed.anchor("mattress")
    if st.chance(0.55):
        sleeper = st.person("lie", who=(*ADULTS, *CHILDREN))
        group = Group(bed, sleeper.move(x - 0.08, y - 0.03, 1.0)).say("lie on", sleeper, object=bed)
    else:
        group, _ = seat_people(st, bed, st.pick((1, 1, 2)), 0.85)
    if st.chance(0.3) and st.can("teddy bear"):
        toy = st.thing("teddy bear", size=0.8)
        toy.on = bed
        group.add(toy.move(-0.72, 0.6, 2.0))
    return group


def read_chair(st: Stage) -> Group:
    chair = st.thing("chair")
    reader = st.person("sit sideways")
    x, y = chair.anchor("seat")
    reader.move(x, y - 0.04, 1.0)
    item = st.give(reader, st.pick_available("book", "newspaper", "laptop"), None)
    if item.kind.name in ("book", "newspaper"):
        item = _swap(reader, st.thing(item.kind.name, "open", size=0.85))
    verb = "read" if item.kind.name != "laptop" else "use"
    return Group(chair, reader, item).say(verb, reader, object=item).say("sit on", reader, object=chair)


def _swap(person: Thing, item: Thing) -> Thing:
    """The item in place of what the person holds."""
    person.held.clear()
    return person.hold(item, "", "far_hand", Z_HELD)


def watch_tv(st: Stage) -> Group:
    group, sitters = seat_people(st, st.thing("sofa"), st.pick((1, 2)), 1.0)
    tv = st.thing("television").move(st.between(1.9, 2.2), 0.1, -1.0)
    group.add(tv)
    group.facts.insert(0, group.facts.pop())
    group.say("watch", *sitters, object=tv)
    return group


def toys(st: Stage) -> Group:
    children = st.people("sit cross-legged", st.pick((1, 2)), who=CHILDREN)
    toy = st.thing(st.pick_available("teddy bear", "ball", "drum", "balloon", "book")).move(0.75, 0.0, 1.0)
    group = Group(children[0], toy)
    if len(children) > 1:
        children[1].flip = True
        group.add(children[1].move(1.5, 0.02, 0.2))
    return group.say("play with", *children, object=toy).say("sit", *children)


def balloons(st: Stage) -> Group:
    """A birthday: a cake on a table, people behind it, balloons above."""
    group, people, table = _table(st, st.pick((1, 2, 3)), ("cake",), 1)
    cake = next(thing for thing in group.things if thing.kind.name == "cake")
    for i in range(st.pick((1, 2, 3))):
        if st.can("balloon"):
            group.add(st.thing("balloon").move(st.pick((-1.0, 1.0)) + 0.25 * i - 0.2, 1.55 + 0.15 * (i % 2), -2.0))
    group.facts.clear()
    return group.say("celebrate", *people, object=cake).say("sit at", *people, object=table)


def at_table(st: Stage) -> Group:
    group, people, table = _table(st, st.pick((1, 1, 2, 2, 3)), MEALS, st.pick((1, 2, 2, 3, 4)))
    foods = [t for t in group.things if t.on is table]
    group.say("eat at", *people, object=table)
    meal = next((f for f in foods if f.kind.name not in ("cup", "bottle")), None)
    if meal is not None and len(people) == 1:
        group.say("have", people[0], object=meal)
    if len(people) == 2:
        group.say("talk", *people)
    return group


def _table(st: Stage, n_people: int, menu: tuple[str, ...], n_foods: int) -> tuple[Group, list[Thing], Thing]:
    """A laid table with people: behind it, or on chairs at its ends."""
    variant = "round" if st.setting.name == "cafe" or st.chance(0.3) else st.pick(("plain", "cloth"))
    table = st.thing("table", variant)
    group = Group(table)
    people: list[Thing] = []
    if n_people <= 2 and st.chance(0.55) and st.can("chair"):
        reach = 0.98 if variant == "round" else 1.2
        colour = st.pick(("brown", "tan", "white"))
        for side in (-1, 1)[:n_people]:
            chair = st.thing("chair", colour=colour).move(side * reach, 0.0, -1.0)
            person = st.person("sit sideways")
            # Both face the table.
            chair.flip = person.flip = side > 0
            x, y = chair.anchor("seat")
            group.add(chair)
            people.append(group.add(person.move(x, y - 0.04, -0.5)))
    else:
        xs = {1: (0.0,), 2: (-0.42, 0.42), 3: (-0.62, 0.0, 0.62)}[n_people]
        for x in xs:
            person = st.person(st.pick(("sit", "sit eating", "sit")))
            person.flip = x > 0.3
            people.append(group.add(person.move(x, 0.54, -1.0)))
    group.say("sit at", *people, object=table)
    wide = 0.44 if variant == "round" else 0.66
    _, y = table.anchor("top")
    # A share of the table for each, so that nothing stands in another.
    for i in range(n_foods):
        item = st.thing(st.pick_available(*menu))
        item.on = table
        x = -wide + 2 * wide * (i + st.between(0.25, 0.75)) / n_foods
        group.add(item.move(x, y - 0.05 + 0.03 * (i % 2), 2.0 + 0.1 * i))
    return group, people, table


def cook(st: Stage) -> Group:
    chef = st.person("cook", who=(*ADULTS, *ADULTS, *CHILDREN), wear=("apron",) if st.chance(0.65) else ())
    stove = st.thing("stove")
    pot = st.thing(st.pick_available("pot", "pan"))
    pot.on = stove
    group = Group(chef, stove.move(0.8, 0.0, -1.0), pot.move(0.8, 0.96, 1.0))
    return group.say("cook on", chef, object=stove, other=pot)


def laptop(st: Stage) -> Group:
    group, people, table = _table(st, 1, ("laptop",), 1)
    computer = group.things[-1]
    group.facts.reverse()
    group.say("use", people[0], object=computer)
    group.facts.reverse()
    if st.chance(0.5) and st.can("cup"):
        cup = st.thing("cup")
        cup.on = table
        group.add(cup.move(0.4, 0.72, 3.0))
    return group


EVENTS: dict[str, Callable[[Stage], Group]] = {
    "sit on sofa": sit_on_sofa,
    "nap": nap,
    "bed": bed,
    "read chair": read_chair,
    "watch tv": watch_tv,
    "toys": toys,
    "balloons": balloons,
    "at table": at_table,
    "cook": cook,
    "laptop": laptop,
}
