import { order } from "./order.js";
order.push("lazy");
export default class {
  static word = "lazy";
}
