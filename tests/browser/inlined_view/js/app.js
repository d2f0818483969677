import data from "./data.json" with { type: "json" };
import { count, up, a, three, rest, last, "a name with spaces" as spaced } from "./all.js";
import * as all from "./all.js";
import cry, { parity, list } from "./all.js";
import { early, isOdd } from "./odd.js";
import "./shout.js";

list.push("app");
const { seen } = window;
seen.order = [...list];
seen.before = count;
up();
seen.after = count;
seen.pattern = [a, three, rest, last, spaced.b.length];
seen.names = Object.keys(all);
seen.tag = Object.prototype.toString.call(all);
seen.parity = [parity.isEven(10), isOdd(7), early];
seen.data = [data.city, data.note];
seen.shadowed = ((count) => { const { up = 5 } = {}; return { count, up }; })("mine");
seen.cry = cry("</script>");
seen.self = this === undefined;
seen.type = typeof up;
try {
  count = 5;
} catch (error) {
  seen.readonly = error instanceof TypeError;
}
try {
  all.count = 7;
} catch (error) {
  seen.frozen = error instanceof TypeError;
}
seen.image = await new Promise((resolve) => {
  const image = new Image();
  image.onload = () => resolve(image.naturalWidth);
  image.onerror = () => resolve("error");
  image.src = new URL("../img/dot.svg", import.meta.url).href;
});
const { default: Lazy } = await import("./lazy.js");
seen.lazy = [Lazy.word, (await window.later()) === Lazy, list.at(-1)];
await document.fonts.load('20px "Tiny Blocks"', "A");
await document.fonts.ready;
let n = 2;
seen.minus = [n --> 1, n];
const style = (selector) => getComputedStyle(document.querySelector(selector));
seen.card = [style(".card").color, style(".card").backgroundColor, style(".card").backgroundImage.slice(0, 4)];
seen.after = [seen.after, getComputedStyle(document.querySelector(".card"), "::after").content];
seen.wide = document.querySelector("#wide").getBoundingClientRect().width;
seen.dot = document.querySelector("#dot").naturalWidth > 0;
seen.tick = document.querySelector("#sign").getBBox().width > 0;
export const done = true;
document.documentElement.dataset.done = "yes";
