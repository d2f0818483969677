/**
 * The published `AppBridge` class (the host's side of ext-apps) on a pipe: `node bridge_driver.mjs <2.0.4|1.7.5>`.
 *
 * It has no MCP client: each request of the view is reported and answered from a table that the test supplies,
 * so the test sees what the official code understood. The driver decides nothing about the protocol.
 */
import { aborted, describeError, loadPublished, PipeTransport, report, serve } from "./pipe.mjs";

const { AppBridge, isV1 } = await loadPublished("/app-bridge");
const core = isV1 ? await import("@modelcontextprotocol/sdk/types.js") : undefined;

const EVENTS = ["sizechange", "initialized", "requestteardown", "loggingmessage"];
const HANDLERS = {
  onmessage: {},
  onopenlink: {},
  ondownloadfile: {},
  onupdatemodelcontext: {},
  onrequestdisplaymode: { mode: "inline" },
  oncalltool: { content: [] },
  oncreatesamplingmessage: { role: "assistant", model: "m", content: { type: "text", text: "" } },
  onlistresources: { resources: [] },
  onlistresourcetemplates: { resourceTemplates: [] },
  onreadresource: { contents: [] },
  onlistprompts: { prompts: [] },
};
/** Public methods that the test may call by their own name; true: takes request options. */
const METHODS = {
  setHostContext: false,
  sendHostContextChange: false,
  sendToolInput: false,
  sendToolInputPartial: false,
  sendToolResult: false,
  sendToolCancelled: false,
  sendToolListChanged: false,
  sendResourceListChanged: false,
  sendPromptListChanged: false,
  teardownResource: true,
  callTool: true,
  listTools: true,
};

let bridge;

const signalOf = (extra) => (isV1 ? extra.signal : extra.mcpReq.signal);

async function sendProgress(extra, progress) {
  const progressToken = isV1 ? extra._meta?.progressToken : extra.mcpReq._meta?.progressToken;
  const notification = { method: "notifications/progress", params: { progressToken, ...progress } };
  await (isV1 ? extra.sendNotification(notification) : extra.mcpReq.notify(notification));
}

/** Answer one request as the test's table says: `{progress?, error?, hang?, result?}`. */
async function play(handler, { progress, error, hang, result }, params, extra) {
  report(handler, { params });
  if (progress) await sendProgress(extra, progress);
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  if (hang) {
    report("aborted", { handler, reason: String(await aborted(signalOf(extra))) });
  }
  return result ?? HANDLERS[handler];
}

function listen(answers) {
  for (const event of EVENTS) bridge.addEventListener(event, (params) => report(event, { params }));
  for (const handler of Object.keys(HANDLERS)) {
    bridge[handler] = (params, extra) => play(handler, answers[handler] ?? {}, params, extra);
  }
  bridge.onping = () => report("ping");
  const listChanged = isV1 ? core.ToolListChangedNotificationSchema : "notifications/tools/list_changed";
  bridge.setNotificationHandler(listChanged, () => report("toollistchanged"));
  const mine = bridge;
  mine.onerror = (error) => mine === bridge && report("error", { error: describeError(error) });
  mine.onclose = () => mine === bridge && report("close");
}

const commands = {
  /** A fresh AppBridge, connected to the pipe at once, as a host that has just made the frame. */
  async create(_context, { info, capabilities = {}, context = {}, answers = {} }) {
    const previous = bridge;
    bridge = new AppBridge(null, info, capabilities, { hostContext: context });
    await previous?.close();
    listen(answers);
    await bridge.connect(new PipeTransport());
  },
  close: () => bridge.close(),
  state: () => ({ app: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() }),
  ping: ({ signal }, options) => {
    const all = { ...options, signal };
    return isV1
      ? bridge.request({ method: "ping" }, core.EmptyResultSchema, all)
      : bridge.request({ method: "ping" }, all);
  },
};

for (const [method, takesOptions] of Object.entries(METHODS)) {
  commands[method] = ({ signal, ref }, params, options) => {
    if (!takesOptions) return bridge[method](params);
    const onprogress = (progress) => report("progress", { ref, params: progress });
    const watched = method === "callTool" ? { onprogress } : {};
    return bridge[method](params, { ...watched, ...options, signal });
  };
}

serve(commands);
