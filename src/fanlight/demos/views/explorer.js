// Bars while the model still writes the rows; a click asks the server for the hours of one district.
import { at, draw, figure, make } from "./parts.js";

/** @typedef {{name: string, trips: number}} District */
/** @type {District[]} */
let districts = [];
let sorted = false;

fanlight.on("partial", (args) => show(args, true));
fanlight.on("input", (args) => show(args, false));
fanlight.on("result", (result) => {
  if (result.isError) at("problem").textContent = fanlight.text(result);
  else {
    show(result.structuredContent, false);
    // Only now: before the result there are none yet.
    at("none").hidden = districts.length > 0;
    if (!districts.length) at("summary").textContent = "No trips";
  }
});
fanlight.on("cancelled", ({ reason }) => {
  at("summary").textContent = `The call was cancelled${reason ? `: ${reason}` : "."}`;
});

/** @param {any} given @param {boolean} writing */
function show(given, writing) {
  if (given.title) at("title").textContent = given.title;
  // The last row of half-written arguments may still lack its number.
  const rows = Array.isArray(given.districts) ? given.districts : districts;
  districts = rows.filter((/** @type {any} */ row) => row?.name && Number.isFinite(row.trips));
  at("bars").toggleAttribute("data-writing", writing);
  const total = districts.reduce((sum, row) => sum + row.trips, 0);
  if (districts.length) {
    const words = `${figure(total)} trips in ${districts.length} ${districts.length === 1 ? "district" : "districts"}`;
    at("summary").textContent = writing ? `${words}, more to come…` : words;
  }
  at("hint").hidden = at("order").hidden = writing || !districts.length || !at("detail").hidden;
  drawBars();
}

function drawBars() {
  const most = Math.max(1, ...districts.map((row) => row.trips));
  const rows = sorted ? [...districts].sort((one, other) => other.trips - one.trips) : districts;
  const list = at("bars");
  rows.forEach((row, index) => {
    const item = list.children[index] ?? list.appendChild(bar());
    const [name, track, number] = item.firstChild.children;
    item.firstChild.dataset.name = row.name;
    name.textContent = row.name;
    number.textContent = figure(row.trips);
    // In the next frame, so that a new bar grows from nothing.
    requestAnimationFrame(() => track.firstChild.style.setProperty("--share", row.trips / most));
  });
  while (list.children.length > rows.length) list.lastChild.remove();
}

function bar() {
  const track = make("span", { class: "track" }, make("span", { class: "fill", style: "--share: 0" }));
  const parts = [make("span", { class: "name" }), track, make("span", { class: "number" })];
  const open = (/** @type {any} */ event) => void drillDown(event.currentTarget.dataset.name);
  return make("li", {}, make("button", { type: "button", class: "bar", click: open }, ...parts));
}

at("order").addEventListener("click", () => {
  sorted = !sorted;
  at("order").setAttribute("aria-pressed", String(sorted));
  drawBars();
});

/** @param {string} district */
async function drillDown(district) {
  at("problem").textContent = "";
  at("bars").setAttribute("aria-busy", "true");
  try {
    const result = await fanlight.callTool("trips_by_hour", { district });
    if (result.isError) throw new Error(fanlight.text(result));
    showHours(district, result.structuredContent.hours);
    void fanlight.updateContext(`The person looks at ${fanlight.text(result)}`).catch(() => {});
  } catch (error) {
    at("problem").textContent = `The hours of ${district} could not be loaded: ${/** @type {Error} */ (error).message}`;
  } finally {
    at("bars").removeAttribute("aria-busy");
  }
}

/** @param {string} district @param {number[]} hours */
function showHours(district, hours) {
  const most = Math.max(...hours);
  const peak = hours.indexOf(most);
  at("district").textContent = district;
  at("peak").textContent = `Most trips between ${peak} and ${peak + 1} o’clock: ${figure(most)}.`;
  const columns = hours.map((trips, hour) => {
    const height = (trips / most) * 140;
    const column = draw("rect", { x: hour * 20 + 2, y: 150 - height, width: 16, height, rx: 2 });
    if (hour === peak) column.setAttribute("class", "peak");
    const words = draw("title", {});
    words.textContent = `${hour} o’clock: ${figure(trips)} trips`;
    column.append(words);
    return column;
  });
  const labels = [0, 6, 12, 18, 24].map((hour) => make("span", { class: "number" }, hour));
  const label = `Trips of ${district} by hour`;
  const chart = { viewBox: "0 0 480 150", role: "img", "aria-label": label, preserveAspectRatio: "none" };
  at("hours").replaceChildren(draw("svg", chart, ...columns), make("div", { class: "axis" }, ...labels));
  toggleDetail(true);
  at("back").focus();
}

/** @param {boolean} open */
function toggleDetail(open) {
  at("detail").hidden = !open;
  at("bars").hidden = at("order").hidden = at("hint").hidden = open;
}

at("back").addEventListener("click", () => {
  toggleDetail(false);
  at("bars").querySelector("button")?.focus();
});
