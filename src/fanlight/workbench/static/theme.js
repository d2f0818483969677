/** Light or dark: follows the system until the person chooses, and tells whoever shows views which one it is. */

import { byId, fill, h, setting } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "fanlight.theme";
const CHOICES = /** @type {const} */ ([
  ["system", "Like the system"],
  ["light", "Light"],
  ["dark", "Dark"],
]);

/** @typedef {(typeof CHOICES)[number][0]} ThemeChoice */

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

/** @type {ThemeChoice} */
let chosen = "system";

/** @returns {"light" | "dark"} */
export function theme() {
  if (chosen === "system") return systemDark.matches ? "dark" : "light";
  return chosen;
}

/**
 * Draw the switch and report every change of the effective theme.
 *
 * @param {() => void} onChange
 */
export function startTheme(onChange) {
  const stored = setting("localStorage", KEY);
  chosen = CHOICES.find(([choice]) => choice === stored)?.[0] ?? "system";
  const apply = () => {
    document.documentElement.dataset["theme"] = chosen;
    onChange();
  };
  fill(
    byId("theme-switch"),
    ...CHOICES.map(([choice, label]) => {
      const input = h("input", {
        type: "radio",
        name: "theme",
        value: choice,
        class: "visually-hidden",
        "aria-label": label,
        on: {
          change: () => {
            chosen = choice;
            setting("localStorage", KEY, choice);
            apply();
          },
        },
      });
      input.checked = choice === chosen;
      return h("label", { class: "segment", title: label }, input, icon(choice));
    }),
  );
  systemDark.addEventListener("change", apply);
  apply();
}
