const PATIENCE = 8000; // milliseconds in which the page draws its explanation
const LOOK_EVERY = 100; // milliseconds between two looks for it
const LEAST_HEIGHT = 160; // pixels: a lower one has only begun
const MARGIN = "20vh"; // of the view that stays in sight above the explanation

/** Brings the explanation, a container of Streamlit with a key, into sight as soon as the page has drawn it. */
export function reveal(name, signal, until = Date.now() + PATIENCE) {
  if (signal.aborted) return;
  const panel = document.querySelector(`.st-key-${name}`);
  if (panel?.offsetHeight > LEAST_HEIGHT) {
    panel.style.scrollMarginTop = MARGIN;
    const { top } = panel.getBoundingClientRect();
    if (top > 0.7 * window.innerHeight) panel.scrollIntoView({ block: "start", behavior: behaviour() });
  } else if (Date.now() < until) setTimeout(() => reveal(name, signal, until), LOOK_EVERY);
}

/** Brings the figure back into sight, and the keyboard with it. */
export function comeBack(figure) {
  figure.scrollIntoView({ block: "nearest", behavior: behaviour() });
  figure.focus({ preventScroll: true });
}

function behaviour() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
}
