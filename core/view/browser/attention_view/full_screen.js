/** Whether an element fills the screen, or the window where the browser does not allow it. */
export function isFull(element) {
  return Boolean(document.fullscreenElement) || element.classList.contains("full");
}

/** Full screen, or the whole window where the browser does not allow it; and back. */
export async function toggleScreen(element) {
  if (document.fullscreenElement) await document.exitFullscreen();
  else if (isFull(element)) element.classList.remove("full");
  else {
    try {
      await element.requestFullscreen();
    } catch {
      element.classList.add("full");
    }
  }
}
