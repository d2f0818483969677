"""docs/local-server.md: its code runs, and its numbers and words are those of the code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from doc_code import DOCS, run_page

from fanlight.cli.run import command
from fanlight.host import Host
from fanlight.host.headers import SECURITY_HEADERS, page_headers
from fanlight.host.serve import DEFAULT_PORT, ServeLimits
from fanlight.sandbox import development_origins
from fanlight.upstream import ServerLimits
from fanlight.wire.json_text import MAX_DEPTH
from fanlight.workbench import app, passes

PAGE = (DOCS / "local-server.md").read_text("utf-8")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    return run_page("local-server.md")


async def test_the_code_of_the_page_runs(program: dict[str, Any], tmp_path: Path) -> None:
    busy, careful, pinned = (program[name] for name in ("busy", "careful", "pinned"))
    assert isinstance(busy, Host)
    assert busy.link.sockets_per_user == 20
    assert careful.server_limits.document_size == 8 << 20
    assert pinned.pins is not None
    assert (tmp_path / "pins.json").exists()
    for host in (busy, careful, pinned):
        await host.aclose()


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    limits = ServeLimits()
    for words in (
        f"first free one from {DEFAULT_PORT}",
        f"within {limits.head_seconds:g} s is closed",
        f"more than {limits.connections}",
        f"head of {limits.head_size >> 20} MiB",
        f"request of {app._MAX_BODY >> 20} MiB",
        f"takes {app._BODY_SECONDS:g} s",
        f"at least {passes.MIN_ACCESS_TOKEN} characters",
        f"deeper than {MAX_DEPTH} levels",
    ):
        assert words in " ".join(PAGE.split()), words
    assert passes._LINK_SECONDS == 3600  # "within an hour"
    assert passes._TRIES.burst == 10  # "ten wrong ones"


def test_every_limit_and_every_option_is_on_the_page() -> None:
    for name in ServerLimits.__dataclass_fields__:
        assert f"{name}=" in PAGE, name
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
    for option in options:
        assert option in PAGE or option == "--no-open", option


def test_the_headers_of_the_page_are_sent() -> None:
    origins = development_origins("fanlight.localhost:9470")
    assert origins is not None
    headers = {**SECURITY_HEADERS, **page_headers(origins, [])}
    assert "require-trusted-types-for 'script'" in headers["Content-Security-Policy"]
    for name in ("Cross-Origin-Opener-Policy", "Permissions-Policy", "Cross-Origin-Resource-Policy"):
        assert name in headers
        assert name in PAGE
    assert "Cross-Origin-Embedder-Policy" not in headers
