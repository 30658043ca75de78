"""A choice of constraints as people read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from limner.caption.choice import Choice, Dropped
from limner.errors import one_line

MAX_LABEL = 40
MAX_LINE = 1000
MAX_IDS = 4
"""Boxes that are named one by one before the rest are only counted."""


def choice_text(choice: Choice) -> str:
    """The constraints with their phrases, then the boxes that gave none, like ones together; each with the reason."""
    rows = [("+", c.label, [" / ".join(c.phrases), f"{c.why}; {_boxes(c.boxes)}"]) for c in choice.constraints]
    for alike in _alike(choice.dropped):
        rows.append(("-", alike[0].label, [f"{alike[0].why}; {_boxes([dropped.box for dropped in alike])}"]))
    width = max((len(_line(label, MAX_LABEL)) for _, label, _ in rows), default=0)
    lines = [f"{_line(choice.image)}: {', '.join(_line(c.label) for c in choice.constraints) or 'nothing'}"]
    for sign, label, told in rows:
        first, *rest = (_line(one) for one in told)
        lines.append(f"  {sign} {_line(label, MAX_LABEL):<{width}}  {first}")
        lines += [" " * (width + 6) + one for one in rest]
    return "\n".join(lines) + "\n"


def _alike(dropped: Iterable[Dropped]) -> Iterable[list[Dropped]]:
    """The dropped boxes, those of one label and one reason together."""
    found: dict[tuple[str, str], list[Dropped]] = {}
    for one in dropped:
        found.setdefault((one.label, one.why), []).append(one)
    return found.values()


def _boxes(ids: Sequence[str]) -> str:
    named = ", ".join(ids[:MAX_IDS])
    more = f" and {len(ids) - MAX_IDS:,} more" if len(ids) > MAX_IDS else ""
    return f"box{'es' if len(ids) > 1 else ''} {named}{more}"


def _line(text: str, limit: int = MAX_LINE) -> str:
    return one_line(text, limit)
