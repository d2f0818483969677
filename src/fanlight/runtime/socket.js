// The page's socket to Python: one WebSocket a page, shared by all its views. It may break at any moment;
// the links of the views do not notice.

import { Carried } from "./carried.js";
import { forgetLeft, keepLeft, readLeft } from "./left.js";
import { retryDelay } from "./link.js";
import { socketAddress, takeEarly } from "./opening.js";

/** @typedef {import("./link.js").Frame} Frame */
/** @typedef {import("./carried.js").Shown} Shown */

/** An acknowledgement waits this long for a frame to ride on, unless much has come in. */
const ACK_MS = 50;
const ACK_FRAMES = 16;
const ACK_SIZE = 256 * 1024;
/** A socket is dead after this many heartbeats without a word. */
const PATIENCE = 2.5;

export class PageSocket {
  /** @param {string} base */
  constructor(base) {
    this.url = socketAddress(base);
    this.base = base;
    /** By session. @type {Map<string, Carried>} */
    this.carried = new Map();
    /** The newest showing of each view in this page. @type {Map<string, Carried>} */
    this.newest = new Map();
    /** Views that another page shows now, and the words for it: no element of this page takes them back. @type {Map<string, Frame>} */
    this.elsewhere = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
    this.heard = 0;
    this.heartbeatMs = 15_000;
    /** The largest frame that Python takes; it says so first. */
    this.limit = Infinity;
    this.heardSize = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.ackTimer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retryTimer = undefined;
    this.listen();
  }

  listen() {
    setInterval(() => this.check(PATIENCE), 5000);
    addEventListener("online", () => this.check(0));
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.check(1);
    });
    addEventListener("pagehide", () => this.keep());
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.restored();
    });
  }

  /** Carry this element's view. @param {Shown} shown @returns {Carried} */
  attach(shown) {
    const { viewId, token } = shown;
    const elsewhere = this.elsewhere.get(viewId);
    if (elsewhere) return this.turnAway(shown, elsewhere);
    const predecessors = [...this.carried.values()].filter((one) => one.viewId === viewId && !one.shown);
    for (const one of predecessors) this.carried.delete(one.link.session);
    const early = this.socket ? null : takeEarly(this.url, viewId, token);
    const carried = new Carried(this, shown, predecessors, readLeft(this.base, viewId), early?.session);
    this.newest.set(viewId, carried);
    this.carried.set(carried.link.session, carried);
    if (early) this.takeOver(early, carried);
    else if (this.socket?.readyState === WebSocket.OPEN) carried.introduce();
    else this.open();
    return carried;
  }

  /** @param {Shown} shown @param {Frame} words */
  turnAway(shown, words) {
    const carried = new Carried(this, shown, [], []);
    carried.over = true;
    queueMicrotask(() => carried.shown?.fromPython(words));
    return carried;
  }

  /** An element let its view go; the link stays until everything it said was heard. @param {Carried} carried */
  released(carried) {
    if (carried.over) this.forget(carried);
    else if (!carried.introduced) this.stepBack(carried);
  }

  /** This showing ended before Python knew it: those it spoke for say themselves what they have to. @param {Carried} carried */
  stepBack(carried) {
    for (const one of carried.predecessors.splice(0)) {
      one.open = false;
      one.introduced = one.attached;
      if (one.attached) this.carried.set(one.link.session, one);
      else this.stepBack(one);
    }
    // What an ended session had left waits for another element, or for the next document.
    if (carried.stored.length) this.carried.set(carried.link.session, carried);
    else this.forget(carried);
  }

  /** @param {Carried} carried */
  forget(carried) {
    this.carried.delete(carried.link.session);
    if (this.newest.get(carried.viewId) === carried) this.newest.delete(carried.viewId);
    // The page may go on for hours without a view; the socket should not.
    if (!this.needed) this.drop();
  }

  /** Whether anybody has something to say or to hear. */
  get needed() {
    return [...this.carried.values()].some((one) => one.shown || one.introduced);
  }

  /** @param {string} text */
  write(text) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  open() {
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    if (this.socket || !this.needed) return;
    this.use(new WebSocket(this.url));
  }

  /** Go on with a socket that asked for this view, or will. @param {import("./opening.js").Early} early @param {Carried} carried */
  takeOver({ socket, heard }, carried) {
    if (socket.readyState > WebSocket.OPEN) return this.open();
    carried.introduced = socket.readyState === WebSocket.OPEN;
    this.use(socket);
    // The element must have what this returns before it hears anything.
    queueMicrotask(() => heard.forEach((text) => this.hear(text)));
  }

  /** @param {WebSocket} socket */
  use(socket) {
    this.socket = socket;
    this.heard = performance.now();
    socket.onopen = () => {
      for (const carried of this.carried.values()) carried.introduce();
    };
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = () => this.lost();
  }

  /** @param {string} text */
  hear(text) {
    this.heard = performance.now();
    this.receive(/** @type {Frame} */ (JSON.parse(text)), text.length);
  }

  /** Let the present socket go without waiting for its goodbye, which a dead one never says. */
  drop() {
    const { socket } = this;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  lost() {
    this.drop();
    this.closed();
    if (!this.needed) return;
    this.failures += 1;
    for (const carried of this.carried.values()) carried.shown?.disconnected(this.failures);
    this.retryTimer = setTimeout(() => this.open(), retryDelay(this.failures, Math.random()));
  }

  /** There is no socket any more: what was asked on it is asked again on the next. */
  closed() {
    for (const carried of [...this.carried.values()]) {
      carried.open = false;
      carried.introduced = carried.attached;
      if (!carried.attached && !carried.shown) this.stepBack(carried);
    }
  }

  /** Is the socket there and alive? A silent one is replaced at once. @param {number} heartbeats of silence that are too many */
  check(heartbeats) {
    if (this.retryTimer !== undefined && heartbeats < PATIENCE) this.open();
    else if (this.socket && performance.now() - this.heard > heartbeats * this.heartbeatMs)
      this.lost();
  }

  // What Python says

  /** @param {Frame} frame @param {number} size */
  receive(frame, size) {
    if (frame.op === "hello") {
      this.heartbeatMs = frame.heartbeat * 1000;
      this.limit = frame.limit;
    } else if (frame.op === "beat") this.write('{"op":"beat"}');
    const carried = this.carried.get(frame.session);
    if (!carried) return;
    if (frame.n === undefined) this.receiveControl(carried, frame);
    else if (carried.open) this.receiveNumbered(carried, frame, size);
  }

  /** @param {Carried} carried @param {Frame} frame */
  receiveControl(carried, frame) {
    switch (frame.op) {
      case "attached":
      case "resumed":
        this.failures = 0;
        carried.open = carried.link.resume(frame.got);
        if (!carried.open) this.again(carried);
        else this.joined(carried, frame.op === "attached");
        break;
      case "ack":
        carried.link.acknowledge(frame.got);
        this.acknowledged(carried);
        break;
      case "refused":
        if (carried.shown && (frame.again || (frame.elsewhere && carried.insists))) this.again(carried);
        else this.refuse(carried, frame);
        break;
    }
  }

  /** @param {Carried} carried @param {boolean} first */
  joined(carried, first) {
    carried.attached = true;
    carried.insists = false;
    if (first) {
      carried.predecessors = [];
      carried.stored = [];
      forgetLeft(this.base, carried.viewId);
    }
    carried.shown?.reconnected();
    carried.pump();
  }

  /** @param {Carried} carried */
  again(carried) {
    this.carried.delete(carried.link.session);
    carried.renew();
    this.carried.set(carried.link.session, carried);
    carried.introduce();
  }

  /** @param {Carried} carried @param {Frame} frame */
  refuse(carried, frame) {
    carried.over = true;
    forgetLeft(this.base, carried.viewId);
    const words = { ...frame, op: "verdict" };
    if (frame.elsewhere && this.newest.get(carried.viewId) === carried) this.elsewhere.set(carried.viewId, words);
    const { shown } = carried;
    this.forget(carried);
    if (frame.resting) shown?.rested();
    else if (frame.verdict) shown?.fromPython(words);
  }

  /** @param {Carried} carried @param {Frame} frame @param {number} size */
  receiveNumbered(carried, frame, size) {
    const { link } = carried;
    link.acknowledge(frame.got);
    const arrival = link.accept(frame.n);
    if (arrival === "gap") return this.lost();
    this.heardSize += size;
    if (link.owed >= ACK_FRAMES || this.heardSize >= ACK_SIZE) this.acknowledge();
    else this.ackTimer ??= setTimeout(() => this.acknowledge(), ACK_MS);
    if (arrival === "duplicate") return;
    if (frame.op === "end") {
      this.acknowledge();
      if (frame.again && carried.shown) this.again(carried);
      else this.refuse(carried, frame);
      return;
    }
    carried.shown?.fromPython(frame);
    this.acknowledged(carried);
  }

  /** @param {Carried} carried */
  acknowledged(carried) {
    carried.pump();
    if (!carried.shown && !carried.link.kept) this.forget(carried);
  }

  /** Tell Python what was heard and had no frame to ride on. */
  acknowledge() {
    clearTimeout(this.ackTimer);
    this.ackTimer = undefined;
    this.heardSize = 0;
    for (const { open, link } of this.carried.values()) if (open && link.owed) this.write(link.acknowledgement());
  }

  // The document goes and comes

  /** The document is left: keep what was not handed over for the next one. */
  keep() {
    /** @type {Map<string, import("./left.js").Left[]>} */
    const byView = new Map();
    for (const carried of this.carried.values())
      byView.set(carried.viewId, [...(byView.get(carried.viewId) ?? []), ...carried.left()]);
    for (const [viewId, left] of byView) keepLeft(this.base, viewId, left);
  }

  /** The browser brought this document back as it was (bfcache): a person looks at it, so it is the newest. */
  restored() {
    this.elsewhere.clear();
    this.failures = 0;
    this.drop();
    this.closed();
    for (const carried of this.carried.values()) {
      forgetLeft(this.base, carried.viewId);
      carried.insists = true;
    }
    this.open();
  }
}

/** @type {Map<string, PageSocket>} */
const sockets = new Map();

/** The socket for this base; one a page. @param {string} base */
export function socketFor(base) {
  const socket = sockets.get(base) ?? new PageSocket(base);
  sockets.set(base, socket);
  return socket;
}
