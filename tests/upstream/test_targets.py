"""Targets: what a person types, and one clear line for what cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.upstream import HttpTarget, ObjectTarget, SseTarget, StdioTarget, command_target, parse_target

SERVER = "from mcp.server.mcpserver import MCPServer\n{name} = MCPServer('x')\n"


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_url_is_a_server_named_after_its_host() -> None:
    assert parse_target("https://weather.example/mcp") == {
        "weather.example": HttpTarget("https://weather.example/mcp")
    }


@pytest.mark.parametrize("name", ["mcp", "server", "app", "anything"])
def test_a_python_file_is_searched_for_its_server_object(tmp_path: Path, name: str) -> None:
    (target,) = parse_target(write(tmp_path, "weather.py", SERVER.format(name=name))).items()
    assert target[0] == "weather"
    assert isinstance(target[1], ObjectTarget)


def test_an_object_of_a_file_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "two.py", SERVER.format(name="first") + SERVER.format(name="second"))
    assert isinstance(parse_target(f"{path}:second")["two"], ObjectTarget)


def test_a_module_and_object_are_imported() -> None:
    assert isinstance(parse_target("fanlight.demos.clock:server")["clock"], ObjectTarget)


def test_an_mcp_json_gives_all_its_servers(tmp_path: Path) -> None:
    config = {
        "mcpServers": {
            "local": {"command": "node", "args": ["a.js"], "env": {"KEY": "1"}, "cwd": "sub"},
            "remote": {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer t"}},
            "older": {"type": "sse", "url": "https://x.example/sse"},
            "also-older": {"transport": "sse", "url": "https://x.example/sse"},
            "newer": {"type": "streamable-http", "url": "https://x.example/mcp"},
        }
    }
    targets = parse_target(write(tmp_path, "mcp.json", json.dumps(config)))
    assert targets["remote"] == HttpTarget("https://x.example/mcp", {"Authorization": "Bearer t"})
    assert targets["older"] == targets["also-older"] == SseTarget("https://x.example/sse")
    assert targets["newer"] == HttpTarget("https://x.example/mcp")
    assert "Bearer" not in repr(targets["remote"])
    local = targets["local"]
    assert isinstance(local, StdioTarget)
    assert (local.command, local.args, local.cwd) == ("node", ("a.js",), str(tmp_path / "sub"))
    assert local.env is not None
    assert local.env["KEY"] == "1"
    assert "PATH" in local.env


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (
            ("npx", "-y", "@modelcontextprotocol/server-basic-vanillajs@2.0.3", "--stdio"),
            "server-basic-vanillajs",
        ),
        (("python", "servers/weather.py"), "weather"),
        (("./my-server",), "my-server"),
        (("uvx", "some-server"), "some-server"),
    ],
)
def test_a_command_is_named_after_its_most_telling_word(words: tuple[str, ...], name: str) -> None:
    ((found, target),) = command_target(words).items()
    assert found == name
    assert isinstance(target, StdioTarget)
    assert (target.command, *target.args) == words


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("nothing.py", "no file"),
        ("nothing.json", "cannot read"),
        ("no_such_module_here:mcp", "no module"),
        ("fanlight.demos.clock:nothing", "no object"),
        ("fanlight.demos.clock:CLOCK_URI", "not an MCP server"),
        ("ftp://x.example", "not an http"),
        ("https://", "not an http"),
        ("just words", "cannot tell"),
    ],
)
def test_what_cannot_be_used_says_so_in_one_line(text: str, word: str) -> None:
    with pytest.raises(ConfigError, match=word) as caught:
        parse_target(text)
    assert "\n" not in str(caught.value)


def test_a_folder_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="folder"):
        parse_target(str(tmp_path))


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("x = 1\n", "no MCP server object"),
        (SERVER.format(name="one") + SERVER.format(name="two"), "several server objects"),
        ("raise RuntimeError('broken inside')\n", "broken inside"),
        ("def oops(:\n", "SyntaxError"),
    ],
)
def test_a_file_without_one_usable_server_is_named(tmp_path: Path, source: str, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        parse_target(write(tmp_path, "bad.py", source))


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ("{", "not valid JSON"),
        ("[]", "mcpServers"),
        ({"mcpServers": {}}, "mcpServers"),
        ({"mcpServers": {"a": []}}, "expected an object"),
        ({"mcpServers": {"a": {}}}, "neither a command nor a url"),
        ({"mcpServers": {"a": {"command": "x", "args": "y"}}}, "args"),
        ({"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}, "env"),
        ({"mcpServers": {"a": {"command": "x", "cwd": 1}}}, "cwd"),
        ({"mcpServers": {"a": {"url": "mailto:x"}}}, "not an http"),
        ({"mcpServers": {"a": {"url": "https://x.example", "headers": []}}}, "headers"),
        ({"mcpServers": {"a": {"url": "https://x.example", "type": "pigeon"}}}, "type is 'pigeon'"),
    ],
)
def test_a_wrong_config_names_the_field_and_the_value(tmp_path: Path, config: Any, word: str) -> None:
    text = config if isinstance(config, str) else json.dumps(config)
    with pytest.raises(ConfigError, match=word):
        parse_target(write(tmp_path, "mcp.json", text))
