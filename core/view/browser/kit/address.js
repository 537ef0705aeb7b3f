const TOGETHER = 700; // milliseconds within which several steps become one entry of the history
const SOON = 1500; // milliseconds from Streamlit's extra entry to the next page
const OWN = ["class", "present", "embed", "embed_options"]; // parameters that are each visitor's own
const GONE_TO = "atlasgoneto"; // the event that tells views of an address from elsewhere

/** What the address says, each parameter by its name; what is missing, unknown or broken is undefined. */
export function parametersOf(search = location.search) {
  const given = new URLSearchParams(search);
  const text = (name) => given.get(name) ?? undefined;
  const matched = (name, pattern) =>
    pattern
      .exec(given.get(name) ?? "")
      ?.slice(1)
      .map(Number);
  return {
    text,
    number: (name) => matched(name, /^(\d{1,9})$/)?.[0],
    pair: (name) => matched(name, /^(\d{1,5})[.-](\d{1,5})$/),
    oneOf: (name, known) => (known.includes(text(name)) ? text(name) : undefined),
    starting: (prefix) => [...given].filter(([name]) => name.startsWith(prefix)),
  };
}

/** A value for the address: null, which it need not hold, where it is the usual one. */
export function unless(value, usual) {
  return value === usual ? null : value;
}

/**
 * Keeps the address true. Streamlit writes the address too, from its own older copy, when Python changes a
 * parameter; so after each entry that others made, ours is put right. `values` are the parameters by their names, null
 * for those that the address should not hold; `restored` is called with what `read` finds after back and forward, and
 * after `goTo`.
 */
export function keepAddress({ values, read, restored }) {
  const page = location.pathname;
  let pushed = 0;

  function write(how) {
    if (location.pathname !== page || searchWith(values()) === location.search) return;
    const pushes = how === "push" && Date.now() - pushed > TOGETHER;
    if (how === "push") pushed = Date.now();
    writeParameters(values(), pushes ? "pushState" : "replaceState");
  }

  const changed = (event) => event.navigationType !== "traverse" && !window.atlasGoes && write("replace");
  const back = () => location.pathname === page && restored(read());
  const goneTo = ({ detail }) => {
    for (const name of Object.keys(values())) detail.delete(name);
    back();
  };
  window.navigation?.addEventListener("currententrychange", changed);
  window.addEventListener("popstate", back);
  window.addEventListener(GONE_TO, goneTo);
  return {
    write,
    destroy() {
      window.navigation?.removeEventListener("currententrychange", changed);
      window.removeEventListener("popstate", back);
      window.removeEventListener(GONE_TO, goneTo);
    },
  };
}

/** The page and its parameters without those that are a visitor's own, such as `text?layer=3`. */
export function sharedAddress({ pathname, search } = location) {
  const given = new URLSearchParams(search);
  for (const name of OWN) given.delete(name);
  const page = pathname.slice(pathname.lastIndexOf("/") + 1);
  return given.size ? `${page}?${given}` : page;
}

/**
 * Goes to a shared address and keeps what is this visitor's own. Another page is loaded afresh: Streamlit would drop the
 * parameters that both pages have. On the same page views take over what is theirs, and only if something else has
 * changed too the page runs again. The history does not grow: back leads to where the visitor was before.
 */
export function goTo(address) {
  const target = new URL(`./${address}`, location.href);
  const own = new URLSearchParams(location.search);
  for (const name of OWN) {
    target.searchParams.delete(name);
    for (const value of own.getAll(name)) target.searchParams.append(name, value);
  }
  if (target.origin !== location.origin) return;
  if (target.pathname !== location.pathname) {
    location.replace(target.href);
    return;
  }
  const changed = changedNames(own, target.searchParams);
  if (!changed.size) return;
  window.atlasGoes = true; // views do not put their own values back
  try {
    history.replaceState(history.state, "", target.pathname + target.search);
  } finally {
    window.atlasGoes = false;
  }
  window.dispatchEvent(new CustomEvent(GONE_TO, { detail: changed }));
  if (changed.size) window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}

/** The names of parameters whose values differ. */
function changedNames(one, other) {
  const names = new Set([...one.keys(), ...other.keys()]);
  return new Set([...names].filter((name) => String(one.getAll(name)) !== String(other.getAll(name))));
}

/** Puts parameters into the address of the page, whichever it is, and leaves the others. */
export function writeParameters(values, how = "replaceState") {
  const search = searchWith(values);
  if (search !== location.search) history[how](history.state, "", location.pathname + search + location.hash);
}

function searchWith(values) {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) search.delete(name);
    else search.set(name, value);
  }
  return search.size ? `?${search}` : "";
}

/**
 * Makes back and forward between pages lead to what was left there. Call it once for each window, however many views.
 *
 * When a visitor leaves a page by a link, Streamlit first pushes the page's address without its parameters, then the
 * next page's: going back would find the bare one. And of a restored address it drops those parameters that the page
 * in between has too. So the full address is put back, and the page is loaded afresh from it.
 */
export function mendHistory() {
  const { navigation } = window;
  if (!navigation || window.atlasHistory) return;
  window.atlasHistory = new Map(); // full addresses by the key of the bare entry
  let bare = null;
  navigation.addEventListener("currententrychange", ({ navigationType, from }) => {
    const { key, url } = navigation.currentEntry;
    const isOtherPage = pathOf(from.url) !== pathOf(url);
    if (navigationType === "push" && isBarer(url, from.url)) bare = { key, full: from.url, at: Date.now() };
    if (navigationType === "push" && isOtherPage && bare?.key === from.key && Date.now() - bare.at < SOON) {
      window.atlasHistory.set(bare.key, bare.full);
    }
    if (navigationType !== "traverse" || !isOtherPage) return;
    if (window.atlasHistory.has(key)) history.replaceState(history.state, "", window.atlasHistory.get(key));
    location.reload();
  });
}

/** Whether an address is the same page's with some parameters missing, and none changed. */
function isBarer(bare, full) {
  const [left, had] = [new URL(bare), new URL(full)];
  const kept = [...left.searchParams].every(([name, value]) => had.searchParams.get(name) === value);
  return kept && left.pathname === had.pathname && left.search !== had.search;
}

function pathOf(url) {
  return new URL(url).pathname;
}
