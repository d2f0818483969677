"""What a view asks of the page it is in: open an address, save files, be shown in another way."""

from __future__ import annotations

from fanlight.host.downloads import files_of
from fanlight.host.links import link_fault
from fanlight.host.policy import ActionKind

from .base import Asked, Handler, Params

__all__ = ["PAGE_HANDLERS"]

# SDK 1.1.2: a host that could not do it answers so, and the view may show something else.
_NOT_DONE: Params = {"isError": True}


async def _open_link(asked: Asked) -> Params:
    url = asked.params["url"].strip()
    fault = link_fault(url)
    if fault is not None:
        raise asked.gate.refused("rule", fault, ActionKind.OPEN_LINK, url)
    await asked.gate.permit(ActionKind.OPEN_LINK, url, {})
    return await _page_does(asked, "open-link", url=url)


async def _download(asked: Asked) -> Params:
    limits = asked.gate.limits
    contents = asked.params["contents"]
    files = files_of(contents, limits.download_items, limits.download_size)
    if isinstance(files, str):
        raise asked.gate.refused("rule", files, ActionKind.DOWNLOAD, "")
    names = ", ".join(file.name for file in files)
    detail = "\n".join(file.label for file in files)
    await asked.gate.permit(ActionKind.DOWNLOAD, names, {"files": [f.name for f in files]}, detail=detail)
    return await _page_does(asked, "download", files=[file.as_json() for file in files])


async def _display_mode(asked: Asked) -> Params:
    mode = asked.params["mode"]
    await asked.gate.permit(ActionKind.DISPLAY_MODE, mode, {})
    assert asked.session.conversation.modes is not None  # a view that asks is mounted
    return {"mode": asked.session.conversation.modes.grant(mode)}


async def _page_does(asked: Asked, op: str, **fields: object) -> Params:
    """Let the page do it and say whether it could (a blocked popup, a person who does not press)."""
    # Where nobody is, nobody presses a button: the page tries without one.
    alone = asked.host.ask != "page"
    answer = await asked.gate.page.put(op, asked.gate.limits.question_seconds, alone=alone, **fields)
    return {} if answer is not None and answer.word == "done" else _NOT_DONE


PAGE_HANDLERS: dict[str, Handler] = {
    "ui/open-link": _open_link,
    "ui/download-file": _download,
    "ui/request-display-mode": _display_mode,
}
