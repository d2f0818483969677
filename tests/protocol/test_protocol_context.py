"""The host context: checked when it is set, told as the smallest change."""

from __future__ import annotations

import json

import pytest

from fanlight.errors import ConfigError
from fanlight.protocol.context import SharedContext


def test_a_handshake_tells_all() -> None:
    context = SharedContext({"theme": "dark", "locale": None})
    assert context.tell_all() == {"theme": "dark"}
    assert context.tell_changes() == {}


def test_only_what_differs_is_told_as_whole_top_level_values() -> None:
    styles = {"variables": {"--font-sans": "a", "--font-mono": "b"}}
    context = SharedContext({"theme": "dark", "styles": styles})
    context.tell_all()
    context.update({"theme": "dark", "styles": {"variables": {"--font-sans": "c"}}})
    assert context.tell_changes() == {"styles": {"variables": {"--font-sans": "c"}}}
    assert context.tell_changes() == {}


def test_a_change_that_was_taken_back_is_not_told() -> None:
    context = SharedContext({"theme": "dark"})
    context.tell_all()
    context.update({"theme": "light"})
    context.update({"theme": "dark"})
    assert context.tell_changes() == {}


def test_a_removed_key_is_gone_here_and_stays_what_it_was_there() -> None:
    context = SharedContext({"theme": "dark"})
    context.tell_all()
    context.update({"theme": None, "locale": None})
    assert context.current == {}
    assert context.tell_changes() == {}
    context.update({"theme": "dark"})
    assert context.tell_changes() == {}
    context.update({"theme": "light"})
    assert context.tell_changes() == {"theme": "light"}


def test_an_invalid_patch_changes_nothing() -> None:
    context = SharedContext({"theme": "dark", "locale": "en"})
    with pytest.raises(ConfigError, match="theme"):
        context.update({"theme": "blue", "locale": None})
    assert context.current == {"theme": "dark", "locale": "en"}


def test_the_display_mode_is_inline_unless_it_is_said() -> None:
    assert SharedContext().display_mode == "inline"
    assert SharedContext().offered_modes == []
    context = SharedContext({"displayMode": "pip", "availableDisplayModes": ["pip"]})
    assert (context.display_mode, context.offered_modes) == ("pip", ["pip"])


def test_what_is_handed_out_is_a_copy() -> None:
    context = SharedContext({"availableDisplayModes": ["inline"]})
    context.current["availableDisplayModes"].append("pip")
    assert context.current == {"availableDisplayModes": ["inline"]}


def test_it_sleeps_as_json() -> None:
    context = SharedContext({"theme": "dark"})
    context.tell_all()
    context.update({"theme": "light", "locale": "en"})
    woken = SharedContext.from_json(json.loads(json.dumps(context.to_json())))
    assert woken.current == context.current
    assert woken.tell_changes() == context.tell_changes() == {"theme": "light", "locale": "en"}
