"""`fanlight demo`"""

from __future__ import annotations

import click

from .printing import say

__all__ = ["command"]


@click.command(
    name="demo", help="Open the workbench on the built-in servers: nothing to configure, no network."
)
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port on 127.0.0.1 [default: first free one from 9470]."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def command(port: int | None, no_open: bool) -> None:
    import asyncio

    from fanlight.demos import DEMOS
    from fanlight.upstream import parse_target
    from fanlight.workbench.launch import run_workbench

    targets = {name: parse_target(f"fanlight.demos.{name}:server")[name] for name in DEMOS}
    asyncio.run(run_workbench(targets, port=port, open_browser=not no_open, say=say))
