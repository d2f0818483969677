/**
 * The shapes that the workbench page receives, as JSDoc types. Types only: no browser ever loads this file.
 * Everything inside a Tool, a CallResult or a JSON-RPC message was written by a server or a view and is hostile.
 */

/**
 * @typedef {Record<string, unknown>} JSONObject
 *
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} [title]
 * @property {string} [description]
 * @property {JSONObject} inputSchema
 * @property {boolean} hasApp
 * @property {string[]} visibility
 * @property {boolean} readOnly
 * @property {string} [problem] why its app cannot be shown
 *
 * @typedef {object} Server
 * @property {string} name
 * @property {string} [title]
 * @property {string} [version]
 * @property {"connected" | "failed"} status
 * @property {string} [error]
 * @property {string} [remedy]
 * @property {Tool[]} tools
 *
 * @typedef {object} State
 * @property {{name: string, version: string}} host
 * @property {string} mount
 * @property {Server[]} servers
 * @property {News} [news] only where servers are loaded anew after a save
 *
 * @typedef {object} News
 * @property {number} number
 * @property {string} [problem] why the last save could not be loaded
 *
 * @typedef {{server: Server, tool: Tool}} Choice
 *
 * @typedef {object} CallResult
 * @property {JSONObject[]} [content]
 * @property {JSONObject} [structuredContent]
 * @property {boolean} [isError]
 * @property {JSONObject} [_meta]
 *
 * @typedef {{message: string, remedy?: string, field?: string}} Fault
 * @typedef {{id: string, token: string}} ViewTicket
 * @typedef {{id: string, view: ViewTicket | null}} StartedCall
 * @typedef {{status: "done", ms: number, result: CallResult}} DoneCall
 * @typedef {{status: "failed", ms?: number, error: Fault}} FailedCall
 * @typedef {DoneCall | FailedCall} Outcome
 *
 * @typedef {"from-view" | "to-view"} Direction
 * @typedef {{name: string, ms: number, detail?: string}} StageDetail
 * @typedef {{verdict: string, reason?: string, remedy?: string}} VerdictDetail
 * @typedef {{direction: Direction, message: unknown}} MessageDetail
 * @typedef {object} ViolationDetail
 * @property {string} directive
 * @property {string} blocked an address without its query, or a word such as "eval"
 * @property {number} count how often it was refused
 * @property {string} advice what to do about it, or why nothing can be done
 * @property {string} [where] the line that asked for it
 * @property {JSONObject} [fix] what to add to the resource's `_meta.ui`
 * @property {JSONObject} [declare] the whole of it, with what is declared already and every fix so far
 */

export {};
