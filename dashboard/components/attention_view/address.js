const TOGETHER = 700; // milliseconds within which several steps become one entry of the history

/** What the address says; unknown and broken values are left out. */
export function readAddress(search = location.search) {
  const given = new URLSearchParams(search);
  const number = (name) => (/^\d{1,9}$/.test(given.get(name) ?? "") ? Number(given.get(name)) : undefined);
  const oneOf = (name, names) => (names.includes(given.get(name)) ? given.get(name) : undefined);
  return {
    layer: number("layer"),
    head: number("head"),
    token: number("token"),
    view: oneOf("view", ["map", "lines", "text", "picture"]),
    scale: oneOf("scale", ["linear", "log", "row"]),
    special: oneOf("special", ["out"]),
  };
}

/** Whether the address asks for the projector's view. */
export function isPresented() {
  return new URLSearchParams(location.search).get("present") === "1";
}

/**
 * Keeps the address true. Streamlit writes the address too, from its own older copy, when Python changes a
 * parameter; so after each entry that others made, ours is put right. `values` are the parameters by their names, null
 * for those that the address should not hold; `restored` is called after back and forward with what `read` finds.
 */
export function keepAddress({ values, restored, read = readAddress }) {
  const page = location.pathname;
  let pushed = 0;

  function write(how) {
    if (location.pathname !== page) return;
    const search = searchWith(values());
    if (search === location.search) return;
    const pushes = how === "push" && Date.now() - pushed > TOGETHER;
    if (how === "push") pushed = Date.now();
    history[pushes ? "pushState" : "replaceState"](history.state, "", location.pathname + search + location.hash);
  }

  const changed = (event) => event.navigationType !== "traverse" && write("replace");
  const back = () => location.pathname === page && restored(read());
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

function searchWith(values) {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) search.delete(name);
    else search.set(name, value);
  }
  return search.size ? `?${search}` : "";
}
