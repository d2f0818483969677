"""How soon is a view up? From the launch to `initialized`, ours beside mcp-cli's app host, in one Chromium.

Each launch opens a fresh page. Also counted: launches after which the view never got its first result.
"""

from __future__ import annotations

import asyncio
import sys

from _beside import PEER_PYTHON, HostProcess, bench_frame, host_process, p50, p99, require_peer
from playwright.async_api import Browser, Error

from fanlight.testing.chromium import launch

LAUNCHES = int(sys.argv[1]) if len(sys.argv) > 1 else 40


async def one_launch(browser: Browser, host: HostProcess) -> tuple[float, bool]:
    context = await browser.new_context()
    page = await context.new_page()
    try:
        took = await host.launch(page)
        frame = await bench_frame(page)
        try:
            await frame.wait_for_function("window.results > 0", timeout=3000)
        except Error:
            return took, False
        return took, True
    finally:
        await context.close()


async def main() -> int:
    require_peer()
    ours: list[tuple[float, bool]] = []
    theirs: list[tuple[float, bool]] = []
    async with (
        launch() as browser,
        host_process("fanlight_host.py") as fanlight,
        host_process("mcp_cli_host.py", PEER_PYTHON) as mcp_cli,
    ):
        for _ in range(LAUNCHES):
            ours.append(await one_launch(browser, fanlight))
            theirs.append(await one_launch(browser, mcp_cli))
    print(
        f"{LAUNCHES} launches each\n{'launch to initialized':<28}{'fanlight':>10}{'mcp-cli':>10}{'ratio':>8}"
    )
    for name, value in (("p50 ms", p50), ("p99 ms", p99)):
        a, b = (value([took for took, _ in rows]) for rows in (ours, theirs))
        print(f"{name:<28}{a:>10.0f}{b:>10.0f}{a / b:>8.2f}")
    lost = [sum(not got for _, got in rows) for rows in (ours, theirs)]
    print(f"{'without their first result':<28}{lost[0]:>10}{lost[1]:>10}")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
