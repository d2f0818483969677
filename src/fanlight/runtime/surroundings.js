// What the page knows and Python cannot: theme, language, clock, input, the room that a view has.

/** @typedef {import("./parts.js").Parts} Parts */

const dark = matchMedia("(prefers-color-scheme: dark)");
const CHANGES = /** @type {[EventTarget, string][]} */ ([
  [dark, "change"],
  [matchMedia("(any-pointer: coarse)"), "change"],
  [matchMedia("(any-hover: hover)"), "change"],
  [window, "languagechange"],
]);
/** A dragged window edge reports so often, and once at the end. */
const RESIZE_MS = 100;

/** The modes that this browser can do without moving the frame. */
const ABLE = ["inline", "fullscreen", ...("popover" in HTMLElement.prototype ? ["pip"] : [])];

/**
 * The colours that the page really has at this element: its `theme` attribute, else the page's `color-scheme`,
 * which for `light dark` follows the system.
 *
 * @param {Parts} parts
 */
export function themeOf({ probe }) {
  return getComputedStyle(probe).color === "rgb(0, 0, 0)" ? "dark" : "light";
}

/** The first formatter of a page loads the whole of its language, tens of milliseconds; `Temporal` just knows. */
function timeZone() {
  const { Temporal } = /** @type {{Temporal?: {Now: {timeZoneId(): string}}}} */ (globalThis);
  return Temporal ? Temporal.Now.timeZoneId() : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * What covers the edges of a view: only a view that fills the window touches them, and our header covers the top.
 *
 * @param {Parts} parts @param {boolean} fills
 */
function insetsOf({ probe }, fills) {
  const style = getComputedStyle(probe);
  const pixels = (/** @type {string} */ text) => (fills ? Math.round(parseFloat(text)) || 0 : 0);
  const { paddingRight, paddingBottom, paddingLeft } = style;
  return { top: 0, right: pixels(paddingRight), bottom: pixels(paddingBottom), left: pixels(paddingLeft) };
}

/**
 * @param {HTMLElement} element
 * @param {Parts} parts
 * @param {string} mode
 */
export function surroundings(element, parts, mode) {
  const { width, height } = parts.stage.getBoundingClientRect();
  const follows = mode === "inline" && element.getAttribute("width") === "view";
  const maxHeight = Number.parseInt(element.getAttribute("max-height") ?? "", 10);
  const wanted = element.getAttribute("modes")?.split(/\s+/);
  return {
    theme: themeOf(parts),
    locale: navigator.language,
    timeZone: timeZone(),
    touch: matchMedia("(any-pointer: coarse)").matches,
    hover: matchMedia("(any-hover: hover)").matches,
    modes: ABLE.filter((each) => !wanted || wanted.includes(each)),
    insets: insetsOf(parts, mode === "fullscreen"),
    [follows ? "maxWidth" : "width"]: Math.round(width),
    ...(mode === "inline" ? {} : { height: Math.round(height) }),
    ...(maxHeight > 0 ? { maxHeight } : {}),
  };
}

/**
 * Call back whenever the surroundings may have changed; returns the end of it.
 *
 * @param {Parts} parts
 * @param {() => void} changed
 */
export function watchSurroundings({ stage }, changed) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      changed();
    }, RESIZE_MS);
  };
  const sizes = new ResizeObserver(soon);
  sizes.observe(stage);
  // A page switches its colours with a class, a style or an attribute of its root.
  const root = new MutationObserver(changed);
  root.observe(document.documentElement, { attributes: true });
  for (const [target, type] of CHANGES) target.addEventListener(type, changed);
  return () => {
    clearTimeout(timer);
    sizes.disconnect();
    root.disconnect();
    for (const [target, type] of CHANGES) target.removeEventListener(type, changed);
  };
}
