const SOON = 1500; // milliseconds from Streamlit's extra entry to the next page

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
