/**
 * The form of one tool, generated from its input schema, with an editor of the whole arguments object as the
 * other way in. Gives back an arguments object or shows why it cannot.
 */

import { fill, h, newId } from "../dom.js";
import { icon } from "../icons.js";
import { Field, isObject, parseJson } from "./fields.js";
import { notice } from "./notice.js";
import { fieldsOf } from "./schema.js";

/** @import { Fault, Tool } from "../types.js" */

/** @typedef {Record<string, unknown>} Arguments */

// More optional arguments than this are folded away when there are required ones to fill in first.
const OPTIONAL_SHOWN = 8;
const RUN_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ ↵" : "Ctrl ↵";

export class ArgumentsForm {
  /** @type {Field[]} */
  #fields;
  /** Arguments typed as JSON that have no field: kept, not shown. @type {Arguments} */
  #extra = {};
  #jsonOnly;
  #json = h("textarea", {
    class: "input mono json-editor",
    rows: 8,
    spellcheck: "false",
    "data-testid": "json-editor",
    "aria-label": "Arguments as JSON",
    on: { input: () => this.#showFormFault(null) },
  });
  #fieldsBox = h("div", { class: "fields" });
  #more = h("details", { class: "more-fields" });
  #jsonBox = h("div", { class: "json-box", hidden: true }, this.#json);
  #fault = h("div", { class: "form-fault" });
  #runButton = h("button", {
    type: "submit",
    class: "button button-primary",
    "data-testid": "run-button",
    title: `Run (${RUN_KEYS})`,
  });
  #stopButton = h(
    "button",
    { type: "button", class: "button", hidden: true, "data-testid": "stop-button" },
    icon("stop"),
    "Stop waiting",
  );
  /** @type {HTMLInputElement[]} */
  #modes = [];

  /**
   * @param {Tool} tool
   * @param {{run: (args: Arguments) => void, stop: () => void}} actions
   */
  constructor(tool, actions) {
    this.actions = actions;
    const specs = fieldsOf(tool.inputSchema);
    this.#jsonOnly = specs === null;
    this.#fields = (specs ?? []).map((spec) => new Field(spec));
    this.#placeFields();
    this.#stopButton.addEventListener("click", () => this.actions.stop());
    const hasArguments = this.#jsonOnly || this.#fields.length > 0;
    this.#runButton.classList.toggle("button-large", !hasArguments);
    this.element = h(
      "form",
      {
        class: "form",
        novalidate: true,
        autocomplete: "off",
        "data-testid": "arguments-form",
        "aria-label": `Arguments of ${tool.name}`,
        on: {
          submit: (event) => {
            event.preventDefault();
            this.submit();
          },
        },
      },
      hasArguments &&
        h(
          "div",
          { class: "form-head" },
          h("h2", { class: "section-title" }, "Arguments"),
          this.#modeSwitch(),
        ),
      hasArguments && h("div", { class: "form-body" }, this.#fieldsBox, this.#jsonBox),
      this.#fault,
      h(
        "div",
        { class: "form-actions" },
        this.#runButton,
        this.#stopButton,
        hasArguments &&
          !this.#jsonOnly &&
          h(
            "button",
            {
              type: "button",
              class: "button button-quiet",
              on: { click: () => this.#reset() },
            },
            "Reset",
          ),
        h("span", { class: "shortcut", "aria-hidden": "true" }, h("kbd", {}, RUN_KEYS)),
      ),
    );
    this.#json.value = "{}";
    this.#showMode(this.#jsonOnly);
    this.setRunning(false);
  }

  /** Nothing has to be filled in before a run. */
  get isReady() {
    return this.#fields.every((field) => field.read().kind !== "error");
  }

  /** Run with what is filled in, or show what is missing. */
  submit() {
    if (this.#runButton.disabled) return;
    this.#showFormFault(null);
    const args = this.#jsonBox.hidden ? this.#readFields(false) : this.#readJson();
    if (args) this.actions.run(args);
  }

  /** @param {boolean} running */
  setRunning(running) {
    this.#runButton.disabled = running;
    fill(
      this.#runButton,
      running ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("play"),
      running ? "Running…" : "Run",
    );
    this.#stopButton.hidden = !running;
  }

  /**
   * Show why a call was refused, at the field if the fault names one.
   *
   * @param {Fault} fault
   */
  showFault(fault) {
    const name = fault.field?.replace(/^\//, "").split(/[./[]/)[0];
    const field = this.#jsonBox.hidden ? this.#fields.find((each) => each.spec.name === name) : undefined;
    if (!field) return this.#showFormFault(fault);
    this.#reveal(field, fault.remedy ? `${fault.message} ${fault.remedy}` : fault.message);
  }

  #placeFields() {
    const optional = this.#fields.filter((field) => !field.spec.required);
    const folds = optional.length > OPTIONAL_SHOWN && optional.length < this.#fields.length;
    if (!folds) return fill(this.#fieldsBox, ...this.#fields.map((field) => field.element));
    fill(
      this.#more,
      h("summary", {}, `${optional.length} optional arguments`),
      h("div", { class: "fields" }, ...optional.map((field) => field.element)),
    );
    const required = this.#fields.filter((field) => field.spec.required);
    fill(this.#fieldsBox, ...required.map((field) => field.element), this.#more);
  }

  #modeSwitch() {
    if (this.#jsonOnly) return null;
    const group = newId("mode");
    const option = (/** @type {string} */ word, /** @type {boolean} */ asJson) => {
      const input = h("input", {
        type: "radio",
        name: group,
        class: "visually-hidden",
        "data-testid": `mode-${word.toLowerCase()}`,
        on: { change: () => this.#switchMode(asJson) },
      });
      this.#modes.push(input);
      return h("label", { class: "segment" }, input, word);
    };
    return h(
      "div",
      { class: "segmented", role: "radiogroup", "aria-label": "Edit arguments as" },
      option("Form", false),
      option("JSON", true),
    );
  }

  /** @param {boolean} asJson */
  #switchMode(asJson) {
    this.#showFormFault(null);
    const args = asJson ? this.#readFields(true) : this.#readJson();
    if (args && asJson) this.#json.value = JSON.stringify(args, null, 2);
    const moved = args !== null && (asJson || this.#write(args));
    this.#showMode(moved ? asJson : !asJson);
  }

  /** @param {boolean} asJson */
  #showMode(asJson) {
    this.#fieldsBox.hidden = asJson;
    this.#jsonBox.hidden = !asJson;
    const [form, json] = this.#modes;
    if (form && json) (asJson ? json : form).checked = true;
  }

  /**
   * @param {boolean} incomplete true: leave out what is required but still empty
   * @returns {Arguments | null}
   */
  #readFields(incomplete) {
    /** @type {[string, unknown][]} */
    const entries = [];
    /** @type {Field | null} */
    let firstBad = null;
    for (const field of this.#fields) {
      const reading = incomplete && field.isEmpty ? { kind: /** @type {const} */ ("absent") } : field.read();
      if (reading.kind === "value") entries.push([field.spec.name, reading.value]);
      if (reading.kind !== "error") continue;
      field.showError(reading.error);
      firstBad ??= field;
    }
    if (firstBad) {
      this.#reveal(firstBad);
      return null;
    }
    return { ...Object.fromEntries(entries), ...this.#extra };
  }

  /** @returns {Arguments | null} */
  #readJson() {
    const reading = parseJson(this.#json.value.trim() || "{}");
    if (reading.kind === "value" && isObject(reading.value)) return reading.value;
    const message = reading.kind === "error" ? reading.error : "The arguments must be one JSON object: { … }";
    this.#showFormFault({ message });
    this.#json.setAttribute("aria-invalid", "true");
    this.#json.focus();
    return null;
  }

  /**
   * Fill the fields from an arguments object. False when some value does not fit its field.
   *
   * @param {Arguments} args
   */
  #write(args) {
    const given = new Map(Object.entries(args));
    const misfits = this.#fields.filter((field) => !field.write(given.get(field.spec.name)));
    for (const field of this.#fields) given.delete(field.spec.name);
    this.#extra = Object.fromEntries(given);
    if (misfits.length === 0) return true;
    const names = misfits.map((field) => `“${field.spec.name}”`).join(", ");
    this.#showFormFault({
      message: `The form cannot show the value of ${names}.`,
      remedy: "Change it here, or run it as it is.",
    });
    return false;
  }

  #reset() {
    this.#extra = {};
    for (const field of this.#fields) field.reset();
    this.#showFormFault(null);
    this.#json.value = JSON.stringify(this.#readFields(true) ?? {}, null, 2);
  }

  /**
   * @param {Field} field
   * @param {string} [error]
   */
  #reveal(field, error) {
    if (error) field.showError(error);
    if (!field.spec.required) this.#more.open = true;
    field.focus();
  }

  /** @param {Fault | null} fault */
  #showFormFault(fault) {
    this.#json.removeAttribute("aria-invalid");
    fill(
      this.#fault,
      fault && notice("error", { message: fault.message, remedy: fault.remedy, testid: "form-error" }),
    );
  }
}
