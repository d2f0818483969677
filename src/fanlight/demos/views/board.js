// A board whose cards survive a reload. Cards move by mouse, by button, and by a tool that the model may call.
import { at, make } from "./parts.js";

/** @typedef {{id: string, text: string, column: string}} Card */
const COLUMNS = [
  ["todo", "To do"],
  ["doing", "Doing"],
  ["done", "Done"],
];
/** @type {Card[]} */
let cards = [];

fanlight.tool(
  "add_card",
  {
    description: "Put a card on the board that the person is looking at.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" }, column: { enum: COLUMNS.map(([id]) => id) } },
      required: ["text"],
    },
  },
  ({ text, column = "todo" }) => {
    add(String(text), column);
    return `The card is on the board, in column ${column}.`;
  },
);

fanlight.on("result", (result) => {
  if (result.isError) {
    at("state").textContent = fanlight.text(result);
    return;
  }
  const { title, cards: given } = result.structuredContent;
  at("title").textContent = title;
  const kept = fanlight.state.get("cards");
  cards = kept ?? given;
  at("state").textContent = kept ? "Your changes are kept." : "Changes are kept when this page is loaded again.";
  show();
});

function changed(focus = "") {
  fanlight.state.set("cards", cards);
  at("state").textContent = "Your changes are kept.";
  show(focus);
  const words = COLUMNS.map(([id, name]) => `${name}: ${inColumn(id).map((card) => card.text).join(", ") || "nothing"}`);
  void fanlight.updateContext(`The board now. ${words.join(". ")}.`).catch(() => {});
}

/** @param {string} id */
const inColumn = (id) => cards.filter((card) => card.column === id);

/** @param {string} text @param {string} column */
function add(text, column) {
  cards = [...cards, { id: `c${Date.now()}-${cards.length}`, text, column }];
  changed();
}

/** @param {string} id @param {string} column */
function move(id, column) {
  const card = cards.find((it) => it.id === id);
  if (!card || card.column === column) return;
  cards = [...cards.filter((it) => it !== card), { ...card, column }];
  changed(id);
}

function show(focus = "") {
  at("columns").replaceChildren(...COLUMNS.map(([id, name], index) => column(id, name, index)));
  if (!focus) return;
  const moved = document.querySelector(`[data-card="${CSS.escape(focus)}"] button:not(:disabled)`);
  /** @type {HTMLElement | null} */ (moved)?.focus();
}

/** @param {string} id @param {string} name @param {number} index */
function column(id, name, index) {
  const own = inColumn(id);
  const rows = own.map((card) => item(card, index));
  const over = (/** @type {any} */ event) => {
    event.preventDefault();
    event.currentTarget.classList.add("over");
  };
  return make(
    "section",
    {
      class: "column",
      "aria-label": name,
      dragover: over,
      dragleave: (/** @type {any} */ event) => event.currentTarget.classList.remove("over"),
      drop: (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        move(event.dataTransfer?.getData("text/plain") ?? "", id);
      },
    },
    make("h2", {}, `${name} `, make("span", { class: "quiet number" }, own.length)),
    rows.length ? make("ul", {}, ...rows) : make("p", { class: "empty" }, emptyWords(index)),
  );
}

/** What an empty column says, which is where its cards come from. @param {number} index */
function emptyWords(index) {
  if (cards.length) return "Move a card here";
  return index === 0 ? "Write the first card above" : "Nothing yet";
}

/** @param {Card} card @param {number} index */
function item(card, index) {
  const [before, after] = [COLUMNS[index - 1], COLUMNS[index + 1]];
  const step = (/** @type {string[] | undefined} */ to, /** @type {string} */ way) =>
    make("button", {
      type: "button",
      class: `plain ${way}`,
      disabled: !to,
      "aria-label": to ? `Move “${card.text}” to ${to[1]}` : `“${card.text}” cannot go further`,
      click: () => to && move(card.id, to[0]),
    });
  const remove = () => {
    cards = cards.filter((it) => it !== card);
    changed();
    at("text").focus();
  };
  const away = { type: "button", class: "plain", "aria-label": `Remove “${card.text}”`, click: remove };
  const drag = (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", card.id);
  return make(
    "li",
    { class: "card", draggable: "true", "data-card": card.id, dragstart: drag },
    card.text,
    make("div", { class: "row" }, step(before, "back"), step(after, "on"), make("button", away, "✕")),
  );
}

// The click, which Enter makes too: a frame without allow-forms never hears of a submit.
at("add").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  event.preventDefault();
  const text = at("text").value.trim();
  if (text) add(text, "todo");
  at("text").value = "";
});
