// Which lazy views of a page are live: those near the screen, and a few more, which were seen last.
//
// Every live view is a document with a process of its own; a long conversation may hold hundreds. A view that
// rests has saved its work, and is shown again with the same input and result when a person comes near it.

/** How far from the screen a view wakes, so that it is there when a person arrives. */
const NEAR = "600px";
/** So many may be live that are not near the screen. */
const KEPT = 6;

/** @typedef {{wake(): void, rest(): void}} Sleeper */
/** Those that were near, the longest ago first. @type {Map<Element, Sleeper>} */
const away = new Map();
/** @type {Map<Element, Sleeper>} */
const watched = new Map();

const observer = new IntersectionObserver(look, { rootMargin: NEAR });

/** @param {IntersectionObserverEntry[]} entries */
function look(entries) {
  for (const { target, isIntersecting } of entries) {
    const sleeper = watched.get(target);
    if (!sleeper) continue;
    away.delete(target);
    if (isIntersecting) sleeper.wake();
    else away.set(target, sleeper);
  }
  for (const [element, sleeper] of away) {
    if (away.size <= KEPT) break;
    away.delete(element);
    sleeper.rest();
  }
}

/** Tell this one when to wake and when to rest. @param {Element} element @param {Sleeper} sleeper */
export function watchPresence(element, sleeper) {
  watched.set(element, sleeper);
  observer.observe(element);
}

/** @param {Element} element */
export function ignorePresence(element) {
  watched.delete(element);
  away.delete(element);
  observer.unobserve(element);
}
