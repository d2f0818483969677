// One view of the page as the socket carries it: its session, its link, and what an older session left.

import { Link, textSize } from "./link.js";

/** @typedef {import("./link.js").Frame} Frame */
/** @typedef {import("./left.js").Left} Left */
/** @typedef {import("./socket.js").PageSocket} PageSocket */

/**
 * What the link needs of an element.
 * @typedef {{
 *   viewId: string,
 *   attachFrame(): Frame,
 *   fromPython(frame: Frame): void,
 *   disconnected(failures: number): void,
 *   reconnected(): void,
 * }} Shown
 */

/** A member of an oversized message that is shorter than this is told all the same. */
const SMALL = 1000;
const LEFT_CHUNK = { frames: 64, size: 1 << 20 };

function newSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Carried {
  /** @param {PageSocket} socket @param {Shown} shown @param {Left[]} before */
  constructor(socket, shown, before) {
    this.socket = socket;
    /** Null once the element let go; what it said is still delivered. @type {Shown | null} */
    this.shown = shown;
    this.viewId = shown.viewId;
    this.token = "";
    /** Sessions of this view that ended in this tab, with what they could not hand over. */
    this.before = before;
    this.link = new Link(newSession());
    /** Python was asked on the present socket, or knows this session. */
    this.introduced = false;
    /** Python knows this session. */
    this.attached = false;
    /** The present socket carries it: Python said `attached` or `resumed` on it. */
    this.open = false;
    /** Nothing more will be said: Python ended the session, or refused it. */
    this.over = false;
    /** A person looks at this page again: it takes the view back, even from a newer page. */
    this.insists = false;
    /** The view said more than may wait; what it says now is not taken any more. */
    this.overflowed = false;
  }

  /** Say something of this view to Python: at once, or as soon as there is a socket. @param {Frame} frame */
  send(frame) {
    if (this.over || this.overflowed) return;
    this.link.push(this.body(frame));
    if (this.link.full) {
      this.overflowed = true;
      const { kept: frames, size } = this.link;
      this.link.push(JSON.stringify({ op: "overflow", view: this.viewId, frames, size }));
    }
    this.pump();
  }

  /** @param {Frame} frame */
  body(frame) {
    const text = JSON.stringify(frame);
    const limit = this.socket.limit;
    const size = textSize(text, limit);
    if (frame.op !== "message" || size <= limit) return text;
    // Too big to send: Python answers it, so it gets the size and what is small of the message, such as its id.
    const members = Object.entries(frame.message);
    const small = members.map(([key, value]) => [key, JSON.stringify(value)?.length > SMALL ? {} : value]);
    return JSON.stringify({ op: "oversized", view: this.viewId, message: Object.fromEntries(small), size });
  }

  /** The element is gone from the page. */
  detach() {
    if (this.introduced) this.send({ op: "detach", view: this.viewId });
    this.shown = null;
    this.socket.released(this);
  }

  /** Give the socket what the window allows. */
  pump() {
    if (!this.open) return;
    for (let text = this.link.take(); text !== null; text = this.link.take()) this.socket.write(text);
  }

  /** A new socket: tell Python who we are. */
  introduce() {
    const { viewId: view, token } = this;
    const { session, got } = this.link;
    this.introduced = true;
    if (this.attached) {
      this.socket.write(JSON.stringify({ op: "resume", view, token, session, got }));
    } else if (this.shown) {
      const frame = this.shown.attachFrame();
      this.token = frame.token;
      for (const text of this.leftFrames()) this.socket.write(text);
      const before = this.before.map((left) => left.session);
      this.socket.write(JSON.stringify({ ...frame, session, before }));
    }
  }

  /** What older sessions left, as frames of a size that every server takes. */
  *leftFrames() {
    const head = `{"op":"left","view":${JSON.stringify(this.viewId)},"token":${JSON.stringify(this.token)}`;
    for (const { session, frames, lost } of this.before) {
      const start = `${head},"session":${JSON.stringify(session)}`;
      let parts = [];
      let size = 0;
      for (const [number, body] of frames) {
        if (parts.length >= LEFT_CHUNK.frames || (parts.length && size + body.length > LEFT_CHUNK.size)) {
          yield `${start},"frames":[${parts.join()}]}`;
          parts = [];
          size = 0;
        }
        parts.push(`[${number},${body}]`);
        size += body.length;
      }
      if (parts.length || lost) yield `${start},"frames":[${parts.join()}],"lost":${lost}}`;
    }
  }

  /** The session ended without us: begin a new one, which hands over what this one could not. */
  renew() {
    this.before = this.left();
    this.link = new Link(newSession());
    this.introduced = this.attached = this.open = this.overflowed = false;
  }

  /** What the next document must hand over if this one is left now. @returns {Left[]} */
  left() {
    if (!this.attached) return this.before;
    return [{ session: this.link.session, frames: this.link.left(), lost: 0 }];
  }
}
