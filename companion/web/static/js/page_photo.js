// A photograph becomes a position: read, put right by tapping, copied as an id.

import { api, app, toast } from "./app.js";
import { Board } from "./board.js";
import { h, icon, put } from "./dom.js";
import { Editor } from "./editor.js";
import { percent, t } from "./texts.js";

const MOST = 12 * 1024 * 1024;
const board = new Board();
const editor = new Editor(board);
const ids = h("div", { class: "stack", "aria-live": "polite" });
const result = h("div");
const note = h("p", { role: "status" });

function base(reading) {
  return {
    home: reading.board.home ?? "right",
    white_position: reading.position.white,
    black_position: reading.position.black,
    dice: (reading.dice ?? []).filter((die) => die.state === "flat").slice(0, 2).map(({ value, state, half }) => ({ value, state, half, side: null })),
    on_roll: "white",
    cube: reading.cube ? { value: reading.cube.value, owner: ["white", "black"].includes(reading.cube.place) ? reading.cube.place : null, offered_by: null, in_play: true } : { value: 1, owner: null, offered_by: null, in_play: false },
    last_play: null,
    last_steps: [],
  };
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("done.copied"));
  } catch {
    getSelection().selectAllChildren(document.getElementById(`id-${text.length}`));
    toast(t("photo.copy_by_hand"), "bad");
  }
}

function idLine(label, text) {
  return h("div", { class: "id-line" }, h("span", {}, label), h("code", { id: `id-${text.length}` }, text), h("button", { type: "button", onclick: () => copy(text) }, t("do.copy"), h("span", { class: "hidden" }, ` ${label}`)));
}

function showIds({ xgid, gnuid, problems = [] }) {
  put(ids, idLine("XGID", xgid), idLine("GNU", gnuid), problems.map((text) => h("p", { class: "problem" }, text)));
}

async function renew(draft) {
  try {
    showIds(await api("POST", "position", { white: draft.white, black: draft.black, on_roll: null }));
  } catch (error) {
    put(ids, h("p", { class: "problem" }, error.message));
  }
}

function doubts(reading) {
  const list = reading.uncertain ?? [];
  if (!list.length) return null;
  return h("section", { class: "card stack" }, h("h2", {}, t("photo.unsure")), h("ul", {}, list.map(({ where, read, alternatives }) => h("li", {}, t("photo.unsure_at", { where, read, others: alternatives.join(", ") })))));
}

function show(reading, address) {
  if (!reading.board?.found) {
    put(result, h("p", { class: "notice" }, t("photo.no_board")), h("img", { class: "evidence", src: address, alt: t("photo.picture") }));
    return;
  }
  put(
    result,
    h(
      "div",
      { class: "table" },
      h("div", { class: "table-main" }, board.svg, editor.panel),
      h("div", { class: "table-side" }, h("p", {}, t("photo.sure", { share: percent(reading.confidence ?? 0, 0) })), ids, doubts(reading), h("img", { class: "evidence", src: address, alt: t("photo.picture") })),
    ),
  );
  editor.load(base(reading));
  showIds(reading);
}

async function read(file) {
  if (file.size > MOST) {
    note.textContent = t("error.http_413");
    return;
  }
  note.textContent = t("photo.reading");
  try {
    show(await api("POST", "photo", file, { raw: true }), URL.createObjectURL(file));
    note.textContent = "";
  } catch (error) {
    put(result, h("p", { class: "problem", role: "alert" }, error.message));
    note.textContent = "";
  }
}

function picker(id, label, capture) {
  const input = h("input", { type: "file", accept: "image/jpeg,image/png,image/webp", capture, id, class: "hidden", onchange: (event) => event.target.files[0] && read(event.target.files[0]) });
  return h("span", {}, input, h("label", { for: id, class: "button primary" }, icon("camera"), label));
}

editor.changed = renew;
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
});
put(app, h("div", { class: "stack" }, h("p", {}, t("photo.text")), h("div", { class: "row" }, picker("take", t("photo.take"), "environment"), picker("choose", t("photo.choose"), null)), note, result));
