// What every page has: talking to the server, the operator's PIN, messages, dialogs, theme and language.

import { h, icon, put } from "./dom.js";
import { boot, has, t } from "./texts.js";

export const session = boot.session;
export const app = document.getElementById("app");
const sessionWatchers = new Set();

export function onSession(draw) {
  sessionWatchers.add(draw);
  draw(session.operator);
}

function setSession(values) {
  Object.assign(session, values);
  document.documentElement.dataset.operator = session.operator ? "yes" : "no";
  for (const draw of sessionWatchers) draw(session.operator);
}

/** A request to the JSON API; throws an Error with a text for people. */
export async function api(method, path, value, { raw = false } = {}) {
  const headers = {};
  if (session.csrf) headers["X-CSRF-Token"] = session.csrf;
  if (value !== undefined && !raw) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { method, headers, body: raw ? value : value && JSON.stringify(value), cache: "no-store" });
  } catch {
    throw new Error(t("error.unreachable"));
  }
  const data = await answer.json().catch(() => ({}));
  if (answer.status === 401) setSession({ operator: false, csrf: null });
  if (!answer.ok) throw Object.assign(new Error(errorText(data)), { status: answer.status });
  return data;
}

function errorText(data) {
  if (data.code && has(`refused.${data.code}`)) return t(`refused.${data.code}`, data.args);
  if (data.error === "unusable" || data.error === "bad_request") return data.detail || t("error.bad_request");
  if (data.error && has(`error.${data.error}`)) return t(`error.${data.error}`, data.args);
  return data.message || data.detail || t("error.unknown");
}

/** Send a command to the table; a refusal is shown, never thrown. True when it was taken. */
export async function send(command, done = null) {
  if (!session.operator && !(await login())) return false;
  try {
    await api("POST", "command", command);
    if (done) toast(done);
    return true;
  } catch (error) {
    toast(error.message, "bad");
    return false;
  }
}

export function toast(text, kind = "good") {
  const note = h("p", { class: `toast ${kind}`, role: kind === "bad" ? "alert" : null }, text);
  document.getElementById("toasts").append(note);
  setTimeout(() => note.remove(), kind === "bad" ? 8000 : 3500);
}

/** Words for a screen reader only. */
export function announce(text) {
  document.getElementById("said").textContent = text;
}

/** A modal sheet; `build(close)` gives its content. Resolves with what `close` was called with. */
export function sheet(title, build, { wide = false } = {}) {
  return new Promise((resolve) => {
    const close = (value) => {
      dialog.returned = value;
      dialog.close();
    };
    const dialog = h(
      "dialog",
      { class: wide ? "sheet wide" : "sheet", "aria-label": title },
      h(
        "div",
        { class: "sheet-head" },
        h("h2", {}, title),
        h("button", { type: "button", class: "quiet", onclick: () => close(), "aria-label": t("do.close") }, "✕"),
      ),
    );
    dialog.append(build(close));
    dialog.addEventListener("click", (event) => event.target === dialog && close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returned);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Ask before something that cannot be undone. */
export function confirmed(title, text, action) {
  return sheet(title, (close) =>
    h(
      "div",
      { class: "stack" },
      h("p", {}, text),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "danger", onclick: () => close(true) }, action),
        h("button", { type: "button", onclick: () => close(false) }, t("do.cancel")),
      ),
    ),
  );
}

/** Ask for the PIN; true when the server took it. */
export function login() {
  return sheet(t("pin.title"), (close) => {
    const problem = h("p", { class: "problem", role: "alert" });
    const field = h("input", {
      id: "pin",
      autofocus: true,
      inputmode: "numeric",
      autocomplete: "off",
      maxlength: 12,
      required: true,
      "aria-describedby": "pin-help",
    });
    const submit = async (event) => {
      event.preventDefault();
      problem.textContent = "";
      try {
        setSession(await api("POST", "login", { pin: field.value }));
        close(true);
      } catch (error) {
        problem.textContent = error.message;
        field.select();
      }
    };
    return h(
      "form",
      { class: "stack", onsubmit: submit },
      h("label", { for: "pin" }, t("pin.label")),
      field,
      h("p", { id: "pin-help", class: "small" }, t("pin.help")),
      problem,
      h("button", { class: "primary" }, t("pin.unlock")),
    );
  }).then(Boolean);
}

async function logout() {
  setSession(await api("POST", "logout"));
}

function themeButton() {
  const flip = () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--is-dark").trim() === "1";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    keep("theme", document.documentElement.dataset.theme);
  };
  return h("button", { type: "button", class: "quiet", onclick: flip, "aria-label": t("do.theme"), title: t("do.theme") }, icon("sun"));
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Private browsing: the choice lasts as long as the page.
  }
}

export function kept(name, otherwise) {
  try {
    return localStorage.getItem(name) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function lockButton(operator) {
  const label = t(operator ? "pin.lock" : "pin.unlock");
  return h(
    "button",
    { type: "button", class: operator ? "lock open" : "lock", onclick: operator ? logout : login, title: label, "data-key": "lock" },
    icon(operator ? "unlock" : "lock"),
    h("span", {}, t(operator ? "pin.operator" : "pin.viewer")),
  );
}

function menuButton() {
  const nav = document.getElementById("nav");
  const flip = () => button.setAttribute("aria-expanded", String(nav.classList.toggle("open")));
  const button = h(
    "button",
    { type: "button", class: "quiet menu", "aria-expanded": "false", "aria-controls": "nav", onclick: flip },
    h("span", { "aria-hidden": "true" }, "☰"),
    h("span", { class: "hidden" }, t("nav.label")),
  );
  return button;
}

const lock = h("span");
put(document.getElementById("tools"), lock, themeButton(), menuButton());
onSession((operator) => put(lock, lockButton(operator)));
document.documentElement.dataset.operator = session.operator ? "yes" : "no";
