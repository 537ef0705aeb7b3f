import { make } from "../../../core/view/browser/kit/dom.js";
import { mounting, ROOM_CHANGED, View } from "../../../core/view/browser/kit/mounting.js";

const BELOW = 12; // pixels between the notice and the lower edge of the screen
const LINES = 2; // of a notice that stay on the screen below the figure
const LEAST = 0.45; // of the screen's height: a figure that begins lower is scrolled to, and has this much room
const KINDS =
  "[data-testid=stPlotlyChart], [data-testid=stImage], [data-testid^=stBidiComponent], [data-testid=stTable], [data-testid=stDataFrame]";
const STATE = "data-test-script-state";
const PLOT = "[data-testid=stPlotlyChart]";
const OURS = "[data-testid^=stBidiComponent]";
const UNSEEN = ":is(.st-key-projector, .st-key-section-name, .st-key-term-popover, [class*=st-key-takeaway])";
const COLUMN = "[data-testid=stColumn]";
const ELEMENT = "[data-testid=stElementContainer]";

/**
 * Marks the first figure of a section and those beside it, `data-figure`, with the pixels that are left for them,
 * `--room`; and the order of a notice that the page puts above its figure: it comes below. Styles do the rest.
 */
class Projector extends View {
  build() {
    this.marked = new Map(); // what is marked: its element, and its room or its place in the order
    return make("div", { class: "view", hidden: true });
  }

  show() {
    document.documentElement.style.setProperty("--paper", this.theme.paper);
    if (this.changes) return;
    this.main = document.querySelector("[data-testid=stMain]");
    this.measured = new WeakSet();
    this.heights = new ResizeObserver(() => this.arrange());
    this.changes = new MutationObserver(() => this.soon(() => this.arrange()));
    this.changes.observe(this.main, { childList: true, subtree: true });
    this.app = this.main.closest("[data-testid=stApp]");
    this.changes.observe(this.app, { attributeFilter: [STATE] }); // at the end of a run nothing is awaited any more
    window.addEventListener("resize", () => this.arrange(), { signal: this.lifetime.signal });
    this.arrange();
  }

  arrange() {
    const all = [...this.main.querySelectorAll(KINDS)];
    const notice = this.main.querySelector(".st-key-first-notice");
    for (const one of [...all, ...(notice ? [notice] : [])]) {
      if (!this.measured.has(one)) this.heights.observe(one);
      this.measured.add(one);
    }
    const first = all.find(isLarge);
    const isRunning = this.app.getAttribute(STATE) === "running";
    if (isRunning && all.slice(0, all.indexOf(first)).some(isAwaited)) return;
    this.mark(first ? new Map([...ordered(first, notice), ...this.roomed(first, all, notice)]) : new Map());
  }

  /** The first figure and those of its kind beside it, with the height that is left. */
  roomed(first, all, notice) {
    const top = first.getBoundingClientRect().top;
    const down = top - this.main.getBoundingClientRect().top + this.main.scrollTop;
    const line = parseFloat(getComputedStyle(document.documentElement).fontSize) * 1.5;
    const caption = isCaption(first, notice) ? Math.min(notice.offsetHeight, LINES * line + 4) + BELOW : 0;
    const room = Math.round(Math.max(LEAST * innerHeight, innerHeight - down - caption - BELOW));
    const row = all.filter((one) => one === first || (isLarge(one) && isBeside(one, first, 2 * line)));
    return [...row.map((one) => [one.closest(ELEMENT), { room }]), ...alone(first, row)];
  }

  mark(wanted) {
    let isNew = false;
    for (const [element, mark] of this.marked) {
      if (same(mark, wanted.get(element))) continue;
      delete element.dataset.figure;
      delete element.dataset.columns;
      element.style.removeProperty("--room");
      element.style.removeProperty("order");
    }
    for (const [element, mark] of wanted) {
      if (same(mark, this.marked.get(element))) continue;
      isNew ||= "room" in mark;
      if ("order" in mark) element.style.order = mark.order;
      else if ("columns" in mark) element.dataset.columns = mark.columns;
      else {
        element.dataset.figure = "first";
        element.style.setProperty("--room", `${mark.room}px`);
      }
    }
    this.marked = wanted;
    if (isNew) window.dispatchEvent(new Event(ROOM_CHANGED));
  }

  destroy() {
    this.changes?.disconnect();
    this.heights?.disconnect();
    this.mark(new Map());
    super.destroy();
  }
}

function same(one, other) {
  return one?.room === other?.room && one?.order === other?.order && one?.columns === other?.columns;
}

/** A view of ours that is not drawn yet; a few are never seen. */
function isAwaited(one) {
  return one.matches(OURS) && one.offsetHeight < 8 && !one.closest(UNSEEN) && one.checkVisibility();
}

/** Larger than a row of controls or a link for a download. */
function isLarge(one) {
  const { width, height } = one.getBoundingClientRect();
  return ((height >= 90 && width >= 120) || (height >= 60 && width >= 600)) && one.checkVisibility();
}

/** Whether a figure begins as far down in its column as the first one in another column of the same row. */
function isBeside(one, first, apart) {
  const [own, other] = [one.closest(COLUMN), first.closest(COLUMN)];
  if (!own || own === other || own.parentElement !== other?.parentElement) return false;
  const down = (figure, column) => figure.getBoundingClientRect().top - column.getBoundingClientRect().top;
  return Math.abs(down(one, own) - down(first, other)) < apart;
}

/** Where the other columns have no figure beside one that can use the width, they come below it. */
function alone(first, row) {
  const column = first.closest(COLUMN);
  if (!column || row.length > 1 || !isWide(first)) return [];
  return [
    [column.parentElement, { columns: "below" }],
    [column, { order: -1 }],
  ];
}

/** Whether a figure can use all the width of a page: a plot, all heads beside a map, an equation; not a square map. */
function isWide(figure) {
  if (figure.matches(PLOT)) return true;
  return [figure, ...figure.querySelectorAll("*")].some((part) => part.shadowRoot?.querySelector(".atlas, .steps"));
}

/** Whether the notice stands below the figure, and not in a column beside it. */
function isCaption(figure, notice) {
  if (!notice) return false;
  const [box, other] = [figure.getBoundingClientRect(), notice.getBoundingClientRect()];
  return other.left < box.right && other.right > box.left;
}

/** The order of a notice that precedes the figure: it comes next after it, and all else after that. */
function ordered(figure, notice) {
  const precedes = notice && figure.compareDocumentPosition(notice) & Node.DOCUMENT_POSITION_PRECEDING;
  if (!precedes) return [];
  let shared = notice.parentElement;
  while (!shared.contains(figure)) shared = shared.parentElement;
  if (getComputedStyle(shared).flexDirection === "row") return [];
  let own = notice;
  for (let one = notice; one !== shared; one = one.parentElement) {
    if (getComputedStyle(one).display !== "contents") own = one;
  }
  const children = [...shared.children];
  const last = children.findIndex((child) => child.contains(figure));
  return [[own, { order: 1 }], ...children.slice(last + 1).map((child) => [child, { order: 2 }])];
}

export default mounting(Projector);
