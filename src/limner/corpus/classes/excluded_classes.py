"""The classes that are never asked for: Table 5 of nocaps (Agrawal et al., 2019), 39 of Open Images' classes."""

from __future__ import annotations

# Names as Open Images writes them, with its ids: the ids stay where a table of names calls a class otherwise.
PARTS = {
    "Human eye": "/m/014sv8",
    "Human head": "/m/04hgtk",
    "Human face": "/m/0dzct",
    "Human mouth": "/m/0283dt1",
    "Human ear": "/m/039xj_",
    "Human nose": "/m/0k0pj",
    "Human hair": "/m/03q69",
    "Human hand": "/m/0k65p",
    "Human foot": "/m/031n1",
    "Human arm": "/m/0dzf4",
    "Human leg": "/m/035r7c",
    "Human beard": "/m/015h_t",
    "Human body": "/m/02p0tk3",
    "Vehicle registration plate": "/m/01jfm_",
    "Wheel": "/m/083wq",
    "Seat belt": "/m/0dkzw",
    "Tire": "/m/0h9mv",
    "Bicycle wheel": "/m/01bqk0",
    "Auto part": "/m/08dz3q",
    "Door handle": "/m/03c7gz",
    "Skull": "/m/016m2d",
}
TOO_RARE_OR_TOO_BROAD = {
    "Clothing": "/m/09j2d",
    "Footwear": "/m/09j5n",
    "Fashion accessory": "/m/0463sg",
    "Sports equipment": "/m/05y5lj",
    "Hiking equipment": "/m/0268lbt",
    "Mammal": "/m/04rky",
    "Personal care": "/m/02w3_ws",
    "Bathroom accessory": "/m/0h8nr_l",
    "Plumbing fixture": "/m/02pkr5",
    "Tree": "/m/07j7r",
    "Building": "/m/0cgh4",
    "Plant": "/m/05s2s",
    "Land vehicle": "/m/01prls",
    "Person": "/m/01g317",
    "Man": "/m/04yx4",
    "Woman": "/m/03bt1vf",
    "Boy": "/m/01bl7v",
    "Girl": "/m/05r655",
}
EXCLUDED_CLASSES = {**PARTS, **TOO_RARE_OR_TOO_BROAD}
