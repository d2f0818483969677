"""Every wall that no browser is needed for, in the order of docs/attacks.md."""

from __future__ import annotations

from walls_of_requests import WALLS_OF_REQUESTS
from walls_of_servers import WALLS_OF_SERVERS
from walls_of_sockets import WALLS_OF_SOCKETS
from walls_of_views import WALLS_OF_VIEWS
from walls_of_workbench import WALLS_OF_WORKBENCH

__all__ = ["SERVER_WALLS"]

SERVER_WALLS = [
    *WALLS_OF_WORKBENCH,
    *WALLS_OF_REQUESTS,
    *WALLS_OF_SOCKETS,
    *WALLS_OF_VIEWS,
    *WALLS_OF_SERVERS,
]
