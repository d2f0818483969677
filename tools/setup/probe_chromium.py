"""Starts the Chromium that the product would start and says which one it is, or why none starts.

A file on the PATH proves little: a stub, a missing library or a forbidden sandbox shows only at the start.
"""

from __future__ import annotations

import asyncio
import sys

from fanlight.testing.chromium import find_chromium, launch


async def describe() -> str:
    async with launch() as browser:
        return f"{find_chromium() or 'the build that Playwright downloaded'} (version {browser.version})"


if __name__ == "__main__":
    try:
        print(asyncio.run(describe()))
    except Exception as problem:  # whatever stops it is the answer
        sys.exit(f"no Chromium starts: {problem}")
