import { make } from "../../../core/view/browser/kit/dom.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { classLink } from "../class_link/link.js";

/** What a class answers to one question: a sentence for the follower who has answered, bars for the teacher. */
class ClassAnswers extends View {
  link = classLink();
  render = () => this.shown();

  build() {
    return make("div", { class: "view class-answers" });
  }

  show({ question, choice, choices, asks }) {
    this.link.listeners.add(this.render);
    this.link.show(this, asks ? question : null, choices);
    if (choice !== null) this.link.answer(question, choice);
    this.shown();
  }

  shown() {
    const { leads, own, status } = this.link;
    const { choice, asks } = this.data;
    const parts = leads ? this.bars() : choice !== null && status === "there" ? [sentTo(own.code)] : [];
    this.root.hidden = !parts.length || (leads && !asks);
    this.root.replaceChildren(...parts);
  }

  bars() {
    const given = this.link.answers[this.data.question] ?? {};
    const choices = this.data.choices.length ? this.data.choices : inOrder(Object.keys(given));
    const counts = choices.map((choice) => given[choice] ?? 0);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const most = Math.max(1, ...counts);
    const bar = (share) => make("span", { class: "bar", "aria-hidden": "true", style: `width:${100 * share}%` });
    const rows = choices.map((choice, place) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", dir: "auto" }, choice),
        make("td", { class: "number" }, String(counts[place])),
        make("td", { class: "track" }, bar(counts[place] / most)),
      ),
    );
    const said =
      total === 1 ? "1 answer from the class" : `${total || "No"} answers from the class${total ? "" : " yet"}`;
    return [make("table", {}, make("caption", {}, said), make("tbody", {}, ...rows))];
  }

  destroy() {
    this.link.show(this, null);
    this.link.listeners.delete(this.render);
    super.destroy();
  }
}

/** Answers that were not offered, such as numbers: the smallest first. */
function inOrder(answers) {
  return answers.sort((one, other) => Number(one) - Number(other) || one.localeCompare(other));
}

function sentTo(code) {
  return make("p", { class: "sent" }, `Your answer is counted in class ${code}, without a name.`);
}

export default mounting(ClassAnswers);
