// What Python wants of the page and its person: answer a question, open an address, save files.
//
// Each such frame has an id and is answered with one `decision` frame of that id.

import { ask, over } from "./dialog.js";

/** @typedef {import("./link.js").Frame} Frame */
/** @typedef {(answer: {id: string, answer: string, remember?: boolean}) => void} Reply */
/** @typedef {{name: string, mimeType: string, text?: string, blob?: string, url?: string}} DownloadFile */

/** For every kind: the title, how its subject is called, what a remembered answer is for, other words for the buttons.
 * @type {Record<string, {title: string, subject?: string, remember?: (scope: string) => string, yes?: string, no?: string}>} */
const KINDS = {
  "tool-call": { title: "Let this app call a tool?", subject: "Tool", remember: (scope) => `the tool “${scope}”` },
  "view-tool": { title: "Let this host use a tool of the app?", subject: "Tool", remember: (scope) => `the app's tool “${scope}”` },
  message: { title: "Let this app send a message?", remember: () => "messages" },
  "open-link": { title: "Let this app open a link?", subject: "Address", remember: (scope) => `links to ${scope}` },
  download: { title: "Let this app save files?", subject: "Files", remember: () => "downloads" },
  sampling: { title: "Let this app use your model?", remember: () => "the use of your model" },
  "display-mode": { title: "Let this app change how it is shown?", subject: "As", remember: () => "ways to be shown" },
  "changed-app": { title: "This app has changed. Show it?", subject: "Resource", yes: "Show it from now on", no: "Do not show it" },
};
const PRESS_SECONDS = 60;

/** Take a frame of this family; false when it is another's. @param {Element} view @param {Frame} frame @param {Reply} reply */
export function takeDecision(view, frame, reply) {
  switch (frame.op) {
    case "ask":
      askPerson(view, frame, reply);
      return true;
    case "ask-over":
      over(frame.id);
      return true;
    case "open-link":
      openLinks(view, frame, [{ name: frame.url, url: frame.url }], reply);
      return true;
    case "download":
      download(view, frame, reply);
      return true;
    default:
      return false;
  }
}

/** @param {Element} view @param {Frame} frame @param {Reply} reply */
function askPerson(view, frame, reply) {
  const kind = KINDS[frame.action] ?? { title: "Let this app do this?", remember: () => frame.action };
  /** @type {[string, string][]} */
  const facts = [["App", frame.app ?? "without a name"], ["Server", frame.server]];
  if (frame.action === "open-link") facts.push(["Site", siteOf(frame.subject)]);
  if (kind.subject && frame.subject) facts.push([kind.subject, frame.subject]);
  const question = {
    title: kind.title,
    facts,
    detail: frame.detail,
    why: frame.reason,
    remember: kind.remember && `Remember my answer for ${kind.remember(frame.scope ?? "")} of the server “${frame.server}”`,
    yes: kind.yes ?? "Allow once",
    no: kind.no ?? "Deny",
    seconds: frame.deadline,
  };
  ask(view, frame.id, question, ({ answer, remember }) =>
    reply({ id: frame.id, answer: answer === "yes" ? "allow" : "deny", remember }));
}

/** The site as browsers write it: a look-alike letter becomes `xn--…`. @param {string} url */
function siteOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/**
 * Open pages. Browsers do so only just after a person pressed something; if that is too long ago, the
 * person is given the addresses to press.
 * @param {Element} view @param {Frame} frame @param {{name: string, url: string}[]} links @param {Reply} reply
 */
function openLinks(view, frame, links, reply) {
  const mayOpen = frame.alone || (links.length === 1 && navigator.userActivation?.isActive !== false);
  if (mayOpen) {
    for (const { url } of links) window.open(url, "_blank", "noopener,noreferrer");
    reply({ id: frame.id, answer: "done" });
    return;
  }
  const question = {
    title: links.length === 1 ? "Press to open" : "Press what you want to open",
    facts: /** @type {[string, string][]} */ ([["Site", [...new Set(links.map(({ url }) => siteOf(url)))].join(", ")]]),
    links,
    yes: links.length === 1 ? "" : "Done",
    no: links.length === 1 ? "Do not open" : "Close",
    seconds: PRESS_SECONDS,
  };
  ask(view, frame.id, question, ({ answer }) => reply({ id: frame.id, answer: answer === "yes" ? "done" : "failed" }));
}

/** @param {Element} view @param {Frame} frame @param {Reply} reply */
function download(view, frame, reply) {
  /** @type {DownloadFile[]} */
  const files = frame.files;
  for (const file of files) if (file.url === undefined) save(file);
  const links = files.flatMap(({ name, url }) => (url === undefined ? [] : [{ name, url }]));
  if (links.length) openLinks(view, frame, links, reply);
  else reply({ id: frame.id, answer: "done" });
}

/** @param {DownloadFile} file */
function save({ name, mimeType, text, blob }) {
  const bytes = text ?? Uint8Array.from(atob(blob ?? ""), (character) => character.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: mimeType || "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it when the click returned; a minute is for those that read it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
