// The proxy frame: shows one view and carries messages between it and the host page.
//
// It makes no JSON-RPC request, reads no HTML and decides nothing. Everything it needs (the view's address,
// the host's origin) stands in the document that Python served, so no query string and no message can
// change it. A foreign host hands its HTML over once, by the specification's handshake; Python makes a document
// of it, at an address that this document's policy named before. Which message passes is fixed: window first,
// then origin, then shape.

const RESERVED = "ui/notifications/sandbox-";
/** Messages that may wait for a view whose document is not there yet. */
const MOST_WAITING = 1000;
/** How often a shell is asked whether its view is still there: the view can take itself out of it. */
const LOOK_MS = 1000;
const LEFT = "This app left its document and was closed.";
/** What a view may say before a timer has its turn again, in messages and in characters, about: this document's
 * thread is often the host page's too, and who leaves it no turn freezes both. */
const MOST_SAID = 2000;
const MOST_WEIGHT = 32 << 20;
/** What a member of a message weighs beside its name and its text. */
const MEMBER = 4;
const ODD = 1000;
const FLOOD = "This app said so much that nothing else had a turn, and was closed.";

const root = document.documentElement;
const facts = /** @type {Record<string, string>} */ (root.dataset);
/** Where a foreign host's HTML goes; empty for a host of ours. */
const handover = facts.handover ?? "";
/** Origins that the host page may have; a browser shows this document inside of no other. */
const hosts = facts.hosts.split(" ");
/** The host page's origin, for good: the first that speaks, where there are several. */
let host = hosts.length === 1 ? hosts[0] : "";
let viewOrigin = facts.viewOrigin;
/** Whether the frame's document is the shell, with the view in it. */
let shell = facts.shell;

const frame = document.createElement("iframe");
/** What the host said before the view could hear it, in order. @type {object[]} */
let waiting = [];
let listening = false;
let taken = false;
let loads = 0;
let ended = false;
/** What the view said since a timer had its turn, and the timer that waits for it. */
let said = 0;
let weight = 0;
let turn = 0;
/** The view's window inside of the shell. @type {Window | undefined} */
let inside;
/** The shell's lines, which it hands over before there is a view: on one it speaks, on the other it is spoken to. Two,
 * for a view can get hold of a port that something comes out of. @type {MessagePort | undefined} */
let up;
/** @type {MessagePort | undefined} */
let down;

/** @param {string} name @param {object} [params] */
function tellHost(name, params = {}) {
  // Only "ready" is said before a foreign host has spoken, and the embedders are known to the browser.
  parent.postMessage({ jsonrpc: "2.0", method: RESERVED + name, params }, host || "*");
}

/** An object or a list of them, which may be a batch; nothing else is JSON-RPC. @param {unknown} data */
function isMessage(data) {
  return Array.isArray(data) || (typeof data === "object" && data !== null && isPlain(data));
}

/** Whether JSON has a word for this object; what was posted has no class of somebody's own. @param {object} value */
function isPlain(value) {
  return Object.getPrototypeOf(value) === Object.prototype;
}

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

/** @param {object} message */
function post(message) {
  if (shell) down?.postMessage(message);
  // Without a shell it is opaque and has no origin to name, so "*" is the only legal target; the window is pinned.
  else frame.contentWindow?.postMessage(message, "*");
}

/** A frame of other colours than its document's is painted white, also under a view without a background. */
function setTheme(/** @type {unknown} */ theme) {
  root.style.colorScheme = theme === "dark" ? "dark" : "light";
  tellShell();
}

/** The shell needs the colours too, once it is there; a view without a shell is never told reserved things. */
function tellShell() {
  if (!shell || loads === 0) return;
  post({ jsonrpc: "2.0", method: `${RESERVED}theme`, params: { theme: root.style.colorScheme } });
}

/** Show the view. @param {string} src @param {string} allow @param {string} sandbox */
function show(src, allow, sandbox) {
  frame.title = "App";
  frame.setAttribute("sandbox", sandbox);
  frame.setAttribute("allow", allow);
  frame.referrerPolicy = "no-referrer";
  frame.addEventListener("load", () => {
    loads += 1;
    if (loads > 1) return end("view-navigated", LEFT);
    tellShell();
    listen();
    if (!ended) tellHost("view-loaded");
  });
  // Setting the address before insertion makes the first `load` the served document's own.
  frame.src = src;
  document.body.append(frame);
}

/** The view's document is there: it is loaded, or it spoke. */
function listen() {
  if (listening) return;
  listening = true;
  for (const message of waiting) post(message);
  waiting = [];
  if (!shell) return;
  inside = frame.contentWindow?.[0];
  setInterval(look, LOOK_MS);
}

/** Whether the view's window is there can be seen from here; which document is in it, from the shell only. */
function look() {
  if (ended) return;
  if (!inside || inside.closed) return end("view-navigated", LEFT);
  // To the window, where the shell's listener is the first: a view could keep what comes on a line from it.
  frame.contentWindow?.postMessage({ jsonrpc: "2.0", method: `${RESERVED}look`, params: {} }, viewOrigin);
}

/** The view's document is not the one that was served, or never came: nobody has a channel any more. */
function end(/** @type {string} */ name, /** @type {string} */ words) {
  ended = true;
  waiting = [];
  up?.close();
  down?.close();
  frame.remove();
  tellHost(name, handover ? { reason: words } : {});
  // A foreign host does not know these names, so the person is told here.
  if (handover) document.body.appendChild(document.createElement("p")).textContent = words;
}

/** Python makes a document of a foreign host's HTML, under a policy of its own. @param {any} params */
async function take({ html, csp, permissions, sandbox } = {}) {
  if (taken) return;
  taken = true;
  let words = "The sandbox could not be reached to show this app.";
  try {
    const body = JSON.stringify({ html, csp, permissions, sandbox });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(handover, { method: "POST", headers, body, credentials: "omit" });
    if (answer.ok) {
      const given = await answer.json();
      ({ viewOrigin, shell } = given);
      return show(given.view, given.allow, given.sandbox);
    }
    // Ours is plain text; what a reverse proxy says instead is a page.
    const ours = answer.headers.get("Content-Type")?.startsWith("text/plain");
    words = ours ? await answer.text() : `The sandbox did not take this app (status ${answer.status}).`;
  } catch {
    // The network, or parameters that are not JSON: the words above say it.
  }
  end("resource-refused", words);
}

/** @param {any} data @param {string} origin */
function fromHost(data, origin) {
  if (!isMessage(data)) return;
  if (!host && hosts.includes(origin)) host = origin;
  if (origin !== host) return;
  const name = reserved(data);
  if (name === "theme") setTheme(data.params?.theme);
  else if (name === "resource-ready" && handover) void take(data.params);
  else if (name !== undefined) return;
  else if (listening) post(data);
  else if (waiting.push(data) > MOST_WAITING) end("view-deaf", "This app did not come up while much was said to it.");
}

/**
 * About how many characters it takes to write this down, and what else of it is carried on. What is there twice is
 * written twice, and what holds itself has no end: nothing is looked at beyond the most.
 * @param {unknown} data
 */
function weigh(data) {
  let sum = 0;
  const values = [data];
  while (values.length && sum <= MOST_WEIGHT) {
    const value = /** @type {any} */ (values.pop());
    if (typeof value === "string") sum += value.length;
    else if (typeof value === "bigint" && value !== BigInt.asIntN(64, value)) sum = Infinity;
    if (typeof value !== "object" || value === null) continue;
    const list = Array.isArray(value);
    if (list) sum += MEMBER * value.length; // Every place is written, also where nothing is.
    else if (!isPlain(value)) {
      sum += weighOdd(value, values);
      continue;
    }
    if (sum > MOST_WEIGHT) break;
    for (const key in value) {
      // The numbers of places are not written; a list may have members with names besides.
      sum += list && key.length < 11 ? MEMBER : MEMBER + key.length;
      if (sum > MOST_WEIGHT) break;
      values.push(value[key]);
    }
  }
  return sum;
}

/**
 * The same for what is not JSON: an app that says such a thing by mistake goes on, but nothing hides in it.
 * @param {any} value @param {unknown[]} values takes what it holds
 */
function weighOdd(value, values) {
  if (value instanceof ArrayBuffer) return value.byteLength;
  // Each byte may be written as a number with a name.
  if (ArrayBuffer.isView(value)) return 16 * value.byteLength;
  if (value instanceof String || value instanceof RegExp) return String(value).length;
  if (value instanceof Error || value instanceof DOMException) {
    values.push(value.message, value.stack, value.cause);
    return MEMBER;
  }
  if (value instanceof Map || value instanceof Set) {
    const weight = 2 * MEMBER * value.size;
    if (weight <= MOST_WEIGHT) for (const entry of value.entries()) values.push(...entry);
    return weight;
  }
  // Dates and shapes write themselves, shortly; of a file only the name is carried.
  if (typeof value.toJSON === "function" || value instanceof Blob) return ODD;
  if (value instanceof Number || value instanceof Boolean) return MEMBER;
  // Pixels, keys, ports, whatever browsers invent: how much it is cannot be told.
  return Infinity;
}

/** Whether the view leaves no time for anything else. @param {unknown} data */
function floods(data) {
  turn ||= setTimeout(() => {
    turn = said = weight = 0;
  });
  said += 1;
  weight += weigh(data);
  return said > MOST_SAID || weight > MOST_WEIGHT;
}

/** Whether this is a window in the view's frame. @param {any} source */
function isInside(source) {
  let above = source;
  while (above && above !== frame.contentWindow) above = above === above.parent ? null : above.parent;
  return Boolean(above);
}

/** The first lines are the shell's. @param {readonly MessagePort[]} ports */
function takeLines(ports) {
  if (!shell || up) return;
  [up, down] = ports;
  up.onmessage = (event) => {
    // Before anything is read of it.
    if (ended) return;
    fromView(event.data);
  };
}

/** @param {any} data @param {readonly MessagePort[]} [ports] those of a message that came by the window */
function fromView(data, ports) {
  if (floods(data)) return end("view-flooded", FLOOD);
  if (!isMessage(data)) return;
  const name = reserved(data);
  if (name === "line" && ports) return takeLines(ports);
  // The shell saw the view leave. A view that forges this ends itself, which it may.
  if (name === "view-navigated" && shell) return end(name, LEFT);
  // In the name of the shell's window a view can speak too, by a function of its realm; on the line only the shell.
  if (shell && ports) return;
  listen();
  if (name === undefined) parent.postMessage(data, host);
}

addEventListener("message", (event) => {
  if (ended) return;
  // What others say is not even read: reading is what a huge message costs.
  const { source, origin } = event;
  if (source === parent) fromHost(event.data, origin);
  else if (source !== null && source === frame.contentWindow && origin === viewOrigin) fromView(event.data, event.ports);
  // The view, past its shell: nothing of it is taken, but it takes time.
  else if (isInside(source) && floods(null)) end("view-flooded", FLOOD);
});

// The view's frame was to go where this document's policy lets nothing go: it has left, perhaps before its first load.
document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
  if (!ended && effectiveDirective === "frame-src") end("view-navigated", LEFT);
});

// A host that gives the focus back can only give it to this frame, where there is nothing: it goes on to the
// view. Blurred first, for a frame that counts as focused already would not get it.
addEventListener("focus", () => setTimeout(() => {
  frame.blur();
  frame.focus();
}));

if (!handover) show(facts.view, facts.allow, facts.sandbox);
tellHost("proxy-ready");

export {};
