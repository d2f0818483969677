/** One argument of a tool as one control: label, input, help and error. Reads and writes a JSON value. */

import { fill, h, newId } from "../dom.js";

/** @import { FieldSpec } from "./schema.js" */

/**
 * What a field holds. `absent` means that the argument is left out.
 *
 * @typedef {{kind: "value", value: unknown} | {kind: "absent"} | {kind: "error", error: string}} Reading
 *
 * @typedef {object} Control the input itself, without label and messages
 * @property {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input
 * @property {() => Reading} read
 * @property {(value: unknown) => boolean} write false when the control cannot show this value
 */

/** @type {Record<string, string>} */
const INPUT_TYPES = { date: "date", time: "time", email: "email", uri: "url" };
const ABSENT = /** @type {const} */ ({ kind: "absent" });

export class Field {
  #error = h("p", { class: "field-error", id: newId("error"), hidden: true });
  #control;

  /** @param {FieldSpec} spec */
  constructor(spec) {
    this.spec = spec;
    this.#control = controlFor(spec);
    const { input } = this.#control;
    input.id = newId("field");
    const help = spec.description
      ? h("p", { class: "field-help", id: newId("help"), dir: "auto" }, spec.description)
      : null;
    input.setAttribute("aria-describedby", [help?.id, this.#error.id].filter(Boolean).join(" "));
    if (spec.required) input.setAttribute("aria-required", "true");
    input.dataset["testid"] = "field";
    input.dataset["field"] = spec.name;
    input.addEventListener("input", () => this.showError(null));
    const wide = spec.kind === "multiline" || spec.kind === "json";
    this.element = h(
      "div",
      { class: wide ? "field field-wide" : "field" },
      h(
        "label",
        { class: "field-label", for: input.id },
        h("span", { class: "field-name", dir: "auto" }, spec.name),
        spec.required && h("span", { class: "field-required", title: "required" }, "*"),
        h("span", { class: "field-type" }, spec.type),
      ),
      isCheckbox(input)
        ? h("div", { class: "checkbox-line" }, input, h("span", { class: "checkbox-word" }))
        : input,
      this.#error,
      help,
    );
    this.reset();
  }

  /** @returns {Reading} */
  read() {
    const reading = this.#control.read();
    if (reading.kind !== "absent" || !this.spec.required) return reading;
    if (this.spec.nullable) return { kind: "value", value: null };
    const hint = this.spec.type === "string" ? " To send an empty string, use the JSON editor." : "";
    return { kind: "error", error: `This argument is required.${hint}` };
  }

  /** Nothing typed, and nothing broken either. */
  get isEmpty() {
    return this.#control.read().kind === "absent";
  }

  /**
   * Show a value, or nothing for undefined. False when the form cannot show it faithfully.
   *
   * @param {unknown} value
   */
  write(value) {
    this.showError(null);
    // A field of any JSON can show null as such; elsewhere "or null" is an empty field.
    const showsNull = this.spec.kind === "choice" || (this.spec.kind === "json" && !this.spec.nullable);
    if (value === null && !showsNull) {
      this.#control.write(undefined);
      return this.spec.nullable && (this.spec.required || this.spec.initial === null);
    }
    return this.#control.write(value);
  }

  reset() {
    if (!this.write(this.spec.initial)) this.#control.write(undefined);
  }

  /** @param {string | null} sentence */
  showError(sentence) {
    this.#error.hidden = sentence === null;
    fill(this.#error, sentence);
    if (sentence === null) this.#control.input.removeAttribute("aria-invalid");
    else this.#control.input.setAttribute("aria-invalid", "true");
  }

  focus() {
    this.#control.input.focus();
  }
}

/**
 * @param {FieldSpec} spec
 * @returns {Control}
 */
function controlFor(spec) {
  switch (spec.kind) {
    case "choice":
      return choiceControl(spec, spec.choices);
    case "boolean": {
      // An optional flag without a default has three states; a checkbox has only two.
      if (spec.required || typeof spec.initial === "boolean") return checkboxControl();
      return choiceControl(spec, [
        { label: "true", value: true },
        { label: "false", value: false },
      ]);
    }
    case "number":
    case "integer":
      return numberControl(spec);
    case "json":
      return jsonControl(spec);
    default:
      return textControl(spec);
  }
}

/**
 * @param {FieldSpec} spec
 * @returns {Control}
 */
function textControl(spec) {
  const input =
    spec.kind === "multiline"
      ? h("textarea", { class: "input", rows: 3, spellcheck: "false" })
      : h("input", {
          class: "input",
          type: INPUT_TYPES[spec.format ?? ""] ?? "text",
          autocomplete: "off",
          spellcheck: "false",
          placeholder: spec.format === "date-time" ? "2026-01-31T12:00:00Z" : undefined,
        });
  return {
    input,
    read: () => (input.value === "" ? ABSENT : { kind: "value", value: input.value }),
    write(value) {
      input.value = typeof value === "string" ? value : "";
      // A date or URL input drops text that it does not understand, so compare with what it kept.
      return value === undefined || input.value === value;
    },
  };
}

/**
 * @param {FieldSpec} spec
 * @returns {Control}
 */
function numberControl(spec) {
  const input = h("input", {
    class: "input",
    type: "number",
    step: spec.kind === "integer" ? "1" : "any",
    min: spec.min,
    max: spec.max,
    autocomplete: "off",
  });
  return {
    input,
    read() {
      if (input.validity.badInput) return { kind: "error", error: "This is not a number." };
      if (input.value === "") return ABSENT;
      const value = Number(input.value);
      if (spec.kind === "integer" && !Number.isInteger(value)) {
        return { kind: "error", error: "A whole number is needed here." };
      }
      return { kind: "value", value };
    },
    write(value) {
      input.value = typeof value === "number" ? String(value) : "";
      return value === undefined || typeof value === "number";
    },
  };
}

/** @returns {Control} */
function checkboxControl() {
  const input = h("input", { type: "checkbox", class: "checkbox" });
  return {
    input,
    read: () => ({ kind: "value", value: input.checked }),
    write(value) {
      input.checked = value === true;
      return value === undefined || typeof value === "boolean";
    },
  };
}

/**
 * @param {FieldSpec} spec
 * @param {{label: string, value: unknown}[]} choices
 * @returns {Control}
 */
function choiceControl(spec, choices) {
  // Options carry positions, since a choice may be any JSON value.
  const input = h(
    "select",
    { class: "input" },
    h("option", { value: "" }, spec.required ? "Choose…" : "Not set"),
    ...choices.map((choice, position) => h("option", { value: position }, choice.label)),
  );
  return {
    input,
    read: () => (input.value === "" ? ABSENT : { kind: "value", value: choices[Number(input.value)]?.value }),
    write(value) {
      const wanted = JSON.stringify(value);
      const position = choices.findIndex((choice) => JSON.stringify(choice.value) === wanted);
      input.value = position < 0 ? "" : String(position);
      return (
        value === undefined || position >= 0 || (value === null && spec.nullable && spec.initial === null)
      );
    },
  };
}

/**
 * @param {FieldSpec} spec
 * @returns {Control}
 */
function jsonControl(spec) {
  const example = spec.type === "array" ? "[ … ]" : spec.type === "object" ? "{ … }" : "any JSON value";
  const input = h("textarea", { class: "input mono", rows: 4, spellcheck: "false", placeholder: example });
  return {
    input,
    read() {
      if (input.value.trim() === "") return ABSENT;
      const reading = parseJson(input.value);
      if (reading.kind !== "value" || (reading.value === null && spec.nullable)) return reading;
      if (spec.type === "array" && !Array.isArray(reading.value)) {
        return { kind: "error", error: "A JSON array is needed here: [ … ]" };
      }
      if (spec.type === "object" && !isObject(reading.value)) {
        return { kind: "error", error: "A JSON object is needed here: { … }" };
      }
      return reading;
    },
    write(value) {
      input.value = value === undefined ? "" : JSON.stringify(value, null, 2);
      return true;
    },
  };
}

/**
 * @param {string} text
 * @returns {Reading}
 */
export function parseJson(text) {
  try {
    return { kind: "value", value: /** @type {unknown} */ (JSON.parse(text)) };
  } catch (error) {
    return { kind: "error", error: `This is not valid JSON. ${error instanceof Error ? error.message : ""}` };
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {Element} input */
function isCheckbox(input) {
  return input instanceof HTMLInputElement && input.type === "checkbox";
}
