"""docs/tutorial.md: a reader who does what it says, block after block, ends where it says."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doc_code import DOCS
from playwright.async_api import Page, expect
from served import WAIT_MS, served_host, shown, view_frame

from fanlight.host import Host
from fanlight.upstream import parse_target
from fanlight.workbench.reloading import forget_modules

PAGE = (DOCS / "tutorial.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?:# |// |/\* |<!-- )([\w/.]+)(?: \*/| -->)?\n")
LAST_LINES = '\n\nif __name__ == "__main__":'
ROLL_BUTTON = '<button id="again" type="button">Roll again</button>\n'


def blocks(*languages: str) -> list[str]:
    return [text for language, text in BLOCK.findall(PAGE) if language in languages]


def run(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """A line of a shell block, with the programs of this environment."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-m", *shlex.split(line)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def command(start: str) -> str:
    (line, *_) = [line for block in blocks("sh") for line in block.splitlines() if line.startswith(start)]
    return line


def at_the_end(file: str, block: str) -> str:
    return f"{file}\n\n{block}"


# Where the page says that a block goes; what is not named goes to the end.
PLACED: dict[str, Callable[[str, str], str]] = {
    "server.py": lambda file, block: file.replace(LAST_LINES, f"\n\n{block}{LAST_LINES}"),
    "view/index.html": lambda file, block: file.replace(ROLL_BUTTON, f"{ROLL_BUTTON}{block}"),
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it is after the first step."""
    folder = tmp_path_factory.mktemp("tutorial")
    made = run(folder, command("fanlight new"))
    assert made.returncode == 0, made.stderr
    return folder / "my-dice"


@pytest.fixture
def project(begun: Path, tmp_path: Path) -> Iterator[Path]:
    """The project as it is after the last step."""
    path = list(sys.path)
    folder = tmp_path / "my-dice"
    shutil.copytree(begun, folder)
    for block in blocks("python", "js", "css", "html"):
        named = NAMED.match(block)
        assert named is not None, block
        file = folder / named[1]
        before, added = file.read_text("utf-8"), block[named.end() :]
        after = PLACED.get(named[1], at_the_end)(before, added)
        assert after != before, named[1]
        file.write_text(after, "utf-8")
    yield folder
    sys.path[:] = path
    forget_modules([folder])


def test_the_tests_pass_after_the_first_step_and_after_the_last(
    tmp_path: Path, begun: Path, project: Path
) -> None:
    first = tmp_path / "first"
    shutil.copytree(begun, first)
    for folder, passed in ((first, 3), (project, 6)):
        tested = run(folder, f"{command('pytest')} -p no:cacheprovider")
        assert f"{passed} passed" in tested.stdout, tested.stdout


def test_every_file_of_the_table_is_in_the_project(project: Path) -> None:
    section = PAGE.partition("## 1. ")[2].partition("## 2. ")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in row.split(", ")}
    assert {name.strip("`/") for name in named} == {
        path.name for path in project.iterdir() if path.name != "__pycache__"
    }


async def test_the_view_does_what_the_steps_say(page: Page, project: Path) -> None:
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    host = Host(ask="allow")
    async with served_host(host) as port:
        server = await host.connect("my-dice", str(project / "server.py"))
        async with server.begin_call("roll_dice") as call:
            await shown(page, port, call)
            frame = await view_frame(page)
            call.feed_arguments('{"count": 4, "si')
            await expect(frame.locator("#dice li")).to_have_text(["?"] * 4, timeout=WAIT_MS)
            call.feed_arguments('des": 6}')
        rolls = [str(roll) for roll in call.result["structuredContent"]["rolls"]]
        await expect(frame.locator("#dice li")).to_have_text(rolls, timeout=WAIT_MS)
        await expect(frame.locator("#dice li").first).to_have_css("border-radius", "50%", timeout=WAIT_MS)
        await frame.get_by_role("button", name="How likely?").click()
        await expect(frame.get_by_role("status")).to_contain_text("or more: ", timeout=WAIT_MS)

        cup = await server.call_tool("hide_die")
        await shown(page, port, cup)
        frame = await view_frame(page)
        await expect(frame.get_by_role("status")).to_have_text("A die is under the cup.", timeout=WAIT_MS)
        await expect(frame.locator("#dice li")).to_have_count(0, timeout=WAIT_MS)
        await frame.get_by_role("button", name="Lift the cup").click()
        await expect(frame.locator("#dice li")).to_have_text(
            [str(cup.result["_meta"]["hidden"])], timeout=WAIT_MS
        )
        await expect(frame.get_by_role("button", name="Lift the cup")).to_have_count(0, timeout=WAIT_MS)
        assert complaints == []


def test_the_picture_is_taken(project: Path) -> None:
    done = run(project, command("fanlight render"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "dice.png").read_bytes().startswith(b"\x89PNG")


async def test_the_file_for_a_chat_host_starts_the_server(project: Path) -> None:
    (text,) = blocks("json")
    entry = json.loads(text)["mcpServers"]["my-dice"]
    assert entry == {"command": "python", "args": ["/path/to/my-dice/server.py"]}
    file = project / "mcp.json"
    started = {"command": sys.executable, "args": [str(project / "server.py")]}
    file.write_text(json.dumps({"mcpServers": {"my-dice": started}}), "utf-8")
    async with Host() as host:
        server = await host.connect("my-dice", parse_target(str(file))["my-dice"])
        assert [tool["name"] for tool in server.tools_for_model()] == ["roll_dice", "hide_die"]
