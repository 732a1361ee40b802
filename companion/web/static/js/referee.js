// The referee's tools: undo, mode, score, cube, dice, missed turns, doubts. All of them are commands in the log.

import { api, confirmed, send, session, sheet, toast } from "./app.js";
import { dieIcon, h, icon, put } from "./dom.js";
import { viewId } from "./ids.js";
import { choiceButton, disc, evidencePicture, legalPlays, ruleTags, turnWords } from "./parts.js";
import { store } from "./store.js";
import { say, t } from "./texts.js";

const FACES = [1, 2, 3, 4, 5, 6];
const SIDES = ["white", "black"];

function tool(name, label, action, props = {}) {
  return h("button", { type: "button", "data-key": name, onclick: action, title: label, ...props }, icon(name), h("span", {}, label));
}

export function refereeTools(view, correction) {
  if (!session.operator) return null;
  const paused = view.status === "paused";
  const running = !["no_match", "calibrate", "match_over"].includes(view.status);
  return [
    tool("undo", t("do.undo"), () => send({ command: "undo" }, t("done.undo")), { disabled: !view.can_undo }),
    tool("redo", t("do.redo"), () => send({ command: "redo" }, t("done.redo")), { disabled: !view.can_redo }),
    tool("edit", t("do.correct"), () => (correction.active ? correction.stop() : correction.start()), { "aria-pressed": String(correction.active) }),
    running ? tool("pause", t(paused ? "do.resume" : "do.pause"), () => send({ command: paused ? "resume" : "pause" })) : null,
    modeChoice(view),
    tool("more", t("do.more"), () => moreSheet(view)),
  ];
}

function modeChoice(view) {
  const options = ["monitor", "recorder", "teacher"].map((mode) => h("option", { value: mode, selected: mode === view.mode }, t(`mode.${mode}`)));
  const change = (event) => send({ command: "set_mode", mode: event.target.value });
  return h("label", { class: "mode" }, h("span", {}, t("mode.label")), h("select", { onchange: change, "data-key": "mode", "aria-label": t("mode.label") }, options));
}

export function doubtsButton(view) {
  if (!view.doubts.length) return null;
  return h("button", { type: "button", class: "doubts", "data-key": "doubts", onclick: openDoubts }, icon("ask"), h("span", {}, t("doubt.open", { n: view.doubts.length })));
}

function openDoubts() {
  return sheet(
    t("doubt.title"),
    (close) =>
      h(
        "div",
        { class: "stack" },
        store.view.doubts.map((doubt) =>
          h(
            "section",
            { class: "doubt" },
            h("p", {}, say(doubt.text)),
            evidencePicture(store.view, doubt.evidence),
            h("div", { class: "row", onclick: (event) => event.target.closest("button:not(.thumb)") && close() }, doubt.alternatives.map((choice) => choiceButton(choice))),
          ),
        ),
      ),
    { wide: true },
  );
}

/** Details of a line of the play list; the operator may say what was really played. */
export function openTurn(turn) {
  const view = store.view;
  return sheet(
    t("turn.title", { turn: turn.turn + 1 }),
    (close) =>
      h(
        "div",
        { class: "stack" },
        h("p", { class: "turn-words" }, disc(turn.side), " ", turnWords(turn)),
        turn.note && turn.kind !== "double" ? h("p", {}, say(turn.note)) : null,
        ruleTags(turn.rules),
        turn.evidence.map((name) => evidencePicture(view, [name])),
        session.operator && turn.dice && turn.before ? candidates(turn, close) : null,
      ),
    { wide: true },
  );
}

function candidates(turn, close) {
  const box = h("div", { class: "stack" }, h("h3", {}, t("turn.choose")), h("p", { class: "small" }, t("load.wait")));
  const choose = async (play) => {
    close();
    await send({ command: "choose_play", play, turn: turn.turn, dice: turn.dice }, t("correct.sent"));
  };
  legalPlays(turn.before, turn.dice)
    .then((plays) =>
      put(box, h("h3", {}, t("turn.choose")), h("div", { class: "chips" }, plays.map(({ play }) => h("button", { type: "button", class: "chip", "aria-pressed": String(play === turn.play), onclick: () => choose(play) }, play || t("turn.dance"))))),
    )
    .catch((error) => put(box, h("p", { class: "problem" }, error.message)));
  return box;
}

/** Two rows of faces; `take(dice)` as soon as a value is tapped (`both`: once each row has one). */
function diceRows(dice, take, both = false) {
  const chosen = [...dice];
  const rows = h("div", { class: "stack" });
  const draw = () =>
    put(
      rows,
      [0, 1].map((i) =>
        h(
          "div",
          { class: "chips faces", role: "group", "aria-label": t("dice.which", { number: i + 1 }) },
          FACES.map((value) => h("button", { type: "button", class: "chip", "data-key": `die${i}${value}`, "aria-pressed": String(chosen[i] === value), onclick: () => pick(i, value), "aria-label": String(value) }, dieIcon(value))),
        ),
      ),
    );
  const pick = (i, value) => {
    chosen[i] = value;
    draw();
    if (!both || (chosen[0] && chosen[1])) if (chosen[0] && chosen[1]) take([...chosen]);
  };
  draw();
  return rows;
}

export function openDice() {
  const view = store.view;
  const side = view.on_roll ?? view.dice[0]?.side ?? "white";
  const values = [view.dice[0]?.value ?? null, view.dice[1]?.value ?? null];
  return sheet(t("dice.title", { side }), (close) =>
    diceRows(values, (dice) => {
      close();
      send({ command: "set_dice", side, dice }, t("correct.sent"));
    }),
  );
}

export function openCube() {
  const { value, owner } = store.view.cube;
  return sheet(t("cube.title"), (close) => {
    const take = (command) => () => {
      close();
      send(command, t("correct.sent"));
    };
    const values = [1, 2, 4, 8, 16, 32, 64].map((n) => h("button", { type: "button", class: "chip", "aria-pressed": String(n === value), onclick: take({ command: "set_cube", value: n, owner: n === 1 ? null : (owner ?? "white") }) }, String(n)));
    const owners = [null, ...SIDES].map((who) => h("button", { type: "button", class: "chip", "aria-pressed": String(who === owner), onclick: take({ command: "set_cube", value, owner: who }) }, who ? t(`side.${who}`) : t("cube.centre")));
    return h("div", { class: "stack" }, h("h3", {}, t("cube.value")), h("div", { class: "chips" }, values), h("h3", {}, t("cube.owner")), h("div", { class: "chips" }, owners));
  });
}

function openScore() {
  const view = store.view;
  return sheet(t("score.title"), (close) => {
    const white = h("input", { id: "score-white", type: "number", min: 0, max: 99, value: view.score[0] });
    const black = h("input", { id: "score-black", type: "number", min: 0, max: 99, value: view.score[1] });
    const crawford = h("input", { id: "score-crawford", type: "checkbox", checked: view.crawford });
    const save = (event) => {
      event.preventDefault();
      close();
      send({ command: "set_score", white: Number(white.value), black: Number(black.value), crawford: crawford.checked }, t("correct.sent"));
    };
    return h(
      "form",
      { class: "stack", onsubmit: save },
      h("label", { for: "score-white" }, view.white),
      white,
      h("label", { for: "score-black" }, view.black),
      black,
      h("label", { class: "check" }, crawford, " ", t("match.crawford")),
      h("button", { class: "primary" }, t("do.save")),
    );
  });
}

function sideChoice(name, chosen) {
  return h(
    "fieldset",
    { class: "row" },
    h("legend", {}, t("side.which")),
    SIDES.map((side) => h("label", { class: "check" }, h("input", { type: "radio", name, value: side, checked: side === chosen }), " ", disc(side), " ", store.view[side])),
  );
}

function openAddTurn() {
  const view = store.view;
  return sheet(
    t("add.title"),
    (close) => {
      const plays = h("div", { class: "chips" });
      const form = h("div", { class: "stack" }, sideChoice("add-side", view.on_roll ?? "white"), diceRows([null, null], (dice) => offer(dice), true), plays);
      const offer = async (dice) => {
        const side = form.querySelector("input:checked").value;
        try {
          const found = await legalPlays(viewId(view, side), dice);
          put(plays, found.map(({ play }) => h("button", { type: "button", class: "chip", onclick: () => add(side, dice, play) }, play || t("turn.dance"))));
        } catch (error) {
          toast(error.message, "bad");
        }
      };
      const add = (side, dice, play) => {
        close();
        send({ command: "add_turn", side, dice, play }, t("done.added"));
      };
      return form;
    },
    { wide: true },
  );
}

function openResign() {
  return sheet(t("resign.title"), (close) => {
    const form = h("div", { class: "stack" }, sideChoice("resign-side", store.view.on_roll ?? "white"));
    const resign = (points) => () => {
      const side = form.querySelector("input:checked").value;
      close();
      send({ command: "resign", side, points }, t("done.resigned"));
    };
    form.append(h("div", { class: "row" }, [1, 2, 3].map((points) => h("button", { type: "button", onclick: resign(points) }, t(`resign.${points}`)))));
    return form;
  });
}

async function abandon() {
  if (await confirmed(t("abandon.title"), t("abandon.text"), t("do.abandon"))) send({ command: "abandon" }, t("done.abandoned"));
}

function moreSheet(view) {
  const side = view.on_roll ?? "white";
  const taker = side === "white" ? "black" : "white";
  const offered = view.cube.offered_by;
  return sheet(t("do.more"), (close) => {
    const item = (label, action) => h("button", { type: "button", onclick: () => (close(), action()) }, label);
    const command = (label, value, done) => item(label, () => send(value, done));
    return h(
      "div",
      { class: "stack menu-list" },
      item(t("dice.set"), openDice),
      item(t("add.title"), openAddTurn),
      item(t("score.title"), openScore),
      item(t("cube.title"), openCube),
      offered
        ? [command(t("do.take"), { command: "take", side: taker }), command(t("do.pass"), { command: "pass", side: taker })]
        : command(t("do.double", { side }), { command: "double", side }),
      item(t("resign.title"), openResign),
      command(t("do.next_game"), { command: "next_game" }),
      command(t("do.swap"), { command: "swap_sides" }, t("done.swapped")),
      item(t("do.abandon"), abandon),
    );
  });
}

/** Stored matches may be removed with all their pictures. */
export async function deleteMatch(id) {
  if (!(await confirmed(t("delete.title"), t("delete.text"), t("do.delete")))) return false;
  try {
    await api("DELETE", `matches/${encodeURIComponent(id)}`);
    return true;
  } catch (error) {
    toast(error.message, "bad");
    return false;
  }
}
