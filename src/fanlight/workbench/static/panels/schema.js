/**
 * From a tool's JSON Schema to the fields of a form. Pure: no elements here. A schema is only read for what
 * helps to fill it in; whether arguments are valid is decided by the server side, not here.
 */

/**
 * @typedef {"text" | "multiline" | "number" | "integer" | "boolean" | "choice" | "json"} FieldKind
 * @typedef {{label: string, value: unknown}} FieldChoice
 *
 * @typedef {object} FieldSpec
 * @property {string} name
 * @property {FieldKind} kind
 * @property {string} type the word shown beside the name
 * @property {string} [description]
 * @property {boolean} required
 * @property {boolean} nullable
 * @property {unknown} [initial] the schema's default
 * @property {FieldChoice[]} choices
 * @property {string} [format]
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {Record<string, unknown>} Schema
 */

// A chain of references longer than this is a loop or a joke; such a field is edited as JSON.
const MAX_DEPTH = 16;
const LONG_TEXT = 120;

/**
 * The fields of an arguments object, or null when only JSON can express it.
 *
 * @param {unknown} inputSchema
 * @returns {FieldSpec[] | null}
 */
export function fieldsOf(inputSchema) {
  const root = asSchema(inputSchema);
  const schema = resolve(root, root).schema;
  const properties = asSchema(schema["properties"]);
  const names = Object.keys(properties);
  if (names.length === 0) return takesFreeArguments(schema) ? null : [];
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return names.map((name) => fieldOf(name, properties[name], required.has(name), root));
}

/**
 * @param {string} name
 * @param {unknown} declared
 * @param {boolean} required
 * @param {Schema} root
 * @returns {FieldSpec}
 */
function fieldOf(name, declared, required, root) {
  const { schema, nullable } = resolve(asSchema(declared), root);
  const choices = choicesOf(schema);
  const kind = kindOf(schema, choices);
  /** @type {FieldSpec} */
  const field = { name, kind, type: typeWord(schema, kind), required, nullable, choices };
  if (typeof schema["description"] === "string") field.description = schema["description"];
  if (schema["default"] !== undefined) field.initial = schema["default"];
  if (typeof schema["format"] === "string") field.format = schema["format"];
  if (typeof schema["minimum"] === "number") field.min = schema["minimum"];
  if (typeof schema["maximum"] === "number") field.max = schema["maximum"];
  return field;
}

/**
 * Follow local references and unwrap "this or null", keeping the outer description and default.
 *
 * @param {Schema} declared
 * @param {Schema} root
 * @returns {{schema: Schema, nullable: boolean}}
 */
function resolve(declared, root) {
  let schema = declared;
  let nullable = false;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    if (typeof $ref === "string") {
      schema = { ...lookUp($ref, root), ...own };
      continue;
    }
    if (Array.isArray(allOf) && allOf.length === 1) {
      schema = { ...asSchema(allOf[0]), ...own };
      continue;
    }
    const options = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
    const real = options.filter((option) => asSchema(option)["type"] !== "null");
    if (real.length < options.length) nullable = true;
    if (real.length === 1) {
      schema = { ...asSchema(real[0]), ...own };
      continue;
    }
    break;
  }
  const type = schema["type"];
  if (Array.isArray(type)) {
    const real = type.filter((word) => word !== "null");
    if (real.length < type.length) nullable = true;
    schema = { ...schema, type: real.length === 1 ? real[0] : real };
  }
  return { schema, nullable };
}

/**
 * @param {string} reference
 * @param {Schema} root
 * @returns {Schema}
 */
function lookUp(reference, root) {
  if (!reference.startsWith("#/")) return {};
  /** @type {unknown} */
  let here = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = asSchema(here);
    here = Object.hasOwn(holder, key) ? holder[key] : undefined;
  }
  return asSchema(here);
}

/**
 * @param {Schema} schema
 * @returns {FieldChoice[]}
 */
function choicesOf(schema) {
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].map((value) => ({ label: choiceLabel(value), value }));
  }
  if ("const" in schema) return [{ label: choiceLabel(schema["const"]), value: schema["const"] }];
  const options = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(options)) return [];
  const constants = options.map(asSchema).filter((option) => "const" in option);
  if (constants.length !== options.length) return [];
  return constants.map((option) => ({
    label: typeof option["title"] === "string" ? option["title"] : choiceLabel(option["const"]),
    value: option["const"],
  }));
}

/** @param {unknown} value */
function choiceLabel(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * @param {Schema} schema
 * @param {FieldChoice[]} choices
 * @returns {FieldKind}
 */
function kindOf(schema, choices) {
  if (choices.length > 0) return "choice";
  switch (schema["type"]) {
    case "string":
      return isLongText(schema) ? "multiline" : "text";
    case "number":
      return "number";
    case "integer":
      return "integer";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

/** @param {Schema} schema */
function isLongText(schema) {
  const { maxLength, minLength, default: initial, format, contentMediaType } = schema;
  if (typeof contentMediaType === "string") return true;
  if (format === "textarea" || format === "multiline" || format === "markdown") return true;
  if (typeof maxLength === "number" && maxLength > LONG_TEXT) return true;
  if (typeof minLength === "number" && minLength > LONG_TEXT) return true;
  return typeof initial === "string" && (initial.includes("\n") || initial.length > LONG_TEXT);
}

/**
 * @param {Schema} schema
 * @param {FieldKind} kind
 */
function typeWord(schema, kind) {
  if (kind === "choice") return "choice";
  if (kind === "json") return typeof schema["type"] === "string" ? schema["type"] : "JSON";
  if (kind === "text" && typeof schema["format"] === "string") return schema["format"];
  return kind === "text" || kind === "multiline" ? "string" : kind;
}

/** @param {Schema} schema */
function takesFreeArguments(schema) {
  const { additionalProperties, patternProperties, anyOf, oneOf, allOf } = schema;
  if (additionalProperties === true) return true;
  return [additionalProperties, patternProperties, anyOf, oneOf, allOf].some(
    (part) => typeof part === "object" && part !== null,
  );
}

/**
 * @param {unknown} value
 * @returns {Schema}
 */
function asSchema(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? /** @type {Schema} */ (value)
    : {};
}
