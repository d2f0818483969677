"""An MCP App in a page of a Flask program. Run: python flask_app.py, then open http://localhost:5000

Flask serves the page, Fanlight's own thread serves the app's frames on another port: `pages` names the
origins of the pages that may show them.
"""

from urllib.parse import urlencode

from flask import Flask, redirect, render_template_string, request

from fanlight import Host

PORT = 5000
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Clocks</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  :root { color-scheme: light dark; }
  body { max-width: 720px; margin: 32px auto; padding: 0 16px; font: 16px/1.5 system-ui, sans-serif; }
  form { display: flex; gap: 8px; margin: 0 0 20px; }
  input, button { font: inherit; padding: 8px 14px; border-radius: 8px; border: 1px solid #8888; }
  input { flex: 1; }
</style>
<h1>What time is it in …</h1>
<form method="post">
  <input name="timezone" value="{{ zone }}" aria-label="Time zone"><button>Show</button>
</form>
<p id="text">{{ call.view.text }}</p>
{{ call.view.embed_html() | safe }}
</html>"""


def create_app(host) -> Flask:
    app = Flask(__name__)

    @app.get("/")
    def show():
        zone = request.args.get("zone", "Europe/Oslo")
        call = host.servers["clock"].call_tool("show_time", {"timezone": zone}, timeout=10)
        return render_template_string(PAGE, call=call, zone=zone)

    @app.post("/")
    def choose():
        return redirect("/?" + urlencode({"zone": request.form["timezone"]}))

    return app


if __name__ == "__main__":
    pages = [f"http://localhost:{PORT}", f"http://127.0.0.1:{PORT}"]
    with Host.sync(name="my-flask", version="1.0", pages=pages) as host:
        host.connect("clock", "fanlight.demos.clock:server")  # or a URL, a server object, a command
        create_app(host).run(port=PORT)
