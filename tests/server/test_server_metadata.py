"""What stands in `_meta`, and the domains that hosts ask for."""

from __future__ import annotations

import pytest

from fanlight.errors import ConfigError
from fanlight.server import domain_for
from fanlight.server.metadata import tool_meta
from fanlight.wire.meta import app_may_call, model_may_see, ui_resource_uri

URI = "ui://a/view.html"


@pytest.mark.parametrize(
    ("visibility", "model", "app"),
    [(None, True, True), (["app"], False, True), (["model"], True, False), (["model", "app"], True, True)],
)
def test_visibility_means_the_same_to_every_reader(
    visibility: list[str] | None, model: bool, app: bool
) -> None:
    tool = {"_meta": tool_meta(URI, visibility, {"example.com/x": 1}, openai=True)}
    assert ui_resource_uri(tool) == URI
    assert (model_may_see(tool), app_may_call(tool)) == (model, app)
    assert tool["_meta"]["openai/visibility"] == ("public" if model else "private")
    assert tool["_meta"]["openai/widgetAccessible"] is app
    assert tool["_meta"]["example.com/x"] == 1


def test_chatgpts_keys_on_a_tool_may_be_the_authors() -> None:
    meta = tool_meta(
        URI, None, {"openai/toolInvocation/invoking": "Looking", "openai/visibility": "x"}, openai=True
    )
    assert meta["openai/toolInvocation/invoking"] == "Looking"
    assert meta["openai/visibility"] == "x"


def test_claude_wants_a_hash_of_exactly_the_address() -> None:
    """The published example of that host. Holds: R06."""
    found = domain_for("claude", "https://example.com/mcp")
    assert found == "c3d80a4ed901ee05b21755a88273b4a4.claudemcpcontent.com"
    assert domain_for("claude", "https://example.com/mcp/") != found


def test_chatgpt_wants_the_origin() -> None:
    """Holds: R06."""
    assert domain_for("chatgpt", "https://example.com:8443/mcp?x=1") == "https://example.com:8443"


def test_a_domain_that_nobody_knows_is_not_guessed() -> None:
    with pytest.raises(ConfigError, match="the domains of 'claude' and 'chatgpt' are known"):
        domain_for("vscode", "https://example.com/mcp")
    with pytest.raises(ConfigError, match="give the server's public address"):
        domain_for("claude", "example.com/mcp")
