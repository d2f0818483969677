"""A view may not declare an origin of its host, whichever of the host's pages shows it."""

from __future__ import annotations

from two_servers import make_server

from fanlight.host import Host
from fanlight.upstream import AppDocument

OWN = ["https://chat.example.com", "https://sandbox.example.net", "https://other.example.org"]


async def test_a_view_in_another_page_may_not_declare_the_host_s_own_origin() -> None:
    host = Host(
        public_url=OWN[0], sandbox_url=OWN[1], pages=[OWN[2]], proxy_for=["https://foreign.example.org"]
    )
    asked = [*OWN, "https://foreign.example.org", "https://api.example.com"]
    document = AppDocument("ui://app/view.html", "<p>", {"csp": {"connectDomains": asked}})
    async with host:
        view = (await (await host.connect("one", make_server("one"))).call_tool("show")).view
        assert view is not None
        for page in (OWN[0], OWN[2]):
            origins = host.addresses.caller_origins("chat.example.com", "https", page)
            assert origins is not None
            showing = host.showings.open(view, document, origins)
            assert showing.csp.applied == {"connectDomains": ["https://api.example.com"]}
