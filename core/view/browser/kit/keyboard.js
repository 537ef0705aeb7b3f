export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Steps along a line: a text, a list. */
export const ALONG = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };

/** Whether the key belongs to the browser. */
export function isShortcut(event) {
  return event.altKey || event.ctrlKey || event.metaKey;
}

/** Whether the key is that of a click. */
export function isChoice(event) {
  return event.key === "Enter" || event.key === " ";
}

/** Nobody else is to act on this key. */
export function take(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** The nearest place among so many. */
export function within(place, count) {
  return Math.min(count - 1, Math.max(0, place));
}
