import { rampPixels } from "./colour.js";
import { make } from "./dom.js";
import { measurer, moved, paint } from "./marks.js";
import { createMenu } from "./menu.js";
import { vector } from "./vector.js";

const AROUND_PAGE = 20;
const SCALE_WIDTH = 110; // the width of a scale
const LETTER = 12;
const LINE_HEIGHT = 17;
const LEAST_WIDTH = 420; // pixels for what stands above a figure

/**
 * The row below a figure. A picture is { marks, width, height, title, theme }; `picture()` makes it and `rows()` the
 * numbers when they are asked for; `name()` begins the names of the files.
 */
export function takesOf({ name, picture, rows, numbers = "CSV" }) {
  const save = (file, ending) => async () => download(await file(), `${name()}.${ending}`);
  return {
    SVG: save(() => svgOf(picture()), "svg"),
    PNG: save(() => pngOf(picture()), "png"),
    [numbers]: save(() => csv(rows()), "csv"),
  };
}

/** The quiet row below a figure; `takes` are functions by the label of their item, in the order shown. */
export function createRow(takes) {
  const said = make("span", { role: "status", class: "said" });
  return make("div", { class: "takeaway" }, ...takeMenu(takes, said), said);
}

/** Its button and menu; what there is to say is said for a moment in the element `said`. */
export function takeMenu(takes, said) {
  let fading = 0;
  const say = (text) => {
    said.textContent = text;
    clearTimeout(fading);
    fading = setTimeout(() => say(""), 2500);
  };
  const act = (take) => async () => {
    try {
      await take();
    } catch (error) {
      say(error.message);
    }
  };
  const isServed = location.protocol.startsWith("http"); // a file has no link that others could open
  const all = { ...(isServed && { "Copy link": async () => say(await linkCopied()) }), ...takes };
  return createMenu("Download", Object.fromEntries(Object.entries(all).map(([name, take]) => [name, act(take)])));
}

/**
 * Puts the address of the page, which holds the whole state, on the clipboard; returns what to say. It leads into no
 * class: who opens it looks at this.
 * Without a secure connection there is no clipboard: then the link itself is shown, to be copied by hand.
 */
async function linkCopied() {
  const link = new URL(location.href);
  if (link.searchParams.has("class")) link.searchParams.delete("class");
  try {
    await navigator.clipboard.writeText(link.href);
    return "Link copied";
  } catch {
    return link.href;
  }
}

/** Offers a file for download. */
export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function svgFile(text) {
  return new Blob([text], { type: "image/svg+xml" });
}

/** Text as a file that a spreadsheet opens with all its letters. */
export function csvFile(text) {
  return new Blob(["\ufeff", text], { type: "text/csv" });
}

/** Rows of texts and numbers as such a file. */
export function csv(rows) {
  return csvFile(rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join(""));
}

function csvField(value) {
  if (typeof value === "number") return value;
  // A cell that starts like a formula would be run by a spreadsheet: it gets an apostrophe.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A picture as an SVG document. */
function svgOf({ marks, ...page }) {
  return svgFile(vector(marks, page));
}

/** A picture as a PNG with two pixels for one. */
function pngOf({ marks, width, height, theme }) {
  return pngFrom({ width, height }, (context) => {
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, height);
    paint(context, marks, theme);
  });
}

/** Whatever `draw(context)` draws, as a PNG with two pixels for one. */
export function pngFrom({ width, height }, draw) {
  const canvas = make("canvas", { width: 2 * width, height: 2 * height });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  draw(context);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** A figure { marks, width, height } with a margin, below the marks of a header. */
export function withMargin(figure, margin, header = { marks: [], width: 0, height: 0 }) {
  const below = margin + header.height;
  return {
    marks: [...header.marks, ...figure.marks.map((mark) => moved(mark, margin, below))],
    width: Math.ceil(Math.max(figure.width, header.width) + 2 * margin),
    height: Math.ceil(figure.height + header.height + 2 * margin),
  };
}

/** A figure below its title, what it shows in a sentence, and the two ends of its scale. */
export function titled({ title, reading, ends }, figure, theme) {
  const measure = measurer(theme);
  const scale = scaleMarks(ends, rampPixels(theme), AROUND_PAGE, theme, measure);
  const width = Math.max(figure.width, LEAST_WIDTH, scale.width, measure(title, 19, 600));
  const lines = folded(reading, width, (text) => measure(text, LETTER));
  const small = { kind: "text", x: AROUND_PAGE, size: LETTER, colour: theme.soft };
  const below = AROUND_PAGE + 43 + LINE_HEIGHT * (lines.length - 1);
  const header = [
    { ...small, y: AROUND_PAGE + 15, text: title, size: 19, weight: 600, serif: true, colour: theme.ink },
    ...lines.map((text, line) => ({ ...small, y: AROUND_PAGE + 34 + LINE_HEIGHT * line, text })),
    ...scale.marks.map((mark) => moved(mark, 0, below)),
  ];
  const page = withMargin(figure, AROUND_PAGE, { marks: header, width, height: below + 19 - AROUND_PAGE });
  return { ...page, title: `${title}. ${reading}`, theme };
}

/** A scale between its two ends, in a line from the top of the page, `left` pixels from its edge. */
export function scaleMarks([low, high], pixels, left, theme, measure) {
  const small = { kind: "text", size: LETTER, colour: theme.soft, y: 11 };
  const ramp = { x: left + measure(low, LETTER) + 6, y: 2, width: SCALE_WIDTH, height: 9 };
  const end = ramp.x + SCALE_WIDTH + 6;
  return {
    width: end - left + measure(high, LETTER),
    marks: [
      { ...small, x: left, text: low },
      { kind: "raster", ...ramp, columns: pixels.length / 4, rows: 1, pixels },
      { kind: "rect", ...ramp, stroke: theme.hair },
      { ...small, x: end, text: high },
    ],
  };
}

/** Words in lines of a width. */
function folded(text, width, measure) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && measure(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
