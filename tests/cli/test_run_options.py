"""`fanlight run` and `render` from the outside: binding, pins, and a new link for the Enter key."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

CLOCK = "fanlight.demos.clock:server"
LINK = re.compile(r"http://fanlight\.localhost:(\d+)/#token=([\w-]+)")
WAIT = 100.0


def fanlight(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fanlight", *args],
        capture_output=True, text=True, timeout=WAIT, check=False, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--bind", "0.0.0.0"], "--access-token"),
        (["--bind", "::"], "ssh -L"),
        (["--bind", "0.0.0.0", "--access-token", "short"], "at least 16"),
        (["--bind", "example.com"], "not a name"),
        (["--bind", "192.0.2.7", "--access-token", "a long access token"], "no such address"),
        (["--public-url", "https://bench.example"], "sandbox_url is missing"),
        (["--pin", "/nowhere/at/all/pins.json"], "cannot be used"),
    ],
)
def test_what_cannot_be_done_safely_is_refused_with_the_remedy(args: list[str], word: str) -> None:
    done = fanlight("run", "--no-open", *args, CLOCK)
    assert done.returncode == 2, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pin_file_with_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pins.json"
    path.write_text("[]")
    for command in (["run", "--no-open"], ["render", "--tool", "show_time"]):
        done = fanlight(*command, "--pin", str(path), CLOCK)
        assert done.returncode == 2
        assert "remove it to pin everything anew" in done.stderr


@contextmanager
def in_terminal(*args: str) -> Iterator[int]:
    """The command in a terminal of its own; yields the other end of it."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fanlight", *args], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    try:
        yield ours
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(WAIT)
        os.close(ours)


def next_link(terminal: int) -> tuple[int, str]:
    """Read on until a link was printed."""
    text, late = "", time.monotonic() + WAIT
    while not ("Ctrl-C" in text and (found := LINK.search(text))):
        ready, _, _ = select.select([terminal], [], [], late - time.monotonic())
        assert ready, text
        text += os.read(terminal, 65536).decode()
    return int(found[1]), found[2]


def redeemed(port: int, token: str) -> int:
    own = {"Host": f"fanlight.localhost:{port}", "Origin": f"http://fanlight.localhost:{port}"}
    return httpx.post(
        f"http://127.0.0.1:{port}/api/pass", json={"token": token}, headers=own, trust_env=False
    ).status_code


def test_the_enter_key_prints_a_new_link_and_the_old_one_is_over() -> None:
    with in_terminal("demo", "--no-open") as terminal:
        port, first = next_link(terminal)
        os.write(terminal, b"\n")
        same, second = next_link(terminal)
        assert same == port
        assert second != first
        assert redeemed(port, first) == 410
        assert redeemed(port, second) == 201
        assert redeemed(port, second) == 410


@pytest.mark.browser
def test_render_pins_an_app_and_does_not_show_it_when_it_has_changed(tmp_path: Path) -> None:
    pins = tmp_path / "pins.json"
    arguments = ["render", CLOCK, "--tool", "show_time", "--json", "--pin", str(pins)]
    assert json.loads(fanlight(*arguments).stdout)["verdict"] == "ok"
    (app,) = json.loads(pins.read_text())["apps"]
    assert app["uri"].startswith("ui://")
    assert fanlight(*arguments).returncode == 0
    pins.write_text(pins.read_text().replace(app["sha256"], "0" * 64))
    changed = fanlight(*arguments)
    report = json.loads(changed.stdout)
    assert changed.returncode == 6
    assert report["verdict"] == "changed"
    assert "nobody can be asked" in report["reason"]
    assert report["remedy"]
    assert "0" * 64 in pins.read_text()
