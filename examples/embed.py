"""A page with an MCP App in it. Run: uvicorn embed:app --port 8000, then open http://localhost:8000"""

from contextlib import asynccontextmanager
from html import escape

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from fanlight import Host

host = Host(name="my-chat", version="1.0")


@asynccontextmanager
async def lifespan(app: FastAPI):
    await host.connect("clock", "fanlight.demos.clock:server")  # or a URL, a server object, a command
    yield
    await host.aclose()


app = FastAPI(lifespan=lifespan)
app.mount("/apps", host.asgi())


@app.get("/", response_class=HTMLResponse)
async def chat() -> str:
    call = await host.servers["clock"].call_tool("show_time", {"timezone": "Europe/Oslo"})
    return f"<p>{escape(call.view.text)}</p>{call.view.embed_html()}"
