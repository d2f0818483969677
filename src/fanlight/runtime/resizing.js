// Gives a frame the height that `Sizing` decides, at most once in one frame of the screen.

import { Sizing } from "./sizing.js";

const START_HEIGHT = 400;

export class Resizing {
  #sizing = new Sizing(START_HEIGHT);
  #animation = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {HTMLElement} box has the height as its property `--height`
   * @param {() => void} applied after every look at the height
   */
  constructor(box, applied) {
    this.box = box;
    this.applied = applied;
    this.#set(START_HEIGHT);
  }

  /** The view says how high it is. @param {number} height */
  report(height) {
    this.#sizing.report(height, performance.now());
    this.look();
  }

  /** The view is inline again, or is not any more. @param {boolean} inline */
  show(inline) {
    this.#sizing.show(inline, performance.now());
    if (inline) this.look();
  }

  /** Another view will be shown, or none; it begins with the height that this one had. */
  restart() {
    cancelAnimationFrame(this.#animation);
    clearTimeout(this.#timer);
    this.#animation = 0;
    this.#sizing = new Sizing(this.#sizing.height);
  }

  /** Look at the height before the screen is drawn again, or after some time. @param {number} [ms] */
  look(ms = 0) {
    clearTimeout(this.#timer);
    if (ms > 0) this.#timer = setTimeout(() => this.look(), ms);
    else this.#animation ||= requestAnimationFrame((now) => this.#draw(now));
  }

  /** @param {number} now */
  #draw(now) {
    this.#animation = 0;
    this.#set(this.#sizing.settle(now));
    this.applied();
    const { deadline } = this.#sizing;
    if (deadline !== null) this.look(Math.max(deadline - now, 1));
  }

  /** @param {number} height */
  #set(height) {
    this.box.style.setProperty("--height", `${height}px`);
  }
}
