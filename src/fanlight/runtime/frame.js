// The frame of one view: the sandbox's proxy in it, and which messages come out of it.

import { make } from "./parts.js";

const RESERVED = "ui/notifications/sandbox-";
/** What a view may post to this page itself, past the proxy, before a timer has its turn again: nothing of it is
 * taken, and without an end it would leave the page no time. */
const MOST_PAST = 2000;

/**
 * What Python says of a frame. `resource` is there for a proxy that is not ours: what it is handed, in the
 * specification's words, once it says that it is ready.
 * @typedef {{src: string, origin: string, allow: string, label: string, resource?: object}} Mount
 */

/**
 * What follows the reserved prefix in a message's method; nothing ("") where such a word stands in a batch, or may hide
 * in a method that is no text but is written as one. Undefined when it is no such message.
 * @param {any} data @returns {string | undefined}
 */
function reserved(data) {
  const method = data?.method ?? "";
  if (typeof method !== "string") return "";
  if (method.startsWith(RESERVED)) return method.slice(RESERVED.length);
  return Array.isArray(data) && data.some((one) => reserved(one) !== undefined) ? "" : undefined;
}

export class SandboxFrame {
  /**
   * @param {HTMLElement} stage
   * @param {Mount} mount
   * @param {(name: string) => void} signal the proxy tells what happened to the view
   * @param {(message: object) => void} message the view says something
   */
  constructor(stage, { src, origin, allow, label, resource }, signal, message) {
    this.origin = origin;
    /** Whether the proxy is not ours; it is told and believed what the specification says, nothing else. */
    this.foreign = resource !== undefined;
    this.resource = resource;
    this.signal = signal;
    this.message = message;
    this.loads = 0;
    /** What the frames inside said to this page since a timer had its turn. */
    this.past = 0;
    this.element = make("iframe", {
      part: "frame",
      title: label,
      sandbox: "allow-scripts allow-same-origin allow-forms",
      allow,
      referrerpolicy: "no-referrer",
    });
    this.onMessage = this.onMessage.bind(this);
    // Before there is an address: nothing that the proxy says can be missed.
    addEventListener("message", this.onMessage);
    // A second document in this frame is not the proxy that was asked for, whatever its origin.
    this.element.addEventListener("load", () => {
      this.loads += 1;
      if (this.loads > 1) this.signal("view-navigated");
    });
    this.element.src = src;
    stage.append(this.element);
  }

  remove() {
    removeEventListener("message", this.onMessage);
    this.element.remove();
  }

  /** Say something to the view. @param {object} message */
  post(message) {
    this.element.contentWindow?.postMessage(message, this.origin);
  }

  /** @param {string} name @param {object} params */
  tellProxy(name, params) {
    this.post({ jsonrpc: "2.0", method: RESERVED + name, params });
  }

  /** The proxy has to have the colours of the page, or a view without a background stands on white. @param {string} theme */
  setTheme(theme) {
    if (!this.foreign) this.tellProxy("theme", { theme });
  }

  /** @param {MessageEvent} event */
  onMessage(event) {
    const { source, origin } = event;
    if (source !== this.element.contentWindow || origin !== this.origin) return this.passed(source);
    // Read only now: that is what a huge message costs, and everybody may post one to this page.
    const { data } = event;
    // An object or a batch of them; a boxed text of some megabytes has a member for each letter.
    if (!Array.isArray(data) && Object.prototype.toString.call(data) !== "[object Object]") return;
    const name = reserved(data);
    if (name === undefined) this.message(data);
    else if (!this.foreign) this.signal(name);
    else if (name === "proxy-ready") this.handOver();
  }

  /** Somebody else than the proxy posted to this page. @param {MessageEventSource | null} source */
  passed(source) {
    let above = /** @type {Window | null} */ (source);
    while (above && above !== this.element.contentWindow) above = above === above.parent ? null : above.parent;
    if (!above) return;
    if (this.past === 0) setTimeout(() => (this.past = 0));
    this.past += 1;
    if (this.past <= MOST_PAST) return;
    // At once: the answer of Python would wait behind what is still to come.
    this.remove();
    this.signal("view-flooded");
  }

  /** The specification's handshake: the document goes to a foreign proxy, once. */
  handOver() {
    if (!this.resource) return;
    this.signal("proxy-ready");
    this.tellProxy("resource-ready", this.resource);
    this.resource = undefined;
  }
}
