import { keepAddress, parametersOf, unless } from "../../../core/view/browser/kit/address.js";
import { createFold, make } from "../../../core/view/browser/kit/dom.js";
import { shortened } from "../../../core/view/browser/kit/labels.js";
import { moved } from "../../../core/view/browser/kit/marks.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { comeBack, reveal } from "../../../core/view/browser/kit/reveal.js";
import { createRow, takesOf } from "../../../core/view/browser/kit/saving.js";
import { alignmentOf, isSameFocus, isWithin, lightsOf, rowsOfPanels, sentenceFor, tableFor } from "./alignment.js";
import { cellWidthIn } from "./chart.js";
import { createPanel, createWords } from "./panel.js";

const GAP = 32; // pixels between panels
const NARROWEST = 270; // pixels of a panel that has others beside it
const COMFORTABLE = 6.5; // pixels of a cell: narrower ones get a panel of the full width
const PREFIX = "map-"; // of the parameters in the address
const BORDER = 20; // pixels of a picture's margin
const TITLED = 56; // pixels for the titles of a panel in a picture
const AROUND = 380; // pixels above and below the maps on a projector: sentences, names and what is pointed at

class AlignmentView extends View {
  panels = new Map(); // by key
  chosen = {}; // the name of the map in view, by the panel's key
  pinned = null;
  hovered = null;

  build() {
    const focus = (column) => (column === null ? null : { panel: null, column });
    this.source = createWords({
      point: (column) => this.hover(focus(column)),
      choose: (column) => this.pin(focus(column)),
    });
    this.sourceName = make("span", { class: "label" });
    this.stage = make("div", { class: "panels" });
    this.tell = make("p", { class: "tell", "aria-live": "polite" });
    this.tables = createFold("These weights as tables", ({ scene, maps }) =>
      scene.panels.map((panel, place) => tableFor(scene, panel, maps[place])),
    );
    const rows = () => rowsOfPanels(this.scene, this.maps);
    const takes = { name: () => this.data.name, picture: () => this.picture(), rows, numbers: "Numbers (CSV)" };
    const sentence = make("div", { class: "source" }, this.sourceName, this.source.element);
    const parts = [sentence, this.stage, this.tell, createRow(takesOf(takes)), this.tables.element];
    const about = { click: () => this.pin(null), keydown: (event) => this.press(event) };
    return make("div", { class: "view alignment", role: "group", ...about }, ...parts);
  }

  show(data) {
    this.open(data);
    this.draw();
    if (this.isExplained && !data.explained) comeBack(this.stage);
    this.isExplained = data.explained;
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
    const { scene, theme, maps } = this;
    const room = this.present ? Math.max(400, this.room - AROUND) : null;
    this.drawnWidth = this.root.clientWidth;
    const across = this.across(this.drawnWidth);
    this.isStacked = across === 1;
    this.stage.style.setProperty("--across", across);
    const width = Math.floor((this.drawnWidth - (across - 1) * GAP) / across);
    scene.panels.forEach((panel, place) =>
      this.panels.get(panel.key).show(scene, panel, maps[place], { theme, room, width }),
    );
    this.tables.show({ scene, maps });
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
    scene.panels.forEach(({ key }, place) => this.panels.get(key).light(lights?.panels[place], lights?.columns));
    this.source.light(this.theme, lights?.columns, focus?.panel === null ? focus.column : null);
    this.tell.classList.toggle("idle", !focus);
    this.tell.textContent = focus ? sentenceFor(scene, maps, focus) : this.idle;
  }

  get idle() {
    if (this.present) return "";
    const { canClick, explains } = this.data;
    const click = explains ? "a cell to see why it has its weight" : "a cell to change it";
    const pin = canClick || explains ? `Click a word to keep it, ${click}.` : "Click to keep it.";
    const sure = this.scene.panels.some((panel) => panel.logProbabilities);
    const bars = sure ? " The bar under a word is as long as the word was probable." : "";
    return `Point at a word or a cell: what belongs together lights up. ${pin}${bars}`;
  }

  hover(focus) {
    if (this.pinned) return;
    this.hovered = focus;
    this.soon(() => this.light());
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
    if (isCell && this.data.explains) this.askWhy(panel, { row, column }, focus);
    else if (isCell && this.data.canClick)
      this.component.setTriggerValue("cell", { panel, target: row, source: column });
    else this.pin(focus);
  }

  /** Keeps a cell lit and asks the page why it has its weight. */
  askWhy(panel, { row, column }, focus) {
    if (!isSameFocus(focus, this.pinned)) this.pin(focus);
    const place = this.scene.panels.findIndex(({ key }) => key === panel);
    const map = this.scene.panels[place].maps.indexOf(this.maps[place]);
    this.component.setTriggerValue("why", { panel, map, target: row, source: column });
    reveal(this.data.explains, this.lifetime.signal);
  }

  press(event) {
    if (event.key !== "Escape" || !this.pinned) return;
    event.stopPropagation();
    this.pin(null);
  }

  /** What the address should hold: the maps that differ from those shown at first. */
  wished() {
    const { maps: seen, scene } = this;
    const wish = ({ key, maps, start }, place) => [PREFIX + key, unless(seen[place].name, maps[start].name)];
    return Object.fromEntries(scene.panels.map(wish));
  }

  addressed() {
    const given = parametersOf().starting(PREFIX);
    return Object.fromEntries(given.map(([name, map]) => [name.slice(PREFIX.length), map]));
  }

  /** Panels side by side or below one another, as on the screen, each below its title. */
  picture() {
    const { scene, maps, theme, isStacked } = this;
    const marks = [];
    let [x, y, width, height] = [BORDER, BORDER, 0, 0];
    scene.panels.forEach((panel, place) => {
      const { marks: own, geometry } = this.panels.get(panel.key).drawn();
      const small = { kind: "text", x, size: 12, colour: theme.soft };
      const about = [panel.about, maps[place].name].filter(Boolean).join(" · ");
      marks.push(
        { ...small, y: y + 16, text: panel.title, size: 18, weight: 600, serif: true, colour: theme.ink },
        { ...small, y: y + 36, text: shortened(about, Math.floor(Math.max(30, geometry.width / 6.5))) },
        ...own.map((mark) => moved(mark, x, y + TITLED)),
      );
      [width, height] = [Math.max(width, x + geometry.width), Math.max(height, y + TITLED + geometry.height)];
      if (isStacked) y += TITLED + geometry.height + BORDER;
      else x += Math.max(geometry.width, 220) + 2 * BORDER;
    });
    const title = scene.panels.map((panel) => panel.title).join(", ");
    return { marks, width: Math.ceil(width + BORDER), height: Math.ceil(height + BORDER), title, theme };
  }
}

export default mounting(AlignmentView);
