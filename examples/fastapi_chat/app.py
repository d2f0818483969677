"""A chat with MCP Apps in the conversation. Run: uvicorn app:app --port 8000, then open http://localhost:8000"""

import asyncio
import json
import secrets
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from chat import Chat
from fastapi import Body, Depends, FastAPI, HTTPException
from fastapi.responses import FileResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from menu import server as canteen
from starlette.requests import HTTPConnection

from fanlight import Host, View

STATIC = Path(__file__).with_name("static")


def visitor_of(connection: HTTPConnection) -> str | None:
    """Whose request or socket it is. A real program asks its own sign-in."""
    return connection.cookies.get("visitor")


host = Host(name="fastapi-chat", version="1.0", user=visitor_of)
chats: dict[str, Chat] = {}
turns: set[asyncio.Task[None]] = set()


@asynccontextmanager
async def lifespan(app: FastAPI):
    await host.connect("clock", "fanlight.demos.clock:server")
    await host.connect("canteen", canteen)
    yield
    for turn in turns:
        turn.cancel()
    await host.aclose()


app = FastAPI(lifespan=lifespan)
app.mount("/apps", host.asgi())
app.mount("/static", StaticFiles(directory=STATIC))


def chat_of(connection: HTTPConnection) -> Chat:
    visitor = visitor_of(connection)
    if visitor is None:
        raise HTTPException(403, "open the page first")
    return chats.setdefault(visitor, Chat(host, visitor))


OwnChat = Annotated[Chat, Depends(chat_of)]


@app.get("/")
async def page(connection: HTTPConnection) -> Response:
    response = FileResponse(STATIC / "index.html")
    if visitor_of(connection) is None:
        response.set_cookie("visitor", secrets.token_urlsafe(16), httponly=True, samesite="lax")
    return response


@app.post("/messages", status_code=202)
async def speak(chat: OwnChat, text: Annotated[str, Body(embed=True, max_length=4000)]) -> None:
    start_turn(chat.say(text))


@app.get("/events")
async def events(chat: OwnChat) -> StreamingResponse:
    async def lines() -> Any:
        async for message in chat.listen():
            yield f"data: {json.dumps(message)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


@app.get("/context")
async def context(chat: OwnChat) -> list[dict[str, Any]]:
    return chat.context()


@host.on_message
def view_speaks(view: View, content: list[dict[str, Any]]) -> None:
    """A view says something in the conversation of the user that it belongs to."""
    text = " ".join(block["text"] for block in content if block["type"] == "text")
    start_turn(chats[view.user].say(text, view=view.label))


def start_turn(turn: Any) -> None:
    task = asyncio.create_task(turn)
    turns.add(task)
    task.add_done_callback(turns.discard)
