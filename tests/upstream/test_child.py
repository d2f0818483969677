"""A server as a child process: noise on its output, and an end that nothing survives."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from upstream_contract import ME, PATIENCE, call, gone, opened, said, until

from fanlight.errors import UpstreamError
from fanlight.upstream import StdioTarget, open_upstream

RAW = str(Path(__file__).with_name("raw_server.py"))


def python(script: str) -> StdioTarget:
    return StdioTarget(sys.executable, ("-c", script))


async def test_noise_and_empty_lines_on_the_output_are_passed_over() -> None:
    noise = r"print('starting up...\n\n{}\n', flush=True); import runpy; "
    script = noise + f"runpy.run_path({RAW!r}, run_name='__main__')"
    async with opened(python(script)) as upstream:
        assert said(await call(upstream, "echo", a=1)) == '{"a": 1}'


async def test_a_child_that_ignores_every_request_to_end_is_killed_with_its_own_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fanlight.upstream.child._EXIT_TIME", 0.2)
    monkeypatch.setattr("fanlight.upstream.child._TERMINATE_TIME", 0.2)
    grandchild = tmp_path / "grandchild"
    script = f"""
import signal, subprocess, sys, threading, runpy
signal.signal(signal.SIGTERM, signal.SIG_IGN)
deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", deaf], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
child.stdout.readline()
open({str(grandchild)!r}, "w").write(str(child.pid))
threading.Thread(target=threading.Event().wait).start()  # the process does not end with its main thread
runpy.run_path({RAW!r}, run_name="__main__")
"""
    async with opened(python(script)) as upstream:
        child = int(said(await call(upstream, "pid")))
        os.kill(child, 0)
    gone(child)
    # The grandchild is reaped by whoever adopted it.
    await until(lambda: not running(int(grandchild.read_text())))


@pytest.mark.parametrize("end", ["closed", "crashed"])
async def test_a_child_that_ends_by_itself_leaves_none_of_its_own_children(end: str, tmp_path: Path) -> None:
    grandchild = tmp_path / "grandchild"
    script = f"""
import subprocess, sys, runpy
helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)
open({str(grandchild)!r}, "w").write(str(helper.pid))
runpy.run_path({RAW!r}, run_name="__main__")
"""
    async with opened(python(script)) as upstream:
        helper = int(grandchild.read_text())
        assert running(helper)
        if end == "crashed":
            with pytest.raises(UpstreamError):
                await call(upstream, "die")
            await until(lambda: not running(helper))
    await until(lambda: not running(helper))


async def test_a_line_without_an_end_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.upstream.child.MAX_MESSAGE_BYTES", 1 << 20)
    async with opened(StdioTarget(sys.executable, (RAW,))) as upstream:
        first = int(said(await call(upstream, "pid")))
        assert len(said(await call(upstream, "big", size=1_000_000))) == 1_000_000
        with pytest.raises(UpstreamError, match="a message of more than 1 MiB"):
            await call(upstream, "big", size=3 << 20)
        assert int(said(await call(upstream, "pid"))) != first
    flood = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    with pytest.raises(UpstreamError, match="a message of more than 1 MiB"):
        await open_upstream("flood", python(flood), ME, timeout=PATIENCE)


def running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_a_cancelled_opening_leaves_no_process(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    silent = f"import os, sys; open({str(note)!r}, 'w').write(str(os.getpid())); sys.stdin.read()"
    opening = asyncio.create_task(opened(python(silent)).__aenter__())
    await until(lambda: note.exists() and bool(note.read_text()))
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    gone(int(note.read_text()))
