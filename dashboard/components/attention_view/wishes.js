import { download } from "../takeaway/files.js";
import { linkCopied } from "../takeaway/row.js";
import { csvOf, fileName, pngOf, svgOf } from "./export.js";
import { spoken } from "./reading.js";

/** What the buttons below the figure do; `view` is asked for what it shows at the moment of the click. */
export function wishesOf(view) {
  const file = (kind) => `atlas-${fileName(view.now.title)}.${kind}`;
  const page = () => ({
    title: [view.scene.title, view.now.title].filter(Boolean).join(": "),
    reading: spoken(view.pattern, view.now.query, view.now.row),
    row: view.view === "picture" ? view.now.row : null,
  });
  return {
    link: async () => view.actions.say(await linkCopied()),
    svg: () => download(svgOf(view.figure.marks(), page(), view.look), file("svg")),
    png: async () => download(await pngOf(view.figure.marks(), page(), view.look), file("png")),
    csv: () => download(csvOf(view.pattern), file("csv")),
    fullscreen: () => view.screen.toggle(),
    silence: () => view.server.silence(view.state.layer, view.state.head),
  };
}
