"""What a view may ask of the host, one handler a method. The gate first, then the work, then the answer.

A view talks only to its own server (R20): there is no server name in any of these requests.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from fanlight.errors import RpcError, UpstreamError
from fanlight.wire.jsonrpc import ErrorCode

from .base import Asked, Handler, Params
from .of_page import PAGE_HANDLERS
from .of_program import PROGRAM_HANDLERS
from .of_server import SERVER_HANDLERS

if TYPE_CHECKING:
    from fanlight.host.host import Host
    from fanlight.host.session import Session

__all__ = ["HANDLED_METHODS", "SERVER_METHODS", "serve_request"]

_log = logging.getLogger("fanlight.host")
_HANDLERS: dict[str, Handler] = {**SERVER_HANDLERS, **PAGE_HANDLERS, **PROGRAM_HANDLERS}
HANDLED_METHODS = frozenset(_HANDLERS)
# Those that only the view's own server can serve.
SERVER_METHODS = frozenset(SERVER_HANDLERS)


async def serve_request(
    host: Host, session: Session, request_id: str | int, method: str, params: Params
) -> None:
    """Do what the view asked and answer it; every failure becomes an error answer."""
    handler = _HANDLERS.get(method)
    try:
        if handler is None:
            raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"this host does not serve {method}")
        session.conversation.answer(request_id, await handler(Asked(host, session, request_id, params)))
    except RpcError as error:
        session.conversation.refuse(request_id, error.code, error.message, error.data)
    except UpstreamError as error:
        session.conversation.refuse(request_id, ErrorCode.INTERNAL_ERROR, str(error))
    except Exception:
        # The view must not wait for ever because we, or the program's handler, failed.
        _log.exception("%s of view %s failed", method, session.view.id)
        session.conversation.refuse(
            request_id, ErrorCode.INTERNAL_ERROR, f"this host failed to serve {method}"
        )
