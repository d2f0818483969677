// Text of strangers, as a person may be shown it: what would be invisible or would turn the line is spelled out.

// Controls (tab and newline aside), soft hyphen, fillers, joiners, bidi marks, tags: what hides or reorders.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** @param {string} character */
const spelled = (character) =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Several lines, as they are; hidden characters are spelled out. @param {string} text */
export const visible = (text) => text.replace(HIDDEN, spelled);

/** One line: line breaks are shown as a sign. @param {string} text */
export const visibleLine = (text) => visible(text.replace(/\r\n|\n|\r/g, "⏎").replace(/\t/g, " "));
