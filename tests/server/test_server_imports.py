"""Importing the kit is cheap: no SDK, no web framework, no template engine comes with it."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import fanlight.server

HEAVY = (
    "mcp",
    "mcp_types",
    "fastmcp",
    "jinja2",
    "starlette",
    "uvicorn",
    "fanlight.host",
    "fanlight.upstream",
)


def modules_after(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import fanlight.server",
        "from fanlight.server import *",
        "from fanlight.server import App, AppResource, reply\n"
        "App('ui://a/b.html', AppResource.text('<!doctype html><title>a</title><p>a</p>'))",
    ],
)
def test_no_sdk_is_imported_before_there_is_a_server(code: str) -> None:
    assert modules_after(code).isdisjoint(HEAVY)


def test_the_room_itself_imports_next_to_nothing() -> None:
    found = modules_after("import fanlight.server")
    assert found.isdisjoint({"pydantic", "fanlight.wire", "fanlight.server.app", "fanlight.server.embedding"})


def test_every_name_of_the_room_is_there_and_no_other() -> None:
    for name in fanlight.server.__all__:
        found = getattr(fanlight.server, name)
        assert not isinstance(found, ModuleType), f"{name} is a file, and not what the file is about"
    assert dir(fanlight.server) == sorted(fanlight.server.__all__)
    assert not hasattr(fanlight.server, "nothing")
