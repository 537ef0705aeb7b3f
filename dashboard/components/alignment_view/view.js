import { keepAddress } from "../attention_view/address.js";
import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make } from "../attention_view/dom.js";
import { mounting } from "../attention_view/mounting.js";
import { download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { alignmentOf, isSameFocus, isWithin, lightsOf } from "./alignment.js";
import { cellWidthIn } from "./chart.js";
import { createTables } from "./numbers_behind.js";
import { createPanel } from "./panel.js";
import { csvOfPanels, pngOfPanels, svgOfPanels } from "./saving.js";
import { sentenceFor } from "./telling.js";
import { createWords } from "./words.js";

const GAP = 32; // pixels between panels
const NARROWEST = 270; // pixels of a panel that has others beside it
const COMFORTABLE = 6.5; // pixels of a cell: narrower ones get a panel of the full width
const PREFIX = "map-"; // of the parameters in the address

class AlignmentView {
  constructor(host) {
    this.turn = 0;
    this.panels = new Map(); // by key
    this.chosen = {}; // the name of the map in view, by the panel's key
    this.pinned = null;
    this.hovered = null;
    this.build(host);
    this.stop = new AbortController();
    document.fonts.addEventListener("loadingdone", () => this.draw(), { signal: this.stop.signal });
    this.sizes = new ResizeObserver(() => this.root.clientWidth !== this.drawnWidth && this.draw());
    this.sizes.observe(this.root);
  }

  build(host) {
    const focus = (column) => (column === null ? null : { panel: null, column });
    this.source = createWords({
      point: (column) => this.hover(focus(column)),
      choose: (column) => this.pin(focus(column)),
    });
    this.sourceName = make("span", { class: "label" });
    this.stage = make("div", { class: "panels" });
    this.tell = make("p", { class: "tell", "aria-live": "polite" });
    this.tables = createTables();
    const file = (ending) => `${this.name}.${ending}`;
    this.row = createRow({
      SVG: () => download(svgOfPanels(this.page()), file("svg")),
      PNG: async () => download(await pngOfPanels(this.page()), file("png")),
      "Numbers (CSV)": () => download(csvOfPanels(this.page()), file("csv")),
    });
    const sentence = make("div", { class: "source" }, this.sourceName, this.source.element);
    this.root = make(
      "div",
      { class: "alignment", role: "group", click: () => this.pin(null), keydown: (event) => this.press(event) },
      ...[sentence, this.stage, this.tell, this.row, this.tables.element],
    );
    host.append(this.root);
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.component = component;
    this.present = data.present;
    this.canClick = data.canClick;
    this.name = data.name;
    this.theme = readTheme(this.root, data.palettes, data.present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", data.present);
    this.open(data);
    this.draw();
    return ++this.turn;
  }

  /** Shows another scene; the maps in view stay, by their names. */
  open(data) {
    this.scene = alignmentOf(data);
    if (this.pinned && !isWithin(this.scene, this.pinned)) this.pinned = null;
    this.hovered = null;
    this.sourceName.textContent = data.sourceName;
    this.source.write({ labels: data.source, label: data.sourceName });
    const kept = this.panels;
    this.panels = new Map(this.scene.panels.map(({ key }, place) => [key, kept.get(key) ?? this.panel(key, place)]));
    const elements = [...this.panels.values()].map((panel) => panel.element);
    if (elements.some((element, place) => this.stage.children[place] !== element) || kept.size !== this.panels.size) {
      this.stage.replaceChildren(...elements);
    }
    this.scene.panels.forEach((panel) => this.panels.get(panel.key).write(panel));
    if (!data.address) return;
    if (!this.address) this.chosen = { ...this.chosen, ...this.addressed() };
    this.address ??= keepAddress({
      values: () => this.wished(),
      read: () => this.addressed(),
      restored: (chosen) => {
        this.chosen = chosen;
        this.draw();
      },
    });
  }

  panel(key) {
    const place = () => this.scene.panels.findIndex((panel) => panel.key === key);
    const focus = (at) => (at.row === null ? { panel: null, column: at.column } : { panel: place(), ...at });
    return createPanel({
      point: (at) => this.hover(at && focus(at)),
      choose: (at) => this.choose(key, at, focus(at)),
      pick: (map) => this.pick(key, map),
    });
  }

  /** The map in view of each panel. */
  get maps() {
    return this.scene.panels.map(
      ({ key, maps, start }) => maps.find(({ name }) => name === this.chosen[key]) ?? maps[start],
    );
  }

  pick(key, place) {
    const panel = this.scene.panels.find((each) => each.key === key);
    this.chosen = { ...this.chosen, [key]: panel.maps[place].name };
    this.address?.write("push");
    this.draw();
  }

  /** Draws everything that the scene, the maps in view and the width of the page decide. */
  draw() {
    if (!this.scene || !this.root.clientWidth) return;
    const { scene, theme, present, maps } = this;
    this.drawnWidth = this.root.clientWidth;
    const across = this.across(this.drawnWidth);
    this.isStacked = across === 1;
    this.stage.style.setProperty("--across", across);
    const width = Math.floor((this.drawnWidth - (across - 1) * GAP) / across);
    scene.panels.forEach((panel, place) =>
      this.panels.get(panel.key).show(scene, panel, maps[place], { theme, present, width }),
    );
    this.tables.show(scene, maps);
    this.light();
  }

  /** How many panels stand side by side: as many as have room for their words. */
  across(width) {
    const { panels, sources } = this.scene;
    for (let count = Math.min(panels.length === 4 ? 2 : 3, panels.length); count > 1; count--) {
      const each = (width - (count - 1) * GAP) / count;
      if (each >= NARROWEST && cellWidthIn(each, sources) >= COMFORTABLE) return count;
    }
    return 1;
  }

  /** Lights what belongs to the word in view, and says its sentence. */
  light() {
    const { scene, maps } = this;
    const focus = this.pinned ?? this.hovered;
    const lights = focus && lightsOf(scene, maps, focus);
    scene.panels.forEach(({ key }, place) =>
      this.panels.get(key).light(lights && lights.panels[place], lights?.columns),
    );
    this.source.light(this.theme, lights?.columns, focus?.panel === null ? focus.column : null);
    this.tell.classList.toggle("idle", !focus);
    this.tell.textContent = focus ? sentenceFor(scene, maps, focus) : this.idle;
  }

  get idle() {
    if (this.present) return "";
    const pin = this.canClick ? "Click a word to keep it, a cell to change it." : "Click to keep it.";
    const sure = this.scene.panels.some((panel) => panel.logProbabilities);
    const bars = sure ? " The bar under a word is as long as the word was probable." : "";
    return `Point at a word or a cell: what belongs together lights up. ${pin}${bars}`;
  }

  hover(focus) {
    if (this.pinned) return;
    this.hovered = focus;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.light();
    });
  }

  pin(focus) {
    if (!focus && !this.pinned) return;
    this.pinned = isSameFocus(focus, this.pinned) ? null : focus;
    this.hovered = null;
    this.root.classList.toggle("pinned", Boolean(this.pinned));
    this.light();
  }

  /** A click in a panel: on a cell it may be the server's, on a word it pins. */
  choose(panel, { row, column }, focus) {
    const isCell = row !== null && column !== null;
    if (isCell && this.canClick) this.component.setTriggerValue("cell", { panel, target: row, source: column });
    else this.pin(focus);
  }

  press(event) {
    if (event.key !== "Escape" || !this.pinned) return;
    event.stopPropagation();
    this.pin(null);
  }

  /** What the address should hold: the maps that differ from those shown at first. */
  wished() {
    const names = this.maps.map((map) => map.name);
    return Object.fromEntries(
      this.scene.panels.map(({ key, maps, start }, place) => [
        PREFIX + key,
        names[place] === maps[start].name ? null : names[place],
      ]),
    );
  }

  addressed() {
    const given = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith(PREFIX));
    return Object.fromEntries(given.map(([name, map]) => [name.slice(PREFIX.length), map]));
  }

  /** What goes into a file. */
  page() {
    const drawn = this.scene.panels.map(({ key }) => this.panels.get(key).drawn());
    return { scene: this.scene, maps: this.maps, drawn, theme: this.theme, isStacked: this.isStacked };
  }

  destroy() {
    this.stop.abort();
    this.sizes.disconnect();
    this.address?.destroy();
    this.root.remove();
  }
}

export default mounting(AlignmentView);
