"""Start a workbench for people: connect the servers, print the link, open the browser, wait for Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fanlight.errors import ConfigError, FanlightError, UpstreamError
from fanlight.host import Host
from fanlight.host.pins import Pins
from fanlight.host.serve import bind, is_loopback, serving
from fanlight.upstream import Target

from .app import Workbench
from .news import News
from .passes import check_access_token
from .reloading import Reloader, Sources

__all__ = ["Reach", "run_workbench"]

_ONCE = "  A link works once, in the browser that opens it first."
_MORE = " Press Enter for a new one."
_IN_CLEAR = (
    "  Others can reach this address, and http can be read on the way: prefer `ssh -L` or a proxy with TLS."
)


@dataclass(frozen=True)
class Reach:
    """Who can reach a workbench.

    Args:
        address: what it listens on; `localhost` is both loopback addresses.
        access_token: what every browser has to give; without one only loopback is listened on.
        public_url, sandbox_url, view_url: the names for browsers elsewhere, as those of `Host`.

    Raises:
        ConfigError: others could reach it without a token, or the token could be guessed.
    """

    address: str = "localhost"
    access_token: str | None = None
    public_url: str | None = None
    sandbox_url: str | None = None
    view_url: str | None = None

    def __post_init__(self) -> None:
        if self.access_token is not None:
            check_access_token(self.access_token)
        elif not is_loopback(self.address):
            raise ConfigError(
                f"--bind {self.address} can be reached by others, who could use your servers: give "
                "--access-token (or FANLIGHT_ACCESS_TOKEN) as well, or leave --bind out and come "
                "through `ssh -L 9470:127.0.0.1:9470`"
            )
        if self.public_url is not None and urlsplit(self.public_url).path.strip("/"):
            raise ConfigError(
                f"--public-url {self.public_url}: the workbench is at the root of its name; leave the path"
                " out"
            )

    def pages(self, port: int) -> list[str]:
        """The addresses to open, the best first."""
        if self.public_url is not None:
            return [f"{self.public_url.rstrip('/')}/"]
        return [f"http://{name}:{port}/" for name in ("fanlight.localhost", "127.0.0.1")]


async def run_workbench(
    targets: Mapping[str, Target],
    *,
    port: int | None,
    open_browser: bool,
    say: Callable[[str], None],
    reach: Reach | None = None,
    pins: Pins | None = None,
    sources: Sources | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve the workbench until interrupted; everything that was started is ended on the way out.

    With `sources` the servers are loaded anew whenever one of these files is saved.

    Raises:
        ConfigError: the address or the port cannot be used.
        UpstreamError: none of the servers could be connected.
    """
    reach = reach or Reach()
    stopped = stop or asyncio.Event()
    _stop_on_signals(stopped)
    listener = bind(reach.address, port)
    try:
        async with Host(
            "fanlight-workbench",
            public_url=reach.public_url,
            sandbox_url=reach.sandbox_url,
            view_url=reach.view_url,
            pins=pins,
        ) as host:
            host.on_message(lambda view, content: None)
            workbench = Workbench(host, access_token=reach.access_token)
            workbench.news = None if sources is None else News()
            await _until(stopped, _connect_all(host, workbench, targets, say))
            if stopped.is_set():
                return
            async with serving(workbench.asgi(), listener) as bound:
                links = _offer(workbench, reach, bound, say)
                async with _reloading(workbench, sources, say):
                    with _on_enter(lambda: _offer(workbench, reach, bound, say)):
                        if open_browser:
                            await asyncio.to_thread(webbrowser.open, links[0])
                        await stopped.wait()
            say("Stopped.")
    finally:
        listener.close()


def _offer(workbench: Workbench, reach: Reach, port: int, say: Callable[[str], None]) -> list[str]:
    """Print a link that nobody has used."""
    if reach.access_token is not None:
        links = reach.pages(port)
        say(f"\n  Workbench  {links[0]}  (it asks for your access token)")
        if not is_loopback(reach.address) and not links[0].startswith("https:"):
            say(_IN_CLEAR)
    else:
        token = workbench.passes.new_token()
        links = [f"{page}#token={token}" for page in reach.pages(port)]
        say(f"\n  Workbench  {links[0]}")
        if len(links) > 1:
            say(f"  If your browser does not know *.localhost: {links[1]}")
        say(_ONCE + (_MORE if _is_terminal() else ""))
    say("  Press Ctrl-C to stop.\n")
    return links


@contextlib.asynccontextmanager
async def _reloading(
    workbench: Workbench, sources: Sources | None, say: Callable[[str], None]
) -> AsyncIterator[None]:
    """Load the servers anew after every save, for the length of the block."""
    if sources is None:
        yield
        return
    reloader = Reloader(workbench.host, sources, say, workbench.news.tell if workbench.news else None)
    say(f"  Watching {', '.join(map(str, sources.folders))}")
    watching = asyncio.create_task(reloader.run())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        if workbench.news is not None:
            workbench.news.close()


@contextlib.contextmanager
def _on_enter(pressed: Callable[[], object]) -> Any:
    """Call `pressed` whenever a person presses Enter in the terminal, where there is one."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        if sys.stdin.readline():
            pressed()
        else:
            loop.remove_reader(sys.stdin)

    watching = False
    if _is_terminal():
        with contextlib.suppress(NotImplementedError, OSError):  # Windows waits for no keyboard
            loop.add_reader(sys.stdin, read)
            watching = True
    try:
        yield
    finally:
        if watching:
            loop.remove_reader(sys.stdin)


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.platform != "win32"


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
