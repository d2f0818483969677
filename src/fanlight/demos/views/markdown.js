// A little Markdown, made into elements and never into markup: headings, lists, code, bold, italic.
import { make } from "./parts.js";

const INLINE = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`/g;

/** @param {string} text */
export function markdown(text) {
  return text
    .split(/(^```[\s\S]*?(?:^```|$(?![\s\S])))|\n{2,}/m)
    .filter((block) => block?.trim())
    .flatMap((block) => blocks(block));
}

/** @param {string} block @returns {Element[]} */
function blocks(block) {
  if (block.startsWith("```")) {
    const code = block.replace(/^```.*\n?/, "").replace(/\n?```\s*$/, "");
    return [make("pre", {}, make("code", {}, code))];
  }
  const lines = block.trim().split("\n");
  const heading = /^(#{1,3})\s+(.*)/.exec(lines[0] ?? "");
  if (heading?.[1]) {
    const rest = lines.slice(1).join("\n");
    return [make(`h${heading[1].length}`, {}, ...inline(heading[2] ?? "")), ...(rest.trim() ? blocks(rest) : [])];
  }
  if (lines.every((line) => /^[-*]\s/.test(line))) {
    return [make("ul", {}, ...lines.map((line) => make("li", {}, ...inline(line.slice(2)))))];
  }
  const list = lines.findIndex((line) => /^[-*]\s/.test(line));
  if (list > 0) return [...blocks(lines.slice(0, list).join("\n")), ...blocks(lines.slice(list).join("\n"))];
  return [make("p", {}, ...inline(lines.join(" ")))];
}

/** @param {string} text */
function inline(text) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    parts.push(text.slice(last, found.index));
    const [whole, bold, italic, code] = found;
    if (bold !== undefined) parts.push(make("strong", {}, bold));
    else if (italic !== undefined) parts.push(make("em", {}, italic));
    else parts.push(make("code", {}, code ?? ""));
    last = found.index + whole.length;
  }
  parts.push(text.slice(last));
  return parts.filter((part) => part !== "");
}
