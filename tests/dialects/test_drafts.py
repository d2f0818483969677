"""The drafts of November 2025 and SDK 0.x, beyond their conversation, and the viewport others read too."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.dialects import Translator
from fanlight.dialects.base import viewport_of


def notice(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def test_a_size_as_a_request_is_answered() -> None:
    view = Translator()
    heard = view.inbound({"jsonrpc": "2.0", "id": 5, "method": "ui/size-change", "params": {"height": 9}})
    assert heard == [notice("ui/notifications/size-changed", {"height": 9})]
    assert view.replies() == [{"jsonrpc": "2.0", "id": 5, "result": {}}]


def test_an_sdk_zero_view_gets_the_viewport_its_schema_knows() -> None:
    view = Translator()
    params = {
        "appInfo": {"name": "a", "version": "1"},
        "appCapabilities": {},
        "protocolVersion": "2025-11-21",
    }
    opening = {"jsonrpc": "2.0", "id": 0, "method": "ui/initialize", "params": params}
    assert view.inbound(opening) == [opening]
    context = {"containerDimensions": {"width": 4, "height": 3}}
    (heard,) = view.outbound({"jsonrpc": "2.0", "id": 0, "result": {"hostContext": context}})
    assert heard["result"]["hostContext"] == {**context, "viewport": {"width": 4, "height": 3}}


class TestViewport:
    @pytest.mark.parametrize(
        ("dimensions", "viewport"),
        [
            ({"width": 4, "height": 3}, {"width": 4, "height": 3}),
            ({"maxWidth": 4, "maxHeight": 3}, {"width": 4, "height": 3, "maxWidth": 4, "maxHeight": 3}),
            ({"width": 4, "maxHeight": 3.5}, {"width": 4, "height": 3.5, "maxHeight": 3.5}),
        ],
    )
    def test_it_is_made_of_what_is_known(self, dimensions: Any, viewport: Any) -> None:
        assert viewport_of({"containerDimensions": dimensions})["viewport"] == viewport

    @pytest.mark.parametrize("dimensions", [{}, {"width": 4}, {"width": True, "height": 3}, None, [4, 3]])
    def test_it_is_left_out_when_incomplete(self, dimensions: Any) -> None:
        context = {"containerDimensions": dimensions}
        assert viewport_of(context) is context

    def test_one_that_the_host_gave_stays(self) -> None:
        context = {"containerDimensions": {"width": 4, "height": 3}, "viewport": {"width": 1, "height": 1}}
        assert viewport_of(context) is context

    def test_a_context_without_dimensions_has_none(self) -> None:
        assert viewport_of({"theme": "dark"}) == {"theme": "dark"}
