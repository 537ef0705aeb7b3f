const STEPS = {
  ArrowUp: ["layer", -1],
  ArrowDown: ["layer", 1],
  ArrowLeft: ["head", -1],
  ArrowRight: ["head", 1],
  j: ["token", 1],
  k: ["token", -1],
  ".": ["token", 1],
  ",": ["token", -1],
};

const FIELDS = "input:not([type=checkbox]), select, textarea, [contenteditable], .behind";

export const KEYS = [
  ["↑ ↓", "layer"],
  ["← →", "head"],
  [", .", "token"],
  ["Esc", "unpin"],
  ["f", "full screen"],
];

/** What a key asks for: { step, by }, "unpin", "fullscreen", or null; fields keep their own keys. */
export function wishOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const target = event.composedPath()[0];
  if (target instanceof Element && target.closest(FIELDS)) return null;
  if (event.key === "Escape") return "unpin";
  if (event.key === "f") return "fullscreen";
  const found = STEPS[event.key];
  return found ? { step: found[0], by: found[1] } : null;
}
