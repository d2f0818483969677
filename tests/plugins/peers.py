"""The published npm peers: where they are, and how an official example server is started.

Never skips: a missing peer is a failure that tells the remedy.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

NODE_HOME = Path(__file__).resolve().parents[1] / "interop" / "node"
REMEDY = "run `make setup`"


@pytest.fixture(scope="session")
def node() -> str:
    """The Node executable."""
    program = shutil.which("node")
    if program is None:
        pytest.fail(f"no `node` on the PATH: {REMEDY}")
    return program


@pytest.fixture(scope="session")
def peers() -> Path:
    """The ``node_modules`` folder with the pinned peers."""
    modules = NODE_HOME / "node_modules"
    if not modules.is_dir():
        pytest.fail(f"the npm peers are not installed: {REMEDY}")
    return modules


@pytest.fixture(scope="session")
def official_server(node: str, peers: Path) -> Callable[[str], list[str]]:
    """``official_server("basic-react")``: the command that runs that official example server over stdio."""

    def command(name: str) -> list[str]:
        entry = peers / "@modelcontextprotocol" / f"server-{name}" / "dist" / "index.js"
        if not entry.is_file():
            pytest.fail(f"{entry.parents[1].name} is not installed: add it to package.json, then {REMEDY}")
        return [node, str(entry), "--stdio"]

    return command
