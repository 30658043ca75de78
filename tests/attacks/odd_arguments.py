"""Arguments that no sensible person gives."""

from __future__ import annotations

import random

import click

import limner.cli
from limner.cli.click_classes import LazyGroup

ODD_NUMBERS = ["-1", "0", "1", "3", "0.5", "1e400", "nan", "inf", "٣", "0x10", "1_0", "9" * 30, "-" + "9" * 30, ""]
ODD_TEXTS = [
    *["", " ", "-", "--", "-x", "--no-such-option", "a" * 5000, "\x1b[2J", "\udcff", "é", "🐕", "=1+1", "%s%n", "{}"],
    *["jsonl:", ":", "coco:world.jsonl", "no-such-format:world.jsonl", "world.jsonl", "mine.json", "refs.json"],
    # Nothing outside the folder of the try: what is written there must be harmless even where Limner is not.
    *["nonexistent/a", ".", "world.jsonl/a", "jsonl", "a,b,,c", "bleu", "cidr", "gold", "http://a/b", "loop", "pipe"],
]


def odd_arguments(rng: random.Random) -> list[str]:
    """A command with some of its arguments and options, each with a value of any kind."""
    words, command = _some_command(rng)
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            n = rng.choice((1, 1, 1, 0, 2)) if parameter.nargs == -1 else rng.choice((1, 1, 1, 1, 0))
            words += [_value(rng, parameter) for _ in range(n)]
        elif rng.random() < (0.8 if parameter.required else 0.15):
            words.append(rng.choice(parameter.opts))
            if not (isinstance(parameter, click.Option) and parameter.is_flag):
                words.append(_value(rng, parameter))
    return [word for word in words if word not in _FORBIDDEN]


# Waits for more input, starts a cluster, or draws as many pictures as it is told to.
_FORBIDDEN = {"--engine", "--address", "--pictures", "--help", "-h"}


def _some_command(rng: random.Random) -> tuple[list[str], click.Command]:
    words: list[str] = []
    command: click.Command = limner.cli.limner
    while isinstance(command, LazyGroup):
        name = rng.choice([name for name in command.entries if name not in ("demo", "playground")])
        below = command.get_command(click.Context(command), name)
        assert below is not None
        words, command = [*words, name], below
    return words, command


def _value(rng: random.Random, parameter: click.Parameter) -> str:
    if isinstance(parameter.type, click.Choice) and rng.random() < 0.8:
        return str(rng.choice(list(parameter.type.choices)))
    is_number = isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType)
    if is_number and rng.random() < 0.9:
        return rng.choice(ODD_NUMBERS)
    return rng.choice(["world.jsonl", "world.jsonl", "out.jsonl", *ODD_TEXTS])
