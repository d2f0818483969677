/**
 * `view.js`, as it is sent to browsers, on a pipe: `node view_driver.mjs`.
 *
 * There is no DOM here. The script runs in a context of its own with the few objects that it touches while it
 * talks; what it does to a document is tested in a real browser. The test commands it through the side channel
 * of pipe.mjs and reads back what its handlers were given.
 */
import vm from "node:vm";

import { aborted, describeError, PipeTransport, report, serve } from "./pipe.mjs";

const EVENTS = ["input", "partial", "result", "cancelled", "context", "error", "notifications/tools/list_changed"];
/** Where the request options stand among the arguments of each method; undefined: it takes none. */
const METHODS = {
  callTool: 2,
  readResource: 1,
  listResources: 1,
  message: 1,
  updateContext: 2,
  openLink: 1,
  requestMode: 1,
  sample: 1,
  request: 2,
  download: undefined,
  notify: undefined,
  log: undefined,
  resize: undefined,
  close: undefined,
  connect: undefined,
};
/** What a tool of the view does when the host calls it. */
const BEHAVIOURS = {
  text: async ({ city }) => `the view of ${city}`,
  object: async (args) => ({ args }),
  whole: async () => ({ content: [{ type: "text", text: "whole" }], structuredContent: { n: 1 } }),
  fail: async () => {
    throw new Error("the tool broke");
  },
  hang: async (args, { signal }) => report("toolaborted", { reason: String(await aborted(signal)) }),
};

let view;
let handles;

/** A window with a parent on the pipe and a document that only remembers. */
function makeWindow(title) {
  const element = () => ({ style: { setProperty() {}, removeProperty() {} }, dataset: {}, append() {}, prepend() {} });
  const document = Object.assign(new EventTarget(), {
    title,
    readyState: "complete",
    adoptedStyleSheets: [],
    documentElement: { ...element(), getBoundingClientRect: () => ({ height: 123.4 }) },
    head: element(),
    body: element(),
    createElement: element,
    getElementById: () => null,
  });
  const parent = { postMessage: (message) => new PipeTransport().send(message) };
  class Watcher {
    observe() {}
    replaceSync() {}
  }
  const events = new EventTarget();
  const window = {
    document,
    parent,
    innerHeight: 400,
    addEventListener: events.addEventListener.bind(events),
    requestAnimationFrame: setImmediate,
    ResizeObserver: Watcher,
    MutationObserver: Watcher,
    CSSStyleSheet: Watcher,
    ...{ setTimeout, clearTimeout, queueMicrotask, CustomEvent, AbortController, Blob, btoa, JSON, Error },
  };
  window.window = window;
  PipeTransport.current = {
    onmessage: (data) => events.dispatchEvent(Object.assign(new Event("message"), { source: parent, data })),
  };
  return window;
}

const commands = {
  /** A fresh page with the script in it. `teardown`: answer, fail or unhandled. */
  create(_context, { script, title = "", setup = {}, tools = [], teardown = "answer", events = EVENTS }) {
    const window = makeWindow(title);
    vm.runInNewContext(script, window);
    view = window.fanlight;
    view.setup(setup);
    handles = {};
    for (const { name, does = "text", ...config } of tools) handles[name] = view.tool(name, config, BEHAVIOURS[does]);
    listen(events);
    if (teardown !== "unhandled")
      view.on("teardown", async (params) => {
        report("teardown", { params });
        if (teardown === "fail") throw new Error("not ready to go");
      });
  },
  /** What the host has told it, once it is connected. */
  async state() {
    const { host, capabilities, context } = await view.ready;
    return { host, capabilities, context };
  },
  listen: (_context, ...events) => listen(events),
  addTool: (_context, { name, does = "text", ...config }) => {
    handles[name] = view.tool(name, config, BEHAVIOURS[does]);
  },
  changeTool: (_context, name, change, value) => void handles[name][change](value),
  /** Bytes cannot travel as JSON, so this one makes them here. */
  downloadBytes: (_context, name, bytes, mimeType) =>
    view.download(name, new Blob([Uint8Array.from(bytes)], { type: mimeType })),
};

function listen(events) {
  for (const event of events)
    view.on(event, (value) => report(event, { value: value?.stack ? describeError(value) : value }));
}

for (const [method, optionsAt] of Object.entries(METHODS)) {
  commands[method] = async ({ signal, ref }, ...args) => {
    const onProgress = (news) => report("progress", { ref, params: news });
    if (optionsAt !== undefined) {
      args.length = Math.max(args.length, optionsAt);
      args[optionsAt] = { ...args[optionsAt], signal, ...(method === "callTool" ? { onProgress } : {}) };
    }
    const value = await view[method](...args);
    return value === view ? "the view" : value;
  };
}

serve(commands);
