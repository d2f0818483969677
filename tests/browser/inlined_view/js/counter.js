export let count = 0;
export const up = () => { count += 1; };
const hidden = { a: 1, b: [2, 3] }, second = /[/]}/.test("/}")
export const { a, b: [, three = 4], ...rest } = hidden, last = second
export { hidden as "a name with spaces" };
