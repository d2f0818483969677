"""What the modern revision repeats as HTTP headers has a bound: servers hang up on long ones."""

from __future__ import annotations

import pytest
from raw_http import RawHttp
from upstream_contract import opened

from fanlight.errors import RpcError
from fanlight.upstream import MAX_NAME_BYTES, HttpTarget, UpstreamState
from fanlight.upstream.base import JSONObject
from fanlight.wire.jsonrpc import ErrorCode

REGION = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("resources/read", {"uri": "x:" + "y" * 200_000}, "uri makes an HTTP header of 200002 bytes"),
        ("resources/read", {"uri": "x:" + "ø" * 3500}, "uri makes an HTTP header of 9347 bytes"),
        ("tools/call", {"name": "t" * 9000, "arguments": {}}, "name makes an HTTP header of 9000 bytes"),
        (
            "tools/call",
            {"name": "regional", "arguments": {"region": "r" * 70_000}},
            "arguments.region makes an HTTP header of 70000 bytes",
        ),
    ],
)
async def test_a_long_name_is_refused_and_the_connection_stays(
    method: str, params: JSONObject, words: str
) -> None:
    raw = RawHttp("modern")
    raw.server.tools.append({"name": "regional", "inputSchema": REGION})
    async with raw.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
        states: list[UpstreamState] = []
        upstream.on_state(lambda state, reason: states.append(state))
        await upstream.request("tools/list")  # from here on it is known what becomes a header
        with pytest.raises(RpcError) as refused:
            await upstream.request(method, params)
        assert refused.value.code == ErrorCode.INVALID_PARAMS
        assert refused.value.message == f"{method}: {words}; all of them may have 8000"
        longest = "x:" + "y" * (MAX_NAME_BYTES - 2)
        assert (await upstream.request("resources/read", {"uri": longest}))["contents"][0]["uri"] == longest
        assert states == []
