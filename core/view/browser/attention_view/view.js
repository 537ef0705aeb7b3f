import { keepAddress } from "../kit/address.js";
import { make } from "../kit/dom.js";
import { headName } from "../kit/labels.js";
import { pixelRatio } from "../kit/marks.js";
import { mounting, View } from "../kit/mounting.js";
import { comeBack, reveal } from "../kit/reveal.js";
import { createActions } from "./actions.js";
import { createCaption, createSettings } from "./controls.js";
import { differsInCell } from "./explained.js";
import { createFigure } from "./figure.js";
import { isFull, toggleScreen } from "./full_screen.js";
import { createHeads } from "./heads.js";
import { exactRowOf, patternOf, rowOf } from "./pattern.js";
import { pictureOf } from "./picture.js";
import { createReading, createTable, spoken } from "./reading.js";
import { headOf, keepHead, openScene } from "./scene.js";
import {
  addressOf,
  existing,
  isAtStart,
  lookOf,
  readAddress,
  restingQuery,
  START,
  stateFrom,
  stepped,
  wishOf,
} from "./state.js";

const TELL_AFTER = 250; // milliseconds of rest before the server is told
const MANY_TOKENS = 40; // from here on the map needs the room that the reading panel would take
const PRESENTED = 1.4; // times larger for the projector

/** One view: the choice, and all the parts that show it. */
export class AttentionView extends View {
  state = START;
  exact = null; // a row to the last digit, as the server sent it
  wasFull = false; // whether the cell was chosen in full screen, to which the way back leads
  chosenAt = 0; // when the cell was chosen whose weight is explained; 0 for one of the address

  build() {
    const set = (change, how) => this.set(change, how);
    this.heads = createHeads({ pick: (layer, head) => set({ layer, head }, "push") });
    this.settings = createSettings({ set });
    this.legend = createCaption();
    this.figure = createFigure({ hover: (found) => this.hover(found), pick: (token, key) => this.pin(token, key) });
    this.actions = createActions(this);
    const askExact = () => set({ exactly: !this.state.exactly });
    this.reading = createReading({ askExact, explain: (token, key) => this.explain(token, key) });
    this.table = createTable();
    this.live = make("p", { class: "unseen", "aria-live": "polite" });
    const { caption, notes } = this.legend;
    const middle = make("section", { class: "middle" }, caption, this.figure.element, notes, this.actions.element);
    this.stage = make("div", { class: "stage" }, this.heads.element, middle, this.reading.element);
    const about = { class: "view atlas", role: "group", "aria-label": "Attention" };
    return make("div", about, this.settings.element, this.stage, this.table.element, this.live);
  }

  show({ digest, chosen, exact, options, overview }) {
    this.options = options;
    this.exact = exact ?? this.exact;
    this.address ??= options.address ? this.ownAddress() : null;
    this.keyed ??= this.listen();
    this.open(overview);
    if (options.closed === this.chosenAt) this.close();
    if (this.scene?.digest !== digest) return this.ask("chosen", this.wish()); // the server thought that it was here
    if (chosen) keepHead(this.scene, chosen);
    this.draw();
  }

  /** On a projector the keys work at once; otherwise where the view has the focus. */
  listen() {
    const keyed = this.present ? window : this.root;
    keyed.addEventListener("keydown", (event) => this.press(event), { signal: this.lifetime.signal });
    this.sizes.observe(this.figure.element);
    return keyed;
  }

  resized() {
    if (this.scene) this.draw();
  }

  redraw() {
    this.drawn = null;
    this.resized();
  }

  /** Shows another scene: the first one as the address wants it, later ones with the present choice. */
  open(overview) {
    if (!overview || overview.digest === this.scene?.digest) return;
    const first = !this.scene;
    const unchosen = first || isAtStart(this.state, this.scene);
    this.scene = openScene(overview);
    const kept = unchosen ? { ...this.scene.start, token: null } : { token: null };
    const wished = first && this.address ? stateFrom(this.addressed(), this.scene) : kept;
    this.state = existing({ ...this.state, ...wished }, this.scene);
    this.exact = null;
    this.pattern = null;
    this.hovered = null;
    this.painted = null;
    this.heads.write(this.scene);
    this.address?.write("replace");
    if (!first) this.tell();
  }

  ownAddress() {
    return keepAddress({
      values: () => (this.scene ? addressOf(this.state, this.scene, this.options) : this.addressed()),
      read: () => this.addressed(),
      restored: (address) => this.scene && this.set(stateFrom(address, this.scene), null),
    });
  }

  /** What the address says; where the page keeps the head itself, nothing of it. */
  addressed() {
    const { layer, head, ...row } = readAddress();
    return this.options.address === "row" ? row : { layer, head, ...row };
  }

  get layer() {
    return this.scene.layers[this.state.layer];
  }

  /** What the server is asked for or told. */
  wish() {
    const { layer, head, token, key } = this.state;
    const cell = this.options.explains ? { key, at: this.chosenAt } : {};
    return { layer, head, token, ...cell, have: this.scene?.digest ?? "" };
  }

  /** Changes the choice; `how` is "push" for a step that the back button should undo, null if the address led. */
  set(change, how = "replace") {
    const former = this.state;
    this.state = existing({ ...this.state, ...change }, this.scene);
    const asks = this.options.explains && differsInCell(former, this.state);
    if (asks) this.chosenAt = Date.now() % 1e9; // the server reads numbers of nine digits
    this.draw();
    if (how) this.address?.write(how);
    if (asks && this.state.key !== null && !isFull(this.root)) reveal(this.options.explains, this.lifetime.signal);
    this.tell(asks);
  }

  /** Tells the server what is chosen, where it wants to know or is asked to explain a cell, after a moment of rest. */
  tell(asks = false) {
    if (!this.options.tell && !asks) return;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.ask("chosen", this.wish()), TELL_AFTER);
  }

  /** Gives up the cell, as the page below asks, and comes back into sight. */
  close() {
    if (this.state.key === null) return;
    this.state = { ...this.state, key: null };
    this.address?.write("replace");
    comeBack(this.figure.element);
    if (this.wasFull && !isFull(this.root)) this.toggleScreen();
    this.wasFull = false;
  }

  /** Chooses a cell. It is explained below the view, which leaves the full screen until the visitor comes back. */
  async explain(token, key) {
    this.wasFull = isFull(this.root);
    if (this.wasFull) await this.toggleScreen();
    this.set({ token, key });
  }

  silence() {
    const { layer, head } = this.state;
    this.component.setTriggerValue("silence", { layer, head });
  }

  /** Pins a row, or a cell in it where the page explains weights; a second click gives it up. */
  pin(token, key = null) {
    const { state, options } = this;
    const cell = options.explains ? key : null;
    const isSame = state.token === token && state.key === cell;
    if (!isSame && cell !== null) this.explain(token, cell);
    else this.set(isSame ? { token: null, key: null } : { token, key: cell });
    this.announce();
  }

  hover(found) {
    this.hovered = found;
    this.soon(() => this.point());
  }

  press(event) {
    const wish = wishOf(event);
    if (!wish || !this.pattern) return;
    event.preventDefault();
    if (wish === "fullscreen" || (wish === "unpin" && isFull(this.root))) this.toggleScreen();
    else if (wish === "unpin") this.set(this.state.key === null ? { token: null } : { key: null });
    else if (wish === "view") this.set({ view: this.nextView() }, "push");
    else this.set(stepped(this.state, this, wish), wish.step === "token" ? "replace" : "push");
    this.announce();
  }

  async toggleScreen() {
    await toggleScreen(this.root);
    this.redraw();
  }

  nextView() {
    const { view, possible } = lookOf(this.state, this.layer, this.options);
    return possible[(possible.indexOf(view) + 1) % possible.length];
  }

  /** Brings everything that is seen to the present choice; what did not change is not drawn again. */
  draw() {
    this.pattern = this.newPattern() ?? this.pattern;
    if (!this.pattern) return;
    const { pattern, state, options } = this;
    this.waiting = pattern.layer.place !== state.layer || pattern.head !== state.head;
    this.resting = restingQuery(pattern, options);
    const { view, scale, possible } = lookOf(state, pattern.layer, options);
    this.view = view;
    this.look = this.newLook(scale);
    this.root.classList.toggle("waiting", this.waiting);
    const crowded = Math.max(pattern.queries.length, pattern.keys.length) > MANY_TOKENS;
    this.stage.classList.toggle("dense", crowded || this.present);
    this.settings.show({ ...state, scale }, { view, views: possible, layer: pattern.layer });
    this.actions.show({ ...state, token: state.token ?? this.resting }, options);
    this.showHeads(scale);
    this.point(this.mustDraw());
  }

  newLook(scale) {
    const { links, threshold, blend, veil } = this.state;
    const image = pictureOf(this.pattern.layer, () => this.draw());
    const ratio = pixelRatio();
    const zoom = this.present ? PRESENTED : 1;
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
    if (found) return { ...patternOf(found.layer, found, special === "out"), key, head };
    this.ask("chosen", this.wish());
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

  /** Draws what follows the pointer; with `draws`, the figure below it too. */
  point(draws = false) {
    const { pattern, look, state, hovered, view } = this;
    const own = (token) => pattern.queries[pattern.rowOfQuery.get(token)]; // of a head in blocks, the first of its block
    const pinned = own(state.token) ?? null;
    const reading = hovered?.query ?? pinned ?? own(this.resting);
    const overKey = view === "lines" && hovered && hovered.query === null;
    const key = hovered?.key ?? null;
    const shown = { view, pattern, look, pinned, chosen: state.key, key, pointed: Boolean(hovered) };
    this.figure[draws ? "draw" : "point"]({ ...shown, query: overKey ? null : reading });
    this.read(reading, pinned);
  }

  /** Puts the row in view into words and numbers. */
  read(query, pinned) {
    const { pattern, look, state, view, waiting } = this;
    const { canExact, explains } = this.options;
    const exact = this.exactRow(query);
    const row = exact ?? rowOf(pattern, query);
    const [exactly, approximate] = [Boolean(exact), pattern.approximate && !exact];
    const title = headName(pattern.layer, pattern.head);
    const name = waiting ? `${headName(this.layer, state.head)} …` : title;
    this.now = { query, row, title };
    const numbers = { row, asked: state.exactly, exactly, approximate };
    this.reading.show({ pattern, query, pinned, look, ...numbers, canExact, explains });
    this.table.show({ pattern, title, query, row, exactly });
    this.legend.show({ name, pattern, view, scale: look.scale, row, waiting, state, canExact, explains });
    if (!this.hovered) this.figure.element.setAttribute("aria-label", this.sentence());
  }

  /** The row to the last digit, where exact values are wanted and here; else the server is asked, after a rest. */
  exactRow(query) {
    const { pattern, state } = this;
    clearTimeout(this.asking);
    if (!state.exactly || this.waiting) return null;
    const row = exactRowOf(this.exact, pattern, query);
    if (!row) this.asking = setTimeout(() => this.ask("chosen", { ...this.wish(), exact: query }), TELL_AFTER);
    return row;
  }

  sentence() {
    return `${this.now.title}. ${spoken(this.pattern, this.now.query, this.now.row)}`;
  }

  announce() {
    if (this.now) this.live.textContent = this.sentence();
  }

  destroy() {
    clearTimeout(this.telling);
    clearTimeout(this.asking);
    this.heads.destroy();
    super.destroy();
  }
}

export default mounting(AttentionView);
