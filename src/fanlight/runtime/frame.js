// The frame of one view: the sandbox's proxy in it, and which messages come out of it.

import { make } from "./parts.js";

const RESERVED = "ui/notifications/sandbox-";

export class SandboxFrame {
  /**
   * @param {HTMLElement} stage
   * @param {{src: string, origin: string, allow: string, label: string}} mount what Python says
   * @param {(name: string) => void} signal the proxy tells what happened to the view
   * @param {(message: object) => void} message the view says something
   */
  constructor(stage, { src, origin, allow, label }, signal, message) {
    this.origin = origin;
    this.signal = signal;
    this.message = message;
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

  /** The proxy has to have the colours of the page, or a view without a background stands on white. @param {string} theme */
  setTheme(theme) {
    this.post({ jsonrpc: "2.0", method: `${RESERVED}theme`, params: { theme } });
  }

  /** @param {MessageEvent} event */
  onMessage({ source, origin, data }) {
    if (source !== this.element.contentWindow || origin !== this.origin) return;
    if (typeof data !== "object" || data === null) return;
    const method = /** @type {{method?: unknown}} */ (data).method;
    if (typeof method === "string" && method.startsWith(RESERVED)) this.signal(method.slice(RESERVED.length));
    else this.message(data);
  }
}
