// The shell: a document on the view's own origin that holds the view and passes messages on, nothing else.
//
// Why it exists: frameworks look into `window.parent` (Vue makes it reactive), which throws when the parent is
// of another origin. Here the parent is of the view's own. The view can script this document, so what passes may
// not depend on it: its policy is stricter than the view's, and whoever is behind it (the proxy) checks again. One
// thing only this document can see: that another one stands in the view's place. So what it takes to see and to say
// that, it has from before the view was there, and in no variable or event that a view could reach.
// Inlined into its page and allowed by hash, so that it costs no request.

const RESERVED = "ui/notifications/sandbox-";
const root = document.documentElement;
const { proxy = "", view = "", allow = "", sandbox = "" } = root.dataset;
const frame = document.createElement("iframe");
let loads = 0;
let left = false;
/** The document that was served: another one in its place has no channel. @type {Document | null | undefined} */
let served;

// Taken before the view is there, which could put something else in their place.
const above = parent;
const own = location.origin;
const { apply } = Reflect;
const targetOf = getter(Event.prototype, "target");
const documentOf = getter(HTMLIFrameElement.prototype, "contentDocument");
const addressOf = getter(Document.prototype, "URL");
const say = MessagePort.prototype.postMessage;
const sayAbove = above.postMessage;
const { remove } = Element.prototype;
/** The lines to and from the proxy: a window's messages take the way through the browser's own process, twice as long.
 * Nothing ever comes out of the first: an event would give it away to whoever patched a getter. */
const { port1: up, port2: upEnd } = new MessageChannel();
const { port1: down, port2: downEnd } = new MessageChannel();

/** @param {object} prototype @param {string} name */
function getter(prototype, name) {
  return /** @type {() => any} */ (Object.getOwnPropertyDescriptor(prototype, name)?.get);
}

/** Whether the document that was served is still there; if it is not, the proxy is told. */
function isThere() {
  if (!left && served !== undefined && apply(documentOf, frame, []) !== served) leave();
  return !left;
}

/**
 * Whether this can be the document that was served: a view that left while it was being read has put another one there
 * before the first load, an error page of the browser's or a blank one. An app's router may write its own address anew.
 * @param {Document | null} found
 */
function isOurs(found) {
  return found !== null && apply(addressOf, found, []).startsWith(`${own}/`);
}

function leave() {
  apply(sayAbove, above, [{ jsonrpc: "2.0", method: `${RESERVED}view-navigated`, params: {} }, proxy]);
  // Only now: a view can have this called where there is no stack left to say it.
  left = true;
  apply(remove, frame, []);
}

frame.title = "App";
frame.setAttribute("sandbox", sandbox);
frame.setAttribute("allow", allow);
frame.referrerPolicy = "no-referrer";
// On the way down, and first: a listener of the view's cannot keep the event from this one. (It can move its frame to
// where the way is another; then the proxy's next message shows what became of it.)
document.addEventListener("load", (event) => {
  if (apply(targetOf, event, []) !== frame) return;
  loads += 1;
  if ((loads > 1 || !isOurs(apply(documentOf, frame, []))) && !left) leave();
  served ??= apply(documentOf, frame, []);
}, true);

/** Whether it has a reserved word, also in a batch, or a word that is no text. @param {any} data @returns {boolean} */
function isReserved(data) {
  const method = data?.method ?? "";
  if (typeof method !== "string" || method.startsWith(RESERVED)) return true;
  return Array.isArray(data) && data.some(isReserved);
}

down.onmessage = (event) => {
  if (!isThere()) return;
  const { data } = event;
  if (typeof data !== "object" || data === null) return;
  if (!isReserved(data)) frame.contentWindow?.postMessage(data, own);
  else if (data.method === `${RESERVED}theme`) root.style.colorScheme = data.params?.theme ?? "";
};

// First here too. Whoever says whatever: before anything is read of it, which a view could make fail.
addEventListener("message", (event) => {
  if (!isThere()) return;
  const { data, source, origin } = event;
  if (typeof data !== "object" || data === null) return;
  if (source !== null && source === frame.contentWindow && origin === own && !isReserved(data)) {
    served ??= apply(documentOf, frame, []);
    apply(say, up, [data]);
  }
}, true);

// The focus that the proxy was given is meant for the view.
addEventListener("focus", () => setTimeout(() => {
  frame.blur();
  frame.focus();
}));

// The first word of this document, before there is a view that could say it.
above.postMessage({ jsonrpc: "2.0", method: `${RESERVED}line`, params: {} }, proxy, [upEnd, downEnd]);
// In place before this document is loaded, so that its `load` waits for the view's.
frame.src = view;
document.body.append(frame);

export {};
