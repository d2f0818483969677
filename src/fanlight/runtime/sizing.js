// How high a frame is, from the heights that its view reports. Pure: no DOM, and time is an argument.
//
// Most views measure their content; their reports are applied. Two kinds measure something that our own
// change moves, and would never come to rest:
// - a follower reports its frame's height plus (or minus) something, as `height: 100vh` with a margin does.
//   After a few quick steps in one direction the frame is held still. Content that really grows goes on
//   reporting; a follower is silent, answers the next step at once, and follows the frame back as well.
// - an oscillator jumps between heights, as a view does whose scrollbar changes its layout. It gets the
//   larger one.

/** A frame that is a little too high is invisible; one that is too low shows a scrollbar. So only shrinking waits. */
const SHRINK_DEADBAND = 4;
/** A report this soon after a change of ours may be an answer to it. */
const ANSWER_MS = 1000;
/** Content that grows reports again within this time, or within a few of its own intervals. */
const HOLD_MS = 400;
const HOLD_INTERVALS = 2.5;
/** So many reports while it is held: one may still have been under way. */
const HOLD_REPORTS = 2;
/** A view that is back in the page has this long to report; until then its last report may be of another mode. */
const RETURN_MS = 500;
/** An oscillator that is silent so long gets one more chance: it may have been a person with a fold-out. */
const RETRY_MS = 2000;
const STEPS = 5;
const REVERSALS = 4;

/** @typedef {"free" | "held" | "nudged" | "probed" | "follows" | "calmed"} Phase */

export class Sizing {
  /** @type {Phase} */
  #phase = "free";
  /** The last report that was not used yet. @type {number | null} */
  #wanted = null;
  #heardAt = -Infinity;
  #changedAt = -Infinity;
  /** Nothing is decided before this time. */
  #notBefore = -Infinity;
  #inline = true;
  /** The quick run of changes that is going on: where it began, how far it went, which way. */
  #base = 0;
  #top = 0;
  #direction = 0;
  #steps = 0;
  #reversals = 0;
  /** The longest time between two of its steps. */
  #interval = 0;
  /** How many steps are taken before the next hold. */
  #patience = STEPS;
  #heldReports = 0;
  /** What a follower adds to its frame. */
  #echo = 0;
  /** The report that is tried after a hold, and put back after a probe that the view did not follow. */
  #restore = 0;
  #trusted = false;
  #retried = false;

  /** @param {number} start the height of a view that has not reported */
  constructor(start) {
    this.height = start;
    this.#startRun();
  }

  /**
   * The view says how high it is.
   *
   * @param {number} height
   * @param {number} now milliseconds
   */
  report(height, now) {
    if (this.#phase === "held" && height !== (this.#wanted ?? this.#restore)) {
      this.#heldReports += 1;
      this.#notBefore = now + this.#holdTime;
    }
    this.#wanted = height;
    this.#heardAt = now;
  }

  /**
   * The view is shown inline or elsewhere. Elsewhere its height is the host's business: the inline height stays.
   *
   * @param {boolean} inline
   * @param {number} now
   */
  show(inline, now) {
    if (inline && !this.#inline) {
      this.#phase = "free";
      this.#retried = false;
      this.#notBefore = now + RETURN_MS;
      this.#startRun();
    }
    this.#inline = inline;
  }

  /** When `settle` has something to decide without another report; null if never. */
  get deadline() {
    if (!this.#inline) return null;
    switch (this.#phase) {
      case "held":
      case "probed":
        return this.#notBefore;
      case "calmed":
        return this.#wanted === null || this.#retried ? null : this.#heardAt + RETRY_MS;
      default:
        return this.#wanted === null ? null : this.#notBefore;
    }
  }

  /**
   * The height that the frame should have now.
   *
   * @param {number} now
   */
  settle(now) {
    if (!this.#inline) return this.height;
    if (this.#phase === "held") this.#hold(now);
    else if (this.#phase === "probed") this.#probe(now);
    else if (this.#wanted !== null && now >= this.#notBefore) this.#consider(this.#wanted, now);
    return this.height;
  }

  /** @param {number} wanted @param {number} now */
  #consider(wanted, now) {
    const delta = wanted - this.height;
    if (this.#phase === "calmed" && delta < 0 && !this.#mayRetry(now)) return;
    this.#wanted = null;
    if (delta > -SHRINK_DEADBAND && delta <= 0) return;
    const direction = Math.sign(delta);
    if (this.#phase === "follows") {
      const answers = direction === this.#direction && Math.abs(delta) <= this.#echo * 1.25 + 2;
      if (!answers) this.#apply(wanted, now);
      return;
    }
    if (this.#phase === "calmed" && delta > 0) this.#phase = "free";
    const interval = now - this.#changedAt;
    if (interval > ANSWER_MS) this.#startRun();
    else this.#interval = Math.max(this.#interval, interval);
    if (this.#phase === "nudged") {
      this.#phase = "free";
      if (direction === this.#direction && this.#steps > 0) return this.#startProbe(wanted, now);
    }
    if (direction === this.#direction) this.#steps += 1;
    else {
      if (this.#direction !== 0) this.#reversals += 1;
      this.#steps = 1;
      this.#base = this.height;
    }
    this.#direction = direction;
    this.#top = Math.max(this.#top, wanted);
    if (this.#reversals >= REVERSALS) return this.#calm(wanted, now);
    if (this.#steps <= this.#patience || this.#trusted) return this.#apply(wanted, now);
    this.#phase = "held";
    this.#heldReports = 0;
    this.#restore = wanted;
    this.#notBefore = now + this.#holdTime;
  }

  get #holdTime() {
    return Math.max(HOLD_MS, HOLD_INTERVALS * this.#interval);
  }

  /** Nothing changes for a while. Who reports more by itself has content that grows. @param {number} now */
  #hold(now) {
    const grows = this.#heldReports >= HOLD_REPORTS;
    if (!grows && now < this.#notBefore) return;
    const wanted = this.#wanted ?? this.#restore;
    this.#wanted = null;
    this.#phase = grows ? "free" : "nudged";
    if (grows) {
      this.#steps = 0;
      this.#patience *= 2;
    }
    this.#apply(wanted, now);
  }

  /** Silent while it was held, and it answered the next step: put the frame back and look. */
  #startProbe(/** @type {number} */ wanted, /** @type {number} */ now) {
    this.#phase = "probed";
    this.#restore = wanted;
    this.#notBefore = now + ANSWER_MS;
    this.#apply(this.#base, now);
  }

  /** @param {number} now */
  #probe(now) {
    const wanted = this.#wanted;
    if (wanted !== null && (wanted - this.#restore) * this.#direction < 0) {
      this.#phase = "follows";
      this.#echo = Math.abs(wanted - this.height);
      this.#wanted = null;
    } else if (wanted !== null || now >= this.#notBefore) {
      this.#phase = "free";
      this.#trusted = true;
      this.#wanted = null;
      this.#apply(wanted ?? this.#restore, now);
    }
  }

  /** @param {number} wanted @param {number} now */
  #calm(wanted, now) {
    this.#phase = "calmed";
    // A second time it is not a person: the smaller height is forgotten.
    this.#wanted = this.#retried ? null : Math.min(wanted, this.height);
    this.#apply(this.#top, now);
  }

  /** @param {number} now */
  #mayRetry(now) {
    if (this.#retried || now < this.#heardAt + RETRY_MS) return false;
    this.#retried = true;
    this.#phase = "free";
    // One more jump back is enough.
    this.#direction = -1;
    this.#reversals = REVERSALS - 1;
    this.#changedAt = now;
    return true;
  }

  #startRun() {
    this.#base = this.#top = this.height;
    this.#direction = this.#steps = this.#reversals = this.#interval = 0;
  }

  /** @param {number} height @param {number} now */
  #apply(height, now) {
    if (height === this.height) return;
    this.height = height;
    this.#changedAt = now;
  }
}
