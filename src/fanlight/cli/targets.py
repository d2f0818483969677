"""What `run`, `render` and their kin share: a TARGET, or a command after `--`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from fanlight.errors import ConfigError

if TYPE_CHECKING:
    from fanlight.upstream import Target

__all__ = ["TargetCommand", "one_target", "parse_json_object", "targets_of"]

TARGET_HELP = """
TARGET is a URL (https://host/mcp), a Python file (server.py or server.py:object), module:object, or an
mcp.json with "mcpServers". Everything after -- is a command to start:
fanlight %s -- npx -y some-server --stdio
"""


class TargetCommand(click.Command):
    """Keeps the words after `--` apart: click itself would mix them with TARGET."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["fanlight.command"] = ()
        if "--" in args:
            at = args.index("--")
            ctx.meta["fanlight.command"] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def targets_of(ctx: click.Context, target: str | None) -> dict[str, Target]:
    """The servers to connect, or a usage error."""
    words: tuple[str, ...] = ctx.meta["fanlight.command"]
    if (target is None) == (not words):
        raise click.UsageError("Give either a TARGET or a command after --.", ctx)
    from fanlight.upstream import command_target, parse_target

    return command_target(words) if target is None else parse_target(target)


def one_target(targets: dict[str, Target], name: str | None) -> tuple[str, Target]:
    """The single server that a command works on; an mcp.json with several needs --server."""
    if name is None and len(targets) == 1:
        return next(iter(targets.items()))
    if name is None:
        raise ConfigError(f"there are several servers ({', '.join(targets)}); choose one with --server")
    if name not in targets:
        raise ConfigError(f"there is no server {name!r}; known: {', '.join(targets)}")
    return name, targets[name]


def parse_json_object(option: str, text: str) -> dict[str, Any]:
    """A JSON object from an option; the error names the option and the place."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{option} is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ConfigError(f'{option} must be a JSON object such as {{"city": "Oslo"}}, not {text[:60]}')
    return value
