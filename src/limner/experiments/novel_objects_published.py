"""The figures of nocaps (Agrawal et al. 2019, Table 3), beside which those of other corpora are read."""

from __future__ import annotations

PUBLISHED_COLUMNS = (
    "row",
    "COCO_CIDEr",
    "COCO_SPICE",
    *(f"{domain}_{metric}" for domain in ("in", "near", "out", "overall") for metric in ("CIDEr", "SPICE")),
)

# COCO val2017, and nocaps val by domain; there are no gold boxes of COCO in Open Images' classes.
PUBLISHED: tuple[tuple[str | float | None, ...], ...] = (
    ("Up-Down", 116.2, 21.0, 77.6, 11.6, 58.4, 10.4, 32.3, 8.3, 55.8, 10.2),
    ("Up-Down + CBS", 97.7, 18.7, 80.0, 12.0, 73.6, 11.3, 66.4, 9.7, 73.1, 11.1),
    ("Up-Down + ELMo + CBS", 95.4, 18.2, 79.3, 12.4, 73.8, 11.4, 71.7, 9.9, 74.3, 11.2),
    ("Up-Down + ELMo + CBS + GT", None, None, 84.2, 12.6, 82.1, 11.9, 86.7, 10.6, 83.3, 11.8),
    ("NBT", 94.1, 18.0, 62.6, 10.0, 52.7, 9.4, 51.8, 8.6, 54.0, 9.3),
    ("NBT + CBS", 92.8, 18.1, 62.1, 10.1, 58.3, 9.4, 62.4, 8.9, 60.2, 9.5),
    ("NBT + CBS + GT", None, None, 62.4, 10.1, 59.7, 9.5, 64.9, 9.1, 62.3, 9.6),
    ("Human", 85.4, 19.8, 84.4, 14.3, 85.0, 14.3, 95.7, 14.0, 87.1, 14.2),
)
