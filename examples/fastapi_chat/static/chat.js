// The conversation: messages come as events, views stand in it as <fanlight-view> elements.
import "/apps/host.js";

const messages = document.getElementById("messages");
const form = document.getElementById("form");
const input = document.getElementById("text");
let shown = -1;

/** Server text is shown as text, never as markup. */
function element(tag, className, text = "") {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}

function show({ id, role, text, from, view }) {
  if (id <= shown) return; // a reconnected stream begins at the first message again
  shown = id;
  const message = element("article", `message ${role}`);
  if (from) message.append(element("p", "from", `said by ${from}`));
  message.append(element("p", "text", text));
  if (view) {
    message.classList.add("with-view");
    const shownView = document.createElement("fanlight-view");
    for (const [name, value] of [["view-id", view.id], ["token", view.token], ["label", view.label]]) {
      shownView.setAttribute(name, value);
    }
    message.append(shownView);
  }
  messages.append(message);
  message.scrollIntoView({ block: "end", behavior: "smooth" });
}

/** What views told the model; it stands beside the conversation so that nothing happens in secret. */
async function showContext() {
  const entries = await (await fetch("/context")).json();
  const rows = entries.flatMap(({ tool, content = [] }) =>
    content.filter((block) => block.type === "text").map((block) => element("li", "", `${tool}: ${block.text}`)));
  document.getElementById("entries").replaceChildren(...rows);
  document.getElementById("context").hidden = rows.length === 0;
}

new EventSource("/events").onmessage = (event) => {
  show(JSON.parse(event.data));
  showContext();
};

// The element tells what passes; the answer to a context update is the moment to look.
messages.addEventListener("fanlight-message", (event) => {
  const { direction, message } = /** @type {CustomEvent} */ (event).detail;
  if (direction === "to-view" && message.id !== undefined && message.result) showContext();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = input.value.trim();
  if (!text) return;
  input.value = "";
  await fetch("/messages", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text }),
  });
});
input.focus();
