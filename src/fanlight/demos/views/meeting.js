// A form: the model knows what is in it while the person fills it in, and gets a message at the end.
import { at, later, make } from "./parts.js";

fanlight.on("result", (result) => {
  if (result.isError) {
    at("problem").textContent = fanlight.text(result);
    return;
  }
  const { topic, day, minutes, people, free } = result.structuredContent;
  at("topic").value = topic;
  at("day").value = day;
  at("minutes").value = String(minutes);
  at("people").value = people.join(", ");
  showTimes(free);
});

/** @param {string[]} times */
function showTimes(times) {
  const chosen = chosenTime();
  at("times").replaceChildren(
    ...times.map((time) => {
      const box = make("input", { type: "radio", name: "time", value: time, checked: time === chosen });
      return make("label", { class: "time" }, box, make("span", { class: "number" }, time));
    }),
  );
  if (!times.length) at("times").append(make("span", { class: "quiet" }, "Nothing is free on that day."));
}

const chosenTime = () => new FormData(at("form")).get("time");

async function loadTimes() {
  if (!at("day").value) return;
  at("times").setAttribute("aria-busy", "true");
  try {
    const args = { day: at("day").value, minutes: Number(at("minutes").value) };
    const result = await fanlight.callTool("free_times", args);
    if (result.isError) throw new Error(fanlight.text(result));
    showTimes(result.structuredContent.free);
    at("problem").textContent = "";
  } catch (error) {
    at("problem").textContent = `The free times could not be loaded: ${/** @type {Error} */ (error).message}`;
  } finally {
    at("times").removeAttribute("aria-busy");
  }
}

function wish() {
  const form = new FormData(at("form"));
  const people = String(form.get("people"))
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const { topic, day, minutes, time, note } = Object.fromEntries(form);
  return { topic: String(topic).trim(), day, minutes: Number(minutes), people, ...(time && { time }), ...(note && { note }) };
}

/** @param {ReturnType<typeof wish>} asked */
function inWords({ topic, day, minutes, people, time, note }) {
  const when = `${day}${time ? ` at ${time}` : ""} for ${minutes} minutes`;
  return `“${topic}” on ${when}${people.length ? ` with ${people.join(", ")}` : ""}${note ? `. Note: ${note}` : "."}`;
}

// What is filled in so far, so that the model can answer questions about it.
const tellModel = later(async () => {
  const asked = wish();
  try {
    await fanlight.updateContext(`The meeting form says: ${inWords(asked)}`, asked);
    at("told").textContent = "The assistant can see what you fill in.";
  } catch {
    at("told").textContent = "";
  }
}, 400);

at("form").addEventListener("input", tellModel);
at("day").addEventListener("change", loadTimes);
at("minutes").addEventListener("change", loadTimes);

// The click, which Enter makes too: a frame without allow-forms never hears of a submit.
at("send").addEventListener("click", async (/** @type {MouseEvent} */ event) => {
  event.preventDefault();
  const asked = wish();
  const needed = [
    { id: "topic", given: asked.topic, sentence: "Say what the meeting is about." },
    { id: "day", given: asked.day, sentence: "Choose a day." },
    { id: "times", given: asked.time, sentence: "Choose one of the free times." },
  ];
  for (const { id, given } of needed) at(id).setAttribute("aria-invalid", String(!given));
  const missing = needed.filter(({ given }) => !given);
  at("problem").textContent = missing.map(({ sentence }) => sentence).join(" ");
  const [first] = missing;
  if (first) {
    (at(first.id).querySelector("input") ?? at(first.id)).focus();
    return;
  }
  at("send").disabled = true;
  try {
    await fanlight.message(`Please book this meeting: ${inWords(asked)}`);
    at("summary").textContent = inWords(asked);
    toggle(true);
  } catch (error) {
    at("problem").textContent = `It was not sent: ${/** @type {Error} */ (error).message}`;
  } finally {
    at("send").disabled = false;
  }
});

/** @param {boolean} done */
function toggle(done) {
  at("form").hidden = done;
  at("done").hidden = !done;
  at(done ? "change" : "topic").focus();
}

at("change").addEventListener("click", () => toggle(false));
