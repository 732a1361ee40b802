// Settings: the table's (need the PIN) and this device's own.

import { api, app, keep, kept, login, session, toast } from "./app.js";
import { h, put } from "./dom.js";
import { check, choice, input } from "./forms.js";
import { boot, has, t } from "./texts.js";

async function save(event) {
  event.preventDefault();
  const { elements } = event.target;
  if (!session.operator && !(await login())) return;
  const values = {
    profile: elements.profile.value,
    length: Number(elements.length_.value),
    white: elements.white.value.trim(),
    black: elements.black.value.trim(),
    language: elements.language.value,
    keep_pictures_days: Number(elements.keep_pictures_days.value),
    keep_film: elements.keep_film.checked,
    show_evidence: elements.show_evidence.checked,
  };
  try {
    await api("PUT", "settings", values);
    toast(t("done.saved"));
  } catch (error) {
    toast(error.message, "bad");
  }
}

function tableForm(settings, profiles) {
  return h(
    "form",
    { class: "card form", onsubmit: save },
    h("h2", { class: "wide" }, t("settings.table")),
    input("white", t("match.white"), { value: settings.white, required: true, maxlength: 31, pattern: "[^:]+" }),
    input("black", t("match.black"), { value: settings.black, required: true, maxlength: 31, pattern: "[^:]+" }),
    input("length_", t("match.length"), { type: "number", min: 0, max: 99, value: settings.length, required: true }),
    choice("profile", t("match.profile"), profiles.map(({ name }) => [name, has(`profile.${name}`) ? t(`profile.${name}`) : name]), settings.profile),
    choice("language", t("settings.language"), Object.entries(boot.languages), settings.language),
    input("keep_pictures_days", t("settings.keep_pictures"), { type: "number", min: 0, max: 3650, value: settings.keep_pictures_days, required: true }),
    check("show_evidence", t("settings.show_evidence"), settings.show_evidence),
    check("keep_film", t("settings.keep_film"), settings.keep_film),
    h("p", { class: "notice wide" }, t("settings.privacy")),
    h("div", { class: "wide row" }, h("button", { class: "primary" }, t("do.save"))),
  );
}

function deviceSwitch(name, label) {
  const change = (event) => keep(name, event.target.checked ? "on" : "off");
  return h("label", { class: "check" }, h("input", { type: "checkbox", checked: kept(name, "off") === "on", onchange: change }), label);
}

function themeChoice() {
  const set = (event) => {
    if (event.target.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = event.target.value;
    keep("theme", event.target.value);
  };
  const box = choice("theme", t("settings.theme"), ["system", "light", "dark"].map((name) => [name, t(`theme.${name}`)]), kept("theme", "system"));
  box.querySelector("select").addEventListener("change", set);
  return box;
}

function languageChoice() {
  const box = choice("own-language", t("settings.language"), Object.entries(boot.languages), boot.language);
  box.querySelector("select").addEventListener("change", (event) => location.assign(`/settings?lang=${encodeURIComponent(event.target.value)}`));
  return box;
}

async function draw() {
  const [settings, profiles] = await Promise.all([api("GET", "settings"), api("GET", "profiles")]);
  put(
    app,
    h(
      "div",
      { class: "stack" },
      h("section", { class: "card stack" }, h("h2", {}, t("settings.device")), h("div", { class: "form" }, languageChoice(), themeChoice()), deviceSwitch("sound", t("settings.sound")), deviceSwitch("speech", t("settings.speech"))),
      tableForm(settings, profiles),
    ),
  );
}

draw().catch((error) => put(app, h("p", { class: "problem", role: "alert" }, error.message)));
