/**
 * The published `App` class (the view's side of ext-apps) on a pipe: `node app_driver.mjs <2.0.4|1.7.5>`.
 *
 * The test commands it through the side channel of pipe.mjs and reads back everything the App saw. The driver
 * decides nothing about the protocol; it only calls the public methods of App and reports.
 */
import * as z from "zod";
import { aborted, describeError, loadPublished, PipeTransport, report, serve } from "./pipe.mjs";

const { App, isV1 } = await loadPublished("");
const core = isV1 ? await import("@modelcontextprotocol/sdk/types.js") : undefined;

const EVENTS = ["toolinput", "toolinputpartial", "toolresult", "toolcancelled", "hostcontextchanged"];
const LIST_CHANGES = {
  "notifications/tools/list_changed": "ToolListChangedNotificationSchema",
  "notifications/resources/list_changed": "ResourceListChangedNotificationSchema",
  "notifications/prompts/list_changed": "PromptListChangedNotificationSchema",
};
/** Public methods that the test may call by their own name; true: takes request options. */
const METHODS = {
  callServerTool: true,
  readServerResource: true,
  listServerResources: true,
  createSamplingMessage: true,
  sendMessage: true,
  updateModelContext: true,
  openLink: true,
  downloadFile: true,
  requestDisplayMode: true,
  requestTeardown: false,
  sendLog: false,
  sendSizeChanged: false,
  sendToolListChanged: false,
};

let app;
let tools;

const signalOf = (extra) => (isV1 ? extra.signal : extra.mcpReq.signal);

/** Send one progress notification for the request behind `extra`, if the requester gave a token. */
async function sendProgress(extra, progress, total, message) {
  const progressToken = isV1 ? extra._meta?.progressToken : extra.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const notification = { method: "notifications/progress", params: { progressToken, progress, total, message } };
  await (isV1 ? extra.sendNotification(notification) : extra.mcpReq.notify(notification));
}

/** What a registered tool does when the host calls it. */
const BEHAVIOURS = {
  echo: async (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }], structuredContent: { args } }),
  refuse: async () => ({ content: [{ type: "text", text: "not today" }], isError: true }),
  fail: async () => {
    throw new Error("the tool broke");
  },
  progress: async (args, extra) => {
    await sendProgress(extra, 1, 2, "half way");
    return { content: [] };
  },
  hang: async (args, extra, name) => {
    report("toolaborted", { name, reason: String(await aborted(signalOf(extra))) });
    return { content: [] };
  },
};

function addTool({ name, does = "echo", fields = ["city"], ...config }) {
  const inputSchema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  tools[name] = app.registerTool(name, { ...config, inputSchema }, async (args, extra) => {
    report("toolcall", { name, params: args });
    return BEHAVIOURS[does](args, extra, name);
  });
}

function listen(teardown) {
  for (const event of EVENTS) app.addEventListener(event, (params) => report(event, { params }));
  for (const [method, schema] of Object.entries(LIST_CHANGES)) {
    app.setNotificationHandler(isV1 ? core[schema] : method, () => report(method));
  }
  if (teardown !== "unhandled") {
    app.onteardown = async (params, extra) => {
      report("teardown", { params });
      if (teardown === "fail") throw new Error("not ready to go");
      if (teardown === "hang") await aborted(signalOf(extra));
      return { saved: true };
    };
  }
  const mine = app;
  mine.onerror = (error) => mine === app && report("error", { error: describeError(error) });
  mine.onclose = () => mine === app && report("close");
}

const commands = {
  /** A fresh App, as a fresh page would make it. `teardown`: answer (default), fail, hang or unhandled. */
  async create(_context, { info, capabilities = {}, tools: wanted = [], teardown = "answer", strict = true }) {
    const previous = app;
    tools = {};
    app = new App(info, capabilities, { autoResize: false, strict });
    await previous?.close();
    listen(teardown);
    wanted.forEach(addTool);
  },
  connect: ({ signal }, options) => app.connect(new PipeTransport(), { ...options, signal }),
  close: () => app.close(),
  state: () => ({
    context: app.getHostContext(),
    capabilities: app.getHostCapabilities(),
    host: app.getHostVersion(),
  }),
  ping: ({ signal }, options) => {
    const all = { ...options, signal };
    return isV1 ? app.request({ method: "ping" }, core.EmptyResultSchema, all) : app.request({ method: "ping" }, all);
  },
  addTool: (_context, tool) => addTool(tool),
  changeTool: (_context, name, change, value) => void tools[name][change](value),
};

for (const [method, takesOptions] of Object.entries(METHODS)) {
  commands[method] = ({ signal, ref }, params, options) => {
    if (!takesOptions) return app[method](params);
    const onprogress = (progress) => report("progress", { ref, params: progress });
    const watched = method === "callServerTool" ? { onprogress } : {};
    return app[method](params, { ...watched, ...options, signal });
  };
}

serve(commands);
