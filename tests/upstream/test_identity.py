"""Which server it is: the same in every run, another for every other target, and it tells no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from fanlight.upstream import HttpTarget, ObjectTarget, SseTarget, StdioTarget, identity_of, parse_target

SERVER = "from mcp.server.mcpserver import MCPServer\nserver = MCPServer('x')\nother = MCPServer('y')\n"


def named(text: str) -> str:
    """The identity of what a person typed, behind its name."""
    ((name, target),) = parse_target(text).items()
    return identity_of(name, target)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("http://localhost:3001/mcp", "http://localhost:3002/mcp"),
        ("http://localhost:3001/mcp", "https://localhost:3001/mcp"),
        ("https://gate.example/good/mcp", "https://gate.example/evil/mcp"),
        ("https://gate.example/mcp?server=good", "https://gate.example/mcp?server=evil"),
    ],
)
def test_two_addresses_with_one_name_are_two_servers(one: str, another: str) -> None:
    assert parse_target(one).keys() == parse_target(another).keys()
    assert named(one) != named(another)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("https://weather.example/mcp", "https://weather.example:443/mcp"),
        ("https://weather.example/mcp", "https://Weather.Example/mcp"),
        ("https://weather.example/mcp", "https://me:secret@weather.example/mcp"),
        ("http://localhost:80", "http://localhost/"),
    ],
)
def test_two_spellings_of_one_address_are_one_server(one: str, another: str) -> None:
    assert named(one) == named(another)


def test_the_transport_and_what_is_sent_along_do_not_change_who_it_is() -> None:
    url = "https://weather.example/mcp"
    plain = identity_of("weather", HttpTarget(url))
    assert identity_of("weather", SseTarget(url, {"Authorization": "Bearer secret"})) == plain


def test_a_file_is_known_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("good", "evil"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "server.py").write_text(SERVER)
    good, evil = (str(tmp_path / folder / "server.py") for folder in ("good", "evil"))
    assert named(good) != named(evil)
    assert named(f"{good}:server") != named(f"{good}:other")
    assert named("fanlight.demos.clock:server") != named(good)
    monkeypatch.chdir(tmp_path / "good")
    assert named("server.py") == named(good)


def test_a_command_is_known_by_its_words_and_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = StdioTarget("python", ("server.py", "--key", "secret"), env={"KEY": "secret"})
    here = identity_of("server", words)
    assert here == identity_of("server", StdioTarget("python", words.args, cwd=str(tmp_path)))
    assert here != identity_of("server", StdioTarget("python", words.args, cwd=str(tmp_path / "evil")))
    assert here != identity_of("server", StdioTarget("python", ("server.py --key", "secret")))
    assert "secret" not in here


def test_an_object_of_this_process_is_known_by_its_name() -> None:
    assert identity_of("weather", ObjectTarget(object())) == "weather"
