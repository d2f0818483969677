"""`fanlight render`"""

from __future__ import annotations

from pathlib import Path

import click

from .printing import say, say_json
from .targets import TARGET_HELP, TargetCommand, one_target, parse_json_object, targets_of

__all__ = ["command"]

_VIEW_FAILED = 6
_HELP = """Show one app headlessly and report what happened.

Nobody can be asked, so the view's own tool calls are allowed unless --policy deny. Exit codes: 0 the view is
ok, 2 wrong usage or arguments, 3 no such tool, 4 the tool has no app, 5 the server failed, 6 the view failed,
7 no browser.
"""


@click.command(name="render", cls=TargetCommand, help=_HELP, epilog=TARGET_HELP % "render --tool NAME")
@click.argument("target", required=False)
@click.option("--tool", "tool", required=True, help="The tool to call.")
@click.option("--args", "arguments", default="{}", metavar="JSON", help="Its arguments, a JSON object.")
@click.option("--server", "server", help="Which server of an mcp.json.")
@click.option(
    "--screenshot",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write a PNG of the view.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    metavar="S",
    help="Seconds until the view must be up.",
)
@click.option(
    "--settle",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="S",
    help="Stay this long after the verdict.",
)
@click.option(
    "--policy",
    type=click.Choice(["allow", "deny"]),
    default="allow",
    show_default=True,
    help="What the view may ask for.",
)
@click.option(
    "--csp",
    "csp_level",
    type=click.Choice(["compat", "strict"]),
    default="compat",
    show_default=True,
    help="How literally the specification's policy is taken.",
)
@click.option("--dark", is_flag=True, help="Render with the dark theme.")
@click.option(
    "--pin",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Pin the app's HTML in this file; a changed app is not shown.",
)
@click.pass_context
def command(
    ctx: click.Context, target: str | None, tool: str, arguments: str, server: str | None,
    screenshot: Path | None, as_json: bool, timeout: float, settle: float, policy: str,
    csp_level: str, dark: bool, pin: Path | None,
) -> None:  # fmt: skip
    import asyncio

    from fanlight.host import Host, Pins, Verdict, default_policy, deny_all
    from fanlight.testing.render import render_target

    name, chosen = one_target(targets_of(ctx, target), server)
    host = Host(
        "fanlight-render",
        policy=deny_all if policy == "deny" else default_policy,
        ask="allow",  # nobody is there to be asked
        csp_level=csp_level,
        pins=None if pin is None else Pins(pin),
    )
    report = asyncio.run(
        render_target(
            host, name, chosen, tool, parse_json_object("--args", arguments),
            timeout=timeout, settle=settle, screenshot=screenshot, dark=dark,
        )
    )  # fmt: skip
    if as_json:
        say_json(report.as_json())
    else:
        say(report.as_text())
    ctx.exit(0 if report.verdict is Verdict.OK else _VIEW_FAILED)
