import { isEven } from "./even.js";
import { order } from "./order.js";
order.push("odd");
export function isOdd(n) {
  return n !== 0 && isEven(n - 1);
}
export const early = isEven(4);
