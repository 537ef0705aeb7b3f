import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make } from "../attention_view/dom.js";
import { mendHistory } from "../attention_view/history.js";
import { download, pngFrom } from "./files.js";
import { plotOf, svgOfPlot } from "./plot.js";
import { createRow } from "./row.js";

/** Streamlit calls this for each new message and each new theme: the row is so small that it is built anew. */
export default function ({ parentElement: host, data }) {
  mendHistory();
  host.querySelector(".take")?.remove();
  const root = make("div", { class: "take" });
  host.append(root);
  const theme = readTheme(root, data.palettes, false);
  applyTheme(root, theme);
  const svg = () => svgOfPlot(plotOf(data.chart), { paper: theme.paper, alt: data.alt });
  const takes = {
    SVG: async () => download(new Blob([await svg()], { type: "image/svg+xml" }), `${data.name}.svg`),
    PNG: async () => download(await pngFrom(await svg()), `${data.name}.png`),
  };
  const numbers = () => download(new Blob(["\ufeff", data.csv], { type: "text/csv" }), `${data.name}.csv`);
  if (data.csv !== null) takes["Numbers (CSV)"] = numbers;
  root.append(createRow(takes));
  return () => root.remove();
}
