// A live view: it asks for samples while somebody can see it, and says when it cannot get one.
import { at, draw, figure, make } from "./parts.js";

const KEPT = 60;
const HIGH = 0.9;
/** @type {Map<string, number[]>} */
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
    const values = [...(past.get(meter.id) ?? []), meter.share].slice(-KEPT);
    past.set(meter.id, values);
    showMeter(meter, values);
  }
  at("problem").textContent = "";
}

/** @param {{id: string, name: string, share: number, detail: string}} meter @param {number[]} values */
function showMeter(meter, values) {
  let card = at(`meter-${meter.id}`);
  if (!card) {
    const line = draw("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", "aria-hidden": "true" });
    line.append(draw("path", { class: "area" }), draw("path", {}));
    const words = [make("div", { class: "share number" }), make("div", { class: "quiet number" })];
    card = make("section", { class: "meter", id: `meter-${meter.id}` }, make("h2", {}, meter.name), ...words, line);
    at("meters").append(card);
  }
  card.toggleAttribute("data-high", meter.share >= HIGH);
  card.querySelector(".share").textContent = figure(meter.share, { style: "percent" });
  card.querySelector(".quiet").textContent = meter.detail;
  const step = 100 / (KEPT - 1);
  const end = (values.length - 1) * step;
  const points = values.map((value, index) => `${index * step},${38 - value * 36}`);
  const [area, line] = card.querySelectorAll("path");
  line.setAttribute("d", `M${points.join("L")}`);
  area.setAttribute("d", `M0,40L${points.join("L")}L${end},40Z`);
}

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
