import { isOdd } from "./odd.js";
import { order } from "./order.js";
order.push("even");
export function isEven(n) {
  return n === 0 || isOdd(n - 1);
}
