"""Where does the time go? The stages of a launch and the hops of a call, ours and mcp-cli's.

Stages are milliseconds since the launch, taken from the documents' own clocks. Hops are taken by listeners
that are added to every document, so a call is a little slower here than in answer.py.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from _beside import Beside, HostProcess, Launched, beside, p50, p99
from _chromium import Target

CALLS = 300
# What a document is, by the path it has.
_ROLES = {"page": "page", "sandbox": "proxy", "shell": "shell", "view": "view", "": "page", "app": "view"}
_DOCUMENT = """(() => {
  const [{ requestStart, responseEnd, domInteractive }] = performance.getEntriesByType("navigation");
  return [performance.timeOrigin, { "asked for": requestStart, here: responseEnd, parsed: domInteractive }];
})()"""
_LISTEN = """(() => {
  globalThis.heard = [];
  const now = () => performance.timeOrigin + performance.now();
  const note = (message) => {
    if (message?.id !== undefined) heard.push([message.id, "method" in message, now()]);
  };
  addEventListener("message", ({ data }) => note(data), true);
  // To the view: the page has the socket's message before it posts it.
  const passing = ({ detail: { direction, message } }) => direction === "to-view" && note(message);
  addEventListener("fanlight-message", passing, true);
})()"""
_CALL = """(async (count) => {
  const now = () => performance.timeOrigin + performance.now();
  const times = [];
  for (let n = 0; n < count; n++) {
    const [id, began] = [nextId, now()];
    await ask("tools/call", { name: "show", arguments: { n } });
    times.push([id, began, now()]);
  }
  return times;
})"""

Window = tuple[str, Target, str]
Stages = dict[str, float]


async def windows(bench: Beside, tab: Target, launched: Launched) -> list[Window]:
    """The documents of a launch: what each is, and where."""
    assert launched.view is not None
    found: list[Window] = []
    for target in {tab.id: tab, launched.view.target.id: launched.view.target}.values():
        for window in await bench.browser.windows(target.session):
            path = urlsplit(await target.evaluate("location.href", window)).path.split("/")
            role = next((_ROLES[part] for part in path[1:] if part in _ROLES), None)
            if role is not None:
                found.append((role, target, window))
    return found


async def stages(bench: Beside, host: HostProcess, tab: Target, launched: Launched) -> Stages:
    """Milliseconds from the launch to each stage."""
    assert launched.took is not None
    reached: Stages = {"initialized": launched.took, **json.loads(await host.ask("stages", "stages"))}
    for role, target, window in await windows(bench, tab, launched):
        origin, timings = await target.evaluate(_DOCUMENT, window)
        for name, ms in timings.items():
            at = origin + ms - launched.began
            if at > 0:  # a page that was open before the launch has no stages
                reached[f"{role} {name}"] = max(at, reached.get(f"{role} {name}", 0))
    return reached


async def fresh_launches(bench: Beside, host: HostProcess, count: int) -> list[Stages]:
    rows = []
    for _ in range(count):
        async with bench.browser.tab() as tab:
            launched = await host.launch(tab)
            if launched.view is not None:
                rows.append(await stages(bench, host, tab, launched))
    return rows


async def launches_in_page(bench: Beside, host: HostProcess, count: int) -> list[Stages]:
    rows = []
    async with bench.browser.tab() as tab:
        await host.open_page(tab)
        for _ in range(count):
            launched = await host.launch_in(tab)
            if launched.view is not None:
                rows.append(await stages(bench, host, tab, launched))
    return rows


def show_stages(title: str, ours: list[Stages], theirs: list[Stages]) -> None:
    medians = [
        {name: statistics.median(row[name] for row in rows if name in row) for name in set().union(*rows)}
        for rows in (ours, theirs)
    ]
    print(f"\n{title:<40}{'fanlight':>10}{'mcp-cli':>10}")
    for name in sorted(set().union(*medians), key=lambda name: medians[0].get(name) or medians[1][name]):
        cells = "".join(f"{column[name]:>10.0f}" if name in column else f"{'':>10}" for column in medians)
        print(f"{name:<40}{cells}")


@dataclass
class Round:
    """One series of calls: milliseconds since the view spoke, at each place they pass and to the answer."""

    passed: dict[str, list[float]]
    took: list[float]


async def hops(bench: Beside, host: HostProcess) -> Round:
    async with bench.browser.tab() as tab:
        launched = await host.launch(tab)
        if launched.view is None:  # mcp-cli loses `initialized` now and then
            return await hops(bench, host)
        view = launched.view
        places = await windows(bench, tab, launched)
        await view.evaluate("sequential('tools/call', 100)")
        for _, target, window in places:
            await target.evaluate(_LISTEN, window)
        times = await view.evaluate(f"{_CALL}({CALLS})")
        began = {number: at for number, at, _ in times}
        passed: dict[str, list[float]] = defaultdict(list)
        for role, target, window in places:
            for number, is_call, at in await target.evaluate("heard", window):
                if number in began:
                    passed[f"{'call' if is_call else 'answer'} in {role}"].append(at - began[number])
        in_python = json.loads(await host.ask("answered", "answered"))
        passed["(of it in Python)"] = [ms for number, ms in in_python if number in began]
        return Round(passed, [end - at for _, at, end in times])


def show_hops(name: str, rounds: list[Round]) -> None:
    """Medians of the rounds, so that one that was disturbed does not count."""
    print(f"\n{f'{name}: a call, ms since the view spoke':<50}{'p50':>8}{'p99':>8}")
    places = set().union(*(one.passed for one in rounds))
    rows = {place: figures(one.passed[place] for one in rounds if place in one.passed) for place in places}
    rows["answered"] = figures(one.took for one in rounds)
    for place, (middle, last) in sorted(rows.items(), key=lambda row: row[1]):
        print(f"{place:<50}{middle:>8.2f}{last:>8.2f}")


def figures(rounds: Iterable[list[float]]) -> tuple[float, float]:
    series = list(rounds)
    return statistics.median(map(p50, series)), statistics.median(map(p99, series))


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int, default=15, help="launches of each kind and host")
    count = parser.parse_args().launches
    async with beside() as bench:
        for title, launch in (("fresh page", fresh_launches), ("page open", launches_in_page)):
            show_stages(
                f"{title}, p50 ms since the launch",
                *[await launch(bench, host, count) for host in bench.hosts],
            )
        for name, host in (("fanlight", bench.fanlight), ("mcp-cli", bench.mcp_cli)):
            show_hops(name, [await hops(bench, host) for _ in range(5)])
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
