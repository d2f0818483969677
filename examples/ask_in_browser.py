"""A plain script that asks a person in the browser and waits for the answer. Run: python ask_in_browser.py"""

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

from fanlight import Host

FORM = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Question</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 24px; font: 16px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.25rem; margin: 0 0 16px; }
  button { font: inherit; margin: 0 8px 8px 0; padding: 8px 18px; border-radius: 8px; cursor: pointer;
           border: 1px solid light-dark(#c9ced8, #454b57); background: light-dark(#fff, #23272f); }
  button:hover { border-color: #0b62c4; }
</style>
<h1 id="question">…</h1><div id="choices"></div>
<script>
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const say = (text) => post({ id: text, method: "ui/message",
                               params: { role: "user", content: [{ type: "text", text }] } });

  function ask({ question, choices }) {
    document.getElementById("question").textContent = question;
    document.getElementById("choices").replaceChildren(...choices.map((choice) => {
      const button = document.createElement("button");
      button.textContent = choice;
      button.onclick = () => { say(choice); document.body.textContent = "Thank you. You may close this."; };
      return button;
    }));
  }

  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data.id === "hello") {
      post({ method: "ui/notifications/initialized" });
      post({ method: "ui/notifications/size-changed", params: { height: 180 } });
    }
    if (data.method === "ui/notifications/tool-input") ask(data.params.arguments);
    else if (data.method && "id" in data) post({ id: data.id, result: {} });
  });
  post({ id: "hello", method: "ui/initialize", params: {
    appInfo: { name: "question", version: "1.0" }, appCapabilities: {}, protocolVersion: "2026-01-26" } });
</script></html>"""

apps = Apps()
apps.add_html_resource("ui://question/form.html", FORM, title="Question")


@apps.tool(resource_uri="ui://question/form.html")
def ask(question: str, choices: list[str]) -> str:
    """Ask a person a question with a few choices."""
    return f"{question} ({', '.join(choices)})"


def ask_in_browser(question: str, choices: list[str]) -> str | None:
    """The person's choice; None when nobody chose within ten minutes or the tab was closed a minute ago."""
    with Host.sync(name="ask-in-browser", messages=True) as host:
        form = host.connect("form", MCPServer("form", extensions=[apps]))
        view = form.call_tool("ask", {"question": question, "choices": choices}).view
        print("Please answer in your browser:", view.url, flush=True)
        view.open()
        try:
            message = view.wait_message(timeout=600)
        except TimeoutError:
            return None
        return message[0]["text"] if message else None


if __name__ == "__main__":
    print("The answer is:", ask_in_browser("Which way to the harbour?", ["Left", "Right", "Straight on"]))
