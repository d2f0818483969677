"""How long does a view wait for an answer? `tools/call` from view to a fake upstream and back.

Ours (view in a process of its own, behind a proxy) beside mcp-cli's app host (one frame on the host's own
origin), and beside a bare `ping` through our same frames. Runs alternate; medians of the runs are printed.
"""

from __future__ import annotations

import asyncio
import statistics
import sys

from _beside import PEER_PYTHON, HostProcess, bench_frame, host_process, p50, p99, require_peer
from playwright.async_api import Browser

from fanlight.testing.chromium import launch

ROUNDS, CALLS = 5, 300


async def one_round(browser: Browser, host: HostProcess, *, ping: bool) -> dict[str, float]:
    context = await browser.new_context()
    page = await context.new_page()
    try:
        await host.launch(page)
        frame = await bench_frame(page)
        await frame.evaluate("sequential('tools/call', 50)")  # warm up
        calls = await frame.evaluate(f"sequential('tools/call', {CALLS})")
        pings = await frame.evaluate(f"sequential('ping', {CALLS})") if ping else [float("nan")]
        ten = await frame.evaluate("parallel(10, 100)")
        return {"p50": p50(calls), "p99": p99(calls), "ping p50": p50(pings), "ten 100 ms tools": ten}
    finally:
        await context.close()


async def main() -> int:
    require_peer()
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    async with (
        launch() as browser,
        host_process("fanlight_host.py") as fanlight,
        host_process("mcp_cli_host.py", PEER_PYTHON) as mcp_cli,
    ):
        for _ in range(ROUNDS):
            ours.append(await one_round(browser, fanlight, ping=True))
            theirs.append(await one_round(browser, mcp_cli, ping=False))
    print(f"{'milliseconds':<20}{'fanlight':>10}{'mcp-cli':>10}{'ratio':>8}")
    for name in ("p50", "p99", "ten 100 ms tools"):
        a, b = (statistics.median(row[name] for row in rows) for rows in (ours, theirs))
        print(f"{name:<20}{a:>10.2f}{b:>10.2f}{a / b:>8.2f}")
    call, ping = (statistics.median(row[name] for row in ours) for name in ("p50", "ping p50"))
    print(f"{'p50 / bare ping':<20}{call:>10.2f}{ping:>10.2f}{call / ping:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
