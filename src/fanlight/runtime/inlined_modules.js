// The module system of an inlined document: ES modules that are functions of classic scripts, because the
// specification's policy allows neither `data:` nor `blob:` scripts. Instantiating and running are two steps
// of one generator, so functions are there before any module runs, as in a real module graph.
// Knows no files: names, order of needs and exports come from whoever wrote the `define` calls.

(() => {
  /**
   * @typedef {AsyncGenerator<Record<string, () => unknown>, void>} Body
   * @typedef {(namespaceOf: (id: string) => any, load: (id: string) => Promise<any>) => () => Body} Make
   * @typedef {object} Module
   * @property {string[]} needs
   * @property {Make} [make]
   * @property {() => Promise<any>} [fetch]  instead of `make`: how to get a module of another origin
   * @property {any} namespace
   * @property {Body | null} body
   * @property {Promise<void> | null} linked
   * @property {Promise<void> | null} done
   */

  /** @type {Map<string, Module>} */
  const modules = new Map();

  /** @type {(id: string, needs: string[], make?: Make, fetch?: () => Promise<any>) => void} */
  const define = (id, needs, make, fetch) => {
    const namespace = Object.create(null, { [Symbol.toStringTag]: { value: "Module" } });
    modules.set(id, { needs, make, fetch, namespace, body: null, linked: null, done: null });
  };

  /** A module of another origin that the browser has loaded already, before the document was ready.
   * @type {(id: string, namespace: any) => void} */
  const provide = (id, namespace) => {
    const module = found(id);
    module.namespace = namespace;
    module.linked ??= Promise.resolve();
  };

  /** @type {(id: string) => any} */
  const namespaceOf = (id) => found(id).namespace;

  /** @type {(id: string) => Module} */
  const found = (id) => {
    const module = modules.get(id);
    if (module) return module;
    throw new Error(`The module ${id} is not there: its own script has an error, which the console shows.`);
  };

  /** @type {(module: Module) => Promise<void>} */
  const link = async (module) => {
    if (module.fetch) module.namespace = await module.fetch();
    if (!module.make) return;
    module.body = module.make(namespaceOf, load)();
    const exports = (await module.body.next()).value ?? {};
    for (const [name, get] of Object.entries(exports)) {
      Object.defineProperty(module.namespace, name, { enumerable: true, get });
    }
    Object.preventExtensions(module.namespace);
  };

  /** @type {(module: Module) => Promise<void>} */
  const run = async (module) => {
    await module.body?.next();
  };

  /** Everything that a module needs, then the module itself.
   * @type {(id: string, order?: Set<Module>, seen?: Set<string>) => Set<Module>} */
  const inOrder = (id, order = new Set(), seen = new Set()) => {
    if (seen.has(id)) return order;
    seen.add(id);
    const module = found(id);
    for (const need of module.needs) inOrder(need, order, seen);
    return order.add(module);
  };

  /** @type {(id: string) => Promise<any>} */
  const load = async (id) => {
    const order = inOrder(id);
    await Promise.all([...order].map((module) => (module.linked ??= link(module))));
    for (const module of order) await (module.done ??= run(module));
    return namespaceOf(id);
  };

  Object.defineProperty(globalThis, Symbol.for("fanlight.modules"), { value: Object.freeze({ define, provide, load }) });
})();
