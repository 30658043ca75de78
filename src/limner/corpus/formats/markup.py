r"""Sentences whose mentions stand in brackets: `A [woman]2 in a [red dress]0,3 .`

After the closing bracket come the ids of its boxes: letters, digits and
underscores, several with commas between. Where a letter follows directly, or
an id has other characters, they stand in braces: `[dog]{3}s`, `[sky]{}blue`.
A literal bracket or backslash is `\[`, `\]`, `\\`; `\t`, `\n` and `\r` are a
tab, a line feed and a carriage return.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from limner.corpus.caption import Caption, Mention
from limner.errors import BadInput, shown


def parse_markup(markup: str, location: str) -> tuple[str, list[Mention]]:
    """The sentence as it reads, and its mentions."""
    sentence: list[str] = []
    length = 0
    opened: int | None = None
    mentions: list[Mention] = []
    at = 0
    while at < len(markup):
        token = markup[at]
        if token == "[":
            if opened is not None:
                raise _fault(location, at, "a bracket opens within a bracket", r"close the first, or write \[")
            opened, at = length, at + 1
        elif token == "]":
            if opened is None:
                raise _fault(location, at, "a bracket closes that was never opened", r"write \] for a bracket")
            if opened == length:
                raise _fault(location, at, "nothing is between the brackets", r"write \[\] for brackets")
            boxes, after = _boxes(markup, at + 1, location)
            mentions.append(Mention(opened, length, boxes))
            opened, at = None, after
        else:
            words, at = _words(markup, at, location)
            sentence.append(words)
            length += len(words)
    if opened is not None:
        raise _fault(location, len(markup), "a bracket is not closed", r"close it, or write \[ for a bracket")
    return "".join(sentence), mentions


def markup_of(caption: Caption) -> str:
    """The caption with its mentions marked; chains and types have no place in it."""
    parts: list[str] = []
    reached = 0
    for mention in caption.mentions:
        phrase = _escaped(caption.text[mention.start : mention.end])
        parts += [_escaped(caption.text[reached : mention.start]), "[", phrase, "]"]
        following = caption.text[mention.end : mention.end + 2]
        bare = ",".join(mention.boxes)
        # In braces wherever the ids, or where they end, could be mistaken.
        if _is_bare(mention.boxes) and not re.match(r"[A-Za-z0-9_{]|,[A-Za-z0-9_]", following):
            parts.append(bare)
        else:
            parts.append("{" + join_names(mention.boxes) + "}")
        reached = mention.end
    return "".join(parts) + _escaped(caption.text[reached:])


def split_names(cell: str) -> tuple[str, ...]:
    """The names between commas, without spaces around them; a backslash keeps what follows it as it is."""
    names = [""]
    for match in _NAMES.finditer(cell):
        if match[0] == ",":
            names.append("")
        elif match[1] is not None:
            names[-1] += match[1]
        else:
            is_last = cell[match.end() : match.end() + 1] in ("", ",")
            words = match[0].rstrip() if is_last else match[0]
            names[-1] += words if names[-1] else words.lstrip()
    return tuple(name for name in names if name)


def join_names(names: Iterable[str]) -> str:
    """The names as `split_names` reads them back; a name that is empty or holds a control cannot be joined."""
    return ",".join(re.sub(r"[\\,{}]|^\s|\s$", lambda match: "\\" + match[0], name) for name in names)


_NAMES = re.compile(r"\\(.)|,|[^\\,]+|\\", re.DOTALL)
_PLAIN = re.compile(r"[^\\\[\]]+")
_BARE = re.compile(r"[A-Za-z0-9_]+(?:,[A-Za-z0-9_]+)*")
_BRACED = re.compile(r"\{((?:[^\\{}]|\\.)*)\}", re.DOTALL)
_READ = {"\\": "\\", "[": "[", "]": "]", "{": "{", "}": "}", "t": "\t", "n": "\n", "r": "\r"}
_WRITTEN = {"\\": "\\\\", "[": "\\[", "]": "\\]", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def _boxes(markup: str, at: int, location: str) -> tuple[tuple[str, ...], int]:
    """The ids that stand at a position, and where they end."""
    if bare := _BARE.match(markup, at):
        return tuple(bare[0].split(",")), bare.end()
    if not markup.startswith("{", at):
        return (), at
    braced = _BRACED.match(markup, at)
    if braced is None:
        raise _fault(location, at, "a brace after a bracket is not closed", r"close it, or write \{ for a brace")
    return split_names(braced[1]), braced.end()


def _words(markup: str, at: int, location: str) -> tuple[str, int]:
    """The plain text or the one escaped character at a position, and where it ends."""
    if plain := _PLAIN.match(markup, at):
        return plain[0], plain.end()
    escaped = markup[at + 1 : at + 2]
    if escaped not in _READ or not escaped:
        raise _fault(location, at, f"{shown(markup[at : at + 2])} stands for nothing", r"write \\ for a backslash")
    return _READ[escaped], at + 2


def _escaped(text: str) -> str:
    return re.sub(r"[\\\[\]\t\n\r]", lambda match: _WRITTEN[match[0]], text)


def _is_bare(boxes: tuple[str, ...]) -> bool:
    return not boxes or all(re.fullmatch(r"[A-Za-z0-9_]+", box) for box in boxes)


def _fault(location: str, at: int, problem: str, remedy: str) -> BadInput:
    return BadInput(f"{location}: character {at}", problem, remedy)
