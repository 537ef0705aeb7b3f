import { make } from "../../../core/view/browser/kit/dom.js";
import { headName } from "../../../core/view/browser/kit/labels.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { createRow, download, takesOf, titled } from "../../../core/view/browser/kit/saving.js";
import { levelsOf } from "./axes.js";
import { TextBeside } from "./beside.js";
import { createControls } from "./controls.js";
import { MapFigure } from "./figure.js";
import { placeText, readPlace, tokenRange } from "./geometry.js";
import { createHeadGrid } from "./heads.js";
import { endsOfScale, wordsOfPicture } from "./legend.js";
import { LinkList } from "./links.js";
import { Reading } from "./reading.js";
import { progressText } from "./sentences.js";
import { fileFrom } from "./server.js";

const QUIET = 600; // milliseconds without motion until Python is told where the map is
const FOLLOWING = 160; // milliseconds between two steps of the text behind the map
const ECHO = 5000; // milliseconds within which a place from Python may be one that was sent to it
const HELD = 500; // milliseconds for which the text does not follow a motion that began in it
const LINK_CELL = 16; // pixels of a token where a link is shown
const PRESENTED = 1.3; // times larger letters for the projector
const LOWEST = 240; // pixels of the map's height on a projector

class MapView extends View {
  open = { layer: 0, head: 0 };
  look = { kind: "share", scale: "log" };
  sent = new Map(); // when places were sent to Python
  held = 0; // until when the text stays

  build() {
    this.figure = new MapFigure({
      moved: (by) => this.moved(by),
      chosen: (query) => this.beside.choose(query),
      drawn: () => this.showScale(),
      idle: () => this.idle,
    });
    this.beside = new TextBeside({ go: (token) => this.goToRow(token), chose: (token) => this.mark(token) });
    this.heads = createHeadGrid({ pick: (layer, head) => this.openHead(layer, head) });
    this.notice = make("p", { class: "notice" });
    this.links = new LinkList({
      go: (query, key) => this.goToLink(query, key),
      tell: (sentence) => this.notice.replaceChildren(...(sentence ? [make("b", {}, "Notice: "), sentence] : [])),
    });
    this.controls = createControls({ restyle: (look) => this.restyle(look), stage: this.figure.stage });
    this.name = make("b", { class: "head-name" });
    this.scale = make("span", { class: "scale" });
    this.downloads = createRow(this.takes);
    this.bar = make("div", { class: "bar" }, this.name, ...this.controls.elements, this.scale);
    const side = make("div", { class: "side" }, this.heads.element, this.beside.element);
    this.stage = make("div", { class: "stage" }, this.bar, this.figure.element, this.figure.tell, this.notice, side);
    const about = { class: "view long-map", role: "group", "aria-label": "Attention over the text" };
    return make("div", about, this.stage, this.downloads, this.links.element);
  }

  get takes() {
    const name = () => `${this.data.name}-layer-${this.open.layer}-head-${this.open.head}`;
    const { SVG, PNG } = takesOf({ name, picture: () => this.picture() });
    return { SVG, PNG, NPZ: async () => download(await this.cells(), `${name()}.npz`) };
  }

  /** The cells in view with their numbers, as a file of numpy's. */
  cells() {
    const { depth, stage, state } = this.figure;
    const cellsOf = (name) =>
      tokenRange(stage.view, stage.room, name, state.tokens).map((token, end) =>
        end ? Math.ceil(token / 2 ** depth) : Math.floor(token / 2 ** depth),
      );
    return fileFrom([this.base, "cells", this.opened, depth, ...cellsOf("query"), ...cellsOf("key")].join("/"));
  }

  show(data) {
    this.root.style.setProperty("--other", this.theme.negative);
    Object.assign(this.figure, { theme: this.theme, hue: this.theme.negative });
    this.figure.painter.restyle(this.theme, this.look);
    if (data.base !== this.base) this.begin(data);
    else if (data.place !== this.latest) this.goToPlace(data.place);
    this.latest = data.place;
    this.draw();
    this.paintHeads();
  }

  /** Another reading. */
  begin({ base, place }) {
    this.reading?.end();
    Object.assign(this, { base, opened: null });
    this.figure.clear();
    this.beside.clear();
    this.links.clear();
    this.figure.say("Waiting for the reading to begin …");
    const wished = readPlace(place);
    this.open = { layer: wished?.layer ?? 0, head: wished?.head ?? 0 };
    this.first = wished?.view ?? null;
    this.sent.clear();
    this.reading = new Reading(base, {
      state: (state) => this.hearState(state),
      text: (labels, marks) => this.hearText(labels, marks),
      thumbnails: (layer) => this.hearThumbnails(layer),
      overview: (overview) => this.hearOverview(overview),
      failed: (sentence) => this.figure.say(sentence),
    });
  }

  hearState(state) {
    const isFirst = !this.figure.state;
    this.figure.state = state;
    if (isFirst) {
      this.heads.write(state.layers);
      const layer = Math.min(this.open.layer, state.layers.length - 1);
      this.open = { layer, head: Math.min(this.open.head, state.layers[layer] - 1) };
      this.heads.mark(layer, this.open.head);
      this.draw();
      if (this.first) this.figure.stage.set(this.first, "place");
    }
    if (!this.opened && state.read > this.open.layer) this.openHead(this.open.layer, this.open.head, false);
    this.nameHead();
    this.tellProgress();
  }

  hearText(labels, marks) {
    const levels = levelsOf(marks);
    this.figure.text = { labels, levels };
    this.beside.write(labels, this.figure.state.causal);
    this.links.write(labels, levels[2]);
    this.draw();
    this.followMap();
  }

  hearThumbnails(layer) {
    this.heads.showLayer(layer, this.reading.thumbnails[layer], (canvas, map) =>
      this.figure.paintThumbnail(canvas, map),
    );
    if (layer === this.open.layer) this.showThumbnail();
  }

  showThumbnail() {
    const map = this.reading.thumbnails[this.open.layer]?.[this.open.head];
    if (!map) return;
    this.figure.painter.thumbnail = { ...map };
    this.figure.minimap.write((canvas) => this.figure.paintThumbnail(canvas, map));
    this.figure.soon();
  }

  paintHeads() {
    this.reading?.thumbnails.forEach((_, layer) => this.hearThumbnails(layer));
  }

  hearOverview(overview) {
    this.figure.overview = overview;
    this.tellProgress();
    this.figure.soon();
    if (overview.ready) this.links.open(`${this.base}/links/${this.opened}`);
  }

  /** Opens another head at the same place. */
  openHead(layer, head, isChange = true) {
    if (!this.figure.state || layer >= this.figure.state.read) return;
    this.open = { layer, head };
    this.opened = `${layer}/${head}`;
    this.figure.open(`${this.base}/tile/${this.opened}`, null);
    this.links.open(null);
    this.beside.open(`${this.base}/word/${this.opened}`);
    this.heads.mark(layer, head);
    this.nameHead();
    this.showThumbnail();
    this.reading.watch(layer, head);
    if (isChange) this.tellPlace();
  }

  nameHead() {
    const { layer, head } = this.open;
    const heads = Math.max(2, this.figure.state.layers[layer]);
    this.name.textContent = headName({ label: String(layer), group: "", heads }, head);
  }

  tellProgress() {
    const { state, overview } = this.figure;
    if (state.error) return this.figure.say(state.error);
    const reading = progressText(state);
    const { done, total, ready } = overview ?? {};
    const computed =
      overview && !ready ? `The overview is computed: ${Math.floor((100 * done) / Math.max(1, total))}%` : "";
    this.figure.say([computed, reading].filter(Boolean).join(". "));
  }

  restyle(look) {
    this.look = { ...this.look, ...look };
    this.figure.painter.restyle(this.theme, this.look);
    this.controls.show(this.look);
    this.paintHeads();
    this.figure.soon();
  }

  draw() {
    if (!this.root.clientWidth) return;
    this.drawnWidth = this.root.clientWidth;
    this.controls.show(this.look);
    const width = this.figure.element.clientWidth;
    const high = this.present ? this.presentedHeight : this.data.height;
    this.root.style.setProperty("--high", `${high}px`);
    if (this.figure.state) this.figure.layOut(width, high, this.figure.state.tokens, this.present ? PRESENTED : 1);
    else this.figure.element.style.minHeight = `${Math.min(high, width)}px`;
    this.beside.show(this.theme, this.theme.negative);
    this.figure.soon();
  }

  /** The map's height on a projector: what the controls above and the sentences below it leave of the screen. */
  get presentedHeight() {
    const pixels = (element, property) => parseFloat(getComputedStyle(element)[property]);
    const sentences = pixels(this.figure.tell, "minHeight") + pixels(this.notice, "minHeight");
    const others = this.bar.offsetHeight + sentences + 3 * pixels(this.stage, "rowGap");
    return Math.round(Math.max(LOWEST, this.room - others));
  }

  get idle() {
    if (this.present) return "";
    if (matchMedia("(pointer: coarse)").matches) return "Tap the map to read it; two fingers zoom, one moves.";
    return "Point at the map to read it. The wheel zooms, dragging moves; with the keyboard: +, −, arrows, Home.";
  }

  showScale() {
    const ends = endsOfScale(this.figure.painter);
    const text = ends?.join("|") ?? "";
    if (text === this.scaleText) return;
    this.scaleText = text;
    const parts = ends
      ? [ends[0], make("i", { "aria-hidden": "true" }), `${ends[1]}, the largest ${ends[2]} in view`]
      : [];
    this.scale.replaceChildren(...parts);
  }

  moved(by) {
    if (by !== "place") this.tellPlace();
    if (performance.now() > this.held) this.following ??= setTimeout(() => this.followMap(), FOLLOWING);
  }

  /** Brings the text to the middle of the map. */
  followMap() {
    this.following = null;
    const { stage, state, isReady } = this.figure;
    if (isReady && !stage.isWhole) this.beside.follow(Math.min(state.tokens - 1, Math.floor(stage.view.query)));
  }

  /** Tells Python where the map is, once it rests. */
  tellPlace() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (!this.figure.isReady) return;
      const { view, room, tokens } = this.figure.stage;
      const place = placeText(this.open, view, tokens, room);
      this.sent.set(place, Date.now());
      this.component.setStateValue("place", place);
    }, QUIET);
  }

  /** A place that came with the page: by the address, or by Python. */
  goToPlace(text) {
    const place = readPlace(text);
    const isOwn = Date.now() - (this.sent.get(text) ?? 0) < ECHO;
    if (!place || isOwn || !this.figure.state) return;
    if (place.layer !== this.open.layer || place.head !== this.open.head) this.openHead(place.layer, place.head, false);
    if (place.view) this.figure.stage.set(place.view, "place");
    else this.figure.stage.showAll();
  }

  goToRow(token) {
    if (!this.figure.isReady) return;
    this.held = performance.now() + HELD;
    const { view, room } = this.figure.stage;
    // To the right of the diagonal a causal map is empty.
    const farthest = token - (0.2 * room.width) / view.scale;
    const key = this.figure.state.causal ? Math.min(view.key, farthest) : view.key;
    this.figure.pinned = null;
    this.figure.stage.fly({ ...view, query: token + 0.5, key });
  }

  goToLink(query, key) {
    this.held = performance.now() + HELD;
    this.beside.fetch(query);
    this.beside.follow(query);
    this.figure.pinned = { query, key };
    this.figure.stage.fly({ query: query + 0.5, key: key + 0.5, scale: LINK_CELL });
    this.figure.element.scrollIntoView({ block: "nearest" });
  }

  mark(token) {
    this.figure.chosen = token;
    this.figure.soon();
  }

  picture() {
    return titled(wordsOfPicture(this.figure, this.name.textContent), this.figure.marks(), this.theme);
  }

  destroy() {
    this.reading?.end();
    this.figure.end();
    this.beside.text.sizes.disconnect();
    for (const timer of [this.following, this.telling, this.links.waiting]) clearTimeout(timer);
    super.destroy();
  }
}

export default mounting(MapView);
