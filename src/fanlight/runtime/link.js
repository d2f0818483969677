// The numbering of one link: frames of one session in order, each once, over sockets that come and go.
//
// Pure: no socket, no clock, no DOM. `fanlight/host/link.py` is the same rules for Python's side.

/** @typedef {{op: string, view?: string, [key: string]: any}} Frame */
/** @typedef {{frames: number, size: number}} Bounds */

/** How much may be under way to Python: one view that floods then never stands in the way of others. */
export const WINDOW = { frames: 64, size: 1 << 20 };
/** How much may wait in the page until it is acknowledged; beyond it the view is ended with a reason. */
export const BOUNDS = { frames: 10_000, size: 64 << 20 };

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;

/**
 * How long to wait before another try: not at all at first, then growing, never two pages in step.
 * @param {number} failures tries that failed since the last success
 * @param {number} random between 0 and 1
 */
export function retryDelay(failures, random) {
  if (failures < 2) return 0;
  const full = Math.min(FIRST_RETRY_MS * 2 ** (failures - 2), LAST_RETRY_MS);
  return Math.round(full * (0.5 + random / 2));
}

/** The UTF-8 bytes of a text, at least; exact only when it might matter for `limit`. @param {string} text @param {number} limit */
export function textSize(text, limit = 0) {
  return limit && text.length * 3 > limit ? new TextEncoder().encode(text).length : text.length;
}

/** One end of a link: what was said and not yet acknowledged, and how much was heard. */
export class Link {
  /** @param {string} session @param {Bounds} [window] @param {Bounds} [bounds] */
  constructor(session, window = WINDOW, bounds = BOUNDS) {
    this.session = session;
    /** The highest number up to which everything was heard. */
    this.got = 0;
    /** Bytes of all frames that are kept. */
    this.size = 0;
    this.window = window;
    this.bounds = bounds;
    /** @type {{body: string, size: number}[]} */
    this.keptFrames = [];
    this.acknowledged = 0;
    this.taken = 0;
    this.takenSize = 0;
    this.told = 0;
    this.head = `{"session":${JSON.stringify(session)},`;
  }

  // To the peer

  /** Frames that the peer has not acknowledged. */
  get kept() {
    return this.keptFrames.length;
  }

  /** Frames that the present socket was not given yet. */
  get unsent() {
    return this.acknowledged + this.kept - this.taken;
  }

  /** Does more wait than may? One frame of any size is always taken. */
  get full() {
    return this.kept > 1 && (this.kept > this.bounds.frames || this.size > this.bounds.size);
  }

  /** Number a frame, given as the text of a JSON object with at least one member, and keep it. @param {string} body */
  push(body) {
    const size = textSize(body);
    this.keptFrames.push({ body, size });
    this.size += size;
  }

  /** The next frame for the present socket; null when there is none, or enough is under way. */
  take() {
    if (!this.unsent) return null;
    const inFlight = this.taken - this.acknowledged;
    if (inFlight >= this.window.frames || (inFlight > 0 && this.takenSize >= this.window.size)) return null;
    const { body, size } = this.keptFrames[inFlight];
    this.taken += 1;
    this.takenSize += size;
    this.told = this.got;
    return `${this.head}"n":${this.taken},"got":${this.got},${body.slice(1)}`;
  }

  /** The peer has everything up to `got`; false when that cannot be. @param {number} got */
  acknowledge(got) {
    if (!Number.isInteger(got) || got > this.taken) return false;
    const count = Math.max(0, got - this.acknowledged);
    for (const { size } of this.keptFrames.splice(0, count)) {
      this.size -= size;
      this.takenSize -= size;
    }
    this.acknowledged += count;
    return true;
  }

  /**
   * A new socket: the peer has everything up to `got`, so `take()` begins after it.
   * False when that cannot be: it lacks what it had acknowledged, or has what was never said.
   * @param {number} got
   */
  resume(got) {
    if (!Number.isInteger(got) || got < this.acknowledged || got > this.acknowledged + this.kept) return false;
    this.taken = got;
    this.takenSize = this.keptFrames.slice(0, got - this.acknowledged).reduce((sum, { size }) => sum + size, 0);
    return this.acknowledge(got);
  }

  /** What the peer has not acknowledged: `[number, text of the frame]`, oldest first. */
  left() {
    return this.keptFrames.map(({ body }, index) => /** @type {[number, string]} */ ([this.acknowledged + index + 1, body]));
  }

  // From the peer

  /** Frames that we have heard and not yet acknowledged. */
  get owed() {
    return this.got - this.told;
  }

  /** Whether a frame of this number is to be used now. @param {number} number @returns {"new" | "duplicate" | "gap"} */
  accept(number) {
    if (number <= this.got) return "duplicate";
    if (number > this.got + 1) return "gap";
    this.got = number;
    return "new";
  }

  /** A frame that says only what we have heard. */
  acknowledgement() {
    this.told = this.got;
    return `${this.head}"op":"ack","got":${this.got}}`;
  }
}
