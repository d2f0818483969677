"""The street: one command a file, no logic. Commands load when they are called, so `--help` is quick."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from fanlight._version import __version__

__all__ = ["cli", "main"]

_COMMANDS = {
    "demo": "Open the workbench on the built-in servers.",
    "run": "Open the workbench on any MCP server.",
    "dev": "The same, loaded anew after every save.",
    "render": "Show one app headlessly and report what happened.",
    "new": "Write a small working project.",
    "hostile": "An MCP server over stdio whose app attacks its host.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"fanlight.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fanlight")
def cli() -> None:
    """MCP Apps for Python: run any MCP server's apps in your browser, or render them headlessly."""


def main() -> Any:
    """The console script: every error that we raise on purpose is one line, and has an exit code."""
    from fanlight.errors import FanlightError

    from .printing import say

    try:
        return cli(prog_name="fanlight")
    except FanlightError as error:
        say(f"fanlight: {error}", err=True)
        sys.exit(_exit_code(error))


def _exit_code(error: Exception) -> int:
    from fanlight.errors import BrowserError, ConfigError, NoAppError, UnknownToolError, UpstreamError

    codes = {ConfigError: 2, UnknownToolError: 3, NoAppError: 4, UpstreamError: 5, BrowserError: 7}
    return next((codes[kind] for kind in type(error).__mro__ if kind in codes), 1)
