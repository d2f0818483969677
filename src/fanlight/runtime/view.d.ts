// Types of `view.js`: the global `fanlight` that a view talks to its host with. See docs/view.md.

export type JSONObject = { [key: string]: unknown };
export type DisplayMode = "inline" | "fullscreen" | "pip";
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** A block of core MCP: text, image, audio, resource or resource_link. */
export interface ContentBlock {
  type: string;
  text?: string;
  [key: string]: unknown;
}

export interface ToolResult {
  content?: ContentBlock[];
  structuredContent?: any;
  isError?: boolean;
  _meta?: JSONObject;
  [key: string]: unknown;
}

export interface HostContext {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string>; css?: { fonts?: string } };
  displayMode?: DisplayMode;
  availableDisplayModes?: DisplayMode[];
  containerDimensions?: { width?: number; maxWidth?: number; height?: number; maxHeight?: number };
  locale?: string;
  timeZone?: string;
  userAgent?: string;
  platform?: "web" | "desktop" | "mobile";
  deviceCapabilities?: { touch?: boolean; hover?: boolean };
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
  toolInfo?: { id?: string | number; tool: JSONObject & { name: string } };
  [key: string]: unknown;
}

/** What the host offers; a key that is absent is not offered. */
export interface HostCapabilities {
  openLinks?: object;
  downloadFile?: object;
  serverTools?: { listChanged?: boolean };
  serverResources?: { listChanged?: boolean };
  logging?: object;
  message?: JSONObject;
  updateModelContext?: JSONObject;
  sampling?: { tools?: object };
  sandbox?: JSONObject;
  experimental?: Record<string, object>;
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface RequestOptions {
  /** Called for each progress notification; each one also gives the call its full time again. */
  onProgress?(progress: Progress): void;
  /** Aborting tells the host and rejects the promise. */
  signal?: AbortSignal;
  /** Milliseconds without a word from the host until the promise is rejected; 60 000 unless told. */
  timeout?: number;
}

export interface SetupOptions {
  /** Who the view is; the document's title and 1.0.0 unless told. */
  info?: { name: string; version: string; title?: string };
  /** Every display mode that the view can be shown in. */
  modes?: DisplayMode[];
  /** Report the height of the content; on unless false. */
  autoResize?: boolean;
  /** Apply theme, variables and fonts of the host; on unless false. */
  theme?: boolean;
  /** Send clicks on links to the host; on unless false. */
  links?: boolean;
  /** Keep `state` in the browser's storage under this name, for all views of the app; by tool call unless told. */
  stateKey?: string;
}

export interface Events {
  input: JSONObject;
  partial: JSONObject;
  result: ToolResult;
  cancelled: { reason?: string };
  /** The whole context, at the start and after each change. */
  context: HostContext;
  /** The view is about to go. The host waits until every handler's promise has settled. */
  teardown: JSONObject;
  /** There is no host, or it refused a link or to keep the state. */
  error: Error;
}

export interface ToolConfig {
  title?: string;
  description?: string;
  inputSchema?: JSONObject;
  outputSchema?: JSONObject;
  annotations?: JSONObject;
  _meta?: JSONObject;
}

export interface ToolHandle {
  enable(): unknown;
  disable(): unknown;
  update(changes: ToolConfig): unknown;
  remove(): unknown;
}

export interface HandlerExtra {
  /** Aborted when the host cancels. */
  signal: AbortSignal;
}

export interface Fanlight {
  /** Resolves with this object once the host is there; rejects with the reason if there is none. */
  readonly ready: Promise<Fanlight>;
  /** Who the host is; undefined until `ready`. */
  readonly host: { name: string; version: string; title?: string } | undefined;
  /** Empty until `ready`. */
  readonly capabilities: HostCapabilities;
  /** Empty until `ready`, then kept up to date. */
  readonly context: HostContext;

  /** Options for the connection that is made when the document has been parsed. */
  setup(options: SetupOptions): unknown;
  /** Introduce the view again, to a host that has lost it. */
  connect(): Promise<Fanlight>;

  /** Listen; what came before the first handler is delivered to it. Returns the function that ends it. */
  on<E extends keyof Events>(event: E, handler: (value: Events[E]) => unknown): () => unknown;
  /** Any other notification, by its method. */
  on(event: `${string}/${string}`, handler: (value: any) => unknown): () => unknown;

  callTool(name: string, args?: JSONObject, options?: RequestOptions): Promise<ToolResult>;
  readResource(uri: string, options?: RequestOptions): Promise<{ contents: JSONObject[] }>;
  listResources(cursor?: string, options?: RequestOptions): Promise<{ resources: JSONObject[]; nextCursor?: string }>;
  /** Say something in the conversation, as the person. */
  message(content: string | ContentBlock[], options?: RequestOptions): Promise<void>;
  /** Tell the model what it should know in its next turn; replaces what was told before. */
  updateContext(content?: string | ContentBlock[], data?: JSONObject, options?: RequestOptions): Promise<void>;
  openLink(url: string | URL, options?: RequestOptions): Promise<void>;
  /** Offer a file: its text or its bytes. */
  download(name: string, data: string | Blob | BufferSource, mimeType?: string, options?: RequestOptions): Promise<void>;
  /** Resolves with the mode that the view has afterwards, which may be another. */
  requestMode(mode: DisplayMode, options?: RequestOptions): Promise<DisplayMode>;
  /** Ask the host's model: a question, or the parameters of `sampling/createMessage`. */
  sample(prompt: string | JSONObject, options?: RequestOptions): Promise<JSONObject>;
  log(data: unknown, level?: LogLevel, logger?: string): Promise<void>;
  /** Report a size by hand, in pixels. */
  resize(height?: number, width?: number): Promise<void>;
  /** Ask the host to close this view; it may ignore that. */
  close(): Promise<void>;

  /** Offer a tool to the model while the view is shown. The first one before the connection. */
  tool(name: string, config: ToolConfig, handler: (args: any, extra: HandlerExtra) => unknown): ToolHandle;

  readonly state: {
    /** The value under a key, else `fallback`. What was kept is there when the view is connected. */
    get<T = any>(key: string, fallback?: T): T;
    /** Keep a JSON value; undefined removes it. */
    set(key: string, value: unknown): void;
  };

  /** All text of a result in one string. */
  text(result: ToolResult): string;

  /** Any other request or notification. */
  request(method: string, params?: JSONObject, options?: RequestOptions): Promise<any>;
  notify(method: string, params?: JSONObject): Promise<void>;
  /** What answers the host's requests, by method; add your own. */
  readonly handlers: Record<string, (params: any, extra: HandlerExtra) => unknown>;
}

declare global {
  /** The view's side of MCP Apps. */
  const fanlight: Fanlight;
}
