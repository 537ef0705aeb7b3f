import { make, svg } from "../../../core/view/browser/kit/dom.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { createRow, csvFile, download, pngFrom, svgFile } from "../../../core/view/browser/kit/saving.js";

const FOLLOWS_POINTER = ".hoverlayer, .draglayer, .selectionlayer, .zoomlayer";

/** The row below a Plotly chart; it is so small that each message builds it anew. */
class Takeaway extends View {
  build() {
    return make("div", { class: "take" });
  }

  show({ name, csv }) {
    const takes = {
      SVG: async () => download(svgFile(await this.drawing()), `${name}.svg`),
      PNG: async () => download(await pngOfText(await this.drawing()), `${name}.png`),
    };
    if (csv !== null) takes["Numbers (CSV)"] = () => download(csvFile(csv), `${name}.csv`);
    this.root.replaceChildren(createRow(takes));
  }

  drawing() {
    return svgOfPlot(plotOf(this.data.chart), { paper: this.theme.paper, alt: this.data.alt });
  }
}

/** The Plotly chart in the Streamlit element with this key; an Error while there is none. */
function plotOf(key) {
  const name = key.trim().replace(/[^a-zA-Z0-9_-]/g, "-"); // as Streamlit makes a class of a key
  const plot = document.querySelector(`.st-key-${CSS.escape(name)} .js-plotly-plot`);
  if (!plot?.querySelector(".main-svg")) throw new Error("The chart is not drawn yet; try again in a moment.");
  return plot;
}

/** All layers of a chart as one SVG on the page's paper, with its font inside, so that it looks the same elsewhere. */
async function svgOfPlot(plot, { paper, alt }) {
  const layers = [...plot.querySelectorAll(".main-svg")];
  const [width, height] = ["width", "height"].map((side) => layers[0].getAttribute(side));
  const style = svg("style", {}, `.crisp { shape-rendering: crispEdges; } ${await fontOf(plot)}`);
  const parts = [svg("title", {}, alt), style, svg("rect", { width, height, fill: paper })];
  for (const layer of layers) {
    const copy = svg("g", {}, ...layer.cloneNode(true).childNodes);
    copy.querySelectorAll(FOLLOWS_POINTER).forEach((part) => part.remove());
    // On the screen lines keep their width while a chart is zoomed; in a larger picture they grow with it.
    copy.querySelectorAll("[style*=vector-effect]").forEach((line) => line.style.removeProperty("vector-effect"));
    parts.push(copy);
  }
  const about = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" };
  return new XMLSerializer().serializeToString(svg("svg", about, ...parts));
}

/** The rule for the font of a chart's letters with the font itself in it, or nothing where the system has it. */
async function fontOf(plot) {
  const letters = plot.querySelector("text");
  const families = letters ? getComputedStyle(letters).fontFamily.toLowerCase() : "";
  const isUsed = (rule) =>
    families.startsWith(rule.style.fontFamily.toLowerCase()) && rule.style.fontStyle !== "italic";
  const rule = [...document.styleSheets].flatMap(facesOf).find(isUsed);
  const address = /url\("([^"]+)"\)/.exec(rule?.style.src ?? "")?.[1];
  if (!address) return "";
  const answer = await fetch(new URL(address, rule.parentStyleSheet.href ?? location.href));
  if (!answer.ok) return "";
  const { fontFamily, fontWeight } = rule.style;
  return `@font-face { font-family: ${fontFamily}; font-weight: ${fontWeight}; src: url("${await inlined(await answer.blob())}"); }`;
}

function facesOf(sheet) {
  try {
    return [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule);
  } catch {
    return []; // a style sheet from elsewhere (a browser's extension) may not be read
  }
}

function inlined(blob) {
  const reader = new FileReader();
  return new Promise((done, failed) => {
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** The text of an SVG as PNG, with two pixels for one. */
async function pngOfText(text) {
  const image = make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
  await image.decode();
  const [width, height] = [image.naturalWidth, image.naturalHeight];
  return pngFrom({ width, height }, (context) => context.drawImage(image, 0, 0, width, height));
}

export default mounting(Takeaway);
