"""`fanlight hostile`"""

from __future__ import annotations

import click

__all__ = ["command"]

_HELP = """An MCP server over stdio whose app attacks the host that shows it.

Give any host this command as a server, call its tool `attack`, and read in the view what got through. What
reaches its listener, on an address that the app does not declare, got out of the host's sandbox.
"""


@click.command(name="hostile", help=_HELP)
@click.option(
    "--listen",
    default="127.0.0.1:0",
    show_default=True,
    metavar="HOST:PORT",
    help="Where the undeclared listener waits; port 0 is a free one.",
)
@click.option("--name", metavar="HOST", help="The name under which browsers reach it, if another.")
def command(listen: str, name: str | None) -> None:
    import asyncio

    from fanlight.demos.hostile.serve import serve_stdio

    asyncio.run(serve_stdio(listen, name, lambda line: click.echo(line, err=True)))
