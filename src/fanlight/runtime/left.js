// What a page had not handed over when it was left, kept for the next document of the same tab.
//
// A view's last word (a save, a note for the model) is often said on the way out. It is kept in the tab's
// sessionStorage, and the next document that shows the view hands it over before anything new.

/** Frames of one session: `[number, text of the frame]`. `lost` counts what did not fit. */
/** @typedef {{session: string, frames: [number, string][], lost: number}} Left */

/** Browsers give a site about 5 million characters. */
const ROOM = 4_000_000;

/** @param {string} base @param {string} viewId */
const keyOf = (base, viewId) => `fanlight-left ${base} ${viewId}`;

/** Keep what is left of a view; replaces what was kept of it. @param {string} base @param {string} viewId @param {Left[]} left */
export function keepLeft(base, viewId, left) {
  let room = ROOM;
  const fitting = left.map(({ session, frames, lost }) => {
    const kept = [];
    for (const frame of frames) {
      room -= frame[1].length;
      if (room < 0) break;
      kept.push(frame);
    }
    return { session, frames: kept, lost: lost + frames.length - kept.length };
  });
  try {
    sessionStorage.setItem(keyOf(base, viewId), JSON.stringify(fitting));
  } catch {
    // The storage is full or switched off: the next document at least tells that something is missing.
    const counts = left.map(({ session, frames, lost }) => ({ session, frames: [], lost: lost + frames.length }));
    try {
      sessionStorage.setItem(keyOf(base, viewId), JSON.stringify(counts));
    } catch {
      console.warn("fanlight: this page has no sessionStorage; unsent messages of a view end with the page");
    }
  }
}

/** @param {string} base @param {string} viewId @returns {Left[]} */
export function readLeft(base, viewId) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(base, viewId)) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} base @param {string} viewId */
export function forgetLeft(base, viewId) {
  try {
    sessionStorage.removeItem(keyOf(base, viewId));
  } catch {
    // No storage, nothing kept.
  }
}
