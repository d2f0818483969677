"""A canteen's MCP server: an app that shows the menu, and a tool that orders a dish."""

from pathlib import Path

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel

MENU = "ui://canteen/menu.html"


class Dish(BaseModel):
    name: str
    price: int
    vegetarian: bool
    about: str


class Menu(BaseModel):
    dishes: list[Dish]


DISHES = [
    Dish(name="Fish soup", price=95, vegetarian=False, about="Cod, leek and cream, with flatbread"),
    Dish(name="Mushroom risotto", price=110, vegetarian=True, about="Chanterelles, thyme and parmesan"),
    Dish(name="Lentil salad", price=80, vegetarian=True, about="Beetroot, walnut and goat cheese"),
]

apps = Apps()
apps.add_html_resource(MENU, Path(__file__).with_name("menu.html").read_text("utf-8"), title="Menu")


@apps.tool(resource_uri=MENU, title="Today's menu", annotations=ToolAnnotations(read_only_hint=True))
def show_menu() -> Menu:
    """Show today's menu; the person can choose a dish in it."""
    return Menu(dishes=DISHES)


server = MCPServer("canteen", title="Canteen", version="1.0.0", extensions=[apps])


@server.tool(title="Order")
def order(dish: str) -> str:
    """Order a dish of today's menu."""
    found = next((known for known in DISHES if known.name.lower() == dish.lower()), None)
    return f"{found.name} is on its way. That is {found.price} kr." if found else f"There is no {dish} today."
