/** How the page is divided: the drawer on narrow screens, the inspector that opens, closes and is pulled wider. */

import { byId, setting } from "./dom.js";

const WIDTH_KEY = "fanlight.inspector.width";
const HIDDEN_KEY = "fanlight.inspector.hidden";
const MIN_WIDTH = 280;
const STEP = 24;
const narrow = window.matchMedia("(max-width: 640px)");

/** Wire everything that index.html holds from the start. */
export function startLayout() {
  startDrawer();
  startInspector();
  startSplitter();
}

/** Close the drawer, if the tool list is one right now. */
export function closeDrawer() {
  setDrawer(false);
}

/** Show the inspector, also when it was hidden. */
export function revealInspector() {
  setInspector(true);
  if (narrow.matches) byId("inspector").scrollIntoView({ block: "start" });
}

function startDrawer() {
  byId("menu-button").addEventListener("click", () =>
    setDrawer(!document.body.classList.contains("drawer-open")),
  );
  byId("scrim").addEventListener("click", closeDrawer);
  narrow.addEventListener("change", closeDrawer);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("drawer-open")) {
      closeDrawer();
      byId("menu-button").focus();
    }
  });
  closeDrawer();
}

/** @param {boolean} open */
function setDrawer(open) {
  const covers = open && narrow.matches;
  document.body.classList.toggle("drawer-open", covers);
  byId("menu-button").setAttribute("aria-expanded", String(covers));
  byId("sidebar").inert = narrow.matches && !covers;
  for (const id of ["main", "inspector"]) byId(id).inert = covers;
  const first = byId("sidebar").querySelector(".tool[tabindex='0']");
  if (covers && first instanceof HTMLElement) first.focus();
}

function startInspector() {
  setInspector(setting("localStorage", HIDDEN_KEY) !== "yes");
  byId("inspector-toggle").addEventListener("click", () => setInspector(byId("inspector").hidden === true));
}

/** @param {boolean} shown */
function setInspector(shown) {
  byId("inspector").hidden = !shown;
  byId("splitter").hidden = !shown;
  byId("workspace").classList.toggle("without-inspector", !shown);
  byId("inspector-toggle").setAttribute("aria-pressed", String(shown));
  byId("inspector-toggle").title = shown ? "Hide the inspector" : "Show the inspector";
  setting("localStorage", HIDDEN_KEY, shown ? null : "yes");
}

function startSplitter() {
  const splitter = byId("splitter");
  setWidth(Number(setting("localStorage", WIDTH_KEY)) || 0);
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    document.body.classList.add("splitting");
  });
  splitter.addEventListener("pointermove", (event) => {
    if (splitter.hasPointerCapture(event.pointerId)) setWidth(window.innerWidth - event.clientX);
  });
  splitter.addEventListener("lostpointercapture", () => document.body.classList.remove("splitting"));
  splitter.addEventListener("dblclick", () => setWidth(0));
  splitter.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? STEP : event.key === "ArrowRight" ? -STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    setWidth(byId("inspector").offsetWidth + step);
  });
}

/** @param {number} width 0 for the width of the style sheet */
function setWidth(width) {
  const { style } = document.documentElement;
  if (width <= 0) {
    style.removeProperty("--inspector-width");
    setting("localStorage", WIDTH_KEY, null);
    return;
  }
  const kept = Math.round(Math.max(MIN_WIDTH, Math.min(width, window.innerWidth * 0.6)));
  style.setProperty("--inspector-width", `${kept}px`);
  byId("splitter").setAttribute("aria-valuenow", String(kept));
  setting("localStorage", WIDTH_KEY, String(kept));
}
