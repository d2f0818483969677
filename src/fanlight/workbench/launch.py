"""Start a workbench for people: connect the servers, print the link, open the browser, wait for Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import webbrowser
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fanlight.errors import FanlightError, UpstreamError
from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.upstream import Target

from .app import Workbench

__all__ = ["run_workbench"]


async def run_workbench(
    targets: Mapping[str, Target],
    *,
    port: int | None,
    open_browser: bool,
    say: Callable[[str], None],
    stop: asyncio.Event | None = None,
) -> None:
    """Serve the workbench until interrupted; everything that was started is ended on the way out.

    Raises:
        ConfigError: the port cannot be used.
        UpstreamError: none of the servers could be connected.
    """
    stopped = stop or asyncio.Event()
    _stop_on_signals(stopped)
    listener = bind_loopback(port)
    try:
        async with Host("fanlight-workbench") as host:
            host.on_message(lambda view, content: None)
            workbench = Workbench(host, secrets.token_urlsafe(24))
            await _until(stopped, _connect_all(host, workbench, targets, say))
            if stopped.is_set():
                return
            async with serving(workbench.asgi(), listener) as bound:
                link = f"http://fanlight.localhost:{bound}/#token={workbench.token}"
                say(f"\n  Workbench  {link}")
                say(
                    f"  If your browser does not know *.localhost: http://127.0.0.1:{bound}/#token={workbench.token}"
                )
                say("  Press Ctrl-C to stop.\n")
                if open_browser:
                    await asyncio.to_thread(webbrowser.open, link)
                await stopped.wait()
            say("Stopped.")
    finally:
        listener.close()


async def _connect_all(
    host: Host, workbench: Workbench, targets: Mapping[str, Target], say: Callable[[str], None]
) -> None:
    async def connect(name: str, target: Target) -> None:
        try:
            server = await host.connect(name, target)
        except FanlightError as error:
            workbench.failed[name] = error.message if isinstance(error, UpstreamError) else str(error)
            return
        apps = sum(tool.has_app for tool in server.tools)
        say(f"  {name}: {_count(len(server.tools), 'tool')}, {_count(apps, 'app')}")

    async with asyncio.TaskGroup() as group:
        for name, target in targets.items():
            group.create_task(connect(name, target))
    if not host.servers:
        name, why = next(iter(workbench.failed.items()))
        raise UpstreamError(name, why)
    for name, why in workbench.failed.items():
        say(f"  {name}: failed: {why}")


async def _until(stopped: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Do the work unless interrupted first."""
    task = asyncio.create_task(work)
    waiter = asyncio.create_task(stopped.wait())
    await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
    waiter.cancel()
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return
    task.result()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _stop_on_signals(stopped: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, ValueError):  # Windows, or not the main thread
            loop.add_signal_handler(name, stopped.set)
