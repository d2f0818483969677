/**
 * The official TypeScript client looks at a server: `node client_driver.mjs COMMAND ARGS…` starts it over stdio.
 *
 * It prints one JSON object: what the client lists and reads, and what the published helpers of ext-apps make of
 * it. The client and the helpers validate with the official schemas, so a wrong shape ends this program.
 */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  buildAllowAttribute,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
  McpUiResourceMetaSchema,
  McpUiToolMetaSchema,
  RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { EXTENSION_ID } from "@modelcontextprotocol/ext-apps/server";

const [command, ...args] = process.argv.slice(2);
const apps = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };
const client = new Client({ name: "official", version: "1" }, { capabilities: apps });
await client.connect(new StdioClientTransport({ command, args }));

const { tools } = await client.listTools();
const { resources } = await client.listResources();
const seen = { tools: {}, resources: {}, results: {} };
for (const tool of tools) {
  const uri = getToolUiResourceUri(tool);
  if (!uri) continue;
  McpUiToolMetaSchema.parse(tool._meta.ui);
  seen.tools[tool.name] = {
    uri,
    appOnly: isToolVisibilityAppOnly(tool),
    modelOnly: isToolVisibilityModelOnly(tool),
  };
}
for (const uri of new Set(Object.values(seen.tools).map((tool) => tool.uri))) {
  const { contents } = await client.readResource({ uri });
  if (contents.length !== 1) throw new Error(`${uri} has ${contents.length} contents`);
  const [item] = contents;
  const listed = resources.find((resource) => resource.uri === uri);
  const meta = item._meta?.ui ?? listed?._meta?.ui;
  if (meta) McpUiResourceMetaSchema.parse(meta);
  seen.resources[uri] = {
    listed: Boolean(listed),
    mimeType: item.mimeType === RESOURCE_MIME_TYPE,
    html: item.text,
    allow: buildAllowAttribute(meta?.permissions),
    csp: meta?.csp ?? null,
  };
}
for (const name of Object.keys(seen.tools)) {
  const { inputSchema } = tools.find((tool) => tool.name === name);
  if (!inputSchema.required?.length) seen.results[name] = await client.callTool({ name, arguments: {} });
}
await client.close();
process.stdout.write(JSON.stringify(seen));
