"""The program behind nginx.conf. Run: uvicorn program:app --host 127.0.0.1 --port 8000"""

from contextlib import asynccontextmanager
from html import escape

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from fanlight import Host

host = Host(
    name="my-chat",
    version="1.0",
    public_url="https://chat.example.com/base",
    sandbox_url="https://sandbox.example.net/base",
    view_url="https://{app}.views.example.net/base",  # None: no wildcard name, opaque views
)
PAGE_POLICY = "default-src 'self'; frame-src https://sandbox.example.net"


@asynccontextmanager
async def lifespan(app: FastAPI):
    await host.connect("clock", "fanlight.demos.clock:server")
    yield
    await host.aclose()


app = FastAPI(lifespan=lifespan)
app.mount("/apps", host.asgi())


@app.get("/")
async def chat() -> HTMLResponse:
    call = await host.servers["clock"].call_tool("show_time", {"timezone": "Europe/Oslo"})
    page = f"<!doctype html><title>Chat</title><p>{escape(call.view.text)}</p>{call.view.embed_html()}"
    return HTMLResponse(page, headers={"Content-Security-Policy": PAGE_POLICY})
