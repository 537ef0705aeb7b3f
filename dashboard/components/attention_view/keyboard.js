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

const FIELDS = "input:not([type=checkbox]), select, textarea, [contenteditable], .behind, [role=slider]";

export const KEYS = [
  ["↑ ↓", "layer"],
  ["← →", "head"],
  [", .", "token"],
  ["Esc", "unpin"],
  ["v", "next view"],
  ["f", "full screen"],
];

/** What a key asks for: { step, by }, "unpin", "view", "fullscreen", or null; fields keep their own keys. */
export function wishOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const target = event.composedPath()[0];
  if (target instanceof Element && target.closest(FIELDS)) return null;
  if (event.key === "Escape") return "unpin";
  if (event.key === "v") return "view";
  if (event.key === "f") return "fullscreen";
  const found = STEPS[event.key];
  return found ? { step: found[0], by: found[1] } : null;
}
