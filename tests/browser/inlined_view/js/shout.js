import { order } from "./order.js";
order.push("shout");
export default function (text) {
  return `${text.toUpperCase()}!`;
}
