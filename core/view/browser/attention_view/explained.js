/** Whether there is a cell to explain that was not before, or none where there was one. */
export function differsInCell(one, other) {
  if (one.key === null && other.key === null) return false;
  return ["layer", "head", "token", "key"].some((name) => one[name] !== other[name]);
}
