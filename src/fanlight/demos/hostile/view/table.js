// What a person sees: a row an attack, and the counts. Text goes in as text only.
"use strict";

const table = {
  element: /** @type {HTMLTableElement} */ (document.querySelector("table")),
  /** @type {Map<string, HTMLTableRowElement>} */
  rows: new Map(),
  /** @type {Map<string, HTMLTableSectionElement>} */
  sections: new Map(),

  /** @param {string} id @returns {HTMLElement} */
  part: (id) => /** @type {HTMLElement} */ (document.getElementById(id)),

  /** @param {string} text */
  say(text) {
    table.part("status").textContent = text;
  },

  /** @param {string} group */
  section(group) {
    const known = table.sections.get(group);
    if (known) return known;
    const section = table.element.createTBody();
    const head = document.createElement("th");
    Object.assign(head, { colSpan: 3, scope: "rowgroup" });
    head.textContent = hostile.groups.find(({ id }) => id === group)?.title ?? group;
    section.insertRow().append(head);
    table.sections.set(group, section);
    return section;
  },

  /** @param {Attack} attack @param {Result} result */
  show(attack, { outcome, detail }) {
    const row = table.rows.get(attack.id) ?? table.section(attack.group).insertRow();
    table.rows.set(attack.id, row);
    row.dataset.attack = attack.id;
    row.dataset.outcome = outcome;
    const chip = document.createElement("span");
    chip.className = `outcome ${outcome}`;
    chip.textContent = outcome;
    const cells = [document.createElement("td"), document.createElement("td"), document.createElement("td")];
    cells[0].textContent = attack.title;
    cells[1].append(chip);
    cells[2].textContent = detail;
    row.replaceChildren(...cells);
    table.element.hidden = false;
  },

  /** @param {Iterable<Result>} results */
  count(results) {
    const outcomes = [...results].map(({ outcome }) => outcome);
    const chips = ["held", "through", "unclear"].map((name) => {
      const chip = document.createElement("span");
      chip.className = `outcome ${name}`;
      chip.textContent = `${outcomes.filter((outcome) => outcome === name).length} ${name}`;
      return chip;
    });
    table.part("counts").replaceChildren(...chips);
    table.part("counts").hidden = false;
  },
};
