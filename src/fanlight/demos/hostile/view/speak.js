// The protocol by hand: one JSON-RPC message a postMessage, answers matched by id, every wait bounded.
"use strict";

const speech = {
  /** @type {Map<number, (message: any) => void>} */
  waiting: new Map(),
  next: 0,
  /** Who else wants to hear what comes. @type {((event: MessageEvent) => void)[]} */
  listeners: [],

  /** @param {object} message @param {Window} [to] */
  post(message, to = parent) {
    to.postMessage({ jsonrpc: "2.0", ...message }, "*");
  },

  /** @param {string} method @param {object} [params] */
  tell(method, params = {}) {
    speech.post({ method, params });
  },

  /**
   * The result; an Error for a refusal, and for no answer in time.
   * @param {string} method @param {object} [params] @param {number} [patience]
   * @returns {Promise<any>}
   */
  ask(method, params = {}, patience = 10_000) {
    const id = speech.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), patience);
      speech.waiting.set(id, (message) => {
        clearTimeout(timer);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      });
      speech.post({ id, method, params });
    });
  },

  /** Call a tool of this app's own server. @param {string} name @param {object} args */
  async call(name, args) {
    const result = await speech.ask("tools/call", { name, arguments: args });
    if (result.isError) throw new Error(result.content?.[0]?.text ?? "the tool failed");
    return result.structuredContent ?? {};
  },

  /** @param {any} context */
  dress({ theme, styles } = {}) {
    const root = document.documentElement;
    if (theme) root.style.colorScheme = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      root.style.setProperty(name, String(value));
    }
  },

  /** The handshake; resolves with the tool's arguments. @param {string} name @returns {Promise<any>} */
  async begin(name) {
    const input = new Promise((resolve) => {
      speech.listeners.push(({ data }) => {
        if (data?.method === "ui/notifications/tool-input") resolve(data.params?.arguments ?? {});
      });
    });
    const welcome = await speech.ask("ui/initialize", {
      appInfo: { name, version: "1.0.0" },
      appCapabilities: {},
      protocolVersion: "2026-01-26",
    });
    speech.dress(welcome.hostContext);
    speech.tell("ui/notifications/initialized");
    new ResizeObserver(() => {
      speech.tell("ui/notifications/size-changed", { height: Math.ceil(document.body.scrollHeight) });
    }).observe(document.body);
    return input;
  },
};

addEventListener("message", (event) => {
  for (const listener of speech.listeners) listener(event);
  const { data, source } = event;
  if (source !== parent || typeof data !== "object" || data === null) return;
  if (data.method === "ui/notifications/host-context-changed") speech.dress(data.params);
  else if (data.method !== undefined && data.id !== undefined) speech.post({ id: data.id, result: {} });
  else if (data.id !== undefined) {
    speech.waiting.get(data.id)?.(data);
    speech.waiting.delete(data.id);
  }
});
