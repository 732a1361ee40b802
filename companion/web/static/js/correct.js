// Putting the checkers right: tap one, tap where it belongs. Or tap a point and the number that lies there.

import { send, toast } from "./app.js";
import { pointWords } from "./board.js";
import { h, put } from "./dom.js";
import { gnuId } from "./ids.js";
import { t } from "./texts.js";

const other = (side) => (side === "white" ? "black" : "white");
const sum = (counts) => counts.reduce((total, n) => total + n, 0);

/** A place of the board as index of a side's 26 numbers; null where that side cannot lie there. */
export function ownIndex(place, side) {
  if (typeof place === "number") return side === "white" ? place : 25 - place;
  const [kind, of] = place.split(".");
  return of === side ? (kind === "bar" ? 25 : 0) : null;
}

/** Both sides' counts while they are being changed. */
export class Draft {
  constructor(white, black) {
    this.white = [...white];
    this.black = [...black];
  }

  sideAt(place) {
    return ["white", "black"].find((side) => {
      const own = ownIndex(place, side);
      return own !== null && this[side][own] > 0;
    });
  }

  /** One checker of `from`'s side goes to `to`; a single enemy there goes to the bar. A text says why not. */
  move(from, to) {
    const side = this.sideAt(from);
    const start = side && ownIndex(from, side);
    const end = side && ownIndex(to, side);
    if (!side || end === null) return t("correct.not_there");
    const theirs = typeof to === "number" ? ownIndex(to, other(side)) : null;
    const men = theirs === null ? 0 : this[other(side)][theirs];
    if (men > 1) return t("correct.two_colours");
    if (men === 1) {
      this[other(side)][theirs] = 0;
      this[other(side)][25] += 1;
    }
    this[side][start] -= 1;
    this[side][end] += 1;
    return "";
  }

  /** `n` checkers of `side` lie at `place`; what is missing to fifteen is borne off. */
  set(place, side, n) {
    const own = ownIndex(place, side);
    if (typeof place === "number" && n) this[other(side)][ownIndex(place, other(side))] = 0;
    this[side][own] = n;
    for (const each of ["white", "black"]) if (own !== 0 || each !== side) this[each][0] = 15 - (sum(this[each]) - this[each][0]);
  }

  problem() {
    for (const side of ["white", "black"]) {
      if (this[side][0] < 0 || sum(this[side]) > 15) return t("correct.too_many", { side, n: sum(this[side]) - this[side][0] });
      if (sum(this[side]) < 15) return t("correct.too_few", { side, n: sum(this[side]) });
    }
    return "";
  }
}

export class Correction {
  constructor(board, view) {
    this.board = board;
    this.view = view;
    this.active = false;
    this.panel = h("div", { class: "correction" });
    this.onEnd = () => {};
    this.bottom = () => "white";
  }

  start() {
    this.active = true;
    this.reset();
    document.documentElement.dataset.correcting = "yes";
  }

  reset() {
    const { white_position: white, black_position: black } = this.view();
    this.draft = new Draft(white, black);
    this.chosen = null;
    this.board.interactive((place) => this.pick(place));
    this.show();
  }

  stop() {
    this.active = false;
    delete document.documentElement.dataset.correcting;
    this.board.interactive(null);
    this.board.mark();
    put(this.panel);
    this.onEnd();
  }

  show() {
    const shown = { ...this.view(), white_position: this.draft.white, black_position: this.draft.black };
    this.board.update(shown, this.bottom(), { arrows: false });
    this.board.mark({ chosen: this.chosen });
    put(this.panel, this.chosen === null ? this.hint() : this.counts());
  }

  hint() {
    const problem = this.draft.problem();
    return h(
      "div",
      { class: "correct-panel" },
      h("p", { role: "status" }, problem || t("correct.hint")),
      h("button", { type: "button", class: "primary", onclick: () => this.stop() }, t("do.done")),
    );
  }

  counts() {
    const place = this.chosen;
    const sides = ["white", "black"].filter((side) => ownIndex(place, side) !== null);
    const title = typeof place === "number" ? pointWords({ white_position: this.draft.white, black_position: this.draft.black }, place) : t(`board.${place.split(".")[0]}`, { side: place.split(".")[1], n: this.draft[place.split(".")[1]][ownIndex(place, place.split(".")[1])] });
    return h(
      "div",
      { class: "correct-panel" },
      h("p", { role: "status" }, h("strong", {}, title), " ", t("correct.then")),
      sides.map((side) => this.chips(place, side)),
      h("button", { type: "button", onclick: () => this.pick(place) }, t("do.cancel")),
    );
  }

  chips(place, side) {
    const now = this.draft[side][ownIndex(place, side)];
    const numbers = Array.from({ length: 16 }, (_, n) => n);
    return h(
      "div",
      { class: `chips ${side}`, role: "group", "aria-label": t("correct.men_of", { side }) },
      numbers.map((n) =>
        h("button", { type: "button", class: `chip ${side}`, "aria-pressed": String(n === now), onclick: () => this.set(place, side, n) }, String(n)),
      ),
    );
  }

  pick(place) {
    if (this.chosen === null || this.chosen === place) {
      this.chosen = this.chosen === place ? null : place;
      this.show();
    } else if (this.draft.sideAt(this.chosen)) this.move(place);
    else {
      this.chosen = place;
      this.show();
    }
  }

  move(place) {
    const problem = this.draft.move(this.chosen, place);
    this.chosen = null;
    if (problem) toast(problem, "bad");
    this.finish();
  }

  set(place, side, n) {
    this.draft.set(place, side, n);
    this.chosen = null;
    this.finish();
  }

  /** As soon as the position can be, it is sent; until then the draft waits for the rest. */
  async finish() {
    this.show();
    if (this.draft.problem()) return;
    const command = { command: "set_position", position: gnuId(this.draft.white, this.draft.black) };
    if (!(await send(command, t("correct.sent")))) this.reset();
  }
}
