// A position in the making: tap a checker, tap where it belongs; or tap a point and the number that lies there.

import { toast } from "./app.js";
import { pointWords } from "./board.js";
import { h, put } from "./dom.js";
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

/** Lets a person change a position on a Board. Say what happens in `changed` (after each change) and `done`. */
export class Editor {
  constructor(board) {
    this.board = board;
    this.panel = h("div", { class: "correction" });
    this.view = null;
    this.bottom = () => "white";
    this.changed = () => {};
    this.done = null;
  }

  /** Start from this view. */
  load(view) {
    this.view = view;
    this.draft = new Draft(view.white_position, view.black_position);
    this.chosen = null;
    this.board.interactive((place) => this.pick(place));
    this.show();
  }

  show() {
    const shown = { ...this.view, white_position: this.draft.white, black_position: this.draft.black };
    this.board.update(shown, this.bottom(), { arrows: false });
    this.board.mark({ chosen: this.chosen });
    put(this.panel, this.chosen === null ? this.hint() : this.counts());
  }

  hint() {
    const done = this.done ? h("button", { type: "button", class: "primary", onclick: () => this.done() }, t("do.done")) : null;
    return h("div", { class: "correct-panel" }, h("p", { role: "status" }, this.draft.problem() || t("correct.hint")), done);
  }

  title(place) {
    const { white, black } = this.draft;
    if (typeof place === "number") return pointWords({ white_position: white, black_position: black }, place);
    const [kind, side] = place.split(".");
    return t(`board.${kind}`, { side, n: this.draft[side][ownIndex(place, side)] });
  }

  counts() {
    const place = this.chosen;
    const sides = ["white", "black"].filter((side) => ownIndex(place, side) !== null);
    return h(
      "div",
      { class: "correct-panel" },
      h("p", { role: "status" }, h("strong", {}, this.title(place)), " ", t("correct.then")),
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
      numbers.map((n) => h("button", { type: "button", class: `chip ${side}`, "aria-pressed": String(n === now), onclick: () => this.set(place, side, n) }, String(n))),
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

  finish() {
    this.show();
    if (!this.draft.problem()) this.changed(this.draft);
  }
}
