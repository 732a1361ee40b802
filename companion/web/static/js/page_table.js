// The table, live: the board as the players sit, whose turn, the last play, verdicts, and the referee's tools.

import { announce, app, keep, kept, onSession, session } from "./app.js";
import { Board } from "./board.js";
import { Correction } from "./correct.js";
import { h, icon, onChange, put } from "./dom.js";
import { doubtsButton, openCube, openDice, openTurn, refereeTools } from "./referee.js";
import { bannerBox, bannerWords, matchLine, plate, statusLine, turnLine, turnWords } from "./parts.js";
import { playSound } from "./sound.js";
import { store, connect, watch } from "./store.js";
import { Teacher } from "./teacher.js";
import { say, t } from "./texts.js";

let bottom = kept("seat", "white");
const board = new Board();
const parts = Object.fromEntries(["status", "alert", "top", "foot", "list", "tools", "match", "lesson", "empty"].map((name) => [name, h("div", { class: `part-${name}` })]));
parts.alert.setAttribute("role", "alert");
const correction = new Correction(board, () => store.view);
const teacher = new Teacher(board, parts.lesson);

function turnBoard() {
  bottom = bottom === "white" ? "black" : "white";
  keep("seat", bottom);
  draw(store.view, store.state);
}

const turnButton = h("button", { type: "button", onclick: turnBoard, title: t("table.turn_board") }, icon("turn"), h("span", {}, t("table.turn_board")));

put(
  app,
  h(
    "div",
    { class: "table" },
    h("div", { class: "table-main" }, parts.status, parts.top, h("div", { class: "board-box" }, board.svg, parts.empty), parts.foot, correction.panel),
    h(
      "div",
      { class: "table-side" },
      parts.alert,
      parts.lesson,
      parts.match,
      parts.tools,
      h("section", { class: "plays", "aria-labelledby": "plays-title" }, h("h2", { id: "plays-title" }, t("table.plays")), parts.list),
    ),
  ),
);

const drawStatus = onChange((_text, _status, line) => put(parts.status, statusLine(store.view, line)));
const drawBanner = onChange((banner) => {
  put(parts.alert, bannerBox(store.view));
  document.documentElement.dataset.banner = banner ? banner.kind : "";
});
const drawPlates = onChange(() => {
  put(parts.top, plate(store.view, bottom === "white" ? "black" : "white"));
  put(parts.foot, plate(store.view, bottom));
});
const drawMatch = onChange(() => put(parts.match, h("p", { class: "match-line" }, matchLine(store.view))));
const drawTools = onChange(() => put(parts.tools, h("div", { class: "row tools" }, turnButton, doubtsButton(store.view), refereeTools(store.view, correction))));
const drawTurns = onChange((turns) => {
  const list = h("ol", { class: "turn-list" }, [...turns].reverse().map((turn) => turnLine(store.view, turn, openTurn)));
  put(parts.list, turns.length ? list : h("p", { class: "small" }, t("table.no_plays")));
});
const drawEmpty = onChange((status) => put(parts.empty, emptyNote(status)));

function emptyNote(status) {
  if (status === "calibrate") return h("a", { class: "button primary", href: "/calibrate" }, t("table.calibrate_first"));
  if (status === "no_match") return h("a", { class: "button primary", href: "/match" }, t("table.start_match"));
  return null;
}

let heard = { seq: -1, banner: "" };

/** Tell new things aloud once: plays politely, faults at once (the alert region does that by itself). */
function tell(view) {
  const last = view.turns.at(-1);
  const words = bannerWords(view);
  if (words && words !== heard.banner) playSound(view.banner.kind, words);
  if (last && last.seq !== heard.seq && heard.seq >= 0) {
    announce(`${t(`side.${last.side}`)}: ${turnWords(last)}`);
    if (!words) playSound("play", "");
  }
  heard = { seq: last?.seq ?? 0, banner: words };
}

function draw(view, line) {
  document.title = `${say(view.status_text)} · ${t("app.name")}`;
  if (!correction.active) board.update(view, bottom);
  board.svg.classList.toggle("blind", ["no_match", "calibrate"].includes(view.status));
  drawStatus(view.status_text, view.status, line);
  drawBanner(view.banner);
  drawPlates(bottom, view.white, view.black, view.score, view.pips, view.on_roll, view.clock);
  drawMatch(view.game, view.length, view.crawford, view.post_crawford);
  drawTools(view.status, view.doubts, view.can_undo, view.can_redo, view.mode, view.match_id, view.cube, view.on_roll, session.operator, correction.active);
  drawTurns(view.turns);
  drawEmpty(view.status);
  if (!correction.active) teacher.update(view);
  tell(view);
}

onSession((operator) => board.handles(operator ? { dice: openDice, cube: openCube } : {}));
correction.onEnd = () => draw(store.view, store.state);
correction.bottom = () => bottom;
watch(draw);
onSession(() => draw(store.view, store.state));
connect();
