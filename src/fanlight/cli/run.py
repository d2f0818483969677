"""`fanlight run`"""

from __future__ import annotations

import click

from .targets import TARGET_HELP, TargetCommand, targets_of

__all__ = ["command"]


@click.command(
    name="run", cls=TargetCommand, help="Open the workbench on any MCP server.", epilog=TARGET_HELP % "run"
)
@click.argument("target", required=False)
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port on 127.0.0.1 [default: first free one from 9470]."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.pass_context
def command(ctx: click.Context, target: str | None, port: int | None, no_open: bool) -> None:
    import asyncio

    targets = targets_of(ctx, target)
    from fanlight.workbench.launch import run_workbench

    asyncio.run(run_workbench(targets, port=port, open_browser=not no_open, say=click.echo))
