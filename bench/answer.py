"""How long does a view wait for an answer? `tools/call` from view to a fake upstream and back.

Ours (view in a process of its own, behind a proxy) beside mcp-cli's app host (one frame on the host's own
origin), and beside a bare `ping` through our same frames. Runs alternate; medians of the runs are printed.
"""

from __future__ import annotations

import asyncio
import statistics
import sys

from _beside import Beside, HostProcess, beside, p50, p99

ROUNDS, CALLS = 7, 300


async def one_round(bench: Beside, host: HostProcess, *, ping: bool) -> dict[str, float]:
    async with bench.browser.tab() as tab:
        view = (await host.launch(tab)).view
        if view is None:  # mcp-cli loses `initialized` now and then; its view works all the same
            return await one_round(bench, host, ping=ping)
        await view.evaluate("sequential('tools/call', 50)")  # warm up
        calls = await view.evaluate(f"sequential('tools/call', {CALLS})")
        pings = await view.evaluate(f"sequential('ping', {CALLS})") if ping else [float("nan")]
        ten = await view.evaluate("parallel(10, 100)")
        return {"p50": p50(calls), "p99": p99(calls), "ping p50": p50(pings), "ten 100 ms tools": ten}


async def main() -> int:
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    async with beside() as bench:
        for _ in range(ROUNDS):
            ours.append(await one_round(bench, bench.fanlight, ping=True))
            theirs.append(await one_round(bench, bench.mcp_cli, ping=False))
    print(f"{'milliseconds':<20}{'fanlight':>10}{'mcp-cli':>10}{'ratio':>8}")
    for name in ("p50", "p99", "ten 100 ms tools"):
        a, b = (statistics.median(row[name] for row in rows) for rows in (ours, theirs))
        print(f"{name:<20}{a:>10.2f}{b:>10.2f}{a / b:>8.2f}")
    call, ping = (statistics.median(row[name] for row in ours) for name in ("p50", "ping p50"))
    print(f"{'p50 / bare ping':<20}{call:>10.2f}{ping:>10.2f}{call / ping:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
