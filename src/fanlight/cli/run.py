"""`fanlight run`"""

from __future__ import annotations

from pathlib import Path

import click

from .printing import say
from .targets import TARGET_HELP, TargetCommand, targets_of

__all__ = ["command"]


@click.command(
    name="run", cls=TargetCommand, help="Open the workbench on any MCP server.", epilog=TARGET_HELP % "run"
)
@click.argument("target", required=False)
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port to listen on [default: first free one from 9470]."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--pin",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Pin each app's HTML in this file; a changed app is shown only after a yes.",
)
@click.option(
    "--bind",
    default="localhost",
    metavar="ADDRESS",
    help="Address to listen on [default: loopback]. Any other needs --access-token.",
)
@click.option(
    "--access-token",
    envvar="FANLIGHT_ACCESS_TOKEN",
    metavar="TOKEN",
    help="What every browser must give, in the place of a link that works once.",
)
@click.option("--public-url", metavar="URL", help="Where browsers elsewhere reach the workbench.")
@click.option("--sandbox-url", metavar="URL", help="The same under the sandbox's name.")
@click.option("--view-url", metavar="URL", help="The same for apps, with {app} as first label.")
@click.pass_context
def command(
    ctx: click.Context, target: str | None, port: int | None, no_open: bool, pin: Path | None, bind: str,
    access_token: str | None, public_url: str | None, sandbox_url: str | None, view_url: str | None,
) -> None:  # fmt: skip
    import asyncio

    targets = targets_of(ctx, target)
    from fanlight.host import Pins
    from fanlight.workbench.launch import Reach, run_workbench

    reach = Reach(bind, access_token, public_url, sandbox_url, view_url)
    pins = None if pin is None else Pins(pin)
    asyncio.run(run_workbench(targets, port=port, open_browser=not no_open, say=say, reach=reach, pins=pins))
