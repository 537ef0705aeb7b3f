import { button, choice, field, make, setAttributes, signButton } from "../../../core/view/browser/kit/dom.js";
import { SCALES_OF_COLOUR } from "./painting.js";

const KINDS = { share: "Share", maximum: "Maximum" };

/** What stands above the map: what its cells show, the scale of colours, and the zoom. `restyle` takes what changes. */
export function createControls({ restyle, stage }) {
  const kindButton = ([kind, label]) => button(label, () => restyle({ kind }), { "data-kind": kind });
  const group = { class: "segment", role: "group", "aria-label": "Of the weights in a cell" };
  const kinds = make("div", group, ...Object.entries(KINDS).map(kindButton));
  const scales = choice(SCALES_OF_COLOUR, (scale) => restyle({ scale }));
  const zoom = make(
    "div",
    { class: "stepper", role: "group", "aria-label": "Zoom" },
    signButton("−", "Zoom out", () => stage.zoomIn(-1)),
    signButton("+", "Zoom in", () => stage.zoomIn(1)),
    button("All", () => stage.showAll(), { "aria-label": "Show the entire map" }),
  );

  function show({ kind, scale }) {
    for (const own of kinds.children) setAttributes(own, { "aria-pressed": String(own.dataset.kind === kind) });
    scales.value = scale;
  }

  return { elements: [kinds, field("label", "Colours ", scales), zoom], show };
}
