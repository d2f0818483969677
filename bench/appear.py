"""How soon is a view up? From the launch to `initialized`, ours beside mcp-cli's app host, in one Chromium.

In a fresh page, which has nothing of the host in it yet; in a page that is open, as a chat is; and there with
a tool that takes its time, until the view is sent its result. Also counted: launches after which the view
never got its first result.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack

from _beside import Beside, HostProcess, Launched, beside, p50, p99

TOOL_MS = 300
Launches = list[tuple[Launched, bool]]
# The view looks for its first result as often as a screen is drawn, for some seconds.
_GOT_RESULT = """new Promise((resolve) => {
  const end = performance.now() + 5000;
  const look = () => (results || performance.now() > end ? resolve(results > 0) : setTimeout(look, 16));
  look();
})"""


async def noted(launched: Launched) -> tuple[Launched, bool]:
    """A launch, and whether the view got its first result."""
    return launched, launched.view is not None and await launched.view.evaluate(_GOT_RESULT)


async def in_fresh_pages(bench: Beside, hosts: list[HostProcess], launches: int) -> list[Launches]:
    rows: list[Launches] = [[] for _ in hosts]
    for _ in range(launches):
        for row, host in zip(rows, hosts, strict=True):
            async with bench.browser.tab() as tab:
                row.append(await noted(await host.launch(tab)))
    return rows


async def in_open_pages(bench: Beside, hosts: list[HostProcess], launches: int, wait: int) -> list[Launches]:
    rows: list[Launches] = [[] for _ in hosts]
    async with AsyncExitStack() as stack:
        tabs = [await stack.enter_async_context(bench.browser.tab()) for _ in hosts]
        for tab, host in zip(tabs, hosts, strict=True):
            await host.open_page(tab)
        for _ in range(launches):
            for row, tab, host in zip(rows, tabs, hosts, strict=True):
                row.append(await noted(await host.launch_in(tab, wait)))
    return rows


def report(name: str, columns: list[Launches], times: list[list[float | None]]) -> None:
    for label, value in (("p50", p50), ("p99", p99)):
        figures = [value([ms for ms in column if ms is not None]) for column in times]
        ratio = f"{figures[0] / figures[1]:>8.2f}" if len(figures) == 2 else ""
        print(f"{f'{name}, {label} ms':<44}{''.join(f'{figure:>10.0f}' for figure in figures)}{ratio}")
    lost = [sum(not got for _, got in rows) for rows in columns]
    print(f"{'    without their first result':<44}{''.join(f'{count:>10}' for count in lost)}", flush=True)


def until_initialized(columns: list[Launches]) -> list[list[float | None]]:
    return [[launched.took for launched, _ in rows] for rows in columns]


def until_result(columns: list[Launches]) -> list[list[float | None]]:
    return [[launched.told for launched, _ in rows] for rows in columns]


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int, default=40, help="launches of each kind and host")
    parser.add_argument("--alone", action="store_true", help="only ours: is any first result lost?")
    chosen = parser.parse_args()
    async with beside(alone=chosen.alone) as bench:
        hosts = bench.hosts
        heads = "  fanlight" if chosen.alone else "  fanlight   mcp-cli   ratio"
        print(f"{f'{chosen.launches} launches each':<44}{heads}", flush=True)
        rows = await in_fresh_pages(bench, hosts, chosen.launches)
        report("fresh page, initialized", rows, until_initialized(rows))
        rows = await in_open_pages(bench, hosts, chosen.launches, 0)
        report("page open, initialized", rows, until_initialized(rows))
        rows = await in_open_pages(bench, hosts, chosen.launches, TOOL_MS)
        report(f"page open, tool of {TOOL_MS} ms, result", rows, until_result(rows))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
