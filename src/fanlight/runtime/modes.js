// Inline, fullscreen, pip: the same frame in the same place of the document, put above the page by the
// browser's own top layer. Nothing is moved, so nothing is loaded again.
//
// Fullscreen is a modal dialog: the rest of the page is inert, Escape leaves, focus goes back where it was.
// (While focus is inside the frame, its keys belong to the app; the close button is always there.)
// Pip is a popover: above the page, which stays usable.

import { button } from "./parts.js";

/** @typedef {"inline" | "fullscreen" | "pip"} Mode */
/** @typedef {import("./parts.js").Parts} Parts */

const MARGIN = 16;
const STEP = 10;
const LONG_STEP = 50;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The one view of this page in a floating window. @type {Modes | null} */
let floating = null;

/** The focused element, also inside of shadow roots. */
function focused() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active instanceof HTMLElement && active !== document.body ? active : null;
}

export class Modes {
  /** @type {Mode} */
  mode = "inline";
  /** @type {string[]} */
  choosable = [];
  /** Where focus was before the view left the page. @type {HTMLElement | null} */
  #before = null;
  /** Where the person put the floating window. @type {{x: number, y: number} | null} */
  #at = null;
  #onResize = () => this.#put();

  /**
   * @param {Parts} parts
   * @param {(mode: Mode) => void} changed the mode is another one now
   * @param {(mode: Mode) => void} chosen the person chose it
   */
  constructor(parts, changed, chosen) {
    this.parts = parts;
    this.changed = changed;
    this.chosen = chosen;
    const { box, head, controls } = parts;
    controls.fullscreen.addEventListener("click", () => this.choose("fullscreen"));
    controls.pip.addEventListener("click", () => this.choose("pip"));
    controls.close.addEventListener("click", () => this.choose("inline"));
    // Escape: the browser closes the dialog by itself, and gives focus back.
    box.addEventListener("close", () => this.mode === "fullscreen" && this.choose("inline"));
    head.addEventListener("keydown", (event) => this.#onKey(event));
    head.addEventListener("pointerdown", (event) => this.#onGrab(event));
    this.#draw();
  }

  /** The person wants it. @param {Mode} mode */
  choose(mode) {
    if (mode === this.mode) return;
    this.show(mode, true);
  }

  /** @param {string[]} modes */
  offer(modes) {
    this.choosable = modes;
    this.#draw();
  }

  /** @param {Mode} mode @param {boolean} [byPerson] */
  show(mode, byPerson = false) {
    if (mode === this.mode) return;
    const { box, place, controls, status, app } = this.parts;
    if (this.mode === "inline") {
      this.#before = focused();
      // The page behind does not jump, and what is read there stays where it is.
      place.style.minHeight = mode === "fullscreen" ? `${box.offsetHeight}px` : "";
    }
    this.#leave();
    this.mode = mode;
    box.dataset.mode = mode;
    this.#draw();
    if (mode === "fullscreen") {
      box.removeAttribute("role");
      box.showModal();
      controls.close.focus();
    } else if (mode === "pip") {
      box.setAttribute("role", "dialog");
      if (floating && floating !== this) floating.choose("inline");
      floating = this;
      box.popover = "manual";
      box.showPopover();
      addEventListener("resize", this.#onResize);
      this.#put();
      if (byPerson) controls.close.focus();
    } else {
      box.setAttribute("role", "group");
      this.#giveFocusBack();
    }
    status.textContent =
      mode === "inline" ? "" : `${app.textContent} is shown ${mode === "pip" ? "in a floating window" : "in full screen"}.`;
    if (byPerson) this.chosen(mode);
    this.changed(mode);
  }

  /** The element leaves the page, or the view is over. */
  reset() {
    this.choosable = [];
    this.show("inline");
    this.#draw();
  }

  #leave() {
    const { box } = this.parts;
    if (box.open) box.close();
    if (this.mode === "pip") {
      removeEventListener("resize", this.#onResize);
      if (box.matches(":popover-open")) box.hidePopover();
      box.popover = null;
      floating = null;
    }
  }

  /** Focus that the change took away goes where it was before; focus elsewhere is left alone. */
  #giveFocusBack() {
    const before = this.#before;
    this.#before = null;
    const now = focused();
    if (now && !now.closest("[hidden]")) return;
    const gone = !before?.isConnected || before.closest("[hidden]");
    (gone ? this.parts.controls.fullscreen : before)?.focus({ preventScroll: true });
  }

  #draw() {
    const { mode, choosable, parts } = this;
    const { controls, place, app, box } = parts;
    box.dataset.mode = mode;
    controls.fullscreen.hidden = mode === "fullscreen" || !choosable.includes("fullscreen");
    controls.pip.hidden = mode !== "inline" || !choosable.includes("pip");
    controls.move.hidden = mode !== "pip";
    controls.close.hidden = mode === "inline";
    controls.close.title = mode === "fullscreen" ? "Leave full screen" : "Back to its place in the page";
    controls.close.setAttribute("aria-label", controls.close.title);
    place.hidden = mode === "inline";
    if (mode === "pip")
      place.replaceChildren(`${app.textContent} is in a floating window.`, button("Bring it back", () => this.choose("inline")));
    else place.replaceChildren();
  }

  // The floating window

  /** Put it where it was put last, as far as that is inside of the window. */
  #put() {
    const { box } = this.parts;
    const { offsetWidth: width, offsetHeight: height } = box;
    const right = innerWidth - width;
    const margin = Math.min(MARGIN, right / 2);
    const start = getComputedStyle(box).direction === "rtl" ? margin : right - margin;
    const { x, y } = this.#at ?? { x: start, y: innerHeight - height - MARGIN };
    const within = (/** @type {number} */ value, /** @type {number} */ most) => Math.max(0, Math.min(value, most));
    box.style.setProperty("--x", `${within(x, right)}px`);
    box.style.setProperty("--y", `${within(y, innerHeight - height)}px`);
  }

  /** @param {number} dx @param {number} dy */
  #move(dx, dy) {
    const { left, top } = this.parts.box.getBoundingClientRect();
    this.#at = { x: left + dx, y: top + dy };
    this.#put();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (this.mode !== "pip") return;
    const arrow = ARROWS[event.key];
    if (event.key === "Escape") this.choose("inline");
    else if (arrow && event.target === this.parts.controls.move) {
      const step = event.shiftKey ? LONG_STEP : STEP;
      this.#move(arrow[0] * step, arrow[1] * step);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {PointerEvent} event */
  #onGrab(event) {
    const { box, head, controls } = this.parts;
    const on = /** @type {Element} */ (event.target);
    const pressed = on.closest("button");
    if (this.mode !== "pip" || event.button !== 0 || (pressed && pressed !== controls.move)) return;
    const { left, top } = box.getBoundingClientRect();
    const [dx, dy] = [left - event.clientX, top - event.clientY];
    const ends = new AbortController();
    const { signal } = ends;
    head.setPointerCapture(event.pointerId);
    box.classList.add("moving");
    head.addEventListener("pointermove", (moved) => {
      this.#at = { x: moved.clientX + dx, y: moved.clientY + dy };
      this.#put();
    }, { signal });
    const end = () => {
      box.classList.remove("moving");
      ends.abort();
    };
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"])
      head.addEventListener(type, end, { signal });
  }
}
