// The hall's screen: nothing to touch, everything huge.

import { app } from "./app.js";
import { Board } from "./board.js";
import { h, onChange, put } from "./dom.js";
import { bannerBox, matchLine, plate, statusLine, turnWords } from "./parts.js";
import { connect, watch } from "./store.js";
import { t } from "./texts.js";

const board = new Board();
const parts = Object.fromEntries(["status", "alert", "top", "foot", "match", "last"].map((name) => [name, h("div", { class: `part-${name}` })]));
parts.alert.setAttribute("role", "alert");
const bottom = new URLSearchParams(location.search).get("seat") === "black" ? "black" : "white";
const top = bottom === "white" ? "black" : "white";

put(app, h("div", { class: "screen" }, h("div", { class: "screen-board" }, board.svg), h("div", { class: "screen-side" }, parts.top, parts.alert, parts.status, parts.match, parts.last, parts.foot, h("img", { class: "screen-qr", src: "/join.svg", alt: t("join.qr") }))));

const drawBanner = onChange(() => put(parts.alert, bannerBox(latest, { choices: false })));
const drawRest = onChange((line) => {
  put(parts.status, statusLine(latest, line));
  put(parts.top, plate(latest, top));
  put(parts.foot, plate(latest, bottom));
  put(parts.match, h("p", {}, matchLine(latest)));
  const last = latest.turns.at(-1);
  put(parts.last, last ? h("p", { class: "last-play" }, `${latest[last.side]}: ${turnWords(last)}`) : null);
});
let latest;

watch((view, line) => {
  latest = view;
  board.update(view, bottom);
  document.documentElement.dataset.banner = view.banner?.kind ?? "";
  drawBanner(view.banner);
  drawRest(line, view.status_text, view.status, view.white, view.black, view.score, view.pips, view.on_roll, view.clock, view.game, view.length, view.crawford, view.turns.at(-1));
});
connect();
