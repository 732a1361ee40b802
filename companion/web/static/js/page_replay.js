// A stored match again, step by step, with the pictures that were kept.

import { api, app, keep, kept } from "./app.js";
import { Board } from "./board.js";
import { h, icon, put } from "./dom.js";
import { disc, evidencePicture, ruleTags } from "./parts.js";
import { boot, say, t } from "./texts.js";

const board = new Board();
const facts = h("div", { class: "stack", "aria-live": "polite" });
const slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("replay.slider") });
let match;
let at = 0;
let bottom = kept("seat", "white");

/** A step as the board's view. */
function view(step) {
  return {
    home: match.home ?? boot.view.home,
    white_position: step.white,
    black_position: step.black,
    dice: (step.dice ?? []).map((value) => ({ value, state: "flat", side: step.side, half: null })),
    on_roll: step.side,
    cube: step.cube,
    last_play: step.steps?.length ? { side: step.side } : null,
    last_steps: step.steps ?? [],
    match_id: match.id,
  };
}

function stepWords(step) {
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "turn-words" }, step.side ? [disc(step.side), " "] : "", step.dice ? `${step.dice.join("-")}: ` : "", say(step.text)),
    h("p", { class: "small" }, [step.game ? t("match.game", { game: step.game }) : "", t("replay.score", { score: step.score.join("–") })].filter(Boolean).join(" · ")),
    step.legal === false ? h("p", { class: "problem" }, t("verdict.illegal")) : null,
    step.why ? h("p", {}, say(step.why)) : null,
    ruleTags(step.rules),
    (step.evidence ?? []).length ? h("div", { class: "row" }, step.evidence.map((name) => evidencePicture({ match_id: match.id }, [name]))) : null,
  );
}

function show(index) {
  at = Math.max(0, Math.min(index, match.steps.length - 1));
  const step = match.steps[at];
  board.update(view(step), bottom);
  slider.value = at;
  slider.setAttribute("aria-valuetext", t("replay.step", { step: at + 1, steps: match.steps.length }));
  put(facts, h("p", { class: "small" }, t("replay.step", { step: at + 1, steps: match.steps.length })), stepWords(step));
}

function turn() {
  bottom = bottom === "white" ? "black" : "white";
  keep("seat", bottom);
  show(at);
}

function frame() {
  document.querySelector("h1").textContent = `${match.white} – ${match.black}`;
  put(
    app,
    h(
      "div",
      { class: "table" },
      h("div", { class: "table-main" }, board.svg, slider, h("div", { class: "row" },
        h("button", { type: "button", onclick: () => show(at - 1) }, icon("undo"), t("replay.before")),
        h("button", { type: "button", onclick: () => show(at + 1) }, t("replay.after"), icon("redo")),
        h("button", { type: "button", onclick: turn }, icon("turn"), t("table.turn_board")))),
      h("div", { class: "table-side" }, h("div", { class: "card" }, facts), h("a", { href: "/matches" }, t("replay.all"))),
    ),
  );
}

async function start() {
  match = await api("GET", `matches/${encodeURIComponent(boot.match_id)}`);
  if (!match.steps.length) {
    put(app, h("p", { class: "notice" }, t("replay.empty")));
    return;
  }
  frame();
  slider.max = match.steps.length - 1;
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.target !== slider) show(at + step);
  });
  show(0);
}

start().catch((error) => put(app, h("p", { class: "problem", role: "alert" }, error.message)));
