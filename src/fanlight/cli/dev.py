"""`fanlight dev`"""

from __future__ import annotations

from pathlib import Path

import click

from .printing import say
from .targets import TARGET_HELP, TargetCommand, targets_of

__all__ = ["command"]


@click.command(
    name="dev",
    cls=TargetCommand,
    help="Open the workbench on a server that is loaded anew after every save; open views stay.",
    epilog=TARGET_HELP % "dev",
)
@click.argument("target", required=False)
@click.option(
    "--watch",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder to watch, may be given again [default: that of the server's file, or this one].",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port to listen on [default: first free one from 9470]."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.pass_context
def command(
    ctx: click.Context, target: str | None, folders: tuple[Path, ...], port: int | None, no_open: bool
) -> None:
    import asyncio

    from fanlight.workbench.launch import run_workbench
    from fanlight.workbench.reloading import Sources, prepare_for_reloading, source_folder

    prepare_for_reloading()
    targets = targets_of(ctx, target)
    sources = Sources(list(folders) or [source_folder(target)], lambda: targets_of(ctx, target))
    asyncio.run(run_workbench(targets, port=port, open_browser=not no_open, say=say, sources=sources))
