// The dialog in which a person allows or denies what a view wants.
//
// It is drawn by the host, in the top layer of the host's page: a view is another origin's frame below
// it and inert as long as it is open, so it can neither cover it nor press its buttons. Everything that
// a server or a view wrote is put in with textContent, hidden characters spelled out. Nothing is decided
// here: the answer goes to Python, which has its own deadline.

import { dialogSheet } from "./dialog_look.js";
import { visible, visibleLine } from "./visible.js";

/** @typedef {{title: string, facts: [string, string][], detail?: string, links?: {name: string, url: string}[],
 *   why?: string, remember?: string, yes: string, no: string, seconds: number}} Question */
/** @typedef {{answer: "yes" | "no", remember: boolean}} Answer */
/** @typedef {{id: string, owner: Element, question: Question, answered: (answer: Answer) => void, until: number}} Waiting */

// A click that was meant for the view must not land on a button that has just appeared there.
const SETTLE_MS = 500;

/** @type {Waiting[]} */
const queue = [];
/** @type {ConsentDialog | null} */
let open = null;
/** Where the focus was before the first of them. @type {HTMLElement | null} */
let before = null;

/**
 * Ask the person, after those who were there first.
 * @param {Element} owner the view's element: a question goes with it
 * @param {string} id @param {Question} question @param {(answer: Answer) => void} answered
 */
export function ask(owner, id, question, answered) {
  queue.push({ id, owner, question, answered, until: performance.now() + question.seconds * 1000 });
  if (open) open.count(queue.length - 1);
  else next();
}

/** A question is over: take it away, answered or not. @param {string} id */
export function over(id) {
  const at = queue.findIndex((waiting) => waiting.id === id);
  if (at < 0) return;
  queue.splice(at, 1);
  if (at === 0) next();
  else open?.count(queue.length - 1);
}

function next() {
  open?.close();
  open = null;
  while (queue.length && isOver(queue[0])) queue.shift();
  const [first] = queue;
  if (!first) {
    before?.focus();
    before = null;
    return;
  }
  before ??= focused(document);
  open = new ConsentDialog(first, queue.length - 1, (answer) => {
    over(first.id);
    first.answered(answer);
  });
}

/** What has the focus, also inside components: for a view, its frame. @param {Document | ShadowRoot} root @returns {HTMLElement | null} */
function focused(root) {
  const element = /** @type {HTMLElement | null} */ (root.activeElement);
  return (element?.shadowRoot && focused(element.shadowRoot)) || element;
}

/** Nobody waits for it: its time is up, or its view is gone. @param {{owner: Element, until: number}} waiting */
const isOver = ({ owner, until }) => !owner.isConnected || performance.now() >= until;

class ConsentDialog {
  /** @param {Waiting} waiting @param {number} others @param {(answer: Answer) => void} answered */
  constructor({ id, owner, question, until }, others, answered) {
    this.id = id;
    this.owner = owner;
    this.until = until;
    this.answered = answered;
    this.settled = false;
    this.remember = element("input", { type: "checkbox" });
    this.clock = element("span", { class: "clock" });
    this.others = element("span", { class: "others", role: "status" });
    this.no = element("button", { type: "button", class: "no", "aria-disabled": "true" });
    this.yes = element("button", { type: "button", class: "yes", "aria-disabled": "true" });
    this.host = document.createElement("div");
    this.host.dataset.fanlightDialog = "";
    const theme = owner.getAttribute("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.host.style.colorScheme = theme === "dark" ? "dark" : "light";
    this.dialog = document.createElement("dialog");
    this.dialog.setAttribute("role", "alertdialog");
    this.dialog.setAttribute("aria-labelledby", "title");
    this.dialog.setAttribute("aria-describedby", "facts");
    this.build(question);
    this.count(others);
    // Escape, and the back gesture of phones.
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.answer("no", false);
    });
    this.dialog.addEventListener("keydown", (event) => this.keepFocus(event));
    this.timer = setInterval(() => this.tick(), 1000);
    this.tick();
    this.show();
  }

  /** @param {Question} question */
  build({ title, facts, detail, links, why, remember, yes, no }) {
    const list = element("dl", { id: "facts" });
    for (const [name, value] of facts) list.append(element("dt", {}, name), element("dd", {}, visibleLine(value)));
    /** @type {HTMLElement[]} */
    const parts = [element("h2", { id: "title" }, title), list];
    if (why) parts.push(element("p", { class: "why" }, visibleLine(why)));
    if (detail) {
      parts.push(element("pre", { tabindex: "0", role: "region", "aria-label": "Details" }, visible(detail)));
    }
    if (links) parts.push(this.links(links));
    if (remember) {
      const label = element("label", {});
      label.append(this.remember, element("span", {}, visibleLine(remember)));
      this.remember.addEventListener("change", () => {
        this.yes.textContent = this.remember.checked ? "Always allow" : yes;
        this.no.textContent = this.remember.checked ? "Always deny" : no;
      });
      parts.push(label);
    }
    this.no.textContent = no;
    this.yes.textContent = yes;
    this.yes.hidden = yes === "";
    this.no.addEventListener("click", () => this.press("no"));
    this.yes.addEventListener("click", () => this.press("yes"));
    const status = element("p", { class: "status" });
    status.append(this.clock, this.others);
    const buttons = element("div", { class: "buttons" });
    buttons.append(this.no, this.yes);
    this.dialog.append(...parts, status, buttons);
  }

  /** Addresses for the person to press: only a press lets a browser open a page. @param {{name: string, url: string}[]} links */
  links(links) {
    const list = element("ul", {});
    for (const { name, url } of links) {
      const link = element("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, visibleLine(name));
      link.addEventListener("click", () => links.length === 1 && setTimeout(() => this.answer("yes", false)));
      const item = element("li", {});
      item.append(link);
      list.append(item);
    }
    return list;
  }

  show() {
    const root = this.host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [dialogSheet];
    root.append(this.dialog);
    document.body.append(this.host);
    this.dialog.showModal();
    this.no.focus();
    setTimeout(() => {
      this.settled = true;
      for (const button of [this.no, this.yes]) button.removeAttribute("aria-disabled");
    }, SETTLE_MS);
  }

  /** Tab goes round inside: not even the browser's own bar is in between. @param {KeyboardEvent} event */
  keepFocus(event) {
    if (event.key !== "Tab") return;
    const stops = [...this.dialog.querySelectorAll("pre, a, input, button:not([hidden])")];
    const at = stops.indexOf(/** @type {ShadowRoot} */ (this.host.shadowRoot).activeElement ?? this.no);
    const to = stops[(at + (event.shiftKey ? -1 : 1) + stops.length) % stops.length];
    event.preventDefault();
    /** @type {HTMLElement} */ (to).focus();
  }

  tick() {
    if (isOver(this)) over(this.id);
    else this.clock.textContent = `Denied by itself in ${Math.ceil((this.until - performance.now()) / 1000)} s.`;
  }

  /** @param {number} others */
  count(others) {
    this.others.textContent = others > 0 ? `${others} more to answer after this.` : "";
  }

  /** @param {"yes" | "no"} answer */
  press(answer) {
    if (this.settled) this.answer(answer, this.remember.checked);
  }

  /** @param {"yes" | "no"} answer @param {boolean} remember */
  answer(answer, remember) {
    this.answered({ answer, remember });
  }

  close() {
    clearInterval(this.timer);
    this.dialog.close();
    this.host.remove();
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, string>} attributes @param {string} [text]
 * @returns {HTMLElementTagNameMap[T]}
 */
function element(tag, attributes, text) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
