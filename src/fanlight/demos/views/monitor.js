// A live view: it asks for samples while somebody can see it, and says when it cannot get one.
import { at, draw, figure, make } from "./parts.js";

const KEPT = 60;
const HIGH = 0.9;
/** Where the newest sample is drawn, of 100: its dot needs room. */
const NOW = 98;
/** @typedef {{share: number, at: number}} Sample */
/** @type {Map<string, Sample[]>} */
const past = new Map();
let paused = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

fanlight.on("result", sampled);
fanlight.on("teardown", () => clearTimeout(timer));

/** @param {any} result */
function take(result) {
  if (result.isError) throw new Error(fanlight.text(result));
  const { machine, meters } = result.structuredContent;
  at("machine").textContent = machine;
  for (const meter of meters) {
    const samples = [...(past.get(meter.id) ?? []), { share: meter.share, at: Date.now() }].slice(-KEPT);
    past.set(meter.id, samples);
    showMeter(meter, samples);
  }
  at("problem").textContent = "";
}

/** @param {{id: string, name: string, share: number, detail: string}} meter @param {Sample[]} samples */
function showMeter(meter, samples) {
  let card = at(`meter-${meter.id}`);
  if (!card) {
    const line = draw("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", "aria-hidden": "true" });
    line.append(draw("path", { class: "area" }), draw("path", {}), draw("path", { class: "now" }));
    const axis = make("div", { class: "axis number" }, make("span", { class: "since" }), make("span", {}, "now"));
    const words = [make("div", { class: "share number" }), make("div", { class: "quiet number" })];
    card = make("section", { class: "meter", id: `meter-${meter.id}` }, make("h2", {}, meter.name), ...words, line, axis);
    at("meters").append(card);
  }
  card.toggleAttribute("data-high", meter.share >= HIGH);
  card.querySelector(".share").textContent = figure(meter.share, { style: "percent" });
  card.querySelector(".quiet").textContent = meter.detail;
  // What there is fills the whole width, from the first sample on; the axis says how long that is.
  const first = samples[0]?.at ?? 0;
  const long = (samples.at(-1)?.at ?? 0) - first;
  const points = samples.map(({ share, at }) => [long ? ((at - first) / long) * NOW : NOW, 38 - share * 36]);
  if (!long) points.unshift([0, 38 - meter.share * 36]);
  const [area, line, now] = card.querySelectorAll("path");
  line.setAttribute("d", `M${points.join("L")}`);
  area.setAttribute("d", `M0,40L${points.join("L")}L${NOW},40Z`);
  now.setAttribute("d", `M${points.at(-1)}h0`);
  card.querySelector(".since").textContent = long ? `${inWords(Math.round(long / 1000))} ago` : "";
}

/** @param {number} seconds */
const inWords = (seconds) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

function schedule() {
  clearTimeout(timer);
  const resting = paused || document.hidden;
  at("state").textContent = paused ? "Paused." : document.hidden ? "Waiting until this is visible." : "Live.";
  if (!resting) timer = setTimeout(sample, Number(at("every").value) * 1000);
}

const sample = () => sampled(fanlight.callTool("system_sample"));

/** Show it, or why there is none, and go on. @param {any} coming a result or the promise of one */
async function sampled(coming) {
  try {
    take(await coming);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    at("problem").textContent = `No sample: ${message}. Trying again.`;
  }
  schedule();
}

at("pause").addEventListener("click", () => {
  paused = !paused;
  at("pause").textContent = paused ? "Go on" : "Pause";
  schedule();
});
at("every").addEventListener("change", schedule);
document.addEventListener("visibilitychange", schedule);
