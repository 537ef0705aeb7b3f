const FINEST = 3; // pixels of the screen for one of the page: more are not seen, and cost time

/** How many pixels of the screen there are for one of the page. */
export function pixelRatio() {
  return Math.min(FINEST, window.devicePixelRatio || 1);
}

/** Gives a canvas a size in pixels of the page; one that has it already keeps what is drawn on it. */
export function fitCanvas(canvas, { width, height }, ratio) {
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

/** The cleared canvas, to be drawn on in pixels of the page. */
export function clearedContext(canvas, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
