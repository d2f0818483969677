// The run: attack, wait for stragglers, ask the server what its listener saw, show and report.
"use strict";

const attackRun = {
  /** @type {Map<string, Result>} */
  results: new Map(),
  /** How long something that was begun may take to arrive. */
  STRAGGLERS_MS: 1200,
  DEED_MS: 12_000,

  /** @param {Attack} attack @returns {Promise<Result | undefined>} what the attack itself says */
  async perform(attack) {
    try {
      const deed = Promise.resolve(attack.deed(attack));
      return (await hostile.within(deed, attackRun.DEED_MS)) ?? undefined;
    } catch (error) {
      return hostile.held(hostile.nameOf(error));
    }
  },

  /** @param {Attack[]} attacks */
  async conduct(attacks) {
    const said = await Promise.all(attacks.map((attack) => attackRun.perform(attack)));
    await new Promise((resolve) => setTimeout(resolve, attackRun.STRAGGLERS_MS));
    const arrived = await speech.call("arrived", { run: hostile.run }).catch((error) => ({ error: String(error) }));
    for (const [index, attack] of attacks.entries()) {
      const result = attackRun.decide(attack, said[index], arrived);
      attackRun.results.set(attack.id, result);
      table.show(attack, result);
    }
    table.count(attackRun.results.values());
    await attackRun.report();
  },

  /** @param {Attack} attack @param {Result | undefined} said @param {any} arrived @returns {Result} */
  decide({ id }, said, { error, names = {}, neighbour }) {
    if (names[id]) return hostile.through(`reached the listener: ${names[id]}`);
    if (id.startsWith("neighbour-") && said?.outcome !== "through" && !neighbour && !error) {
      return hostile.unclear("no neighbour is open; call the tool neighbour first");
    }
    if (id === "neighbour-message" && neighbour?.believed.length) {
      return hostile.through(`it believed ${neighbour.believed.join(", ")}`);
    }
    if (said) return said;
    return error ? hostile.unclear(`the server could not be asked: ${error}`) : hostile.held("nothing reached the listener");
  },

  async report() {
    const results = [...attackRun.results].map(([id, result]) => ({ id, ...result }));
    const readable = hostile.readable.splice(0).join("\n").slice(0, 200_000);
    await speech.call("report", { run: hostile.run, results, readable }).catch((error) => table.say(String(error)));
  },

  /** @param {Attack[]} attacks one a click */
  offerClicks(attacks) {
    const button = /** @type {HTMLButtonElement} */ (table.part("click"));
    const total = attacks.length;
    const name = () => {
      button.textContent = `Attack with a click (${total - attacks.length + 1} of ${total})`;
      button.hidden = attacks.length === 0;
    };
    name();
    button.addEventListener("click", () => {
      const attack = attacks.shift();
      if (attack) void attackRun.conduct([attack]);
      name();
    });
  },

  async begin() {
    const [, run, attack] = /^hostile (\w+) ([\w-]+)$/.exec(self.name) ?? [];
    if (run) {
      // The second document in this frame: whoever gave the first one a channel may have left it open.
      await speech.call("forged_call", { run, attack: `${attack}-channel` });
      return;
    }
    const { only = "" } = await speech.begin("hostile");
    await speech.call("arrived", { run: hostile.run }).catch(() => {});
    const chosen = hostile.attacks.filter(({ id, when }) => (only ? id === only : when !== "last"));
    const last = chosen.find(({ when }) => when === "last");
    if (last) {
      table.say(`${last.title}: from now on the host has to hold.`);
      // If this document is still here afterwards, it tells.
      await attackRun.conduct([last]);
      return;
    }
    const loading = chosen.filter(({ when }) => when === "load");
    table.say(`${loading.length} attacks are running…`);
    if (loading.length) await attackRun.conduct(loading);
    attackRun.offerClicks(chosen.filter(({ when }) => when === "click"));
    const through = chosen.filter(({ id }) => attackRun.results.get(id)?.outcome === "through");
    const found = through.length ? `Got through: ${through.map(({ id }) => id).join(", ")}.` : "Nothing got through.";
    table.say(`${found} Attacks that may end this view run alone: name one in the tool's argument.`);
  },
};

void attackRun.begin().catch((error) => table.say(String(error)));
