// How likely is it that the side bearing off is ever hit? Men are put up by tapping, White is the side bearing off.

import { api, app } from "./app.js";
import { Board } from "./board.js";
import { h, put } from "./dom.js";
import { choice, check } from "./forms.js";
import { percent, t } from "./texts.js";

const MOST_BEARING = 15;
const MOST_AGAINST = 4;
const board = new Board();
const bearing = Array(26).fill(0);
const against = Array(26).fill(0);
const answer = h("div", { class: "stack", "aria-live": "polite" });
const note = h("p", { class: "problem", role: "status" });
let tool = "bearing";

const total = (counts) => counts.reduce((sum, n) => sum + n, 0);

function show() {
  board.update({ home: "right", white_position: bearing, black_position: against, dice: [], on_roll: null, cube: { in_play: false }, last_play: null, last_steps: [] });
}

function problem(place) {
  if (tool === "bearing") {
    if (typeof place !== "number" || place > 6) return t("odds.at_home");
    if (against[25 - place]) return t("odds.taken");
    return total(bearing) >= MOST_BEARING ? t("odds.most_bearing") : "";
  }
  if (place !== "bar.black" && typeof place !== "number") return t("odds.on_board");
  if (typeof place === "number" && bearing[place]) return t("odds.taken");
  return total(against) >= MOST_AGAINST ? t("odds.most_against") : "";
}

function pick(place) {
  note.textContent = "";
  const own = place === "bar.black" ? 25 : 25 - place;
  if (tool === "remove") {
    if (typeof place === "number" && bearing[place]) bearing[place] -= 1;
    else if (against[own]) against[own] -= 1;
  } else {
    note.textContent = problem(place);
    if (note.textContent) return;
    if (tool === "bearing") bearing[place] += 1;
    else against[own] += 1;
  }
  put(answer);
  show();
}

function men(counts) {
  return Object.fromEntries(counts.map((n, point) => [point === 25 ? "bar" : String(point), n]).filter(([, n]) => n));
}

function tools() {
  const names = ["bearing", "against", "remove"];
  const box = h("div", { class: "chips", role: "group", "aria-label": t("odds.tool") });
  const draw = () => put(box, names.map((name) => h("button", { type: "button", class: "chip", "data-key": name, "aria-pressed": String(tool === name), onclick: () => ((tool = name), draw()) }, t(`odds.tool.${name}`))));
  draw();
  return box;
}

function clear() {
  latest = null;
  bearing.fill(0);
  against.fill(0);
  put(answer);
  show();
}

function span(pair, i) {
  return pair ? ` (${percent(pair[i][0], 1)} – ${percent(pair[i][1], 1)})` : "";
}

function result(odds, model) {
  const digits = odds.interval ? 1 : 3; // An estimate knows no thousandths.
  return [
    h("dl", { class: "facts card" },
      h("div", { class: "fact" }, h("dt", {}, t("odds.bearing_rolls")), h("dd", { class: "big" }, percent(odds.bearing_on_roll, digits), h("small", {}, span(odds.interval, 0)))),
      h("div", { class: "fact" }, h("dt", {}, t("odds.against_rolls")), h("dd", { class: "big" }, percent(odds.against_on_roll, digits), h("small", {}, span(odds.interval, 1))))),
    h("p", {}, t(`odds.method.${odds.method}`), " ", t(`odds.model.${model}`)),
    odds.plays ? h("section", { class: "card" }, h("h2", {}, t("odds.plays")), h("ol", { class: "odds-plays" }, odds.plays.map(({ play, hit, interval }) => h("li", {}, h("span", {}, play || t("turn.dance")), h("strong", {}, percent(hit, digits), h("small", {}, span(interval && [interval], 0))))))) : null,
  ];
}

let latest = null;

/** What is not solved within seconds is estimated first; the solution takes its place when it is there. */
async function ask(event) {
  event.preventDefault();
  const { elements } = event.target;
  if (!total(bearing) || !total(against)) {
    note.textContent = t("odds.both");
    return;
  }
  const dice = [Number(elements.die1.value), Number(elements.die2.value)];
  const question = { bearing: men(bearing), against: men(against), spare_moves: elements.spare.checked };
  if (dice[0] && dice[1]) Object.assign(question, { dice, on_roll: elements.on_roll.value });
  const asked = (latest = Symbol("question"));
  put(answer, h("p", {}, t("load.wait")));
  try {
    const model = question.spare_moves ? "spare" : "alone";
    const first = await api("POST", "hitodds", { ...question, quick: true });
    if (asked !== latest) return;
    put(answer, result(first, model), first.solvable ? h("p", { role: "status" }, t("odds.solving")) : null);
    if (!first.solvable) return;
    const solved = await api("POST", "hitodds", question);
    if (asked === latest) put(answer, result(solved, model));
  } catch (error) {
    put(answer, h("p", { class: "notice", role: "alert" }, error.status === 501 ? t("odds.not_built") : error.message));
  }
}

const faces = [["0", "–"], ...[1, 2, 3, 4, 5, 6].map((n) => [String(n), String(n)])];
put(
  app,
  h(
    "div",
    { class: "table" },
    h("div", { class: "table-main" }, h("p", {}, t("odds.text")), tools(), board.svg, note),
    h(
      "div",
      { class: "table-side" },
      h(
        "form",
        { class: "card stack", onsubmit: ask },
        check("spare", t("odds.spare"), false, t("odds.spare_help")),
        h("div", { class: "form" }, choice("die1", t("dice.which", { number: 1 }), faces, "0"), choice("die2", t("dice.which", { number: 2 }), faces, "0"), choice("on_roll", t("odds.on_roll"), [["bearing", t("odds.tool.bearing")], ["against", t("odds.tool.against")]], "bearing")),
        h("div", { class: "row" }, h("button", { class: "primary" }, t("odds.ask")), h("button", { type: "button", onclick: clear }, t("odds.clear"))),
      ),
      answer,
    ),
  ),
);
show();
board.interactive(pick);
