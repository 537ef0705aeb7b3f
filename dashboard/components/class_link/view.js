import { writeParameters } from "../../../core/view/browser/kit/address.js";
import { button, make } from "../../../core/view/browser/kit/dom.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { classLink } from "./link.js";

const SURE = 4000; // milliseconds in which a second click ends the class, or sends a follower away
const HERE_ONLY = ["localhost", "127.0.0.1", "[::1]"];

/** The slim bar above every page of whoever leads or follows a class. */
class ClassBar extends View {
  link = classLink();
  opened = false; // whether the followers are listed
  chosen = 0; // the number of the follower that one more click sends away
  render = () => this.shown();
  entered = ({ navigationType }) => navigationType !== "traverse" && this.keepCode();

  build() {
    return make("section", { class: "view class-bar", "aria-label": "Class" });
  }

  show({ code }) {
    this.link.listeners.add(this.render);
    this.link.enter(code);
    this.keepCode();
    const { signal } = this.lifetime;
    window.navigation?.addEventListener("currententrychange", this.entered, { signal });
    this.shown();
  }

  /** The code stays in the address, on every page and after each entry that others make. */
  keepCode() {
    writeParameters({ class: this.link.own.code || null });
  }

  shown() {
    const { number, own, status, leads } = this.link;
    if (own.code && own.code !== this.data.code) {
      this.keepCode();
      this.ask("code", own.code);
    }
    const parts = status === "over" ? this.over() : leads ? this.leading() : this.following();
    const state = `${status} ${leads} ${own.following} ${number} ${this.sure} ${this.opened}`;
    // A button that has the focus stays while only numbers change.
    if (this.state === state) this.update();
    else this.root.replaceChildren(...parts);
    this.state = state;
    this.update();
  }

  update() {
    const { followers, locked, sentence, status, leads } = this.link;
    const count = this.root.querySelector(".count");
    if (count) {
      const said = followers ? `${followers} follow${followers === 1 ? "s" : ""}` : "Nobody follows yet";
      count.textContent = locked ? `${said} · locked` : said;
    }
    this.list();
    const said = this.root.querySelector(".said");
    if (said && status === "there") said.textContent = sentence || (leads ? remark() : "");
  }

  leading() {
    const { code } = this.link.own;
    const link = linkTo(code);
    const copy = button("Copy link", async () => {
      this.root.querySelector(".said").textContent = await copied(link);
    });
    const end = this.sure ? "Yes, end it for all" : "End the class";
    return [
      make("span", { class: "name" }, "Class ", make("b", { class: "code" }, code)),
      make("span", { class: "address" }, link.replace(/^https?:\/\//, "")),
      make("span", { class: "count" }),
      make(
        "span",
        { class: "acts" },
        copy,
        this.opener(),
        button(end, () => this.end()),
      ),
      make("span", { class: "said", role: "status" }, this.link.status === "lost" ? LOST : ""),
      ...(this.opened ? [this.panel()] : []),
    ];
  }

  opener() {
    const opener = button("Followers", () => {
      this.opened = !this.opened;
      this.choose(0);
    });
    opener.setAttribute("aria-expanded", String(this.opened));
    return opener;
  }

  /** Who follows, and who may join. */
  panel() {
    const about = [
      make("p", {}, "Each tab that follows has a number, which its own bar shows. Click a number to remove the tab."),
      make("p", {}, "Pale numbers look around by themselves."),
    ];
    const lock = button("", () => this.link.lock(!this.link.locked));
    lock.classList.add("lock");
    const numbers = make("div", { class: "numbers", role: "group", "aria-label": "Followers by number" });
    return make("div", { class: "panel" }, ...about, numbers, lock);
  }

  /** Brings the panel up to date; a number that has the focus keeps it. */
  list() {
    const numbers = this.root.querySelector(".numbers");
    if (!numbers) return;
    const { listed, locked } = this.link;
    this.root.querySelector(".lock").textContent = locked ? "Let others join again" : "Lock: let nobody else join";
    const focused = numbers.querySelector(":focus")?.dataset.number;
    const chips = listed.map((follower) => this.chip(follower));
    numbers.replaceChildren(...(chips.length ? chips : ["Nobody has come yet."]));
    if (focused) numbers.querySelector(`[data-number="${focused}"]`)?.focus();
  }

  chip([number, following]) {
    const isChosen = number === this.chosen;
    const chip = button(isChosen ? `Remove ${number}?` : String(number), () => this.remove(number));
    chip.dataset.number = number;
    chip.className = following ? "" : "aside";
    chip.setAttribute("aria-label", isChosen ? `Yes, remove ${number}` : `Remove ${number}`);
    chip.title = following ? `${number} follows` : `${number} looks around`;
    return chip;
  }

  /** Asks once more before somebody is sent away. */
  remove(number) {
    if (this.chosen === number) {
      this.link.remove(number);
      this.choose(0);
    } else this.choose(number);
  }

  choose(number) {
    clearTimeout(this.unchosen);
    this.chosen = number;
    if (number) this.unchosen = setTimeout(() => this.choose(0), SURE);
    this.shown();
  }

  following() {
    const { number, own, status } = this.link;
    const name = make("b", {}, own.code);
    const leave = button("Leave", () => this.leave());
    if (status !== "there") {
      const trying = own.code ? ["Connecting to class ", name, " …"] : ["Opening a class …"];
      return [make("span", { class: "said", role: "status" }, ...(status === "lost" ? [LOST] : trying)), leave];
    }
    const [said, act] = own.following
      ? [
          ["You follow class ", name, ` as number ${number}`],
          button("Look around myself", () => this.link.setFollowing(false)),
        ]
      : [
          ["You look around by yourself; class ", name, " goes on"],
          button("Follow again", () => this.link.setFollowing(true)),
        ];
    return [
      make("span", { role: "status" }, ...said),
      make("span", { class: "acts" }, act, leave),
      make("span", { class: "said" }),
    ];
  }

  over() {
    return [make("span", { class: "said", role: "status" }, this.link.sentence), button("Close", () => this.leave())];
  }

  /** Asks once more before all are sent away. */
  end() {
    if (this.sure) {
      clearTimeout(this.unsure);
      this.sure = false;
      this.link.end();
      return;
    }
    this.sure = true;
    this.unsure = setTimeout(() => {
      this.sure = false;
      this.shown();
    }, SURE);
    this.shown();
  }

  leave() {
    this.link.leave();
    this.keepCode();
    this.ask("left", Date.now());
  }

  destroy() {
    clearTimeout(this.unsure);
    clearTimeout(this.unchosen);
    this.link.listeners.delete(this.render);
    super.destroy();
  }
}

const LOST = "The connection is lost; trying again …";

/** The shortest address at which one follows. */
function linkTo(code) {
  const address = new URL("./", location.href);
  address.searchParams.set("class", code);
  return address.href;
}

function remark() {
  if (!HERE_ONLY.includes(location.hostname)) return "";
  return "Only this computer can open this link; for a class, start the atlas with make serve.";
}

async function copied(link) {
  try {
    await navigator.clipboard.writeText(link);
    return "Link copied";
  } catch {
    return "Copy the link beside the code by hand.";
  }
}

export default mounting(ClassBar);
