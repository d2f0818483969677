// An editor: the text appears while the model writes it, and is the person's from then on.
import { at, figure, later } from "./parts.js";
import { markdown } from "./markdown.js";

const LOOKS = ["as the host", "light", "dark"];
let look = 0;
let touched = false;

fanlight.setup({ modes: ["inline", "fullscreen"] });
fanlight.on("partial", take);
fanlight.on("input", take);
fanlight.on("result", (result) => {
  if (result.isError) at("problem").textContent = fanlight.text(result);
  else take(result.structuredContent);
  const kept = fanlight.state.get("note");
  if (!kept) return;
  touched = false;
  take(kept);
  touched = true;
  at("state").textContent = "Your version is kept.";
});
fanlight.on("context", ({ displayMode, availableDisplayModes }) => {
  const full = displayMode === "fullscreen";
  at("full").textContent = full ? "Back" : "Fullscreen";
  at("full").hidden = !full && !availableDisplayModes?.includes("fullscreen");
  applyLook();
});

/** What the model writes is taken until the person has typed. @param {any} note */
function take(note) {
  if (touched) return;
  if (note.title) at("name").value = note.title;
  if (typeof note.text === "string") at("text").value = note.text;
  show();
}

function show() {
  const text = at("text").value;
  at("preview").replaceChildren(...markdown(text));
  const words = text.split(/\s+/).filter(Boolean).length;
  at("count").textContent = `${figure(words)} ${words === 1 ? "word" : "words"}`;
}

const keep = later(() => {
  const note = { title: at("name").value, text: at("text").value };
  fanlight.state.set("note", note);
  at("state").textContent = "Your version is kept.";
  void fanlight.updateContext(`The note “${note.title}” now reads:\n\n${note.text}`).catch(() => {});
}, 500);

for (const id of ["text", "name"]) {
  at(id).addEventListener("input", () => {
    touched = true;
    at("state").textContent = "…";
    show();
    keep();
  });
}

at("full").addEventListener("click", async () => {
  await attempt(() => fanlight.requestMode(fanlight.context.displayMode === "fullscreen" ? "inline" : "fullscreen"));
});

at("save").addEventListener("click", async () => {
  const name = at("name").value.replace(/[^\p{L}\p{N} _-]/gu, "").trim() || "note";
  await attempt(() => fanlight.download(`${name}.md`, at("text").value, "text/markdown"));
});

at("look").addEventListener("click", () => {
  look = (look + 1) % LOOKS.length;
  at("look").textContent = `Look: ${LOOKS[look]}`;
  at("look").setAttribute("aria-label", `Look: ${LOOKS[look]}`);
  applyLook();
});

/** The person's choice, or the host's. */
function applyLook() {
  document.documentElement.style.colorScheme = look ? LOOKS[look] : (fanlight.context.theme ?? "light dark");
}

/** @param {() => Promise<unknown>} work */
async function attempt(work) {
  at("problem").textContent = "";
  try {
    await work();
  } catch (error) {
    at("problem").textContent = /** @type {Error} */ (error).message;
  }
}
