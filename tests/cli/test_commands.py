"""The command line from the outside: one clear line for what is wrong, exit codes that tell."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ECHO = Path(__file__).parents[1] / "upstream" / "echo_server.py"
CLOCK = "fanlight.demos.clock:server"
# A new Python that imports an SDK takes a second, and many times that beside other tests.
WAIT = 100.0


def fanlight(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fanlight", *args], capture_output=True, text=True, timeout=WAIT, check=False
    )


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from fanlight.cli import cli\n"
        "try:\n    cli(['--help'], prog_name='fanlight')\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'mcp', 'starlette', 'uvicorn', 'pydantic', 'playwright', 'jsonschema'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT, check=True
    )
    for name in ("demo", "run", "dev", "render", "new", "hostile"):
        assert name in done.stdout
    assert "HEAVY []" in done.stdout


def test_importing_fanlight_loads_no_web_framework() -> None:
    script = (
        "import sys, fanlight\n"
        "assert not {'mcp', 'starlette', 'uvicorn', 'pydantic'} & set(sys.modules), sorted(sys.modules)\n"
        "fanlight.Host\n"
        "assert not {'mcp', 'starlette', 'uvicorn'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], timeout=WAIT, check=True)


@pytest.mark.parametrize(
    ("args", "code", "word"),
    [
        (["run", "nothing.py"], 2, "no file nothing.py"),
        (["run", "nothing.json"], 2, "cannot read"),
        (["run", "json:dumps"], 2, "not an MCP server"),
        (["run", "no_such_module:mcp"], 2, "no module"),
        (["run"], 2, "either a TARGET or a command"),
        (["run", "x.py", "--", "cmd"], 2, "either a TARGET or a command"),
        (["run", "--port", "70000", CLOCK], 2, "70000"),
        (["run", "--no-open", "--", "no-such-command-anywhere"], 5, "no command"),
        (["run", "--no-open", "--", sys.executable, str(ECHO), "--die"], 5, "licence file is missing"),
        (["run", "--no-open", "http://127.0.0.1:9/mcp"], 5, "refused the connection"),
        (["render", CLOCK], 2, "--tool"),
        (["render", CLOCK, "--tool", "nothing"], 3, "known: show_time"),
        (["render", str(ECHO), "--tool", "echo", "--args", '{"text": "x"}'], 4, "has no app"),
        (["render", CLOCK, "--tool", "show_time", "--args", "{"], 2, "--args is not valid JSON"),
        (["render", CLOCK, "--tool", "show_time", "--args", "[]"], 2, "JSON object"),
        (["render", CLOCK, "--tool", "show_time", "--args", '{"timezone": 5}'], 2, "argument timezone"),
        (["nonsense"], 2, "nonsense"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_one_clear_line_and_a_telling_exit_code(args: list[str], code: int, word: str) -> None:
    done = fanlight(*args)
    assert done.returncode == code, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith(("Usage:", "Try "))]
    assert len([line for line in said if line.strip()]) == 1, done.stderr


def test_a_config_with_several_servers_needs_a_choice(tmp_path: Path) -> None:
    server = {"command": sys.executable, "args": [str(ECHO)]}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"a": server, "b": server}}))
    done = fanlight("render", str(config), "--tool", "echo")
    assert done.returncode == 2
    assert "--server" in done.stderr
    done = fanlight("render", str(config), "--tool", "echo", "--server", "c")
    assert "known: a, b" in done.stderr


async def _start(*args: str) -> tuple[asyncio.subprocess.Process, str, list[str]]:
    """Start a workbench and read until it prints its link."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "fanlight",
        *args,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        async with asyncio.timeout(WAIT):
            while line := (await process.stdout.readline()).decode():
                lines.append(line)
                if match := re.search(r"http://fanlight\.localhost:\d+/\S+", line):
                    return process, match[0], lines
        raise AssertionError("".join(lines))
    except BaseException:
        if process.returncode is None:
            process.kill()
        await process.communicate()
        raise


def _children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in found.split()]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "terminate"])
async def test_interrupting_ends_everything_that_was_started(how: signal.Signals) -> None:
    process, _, lines = await _start("run", "--no-open", "--", sys.executable, str(ECHO))
    assert any("3 tools, 0 apps" in line for line in lines)
    children = _children(process.pid)
    assert children
    process.send_signal(how)
    out, _ = await asyncio.wait_for(process.communicate(), WAIT)
    assert process.returncode == 0, out.decode()
    assert "Traceback" not in out.decode()
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


async def test_two_workbenches_find_two_ports() -> None:
    started = [await _start("demo", "--no-open") for _ in range(2)]
    try:
        ports = {re.search(r":(\d+)/", link)[1] for _, link, _ in started}  # type: ignore[index]
        assert len(ports) == 2
        assert all(int(port) >= 9470 for port in ports)
        done = fanlight("demo", "--no-open", "--port", min(ports))
        assert done.returncode == 2
        assert f"port {min(ports)} cannot be used" in done.stderr
    finally:
        for process, _, _ in started:
            process.send_signal(signal.SIGINT)
            await asyncio.wait_for(process.communicate(), WAIT)


async def test_a_server_that_fails_beside_one_that_works_is_reported(tmp_path: Path) -> None:
    servers = {
        "good": {"command": sys.executable, "args": [str(ECHO)]},
        "bad": {"command": sys.executable, "args": [str(ECHO), "--die"]},
    }
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    process, _, lines = await _start("run", "--no-open", str(config))
    process.send_signal(signal.SIGINT)
    await asyncio.wait_for(process.communicate(), WAIT)
    assert any("bad: failed" in line and "licence" in line for line in lines)
