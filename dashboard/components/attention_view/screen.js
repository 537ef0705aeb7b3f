/** Full screen, or the whole window where the browser does not allow it. */
export function createScreen(root, changed) {
  const isFull = () => Boolean(document.fullscreenElement) || root.classList.contains("full");

  async function toggle() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else if (isFull()) root.classList.remove("full");
    else await enter(root);
    changed();
  }

  return { isFull, toggle };
}

async function enter(root) {
  try {
    await root.requestFullscreen();
  } catch {
    root.classList.add("full");
  }
}
