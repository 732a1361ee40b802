// Teacher mode: which checkers may move, where to, and one lesson about what matters now.

import { whitePoint } from "./board.js";
import { h, onChange, put } from "./dom.js";
import { t } from "./texts.js";

/** own number of a side -> the board's place. */
function placeOf(side, own) {
  if (own === 25) return `bar.${side}`;
  if (own === 0) return `off.${side}`;
  return String(whitePoint(side, own));
}

function lessonCode(view, side) {
  const counts = view[`${side}_position`];
  if (!view.legal_plays.length) return null;
  if (view.legal_plays.length === 1 && !view.legal_plays[0][1].length) return "lesson.dance";
  if (counts[25] > 0) return "lesson.enter";
  if (counts.slice(7).every((n) => n === 0)) return "lesson.bear_off";
  return "lesson.tap";
}

function pipSum(view, side) {
  const counts = view[`${side}_position`];
  const terms = counts.map((n, point) => [n, point]).filter(([n, point]) => n && point).reverse();
  const total = terms.reduce((sum, [n, point]) => sum + n * point, 0);
  return t("lesson.pips", { side, sum: terms.map(([n, point]) => `${n}×${point}`).join(" + "), n: total });
}

export class Teacher {
  constructor(board, place) {
    this.board = board;
    this.place = place;
    this.chosen = null;
    this.refresh = onChange((...inputs) => this.draw(...inputs));
    this.view = null;
  }

  update(view) {
    this.view = view;
    this.refresh(view.mode, view.legal_plays, view.on_roll, view.white_position, view.black_position);
  }

  get on() {
    return this.view.mode === "teacher" && Boolean(this.view.on_roll);
  }

  draw() {
    this.chosen = null;
    if (!this.on) {
      this.board.interactive(null);
      this.board.mark();
      put(this.place);
      return;
    }
    this.board.interactive((place) => this.pick(String(place)));
    this.markAll();
    this.tell();
  }

  /** Steps of all legal plays as places. */
  steps() {
    const side = this.view.on_roll;
    return this.view.legal_plays.flatMap(([, steps]) => steps.map((step) => [placeOf(side, step.start), placeOf(side, step.end)]));
  }

  markAll() {
    const from = new Set(this.steps().map(([start]) => start).filter((start) => this.occupied(start)));
    this.board.mark({ from: [...from] });
  }

  occupied(place) {
    const side = this.view.on_roll;
    const counts = this.view[`${side}_position`];
    if (place.startsWith("bar")) return counts[25] > 0;
    return counts[side === "white" ? Number(place) : 25 - Number(place)] > 0;
  }

  pick(place) {
    const targets = this.steps().filter(([start]) => start === place).map(([, end]) => end);
    if (!targets.length || place === this.chosen) {
      this.chosen = null;
      this.markAll();
      return;
    }
    this.chosen = place;
    this.board.mark({ from: [place], to: [...new Set(targets)], chosen: place });
  }

  tell() {
    const side = this.view.on_roll;
    const code = lessonCode(this.view, side);
    const plays = this.view.legal_plays;
    const list = plays.length > 1 ? h("details", {}, h("summary", {}, t("lesson.plays", { n: plays.length })), h("ul", { class: "columns" }, plays.slice(0, 60).map(([play]) => h("li", {}, play)))) : null;
    put(
      this.place,
      h(
        "section",
        { class: "lesson", "aria-labelledby": "lesson-title" },
        h("h2", { id: "lesson-title" }, t("lesson.title")),
        code ? h("p", {}, t(code, { side })) : h("p", {}, t("lesson.wait")),
        list,
        h("details", {}, h("summary", {}, t("lesson.pip_title")), h("p", {}, pipSum(this.view, "white")), h("p", {}, pipSum(this.view, "black"))),
      ),
    );
  }
}
