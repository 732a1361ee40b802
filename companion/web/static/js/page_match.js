// A match begun: who plays, how far, under which rules, from which position.

import { api, app, confirmed, login, send, session } from "./app.js";
import { h, put } from "./dom.js";
import { choice, input } from "./forms.js";
import { store } from "./store.js";
import { boot, has, t } from "./texts.js";

const FIELDS = {
  half: ["right", "any"],
  on_checker: ["reroll", "valid"],
  premature: ["void", "stands", "opponent_choice"],
  illegal_play: ["responsible", "legal"],
  turn_end: ["dice_lift", "clock"],
  mode: ["monitor", "recorder", "teacher"],
};
const SWITCHES = ["crawford", "jacoby", "beavers", "automatic_doubles"];
const settings = boot.settings;

function profileName(name) {
  return has(`profile.${name}`) ? t(`profile.${name}`) : name;
}

/** An unchanged field stays as the profile has it. */
function overrides(form) {
  const changed = {};
  for (const name of Object.keys(FIELDS)) if (form.elements.namedItem(name).value) changed[name] = form.elements.namedItem(name).value;
  for (const name of SWITCHES) if (form.elements.namedItem(name).value) changed[name] = form.elements.namedItem(name).value === "yes";
  return changed;
}

function fieldChoice(name) {
  const options = FIELDS[name].map((value) => [value, name === "mode" ? t(`mode.${value}`) : t(`profile.${name}.${value}`)]);
  return choice(name, t(`profile.field.${name}`), [["", t("match.as_profile")], ...options], "");
}

function switchChoice(name) {
  return choice(name, t(`profile.field.${name}`), [["", t("match.as_profile")], ["yes", t("do.yes")], ["no", t("do.no")]], "");
}

function running() {
  return !["no_match", "match_over", "calibrate"].includes(store.view.status);
}

/** One match at a time on a table. */
async function endRunning() {
  return (await confirmed(t("abandon.title"), t("abandon.text"), t("do.abandon"))) && send({ command: "abandon" });
}

/** A name nobody changed is shown in the reader's language. */
function nameOf(side) {
  const name = settings[side];
  return name.toLowerCase() === side ? t(`side.${side}`) : name;
}

async function start(event) {
  event.preventDefault();
  const form = event.target;
  const value = (name) => form.elements.namedItem(name).value.trim();
  if (!session.operator && !(await login())) return;
  if (running() && !(await endRunning())) return;
  const command = {
    command: "new_match",
    white: value("white"),
    black: value("black"),
    length: Number(value("length")),
    profile: value("profile"),
    overrides: overrides(form),
    from_id: value("from_id") || null,
    on_roll: value("from_id") ? value("on_roll") : null,
  };
  if (await send(command, t("done.started"))) location.href = "/";
}

async function draw() {
  const profiles = await api("GET", "profiles");
  put(
    app,
    running() ? h("p", { class: "notice" }, t("match.running", { white: store.view.white, black: store.view.black })) : null,
    h(
      "form",
      { class: "card form", onsubmit: start },
      input("white", t("match.white"), { value: nameOf("white"), required: true, maxlength: 31, pattern: "[^:]+", autocomplete: "off" }, t("match.seat_help")),
      input("black", t("match.black"), { value: nameOf("black"), required: true, maxlength: 31, pattern: "[^:]+", autocomplete: "off" }),
      input("length", t("match.length"), { type: "number", min: 0, max: 99, value: settings.length, required: true }, t("match.length_help")),
      choice("profile", t("match.profile"), profiles.map(({ name }) => [name, profileName(name)]), settings.profile),
      h("details", { class: "wide" }, h("summary", {}, t("match.details")), h("div", { class: "form" }, Object.keys(FIELDS).map(fieldChoice), SWITCHES.map(switchChoice))),
      h(
        "details",
        { class: "wide" },
        h("summary", {}, t("match.from_position")),
        h("div", { class: "form" }, input("from_id", t("match.id"), { autocomplete: "off", maxlength: 120 }, t("match.id_help")), choice("on_roll", t("match.on_roll"), [["white", t("side.white")], ["black", t("side.black")]], "white")),
      ),
      h("div", { class: "wide row" }, h("button", { class: "primary" }, t("match.begin"))),
    ),
  );
}

draw().catch((error) => put(app, h("p", { class: "problem", role: "alert" }, error.message)));
