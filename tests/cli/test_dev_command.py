"""`fanlight dev` from the outside: a save is seen, a mistake is said, Ctrl-C ends it cleanly."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from fanlight.scaffold import write_project

WAIT = 60.0


async def line_with(text: str, output: asyncio.StreamReader, seen: list[str]) -> str:
    async with asyncio.timeout(WAIT):
        while True:
            line = (await output.readline()).decode()
            assert line, f"it ended without {text!r}:\n{''.join(seen)}"
            seen.append(line)
            if text in line:
                return line


async def test_a_save_is_loaded_a_mistake_is_said_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    write_project("my-dice", tmp_path)
    source = tmp_path / "my-dice" / "server.py"
    good = source.read_text()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fanlight", "dev", "server.py", "--no-open"),
        cwd=source.parent,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    seen: list[str] = []
    assert process.stdout is not None
    try:
        await line_with("Watching", process.stdout, seen)
        source.write_text(good + "\nbroken(\n")
        assert "SyntaxError" in await line_with("server.py:", process.stdout, seen)
        await line_with("still running", process.stdout, seen)
        source.write_text(good.replace("Roll dice and show them", "Roll them"))
        await line_with("server.py: loaded anew in", process.stdout, seen)
        process.send_signal(signal.SIGINT)
        await line_with("Stopped.", process.stdout, seen)
        async with asyncio.timeout(WAIT):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert "Traceback" not in "".join(seen)
