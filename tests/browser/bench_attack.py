"""What a program without a browser can do with a cookie that it was sent."""

from __future__ import annotations

import httpx

__all__ = ["state_with_cookie"]


async def state_with_cookie(base: str, name: str, value: str) -> int:
    """The status of the workbench's state for who has the cookie and nothing else."""
    host = base.removeprefix("http://")
    port = host.partition(":")[2]
    headers = {"Host": host, "Origin": base, "Cookie": f"{name}={value}", "Authorization": f"Bearer {value}"}
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.get(f"http://127.0.0.1:{port}/api/state", headers=headers)).status_code
