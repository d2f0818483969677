"""The system monitor: a live view that asks for a sample again and again through an app-only tool."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from fanlight.server import App, AppResource, Reply, reply

__all__ = ["server"]

_READ_ONLY = ToolAnnotations(read_only_hint=True)
_GB = 1e9

server = MCPServer("monitor", title="System monitor", version="1.0.0")
monitor = App(
    "ui://monitor/view.html", AppResource.folder("views", entry="monitor.html"), title="System monitor"
)


class _Processor:
    """How busy the processor was since the last look; the load where the system does not say."""

    def __init__(self) -> None:
        self._last = (0.0, 0.0)

    def share(self) -> float | None:
        now = self._times()
        if now is None:
            load = getattr(os, "getloadavg", None)
            return None if load is None else min(1.0, load()[0] / (os.cpu_count() or 1))
        (idle, total), (idle_before, total_before) = now, self._last
        self._last = now
        return 1 - (idle - idle_before) / max(1.0, total - total_before)

    @staticmethod
    def _times() -> tuple[float, float] | None:
        try:
            first = Path("/proc/stat").read_text().partition("\n")[0]
        except OSError:
            return None
        ticks = [float(field) for field in first.split()[1:]]
        return ticks[3] + ticks[4], sum(ticks)


_processor = _Processor()


@monitor.tool(server, title="Watch this system", annotations=_READ_ONLY)
def watch_system() -> Reply:
    """Show processor, memory and disk of the machine that this server runs on, live."""
    return _sample()


@monitor.tool(server, title="One sample", visibility=["app"], annotations=_READ_ONLY)
def system_sample() -> Reply:
    """What the view asks for again and again."""
    return _sample()


def _sample() -> Reply:
    meters = [meter for meter in (_cpu(), _memory(), _disk()) if meter is not None]
    machine = f"{platform.system()} {platform.machine()} · {os.cpu_count()} cores"
    words = ", ".join(f"{meter['name'].lower()} {meter['share']:.0%}" for meter in meters)
    return reply(f"{machine}: {words}.", data={"machine": machine, "meters": meters})


def _cpu() -> dict[str, Any] | None:
    share = _processor.share()
    return None if share is None else _meter("cpu", "Processor", share, f"of {os.cpu_count()} cores")


def _memory() -> dict[str, Any] | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    kilobytes = {line.partition(":")[0]: int(line.split()[1]) for line in lines}
    total, free = kilobytes["MemTotal"] * 1024, kilobytes["MemAvailable"] * 1024
    return _meter("memory", "Memory", 1 - free / total, f"{(total - free) / _GB:.1f} of {total / _GB:.1f} GB")


def _disk() -> dict[str, Any]:
    disk = shutil.disk_usage(Path.home().anchor)
    return _meter(
        "disk", "Disk", disk.used / disk.total, f"{disk.used / _GB:.0f} of {disk.total / _GB:.0f} GB"
    )


def _meter(name: str, title: str, share: float, detail: str) -> dict[str, Any]:
    return {"id": name, "name": title, "share": round(min(1.0, max(0.0, share)), 3), "detail": detail}
