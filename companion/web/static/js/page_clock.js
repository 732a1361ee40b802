// The chess clock of backgammon: two halves to touch, or the keys A and L; the space bar pauses.

import { app, send, session, login, onSession } from "./app.js";
import { h, put } from "./dom.js";
import { connect, store, watch } from "./store.js";
import { seconds, t } from "./texts.js";

const KEYS = { a: "white", A: "white", l: "black", L: "black", ArrowLeft: "white", ArrowRight: "black" };
const halves = {};
const note = h("p", { class: "clock-note", role: "status" });

function press(side) {
  return send({ command: "press_clock", side, action: "press" });
}

function pause() {
  const { running } = store.view.clock;
  return send({ command: "press_clock", side: running ?? store.view.on_roll ?? "white", action: running ? "pause" : "resume" });
}

for (const side of ["white", "black"]) {
  halves[side] = h("button", { type: "button", class: `clock-half ${side}`, onclick: () => press(side) }, h("span", { class: "clock-name" }), h("span", { class: "clock-time" }), h("span", { class: "clock-hint" }));
}
const pauseButton = h("button", { type: "button", onclick: pause }, t("clock.pause"));
put(
  app,
  h("div", { class: "clock" }, halves.white, h("div", { class: "clock-middle" }, pauseButton, h("a", { class: "button", href: "/" }, t("nav.table")), note), halves.black),
);

/** Seconds left now: the server's figure, less the time since it came; the delay runs first. */
function leftNow(view, side) {
  const { kind, left, running, delay_s: delay } = view.clock;
  const stored = left[side === "white" ? 0 : 1];
  if (running !== side) return stored;
  const gone = (performance.now() - store.receivedAt) / 1000;
  return stored - (kind === "none" ? 0 : Math.max(0, gone - delay));
}

function draw(view) {
  for (const side of ["white", "black"]) {
    const half = halves[side];
    const { kind, running, flag } = view.clock;
    half.classList.toggle("running", running === side);
    half.classList.toggle("fallen", flag === side);
    half.children[0].textContent = view[side];
    half.children[1].textContent = kind === "none" ? "" : seconds(leftNow(view, side));
    half.children[2].textContent = flag === side ? t("clock.flag") : running === side ? t("clock.press") : "";
  }
  pauseButton.hidden = view.clock.kind === "none";
  note.textContent = view.clock.kind === "none" ? t("clock.none") : session.operator ? t(`clock.${view.clock.kind}`, { delay: view.clock.delay_s }) : t("pin.needed");
}

document.addEventListener("keydown", (event) => {
  const side = KEYS[event.key];
  if (event.repeat || event.target.closest("dialog, input, select")) return;
  if (side) press(side);
  else if (event.key === " " && event.target === document.body) pause();
});
watch(draw);
onSession(() => draw(store.view));
setInterval(() => store.view.clock.running && draw(store.view), 200);
connect();
if (!session.operator) login();
