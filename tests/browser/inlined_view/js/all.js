export * from "./counter.js";
export * as parity from "./even.js";
export { default as cry, default } from "./shout.js";
export { order as list } from "./order.js"
