// How a page begins to speak with Python: where, as which session, and what was begun before this script ran.

/**
 * A socket that asked for a view while the page was still being read (`early.js`), and what Python said since.
 * @typedef {{socket: WebSocket, heard: string[], view: string, token: string, session: string}} Early
 */

/** Where Python listens for pages under this base. @param {string} base */
export function socketAddress(base) {
  const url = new URL(`${base}/socket`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

export function newSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Early} early */
export function leaveEarly(early) {
  Object.assign(globalThis, { fanlightEarly: early });
}

/** What was begun for this view, once; nobody else may have it. @param {string} address @param {string} view @param {string} token */
export function takeEarly(address, view, token) {
  const { fanlightEarly: early } = /** @type {{fanlightEarly?: Early}} */ (globalThis);
  if (!early) return null;
  delete (/** @type {{fanlightEarly?: Early}} */ (globalThis).fanlightEarly);
  if (early.socket.url === address && early.view === view && early.token === token) return early;
  early.socket.onopen = early.socket.onmessage = null;
  early.socket.close();
  return null;
}
