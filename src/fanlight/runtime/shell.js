// The shell: a document on the view's own origin that holds the view and passes messages on, nothing else.
//
// Why it exists: frameworks look into `window.parent` (Vue makes it reactive), which throws when the parent is
// of another origin. Here the parent is of the view's own. The view can script this document, so nothing may
// depend on it: its policy is stricter than the view's, and whoever is behind it (the proxy) checks again.
// Inlined into its page and allowed by hash, so that it costs no request.

const RESERVED = "ui/notifications/sandbox-";
const root = document.documentElement;
const { proxy = "", view = "", allow = "", sandbox = "" } = root.dataset;
const frame = document.createElement("iframe");
let loads = 0;
let left = false;
/** The document that was served: another one in its place has no channel. @type {Document | undefined} */
let served;

// Taken before the view is there, which could put something else in their place.
const above = parent;
const own = location.origin;
const { apply } = Reflect;
const targetOf = getter(Event.prototype, "target");
const documentOf = getter(HTMLIFrameElement.prototype, "contentDocument");
const say = MessagePort.prototype.postMessage;
/** The line to the proxy: a window's messages take the way through the browser's own process, twice as long. */
const { port1: line, port2: end } = new MessageChannel();

/** @param {object} prototype @param {string} name */
function getter(prototype, name) {
  return /** @type {() => any} */ (Object.getOwnPropertyDescriptor(prototype, name)?.get);
}

/** @param {object} message */
function tellProxy(message) {
  apply(say, line, [message]);
}

function leave() {
  left = true;
  tellProxy({ jsonrpc: "2.0", method: `${RESERVED}view-navigated`, params: {} });
  frame.remove();
}

frame.title = "App";
frame.setAttribute("sandbox", sandbox);
frame.setAttribute("allow", allow);
frame.referrerPolicy = "no-referrer";
// On the way down, and first: a listener of the view's cannot keep the event from this one.
document.addEventListener("load", (event) => {
  if (apply(targetOf, event, []) !== frame) return;
  loads += 1;
  if (loads > 1 && !left) leave();
}, true);

/** @param {any} data */
function isReserved(data) {
  return typeof data.method === "string" && data.method.startsWith(RESERVED);
}

line.onmessage = ({ data }) => {
  if (left || typeof data !== "object" || data === null) return;
  if (!isReserved(data)) frame.contentWindow?.postMessage(data, own);
  else if (data.method === `${RESERVED}theme`) root.style.colorScheme = data.params?.theme ?? "";
};

addEventListener("message", ({ data, source, origin }) => {
  if (left || typeof data !== "object" || data === null) return;
  if (source !== null && source === frame.contentWindow && origin === own && !isReserved(data)) {
    const now = apply(documentOf, frame, []);
    served ??= now;
    if (now === served) tellProxy(data);
    else leave();
  }
});

// The focus that the proxy was given is meant for the view.
addEventListener("focus", () => setTimeout(() => {
  frame.blur();
  frame.focus();
}));

// The first word of this document, before there is a view that could say it.
above.postMessage({ jsonrpc: "2.0", method: `${RESERVED}line`, params: {} }, proxy, [end]);
// In place before this document is loaded, so that its `load` waits for the view's.
frame.src = view;
document.body.append(frame);

export {};
