/** Which step the address names, and which cell of it; undefined where it says nothing. */
export function readPlace() {
  const address = new URLSearchParams(location.search);
  const cell = /^(\d{1,4})\.(\d{1,4})$/.exec(address.get("cell") ?? "");
  return {
    step: address.get("step") ?? undefined,
    row: cell ? Number(cell[1]) : undefined,
    column: cell ? Number(cell[2]) : undefined,
  };
}

/**
 * Keeps step and cell in the address. Streamlit writes the address too, from its own older copy; after each entry
 * that others made, ours is put right. `restored` is called after back and forward.
 */
export function keepPlace({ place, restored }) {
  const page = location.pathname;

  function write(isNew = false) {
    if (location.pathname !== page) return;
    const address = new URL(location.href);
    const { step, row, column } = place();
    if (step === undefined) address.searchParams.delete("step");
    else address.searchParams.set("step", step);
    if (column === undefined) address.searchParams.delete("cell");
    else address.searchParams.set("cell", `${row}.${column}`);
    if (address.search !== location.search) history[isNew ? "pushState" : "replaceState"](history.state, "", address);
  }

  const changed = (event) => event.navigationType !== "traverse" && write();
  const back = () => location.pathname === page && restored(readPlace());
  window.navigation?.addEventListener("currententrychange", changed);
  window.addEventListener("popstate", back);
  return {
    write,
    destroy() {
      window.navigation?.removeEventListener("currententrychange", changed);
      window.removeEventListener("popstate", back);
    },
  };
}
