import { button, createFold, make, tableOf } from "../kit/dom.js";
import { rasterCanvas } from "../kit/marks.js";
import { sixDecimals, twoDigits } from "../kit/numbers.js";
import { createFlow } from "./flow.js";
import { readRow, rowOf, strengths } from "./pattern.js";
import { rowPixels } from "./picture.js";
import { tokenName } from "./scene.js";

const TOP = 6;
const WHY = "Why this weight?";
const LONGEST_FLOW = 1200;
const WHOLE_UP_TO = 32; // tokens: of longer texts a table shows the row in view
const LEFT_OUT = "This row is zero: all its weight is on tokens that were left out.";
const NOTHING_LEFT = "This row is zero: the head is silenced, or a mask after the softmax left nothing of it.";
const ENTROPY =
  "Entropy: 0 bits if one token gets everything, one more bit for each doubling of the tokens that share it evenly";

/** The panel that reads one row aloud: where this token looks, how much, and how widely. */
export function createReading({ askExact, explain }) {
  const title = make("h2");
  const flow = createFlow();
  flow.element.tabIndex = 0; // a long text is scrolled
  const little = make("canvas", { class: "little", "aria-hidden": "true" });
  const body = make("tbody");
  const caption = make("caption", { class: "unseen" }, "The keys with the largest weights");
  const table = make("table", { class: "top" }, caption, body);
  const spread = make("p", { class: "quiet", title: ENTROPY });
  const sum = make("p", { class: "quiet" });
  const exact = button("Exact values and row sum", askExact, { class: "text-button", "aria-pressed": "false" });
  const parts = [title, flow.element, little, table, spread, exact, sum];
  const element = make("section", { class: "reading", "aria-label": "The row in view" }, ...parts);
  let writtenFor = null;

  function writeFlow(pattern) {
    if (writtenFor === pattern) return;
    writtenFor = pattern;
    const isText = pattern.layer.key.kind === "text" && pattern.keys.length <= LONGEST_FLOW;
    flow.element.hidden = !isText;
    little.hidden = pattern.layer.key.kind !== "patches";
    if (isText) flow.write(pattern.layer.key, pattern.keys);
  }

  function show({ pattern, query, pinned, row, look, asked, exactly, approximate, canExact, explains }) {
    exact.hidden = !canExact;
    const reading = readRow(row);
    const top = reading.order.slice(0, TOP);
    writeFlow(pattern);
    title.textContent = `${tokenName(pattern.layer.query, query)} looks at …`;
    if (!flow.element.hidden) paintFlow(pattern, look, row, query, pinned, top[0]);
    if (!little.hidden) drawLittle(little, rowPixels(pattern, look, row));
    const asks = explains ? (key) => explain(query, key) : null;
    const lines = top.map((place) => line(pattern, row[place], place, { largest: reading.largest, exactly, asks }));
    const focused = body.querySelector("button:focus")?.dataset.key;
    body.replaceChildren(...lines, ...Array.from({ length: TOP - lines.length }, emptyLine));
    if (focused !== undefined) body.querySelector(`button[data-key="${focused}"]`)?.focus({ preventScroll: true });
    spread.textContent = sentence(pattern, reading, approximate);
    sum.textContent = asked ? `Row sum ${exactly ? reading.sum.toFixed(6) : "…"}` : "";
    exact.setAttribute("aria-pressed", asked);
  }

  function paintFlow(pattern, look, row, query, pinned, strongestPlace) {
    const drawn = strengths(look.scale, row);
    const [looking, kept] = pattern.layer.query === pattern.layer.key ? [query, pinned] : [null, null];
    flow.paint(look.theme, (token) => drawn[pattern.columnOfKey.get(token)], looking, kept);
    flow.reveal(pattern.keys[strongestPlace]);
  }

  return { element, show };
}

/** The row as one sentence, for who hears it. */
export function spoken(pattern, query, row) {
  const { order } = readRow(row);
  const named = (place) => `${tokenName(pattern.layer.key, pattern.keys[place])} ${twoDigits(row[place])}`;
  const top = order.slice(0, 3).map(named);
  return `${tokenName(pattern.layer.query, query)} looks at ${top.join(", ") || "nothing: its row is empty"}.`;
}

/** A weight as it is written: two decimals, six where it came to the last digit. */
export function written(weight, exactly = false) {
  if (Number.isNaN(weight)) return "not a number";
  if (weight < 0) return "not allowed";
  return exactly ? sixDecimals(weight) : twoDigits(weight);
}

/** A key, its weight as a bar and as a number; with `asks` a click on the number asks why it is that. */
function line(pattern, weight, place, { largest, exactly, asks }) {
  const key = pattern.keys[place];
  const name = pattern.layer.key.labels[key];
  const label = make("th", { scope: "row", dir: "auto", title: name }, name);
  const bar = make("i", { class: "bar" });
  bar.style.width = `${largest > 0 ? Math.max(1, (100 * weight) / largest) : 0}%`;
  const number = written(weight, exactly);
  const about = { class: "why", "data-key": key, title: WHY, "aria-label": `${name}: ${number}. ${WHY}` };
  const end = asks ? button(number, () => asks(key), about) : number;
  return make("tr", {}, label, make("td", {}, bar), make("td", {}, end));
}

/** Keeps what stands below in its place while the pointer moves over shorter rows. */
function emptyLine() {
  return make("tr", { "aria-hidden": "true" }, make("td", { colspan: 3 }, "\u00a0"));
}

function sentence(pattern, reading, approximate) {
  if (reading.missing) return "This row holds values that are not numbers (NaN).";
  if (!reading.allowed) return "The mask lets this token look at nothing.";
  if (!(reading.sum > 0)) return pattern.renormalised ? LEFT_OUT : NOTHING_LEFT;
  const { key } = pattern.layer;
  const unit = key.kind === "patches" && !pattern.keys.some((token) => key.special[token]) ? "patches" : "tokens";
  const things = key.starts ? "blocks" : unit;
  const holds = `${reading.holders} of ${reading.allowed} ${things} ${reading.holders === 1 ? "holds" : "hold"} 90%`;
  return `${holds} · entropy ${approximate ? "≈ " : ""}${reading.entropy.toFixed(2)} bits${rest(pattern, reading.sum)}`;
}

/** What a row sums to, where a mask after the softmax or an attention sink took a part of it. */
function rest(pattern, sum) {
  return pattern.renormalised || Math.abs(sum - 1) < 0.01 ? "" : ` · the row sums to ${twoDigits(sum)}`;
}

function drawLittle(canvas, { pixels, rows, columns }) {
  canvas.style.aspectRatio = `${columns} / ${rows}`;
  rasterCanvas(pixels, columns, rows, canvas);
}

/** The same numbers as a table: the whole map while it is small, else the row in view, as where exact values are wanted. */
export function createTable() {
  return createFold("These weights as a table", ({ pattern, title, query, row, exactly }) => {
    const { layer, keys, queries } = pattern;
    const name = (key) => layer.key.labels[key];
    if (exactly || Math.max(queries.length, keys.length) > WHOLE_UP_TO) {
      const rows = keys.map((key, place) => [name(key), written(row[place], exactly)]);
      return [tableOf(`${title}: where ${tokenName(layer.query, query)} looks`, null, rows)];
    }
    const cells = (token) => Array.from(rowOf(pattern, token), (weight) => written(weight));
    const rows = queries.map((token) => [layer.query.labels[token], ...cells(token)]);
    return [tableOf(`${title}: each row is a query, each column a key`, keys.map(name), rows)];
  });
}
