import { goTo, sharedAddress } from "../../../core/view/browser/kit/address.js";

const STORED = "atlas-class"; // in this tab's session: survives loading a page anew
const OVER = 4000; // the code with which the server closes for good
const LOOK = 200; // milliseconds between two looks at the teacher's address
const BEAT = 60_000; // milliseconds after which this tab says that it is still here
const WAITS = [500, 1000, 2000, 4000, 8000, 15000]; // milliseconds until the next try, longer each time

/** The one link of this window to its class. */
export function classLink() {
  window.atlasClass ??= new ClassLink();
  return window.atlasClass;
}

/**
 * A websocket that outlives the pages that are shown. `status` is "none", "connecting", "there", "lost" or "over";
 * `listeners` are called after every change. With a `key` this tab leads the class, otherwise it follows.
 */
class ClassLink {
  status = "none";
  sentence = ""; // of the server: what it refused, or why it is over
  listeners = new Set();
  own = nobody();
  followers = 0;
  listed = []; // of each follower the number, and whether it follows or looks around
  locked = false; // whether nobody new may join
  number = 0; // of this tab among the followers
  answers = {};
  address = null; // where the teacher is
  given = new Map(); // this follower's answers by question
  asking = new Map(); // the question of each view that shows answers, with its choices
  tries = 0;

  get leads() {
    return Boolean(this.own.key);
  }

  /** Comes to a class, or opens one where there is no code; nothing if this is that class already. */
  enter(code) {
    const here = this.status !== "none" && (code === this.own.code || !code);
    if (here) return;
    this.hangUp();
    const stored = read();
    this.own = code && stored?.code === code ? stored : { ...nobody(), code };
    this.connect();
  }

  connect() {
    this.status = this.tries ? "lost" : "connecting";
    const address = new URL("./class", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = address.hash = "";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.addEventListener("open", () => this.greet());
    socket.addEventListener("message", ({ data }) => this.socket === socket && this.hear(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => this.socket === socket && this.closed(code));
    this.tell();
  }

  greet() {
    const { code, key, who, following } = this.own;
    if (!code) this.say({ open: true });
    else if (key) this.say({ code, key });
    else this.say({ code, who, following });
    if (!key && code) for (const [question, choice] of this.given) this.say({ question, choice });
    clearInterval(this.beating);
    this.beating = setInterval(() => this.say({ here: true }), BEAT);
  }

  hear({ said, over, code, key, followers, listed = [], locked = false, answers, address, number = 0 }) {
    if (over !== undefined) {
      this.status = "over";
      this.sentence = over;
      forget();
    } else if (said !== undefined) this.sentence = said;
    else {
      const begins = this.status !== "there";
      this.status = "there";
      this.tries = 0;
      this.own = { ...this.own, code, key };
      write(this.own);
      if (key) this.lead({ begins, followers, listed, locked, answers });
      else {
        this.number = number;
        this.follow(address);
      }
    }
    this.tell();
  }

  /** News for the teacher, whose address is looked at from now on. */
  lead({ begins, ...news }) {
    Object.assign(this, news);
    if (!begins) return;
    this.sent = null;
    this.ask();
    clearInterval(this.looking);
    this.looking = setInterval(() => this.look(), LOOK);
  }

  /** Says where the teacher is, once the address has come to rest. */
  look() {
    const here = sharedAddress();
    if (here === this.seen && here !== this.sent && this.say({ address: here })) {
      this.sent = here;
      this.sentence = "";
      this.tell();
    }
    this.seen = here;
  }

  follow(address) {
    this.address = address;
    if (address !== null && this.own.following) goTo(address);
  }

  /** Goes with the teacher again, or looks around. */
  setFollowing(following) {
    this.own = { ...this.own, following };
    write(this.own);
    this.say({ following });
    this.follow(this.address);
    this.tell();
  }

  /** A follower's answer to a question; nothing for whoever leads. */
  answer(question, choice) {
    if (this.leads || this.given.get(question) === choice) return;
    this.given.set(question, choice);
    if (this.status === "there") this.say({ question, choice });
  }

  /** A view shows the answers to a question that allows these (none: it asks for a number), or (null) no more. */
  show(view, question, choices = []) {
    const before = JSON.stringify(this.asking.get(view));
    if (question === null) this.asking.delete(view);
    else this.asking.set(view, { question, choices });
    if (JSON.stringify(this.asking.get(view)) !== before) this.ask();
  }

  ask() {
    if (this.leads) this.say({ asks: [...this.asking.values()] });
  }

  /** Lets nobody new join, or everybody again. */
  lock(locked) {
    this.say({ lock: locked });
  }

  /** Sends a follower away for good. */
  remove(number) {
    this.say({ remove: number });
  }

  /** Ends the class for all. */
  end() {
    this.say({ end: true });
  }

  /** Has nothing to do with the class any more. */
  leave() {
    this.hangUp();
    forget();
  }

  hangUp() {
    clearInterval(this.looking);
    clearInterval(this.beating);
    clearTimeout(this.waiting);
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.given.clear();
    Object.assign(this, { status: "none", sentence: "", own: nobody(), address: null, tries: 0 });
  }

  closed(code) {
    clearInterval(this.looking);
    clearInterval(this.beating);
    this.socket = null;
    if (this.status !== "over" && code !== OVER) {
      const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
      this.tries += 1;
      this.status = "lost";
      // Not all at once: a whole class may have lost it in the same moment.
      this.waiting = setTimeout(() => this.connect(), wait * (0.5 + Math.random()));
    }
    this.tell();
  }

  /** Sends a message, if there is a way to; whether there was. */
  say(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  tell() {
    for (const told of this.listeners) told();
  }
}

/** Who this tab is at first: a number by chance, which says nothing about anybody. */
function nobody() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const who = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { code: "", key: null, who, following: true };
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED));
  } catch {
    return null; // a browser may refuse to keep anything
  }
}

function write(own) {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(own));
  } catch {
    // then a page that is loaded anew is a new follower
  }
}

function forget() {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // nothing was kept
  }
}
