import { isPresented, keepAddress, readAddress } from "./address.js";
import { pixelRatio } from "./canvas.js";
import { applyTheme, readTheme } from "./colour.js";
import { make } from "./dom.js";
import { createFigure } from "./figure.js";
import { createHeads } from "./heads.js";
import { wishOf } from "./keyboard.js";
import { createLegend } from "./legend.js";
import { createActions, createSettings } from "./panel.js";
import { patternOf, rowOf } from "./pattern.js";
import { pictureOf } from "./picture.js";
import { createReading, spoken } from "./reading.js";
import { headName, headOf, keepHead, openScene } from "./scene.js";
import { createScreen } from "./screen.js";
import { createServer } from "./server.js";
import { addressOf, isAtStart, lookOf, restingQuery, START, stateFrom, stepped, within } from "./state.js";
import { createTable } from "./table.js";
import { wishesOf } from "./wishes.js";

const MANY_TOKENS = 40; // from here on the map needs the room that the reading panel would take
const PRESENTED = 1.4; // times larger for the projector

/** One view: the choice, and all the parts that show it. */
export class AttentionView {
  constructor(host) {
    this.turn = 0;
    this.state = START;
    this.presenting = isPresented();
    this.server = createServer();
    this.build(host);
    this.listen();
  }

  build(host) {
    const set = (change, how) => this.set(change, how);
    this.heads = createHeads({ pick: (layer, head) => set({ layer, head }, "push") });
    this.settings = createSettings({ set });
    this.legend = createLegend();
    this.figure = createFigure({ hover: (found) => this.hover(found), pick: (token) => this.pin(token) });
    this.actions = createActions(wishesOf(this));
    this.reading = createReading({ askExact: () => set({ exactly: !this.state.exactly }) });
    this.table = createTable();
    this.live = make("p", { class: "unseen", "aria-live": "polite" });
    const { caption, notes } = this.legend;
    const middle = make("section", { class: "middle" }, caption, this.figure.element, notes, this.actions.element);
    this.stage = make("div", { class: "stage" }, this.heads.element, middle, this.reading.element);
    const about = { class: this.presenting ? "atlas present" : "atlas", role: "group", "aria-label": "Attention" };
    this.root = make("div", about, this.settings.element, this.stage, this.table.element, this.live);
    this.screen = createScreen(this.root, () => this.redraw());
    host.append(this.root);
  }

  listen() {
    this.stop = new AbortController();
    const { signal } = this.stop;
    // On a projector the keys work at once; otherwise where the view has the focus.
    const keyed = this.presenting ? window : this.root;
    keyed.addEventListener("keydown", (event) => this.press(event), { signal });
    document.fonts.addEventListener("loadingdone", () => this.redraw(), { signal });
    this.sizes = new ResizeObserver(() => this.scene && this.refresh());
    this.sizes.observe(this.figure.element);
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.server.receive(component);
    this.options = data.options;
    this.address ??= data.options.address ? this.ownAddress() : null;
    this.open(data.overview);
    if (this.scene?.digest === data.digest) {
      if (data.chosen) keepHead(this.scene, data.chosen);
      this.theme = readTheme(this.root, data.palettes, this.presenting);
      applyTheme(this.root, this.theme);
      this.refresh();
    } else {
      this.server.ask(this.wish()); // the server thought that the overview was here already
    }
    return ++this.turn;
  }

  /** Shows another scene: the first one as the address wants it, later ones with the present choice. */
  open(overview) {
    if (!overview || overview.digest === this.scene?.digest) return;
    const first = !this.scene;
    const unchosen = first || isAtStart(this.state, this.scene);
    this.scene = openScene(overview);
    const kept = unchosen ? { ...this.scene.start, token: null } : { token: null };
    const wished = first && this.address ? stateFrom(readAddress(), this.scene) : kept;
    this.state = within({ ...this.state, ...wished }, this.scene);
    this.server.forget();
    this.pattern = null;
    this.hovered = null;
    this.painted = null;
    this.heads.write(this.scene);
    this.address?.write("replace");
    if (!first && this.options.tell) this.server.tell(this.wish());
  }

  ownAddress() {
    return keepAddress({
      values: () => (this.scene ? addressOf(this.state, this.scene, this.options) : readAddress()),
      restored: (address) => this.scene && this.set(stateFrom(address, this.scene), null),
    });
  }

  get layer() {
    return this.scene.layers[this.state.layer];
  }

  /** What the server is asked for or told. */
  wish() {
    const { layer, head, token } = this.state;
    return { layer, head, token, have: this.scene?.digest ?? "" };
  }

  /** Changes the choice; `how` is "push" for a step that the back button should undo, null if the address led. */
  set(change, how = "replace") {
    this.state = within({ ...this.state, ...change }, this.scene);
    this.refresh();
    if (how) this.address?.write(how);
    if (this.options.tell) this.server.tell(this.wish());
  }

  pin(token) {
    this.set({ token: this.state.token === token ? null : token });
    this.announce();
  }

  hover(found) {
    this.hovered = found;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.point();
    });
  }

  press(event) {
    const wish = wishOf(event);
    if (!wish || !this.pattern) return;
    event.preventDefault();
    if (wish === "fullscreen" || (wish === "unpin" && this.screen.isFull())) this.screen.toggle();
    else if (wish === "unpin") this.set({ token: null });
    else if (wish === "view") this.set({ view: this.nextView() }, "push");
    else this.set(stepped(this.state, this, wish), wish.step === "token" ? "replace" : "push");
    this.announce();
  }

  nextView() {
    const { view, possible } = lookOf(this.state, this.layer, this.options);
    return possible[(possible.indexOf(view) + 1) % possible.length];
  }

  /** Brings everything that is seen to the present choice; what did not change is not drawn again. */
  refresh() {
    this.pattern = this.newPattern() ?? this.pattern;
    if (!this.pattern) return;
    const { pattern, state, options } = this;
    this.waiting = pattern.layer !== this.layer || pattern.head !== state.head;
    this.resting = restingQuery(pattern, options);
    const { view, scale, possible } = lookOf(state, pattern.layer, options);
    this.view = view;
    this.look = this.newLook(scale);
    this.root.classList.toggle("waiting", this.waiting);
    const crowded = Math.max(pattern.queries.length, pattern.keys.length) > MANY_TOKENS;
    this.stage.classList.toggle("dense", crowded || this.presenting);
    this.settings.show({ ...state, scale }, { view, views: possible, layer: this.layer });
    this.actions.show({ ...state, token: state.token ?? this.resting }, options);
    this.showHeads(scale);
    this.point(this.mustDraw());
  }

  newLook(scale) {
    const { links, threshold, blend, veil } = this.state;
    const image = pictureOf(this.pattern.layer, () => this.refresh());
    const ratio = pixelRatio();
    const zoom = this.presenting ? PRESENTED : 1;
    return { theme: this.theme, scale, zoom, ratio, links, threshold, blend, veil, image };
  }

  showHeads(scale) {
    const painting = [this.scene.digest, this.theme.paper, scale].join();
    if (this.painted !== painting) this.heads.paint(this.theme, scale);
    this.painted = painting;
    this.heads.choose(this.state.layer, this.state.head, this.options.silenced);
  }

  /** The pattern of the chosen head, or null while the server is asked for it. */
  newPattern() {
    const { layer, head, special } = this.state;
    const key = [this.scene.digest, layer, head, special].join();
    if (this.pattern?.key === key) return this.pattern;
    const found = headOf(this.scene, layer, head);
    if (found) return { ...patternOf(this.layer, found, special === "out"), key, head };
    this.server.ask(this.wish());
    return null;
  }

  /** Whether the figure itself differs from the one that was drawn last. */
  mustDraw() {
    const { scale, ratio, links, threshold, image, theme } = this.look;
    const what = [this.pattern.key, this.view, scale, links, threshold, Boolean(image)];
    const where = [theme.paper, theme.ink, this.figure.element.clientWidth, window.innerHeight, ratio];
    const drawn = [...what, ...where].join();
    const differs = this.drawn !== drawn;
    this.drawn = drawn;
    return differs;
  }

  redraw() {
    this.drawn = null;
    if (this.scene) this.refresh();
  }

  /** Draws what follows the pointer; with `draws`, the figure below it too. */
  point(draws = false) {
    const { pattern, look, state, hovered, view } = this;
    const pinned = pattern.rowOfQuery.has(state.token) ? state.token : null;
    const reading = hovered?.query ?? pinned ?? this.resting;
    const overKey = view === "lines" && hovered && hovered.query === null;
    const shown = { view, pattern, look, pinned, key: hovered?.key ?? null, pointed: Boolean(hovered) };
    this.figure[draws ? "draw" : "point"]({ ...shown, query: overKey ? null : reading });
    this.read(reading, pinned);
  }

  /** Puts the row in view into words and numbers. */
  read(query, pinned) {
    const { pattern, look, state, view, waiting } = this;
    const exact = this.exactRow(query);
    const row = exact ?? rowOf(pattern, query);
    const how = { exactly: state.exactly, approximate: pattern.approximate && !exact };
    const title = headName(pattern.layer, pattern.head);
    const name = waiting ? `${headName(this.layer, state.head)} …` : title;
    this.now = { query, row, title };
    this.reading.show({ pattern, query, pinned, row, look, ...how });
    this.table.show({ pattern, title, query, row, how });
    this.legend.show({ name, pattern, view, scale: look.scale, row, waiting, state });
    if (!this.hovered) this.figure.element.setAttribute("aria-label", this.sentence());
  }

  exactRow(query) {
    const { pattern, state } = this;
    if (!state.exactly || !pattern.approximate || this.waiting) return null;
    const row = this.server.exactRow(pattern, query);
    if (!row && !this.hovered) this.server.ask({ ...this.wish(), exact: query });
    return row;
  }

  sentence() {
    return `${this.now.title}. ${spoken(this.pattern, this.now.query, this.now.row)}`;
  }

  announce() {
    if (this.now) this.live.textContent = this.sentence();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    this.stop.abort();
    this.sizes.disconnect();
    this.heads.destroy();
    this.server.destroy();
    this.address?.destroy();
    this.root.remove();
  }
}
