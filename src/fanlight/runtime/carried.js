// One view of the page as the socket carries it: its session, its link, and what an older session left.

import { Link, textSize } from "./link.js";
import { newSession } from "./opening.js";

/** @typedef {import("./link.js").Frame} Frame */
/** @typedef {import("./left.js").Left} Left */
/** @typedef {import("./socket.js").PageSocket} PageSocket */

/**
 * What the link needs of an element.
 * @typedef {{
 *   viewId: string,
 *   token: string,
 *   attachFrame(): Frame,
 *   fromPython(frame: Frame): void,
 *   disconnected(failures: number): void,
 *   reconnected(): void,
 *   rested(): void,
 * }} Shown
 */

/** Of an oversized message, so many members are told all the same, each that is not longer than this. */
const SMALL = { members: 20, size: 1000 };
const LEFT_CHUNK = { frames: 64, size: 1 << 20 };

export class Carried {
  /**
   * @param {PageSocket} socket @param {Shown} shown
   * @param {Carried[]} predecessors @param {Left[]} stored
   * @param {string} [session] that Python may know already
   */
  constructor(socket, shown, predecessors, stored, session = newSession()) {
    this.socket = socket;
    /** Null once the element let go; what it said is still delivered. @type {Shown | null} */
    this.shown = shown;
    this.viewId = shown.viewId;
    this.token = shown.token;
    /** Earlier showings in this document, which this one speaks for until Python knows it. */
    this.predecessors = predecessors;
    /** Sessions of this view that ended in this tab, with what they could not hand over. */
    this.stored = stored;
    this.link = new Link(session);
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

  /** What older sessions could not hand over, oldest first. @returns {Left[]} */
  get before() {
    const all = [...this.stored, ...this.predecessors.flatMap((one) => one.left())];
    // Two showings may have found the same in the tab's storage.
    return [...new Map(all.map((left) => [left.session, left])).values()];
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
    return JSON.stringify({ op: "oversized", view: this.viewId, message: smallOf(frame.message), size });
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
    this.introduced = this.attached || this.shown !== null;
    if (this.attached) {
      this.socket.write(JSON.stringify({ op: "resume", view, token, session, got }));
    } else if (this.shown) {
      const frame = this.shown.attachFrame();
      this.token = this.shown.token;
      const { before } = this;
      for (const text of this.leftFrames(before)) this.socket.write(text);
      this.socket.write(JSON.stringify({ ...frame, session, before: before.map((left) => left.session) }));
    }
  }

  /** What older sessions left, as frames of a size that every server takes. @param {Left[]} before */
  *leftFrames(before) {
    const head = `{"op":"left","view":${JSON.stringify(this.viewId)},"token":${JSON.stringify(this.token)}`;
    for (const { session, frames, lost } of before) {
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
    if (this.attached) this.stored = this.left();
    this.link = new Link(newSession());
    this.introduced = this.attached = this.open = this.overflowed = false;
  }

  /** What the next document must hand over if this one is left now. @returns {Left[]} */
  left() {
    if (!this.attached) return this.before;
    return [{ session: this.link.session, frames: this.link.left(), lost: 0 }];
  }
}

/** The beginning of a message, with `{}` for what is long: small, whatever the message is. @param {Record<string, unknown>} message */
function smallOf(message) {
  /** @type {Record<string, unknown>} */
  const small = {};
  let members = 0;
  for (const key in message) {
    if (members++ === SMALL.members) break;
    if (key.length > SMALL.size) continue;
    small[key] = JSON.stringify(message[key])?.length > SMALL.size ? {} : message[key];
  }
  return small;
}
